/** The console's entry: it chooses the language, finds the session, and draws. */
import { render } from 'preact';
import { Console } from './console.tsx';
import { findSession } from './session.ts';
import { chooseLanguage } from './words.ts';

await chooseLanguage();
void findSession();
render(<Console />, document.getElementById('app') as HTMLElement);
