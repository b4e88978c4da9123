/** The values to enter in a frame with the vendor's offline firmware, and where. */
import type { AnswerOf } from '../../ground/call-api.ts';
import { t } from '../../ground/words.ts';
import { CopyField } from '../../parts/forms/copy-field.tsx';
import { ReachWarning } from '../../parts/reach.tsx';

/** The answer with the values that are entered. */
export type OfflineMade = AnswerOf<'POST /devices/offline/{name}'>;

/** Draws the values to enter, each once, and the steps in which that is done. */
export const OfflineEntries = ({ made }: { readonly made: OfflineMade }) => (
  <section class="card">
    <h2>{t('add.plainTitle')}</h2>
    <ReachWarning address={made.address} whom="frames" />
    <p class="note">{t('add.offlineHint')}</p>
    <ol>
      <li>{t('add.offlineStep.press')}</li>
      <li>{t('add.offlineStep.enter')}</li>
      <li>{t('add.offlineStep.save')}</li>
    </ol>
    <CopyField label={t('add.plainAddress')} value={made.address} />
    <CopyField label={t('add.offlineUser')} value={made.user} />
    <CopyField label={t('add.offlinePassword')} value={made.password} />
    <CopyField label={t('add.offlineSettings')} value={made.settingsAddress} />
    <p class="note">{t('add.offlineSettingsHint')}</p>
    <p class="note">{t('add.offlineBattery')}</p>
  </section>
);
