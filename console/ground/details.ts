/** Whether technical values are shown: a choice of this browser, which an operator leaves on. */
import { signal } from '@preact/signals';

const storedAs = 'papergate-details';

/** True while dBm, volts, serials and the like are shown next to what they mean. */
export const showsDetails = signal(localStorage.getItem(storedAs) === 'on');

/** Shows them or not, from now on and after a reload. */
export function showDetails(isShown: boolean): void {
  localStorage.setItem(storedAs, isShown ? 'on' : 'off');
  showsDetails.value = isShown;
}
