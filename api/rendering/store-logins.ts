/** Gives a website its logins in the storage of its own pages, where some look for them alone. */
import type { Page } from 'puppeteer';
import { keepInStorage } from '../in-page/page-scripts.ts';
import type { AddressLogin } from '../outgoing/address-login.ts';
import { storedValues } from '../outgoing/address-login.ts';

/**
 * Lets each page of an origin find its value in `localStorage` before its first script runs. The values wait in a world of
 * their own: no script of any page can read them there (T-93).
 */
export async function storeLogins(page: Page, logins: readonly AddressLogin[]): Promise<void> {
  const values = storedValues(logins);
  if (values.length === 0) return;
  const session = await page.createCDPSession();
  await session.send('Page.enable');
  for (const value of values) {
    const source = `(${keepInStorage})(${JSON.stringify(value)})`;
    await session.send('Page.addScriptToEvaluateOnNewDocument', { source, worldName: 'papergate' });
  }
}
