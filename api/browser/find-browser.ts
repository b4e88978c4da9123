/** Finds the browser that pages are rendered with. */

import { access, constants } from 'node:fs/promises';
import path from 'node:path';
import { reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';

/** Debian's binaries themselves: the wrapper in /usr/bin adds flags and an extension of its own. */
const debianBrowsers = ['/usr/lib/chromium/chromium-headless-shell', '/usr/lib/chromium/chromium'];
const browserNames = ['chromium-headless-shell', 'chrome-headless-shell', 'chromium', 'google-chrome'];

/** The places to search: the operator's own choice, and the folders of PATH. */
export interface BrowserPlaces {
  readonly browserPath?: string | undefined;
  readonly searchPath?: string | undefined;
}

/** Returns whether this process may execute a file. */
export async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/**
 * Finds a browser's executable. The operator's choice is taken or refused, never replaced by another.
 * @throws Refusal `no-browser`, with what to install
 */
export async function findBrowser({ browserPath, searchPath = '' }: BrowserPlaces): Promise<string> {
  if (browserPath !== undefined) {
    if (await isExecutable(browserPath)) return browserPath;
    throw refuse('no-browser', {
      message: reasonOf('browser-not-executable', { path: browserPath }),
      hint: 'correct PAPERGATE_BROWSER, or leave it out and: apt install chromium-headless-shell',
    });
  }
  const folders = searchPath.split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  const named = browserNames.flatMap((name) => folders.map((folder) => path.join(folder, name)));
  for (const candidate of [...debianBrowsers, ...named]) {
    if (await isExecutable(candidate)) return candidate;
  }
  throw refuse('no-browser');
}
