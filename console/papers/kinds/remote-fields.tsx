/** The settings of a picture at an address. */
import { t } from '../../ground/words.ts';
import { DraftLogins } from '../draft/draft-logins.tsx';
import { FitField } from '../draft/fit-field.tsx';
import { MetaField } from '../draft/meta-fields.tsx';
import type { PaperDraft } from '../draft/paper-draft.ts';

/** Draws the fields. */
export const RemoteFields = ({ draft }: { readonly draft: PaperDraft }) => (
  <>
    <MetaField
      draft={draft}
      field="url"
      type="url"
      label={t('papers.pictureAddress')}
      hint={t('papers.pictureAddressHint')}
    />
    {draft.base.value.id === '' && <DraftLogins draft={draft} address={draft.text('url')} />}
    <FitField draft={draft} />
  </>
);
