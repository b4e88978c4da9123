/** Whether a paper cuts its pictures to the shape of the frame or shows all of them. */
import type { ComponentType } from 'preact';
import { t } from '../ground/words.ts';
import type { PaperDraft } from './paper-draft.ts';

/** Draws the choice. */
export const FitField: ComponentType<{ readonly draft: PaperDraft }> = ({ draft }) => (
  <label class="check">
    <input
      type="checkbox"
      checked={draft.get('fit') === 'contain'}
      onChange={(event) => draft.set('fit', event.currentTarget.checked ? 'contain' : undefined)}
    />
    <span>{t('papers.fitWhole')}</span>
  </label>
);
