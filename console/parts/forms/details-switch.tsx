/** The switch behind which technical values stand. */
import { showDetails, showsDetails } from '../../ground/details.ts';
import { t } from '../../ground/words.ts';

/** Draws the switch. */
export const DetailsSwitch = () => (
  <label class="check" title={t('details.hint')}>
    <input
      type="checkbox"
      checked={showsDetails.value}
      onChange={(event) => showDetails(event.currentTarget.checked)}
    />
    <span>{t('details.title')}</span>
  </label>
);
