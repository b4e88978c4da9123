/** Whether a paper cuts its pictures to the shape of the frame or shows all of them. */
import { t } from '../../ground/words.ts';
import { CheckField } from '../../parts/forms/choice-field.tsx';
import type { PaperDraft } from './paper-draft.ts';

/** Draws the choice. */
export const FitField = ({ draft }: { readonly draft: PaperDraft }) => (
  <CheckField label={t('papers.fitWhole')} value={draft.mark('fit', 'contain')} />
);
