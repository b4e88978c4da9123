/** The settings of a website: its address, what of it is shown, and how it looks. */
import { t } from '../../ground/words.ts';
import { DraftLogins } from '../draft/draft-logins.tsx';
import { MetaField } from '../draft/meta-fields.tsx';
import type { PaperDraft } from '../draft/paper-draft.ts';

const selectors = ['cutOut', 'waitFor', 'clickFirst'] as const;
const maxSelectorLength = 500;

/** Whether a text is a CSS selector, as this browser reads it; a wait may be milliseconds as well. */
function isSelector(field: string, text: string): boolean {
  if (field === 'waitFor' && /^\d+$/.test(text)) return true;
  try {
    document.createDocumentFragment().querySelector(text);
    return text.length <= maxSelectorLength;
  } catch {
    return false;
  }
}

const isWrong = (draft: PaperDraft, field: string): boolean => {
  const text = draft.text(field);
  return text !== '' && !isSelector(field, text);
};

/** Whether a field of a website holds what is not a selector: it is not saved then. */
export const hasWrongSelector = (draft: PaperDraft): boolean =>
  draft.base.value.kind === 'website' && selectors.some((field) => isWrong(draft, field));

/** Draws the fields. */
export const WebsiteFields = ({ draft }: { readonly draft: PaperDraft }) => (
  <>
    <MetaField draft={draft} field="url" type="url" label={t('papers.address')} hint={t('papers.addressHint')} />
    {draft.base.value.id === '' && <DraftLogins draft={draft} address={draft.text('url')} />}
    <details open={selectors.some((field) => draft.text(field) !== '')}>
      <summary>{t('papers.part')}</summary>
      <div class="paper-form">
        <p class="note">{t('papers.partHint')}</p>
        {selectors.map((field) => (
          <div key={field}>
            <MetaField
              draft={draft}
              field={field}
              label={t(`papers.${field}`)}
              hint={t(`papers.${field}Hint`)}
              maxLength={maxSelectorLength}
            />
            {isWrong(draft, field) && (
              <p class="warn" role="alert">
                {t('papers.noSelector')}
              </p>
            )}
          </div>
        ))}
        <MetaField draft={draft} field="css" label={t('papers.css')} rows={3} hint={t('papers.cssHint')} />
      </div>
    </details>
  </>
);
