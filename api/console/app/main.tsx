/** The console's entry: it chooses the language, finds the session, and draws. */
import { render } from 'preact';
import { Console } from './console.tsx';
import { becomeInstallable } from './phone.ts';
import { isGuestPlace, route } from './router.ts';
import { findSession } from './session.ts';
import { chooseLanguage } from './words.ts';

await chooseLanguage();
const isGuest = isGuestPlace(route.peek());
if (!isGuest) void findSession();
render(<Console />, document.getElementById('app') as HTMLElement);
// Everything works without the worker.
if (!isGuest) becomeInstallable().catch(() => undefined);
