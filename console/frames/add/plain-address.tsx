/** The values to enter in firmware that fetches one address. */
import type { AnswerOf } from '../../ground/call-api.ts';
import { t } from '../../ground/words.ts';
import { CopyField } from '../../parts/forms/copy-field.tsx';
import { ReachWarning } from '../../parts/reach.tsx';

/** The answer that has it. */
export type PlainMade = AnswerOf<'POST /devices/plain/{name}'>;

/** Draws it; the key is shown once. */
export const PlainAddress = ({ made: { address, header, key } }: { readonly made: PlainMade }) => (
  <section class="card">
    <h2>{t('add.plainTitle')}</h2>
    <ReachWarning address={address} whom="frames" />
    <p class="note">{t('add.plainHint')}</p>
    <CopyField label={t('add.plainAddress')} value={address} />
    <CopyField label={t('add.plainHeader')} value={header} />
    <CopyField label={t('add.plainKey')} value={key} />
  </section>
);
