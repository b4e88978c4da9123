/** The console's entry: it chooses the language, finds the session, and draws. */
import { render } from 'preact';
import { Console } from './console.tsx';
import { hasPicturesOnTheirWay } from './ground/on-its-way.ts';
import { isPublicPlace, route } from './ground/router.ts';
import { findSession } from './ground/session.ts';
import { chooseLanguage } from './ground/words.ts';
import { becomeInstallable } from './phone.ts';
import { withTexts } from './texts.ts';

await chooseLanguage();
const isPublic = isPublicPlace(route.peek());
if (!isPublic) void findSession();
render(<Console />, document.getElementById('app') as HTMLElement);
// Everything works without the worker.
if (!isPublic) becomeInstallable().catch(() => undefined);
// Sendings that were cut off when the page was closed go on, whichever screen is open.
if (!isPublic && hasPicturesOnTheirWay())
  withTexts('send', () => import('./send/follow-drafts.ts')).then(
    ({ followDrafts }) => followDrafts(),
    () => undefined,
  );
