/** The choice to stay signed in, which stands at every way of signing in. */
import { t } from '../ground/words.ts';
import type { Bound } from '../parts/bound.ts';
import { CheckField } from '../parts/forms/choice-field.tsx';

/** Draws the choice. */
export const StayField = ({ value }: { readonly value: Bound<boolean> }) => (
  <div class="stay">
    <CheckField label={t('signIn.stay')} value={value} />
    <p class="note">{t('signIn.stayHint')}</p>
  </div>
);
