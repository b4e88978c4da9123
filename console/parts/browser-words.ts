/** How a browser is spoken of. */
import { t } from '../ground/words.ts';
import { readUserAgent } from './browser-name.ts';

/** The browser and its system, as far as a user agent names them; else its own words. */
export function browserWords(agent: string | null): string {
  if (agent === null) return t('browser.unknown');
  const { browser, system } = readUserAgent(agent);
  return browser === undefined || system === undefined
    ? (browser ?? system ?? agent)
    : t('browser.on', { browser, system });
}
