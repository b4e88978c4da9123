/** Pages of the console and the line over them, for tests of what is live. */
import type { Page } from 'puppeteer';
import { callApi } from '../call-api.ts';
import { eventually } from '../journeys/world.ts';
import type { ConsoleWorld } from './console-world.ts';

const serial = 'epd7-0000c0501f01';

/** Hangs a frame, which is then named at will. */
export async function hangFrame({ startFrames, person }: ConsoleWorld): Promise<(name: string) => Promise<unknown>> {
  await startFrames([{ serial, dialect: 'native' }]);
  const [device] = await callApi<{ id: string }[]>(person, 'GET', '/devices/');
  return (name) => callApi(person, 'POST', `/devices/${device?.id}`, { meta: { name } });
}

/** Waits until the page says a text. */
export const says = (page: Page, text: string | RegExp, timeoutMs?: number): Promise<unknown> =>
  eventually(
    `${text} on the page`,
    async () => {
      const shown: string = await page.evaluate(() => document.body.innerText);
      return typeof text === 'string' ? shown.includes(text) : text.test(shown);
    },
    timeoutMs,
  );

/** The line over the content; empty where there is none. */
export const lineOf = (page: Page): Promise<string> =>
  page.evaluate(() => document.querySelector<HTMLElement>('.stale')?.innerText ?? '');

/** Waits until there is no line. */
export const hasNoLine = (page: Page, timeoutMs?: number): Promise<unknown> =>
  eventually('the line is gone', async () => (await lineOf(page)) === '', timeoutMs);
