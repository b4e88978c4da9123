/** Puts back what was typed when the session ended, after the page was loaded again. */
import { goTo, hrefOf, route } from '../ground/router.ts';
import { fieldsOfPage, forgetTyped, keptTyped, type TypedField } from '../ground/typed-words.ts';
import { t } from '../ground/words.ts';
import { say } from '../parts/messages.tsx';

/** The page reads what it shows before its fields are there: it is looked at for this time. */
const patienceMs = 20_000;

/** Sign-in links and the identity provider lead to the first page. Anyone who chose another one wants to be there. */
const isFirstPage = (): boolean => ['', 'frames'].includes(route.peek().join('/'));

/** Leads back to where somebody was, and fills in the fields as they appear. */
export function putBackTyped(account: string): void {
  const kept = keptTyped();
  forgetTyped();
  if (kept === undefined || kept.account !== account) return;
  if (!isFirstPage() && kept.place !== location.pathname + location.search) return;
  goTo(kept.place.slice(new URL(hrefOf('')).pathname.length), { replace: true });
  if (kept.fields.length === 0) return;
  let left = [...kept.fields];
  const write = (): void => {
    // A choice may bring the fields of the next ones, so they are written in their order.
    while (left[0] !== undefined && writeOne(left[0])) left = left.slice(1);
    if (left.length > 0) return;
    end();
    say(t('signIn.putBack'));
  };
  const looking = new MutationObserver(write);
  const timer = setTimeout(() => end(), patienceMs);
  const end = (): void => {
    looking.disconnect();
    clearTimeout(timer);
  };
  looking.observe(document.body, { childList: true, subtree: true });
  write();
}

/** Writes as a person would, so that the page takes note of it; false while the field is not there. */
function writeOne({ label, at, value, isChosen }: TypedField): boolean {
  const control = fieldsOfPage().get(label)?.[at];
  if (control === undefined) return false;
  if (isChosen === undefined) {
    control.value = value;
    control.dispatchEvent(new Event('input', { bubbles: true }));
    control.dispatchEvent(new Event('change', { bubbles: true }));
  } else if (control instanceof HTMLInputElement && control.checked !== isChosen) {
    control.click();
  }
  return true;
}
