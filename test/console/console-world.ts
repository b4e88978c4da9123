/** The console in a real browser, over a whole service with simulated frames. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Locator, type Page } from 'puppeteer';
import * as assert from 'uvu/assert';
import { makeSignInCode } from '../../api/directory/sessions.ts';
import type { Network } from '../../api/outgoing/network.ts';
import type { languages } from '../../console/ground/words.ts';
import { type OpenVisitor, withVisitorBrowser } from '../integration/visitor-browser.ts';
import { eventually, type ServiceWorld, withService } from '../journeys/world.ts';
import { manyTimes } from '../some-times.ts';

/** How a page is opened. */
export interface PageOptions {
  /** 1280 unless given; the height follows. */
  readonly width?: number;
  readonly scheme?: 'light' | 'dark';
  /** `qps` is written from right to left. */
  readonly language?: keyof typeof languages | 'qps';
  /** The user who signs in; the admin unless given, nobody for null. */
  readonly userId?: string | null;
  /** The name by which the page reaches the service: passkeys work at `localhost`, and at no number. */
  readonly host?: 'localhost';
}

export interface ConsolePage {
  readonly page: Page;
  /** Goes to a place such as `frames` by its address, and waits until nothing is loading. */
  goTo(place: string): Promise<void>;
  /** Waits until the text stands somewhere on the page. */
  sees(text: string | RegExp): Promise<void>;
  /** Waits until the text stands nowhere on the page any more. */
  goes(text: string): Promise<void>;
  /** The text of the page. */
  text(): Promise<string>;
  /** Clicks what bears this accessible name. */
  click(name: string): Promise<void>;
  /** Types into the field with this label, in place of what is there. */
  fill(label: string, text: string): Promise<void>;
  /**
   * Fails with every violation that axe finds, or when the page is wider than the window: as it is, and with the other width
   * and scheme; in `everyLook`, on phone and screen, light and dark. It is left as it was.
   */
  isAccessible(options?: { readonly everyLook: boolean }): Promise<void>;
}

export interface ConsoleWorld extends ServiceWorld {
  readonly openVisitor: OpenVisitor;
  openPage(options?: PageOptions): Promise<ConsolePage>;
}

/** A rule that the page breaks, as axe reports it. */
interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** How wide a window is, and which colours its person prefers. */
interface Look {
  readonly width: number;
  readonly scheme: 'light' | 'dark';
}

/** The four looks: a page's own, the one that shares nothing with it, and the two between. */
function looksFrom(own: Look): readonly Look[] {
  const width = own.width < 600 ? 1280 : 360;
  const scheme = own.scheme === 'light' ? 'dark' : 'light';
  return [own, { width, scheme }, { width, scheme: own.scheme }, { width: own.width, scheme }];
}

/** A page's own look is always judged. */
const judgedLooks = manyTimes('looks in which axe judges a screen', 2, 1);
const allLooks = 4;

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Opens service and browser. A page that logs an error or asks another host fails the test at its end. */
export async function withConsole(
  run: (world: ConsoleWorld) => Promise<void>,
  environment: Readonly<Record<string, string>> = {},
  network?: Network,
): Promise<void> {
  await withService(
    (service) =>
      withVisitorBrowser(async (openVisitor) => {
        const wrong: string[] = [];
        await run({
          ...service,
          openVisitor,
          openPage: (options = {}) => openPage(service, openVisitor, wrong, options),
        });
        assert.equal(wrong, []);
      }),
    environment,
    network,
  );
}

async function openPage(
  service: ServiceWorld,
  openVisitor: OpenVisitor,
  wrong: string[],
  { width = 1280, scheme = 'light', language = 'en', userId, host }: PageOptions,
): Promise<ConsolePage> {
  const { context } = service;
  const http = host === undefined ? service.http : service.http.replace('127.0.0.1', host);
  const page = await openVisitor();
  await show(page, { width, scheme });
  // esbuild names inner functions by a helper that pages do not have.
  await page.evaluateOnNewDocument('globalThis.__name = (named) => named');
  await page.evaluateOnNewDocument((name) => {
    if (localStorage.getItem('papergate-language') === null) localStorage.setItem('papergate-language', name);
  }, language);
  page.on('pageerror', (error) => wrong.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith(http) && !/^(?:blob|data):/.test(request.url())) wrong.push(request.url());
  });
  if (userId !== null) {
    const user = await context
      .db('users')
      .where(userId === undefined ? { role: 'admin' } : { id: userId })
      .first('account_id');
    const { code } = await makeSignInCode(context.db, context, user.account_id);
    await page.goto(`${http}/console/#code=${code}`);
    await page.waitForSelector('.console:not([hidden])');
  }
  return pageOf(page, http, { width, scheme });
}

async function show(page: Page, { width, scheme }: Look): Promise<void> {
  await page.setViewport({ width, height: width < 600 ? 780 : 860 });
  await page.emulateMediaFeatures([
    { name: 'prefers-color-scheme', value: scheme },
    { name: 'prefers-reduced-motion', value: 'reduce' },
  ]);
}

/** Fails with what axe finds in one look, or when the page is wider than the window. */
async function judge(page: Page, look: string): Promise<void> {
  const found: string[] = await page.evaluate(async () => {
    // Components that measure themselves are drawn again in the next frames.
    for (let frame = 0; frame < 2; frame++) await new Promise((resolve) => requestAnimationFrame(resolve));
    const { axe } = globalThis as unknown as {
      axe: { run(on: Document, options: object): Promise<{ violations: Violation[] }> };
    };
    const { violations } = await axe.run(document, { resultTypes: ['violations'] });
    return violations.map(
      ({ id, nodes }) =>
        `${id}: ${nodes.map(({ html, failureSummary }) => `${html.slice(0, 200)} ${failureSummary}`).join('\n')}`,
    );
  });
  assert.equal(found, [], look);
  const surplus = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(surplus <= 0, `${look} is ${surplus} pixels wider than its window`);
}

/** Does as the console asks of a caller who called too often: walks call faster than a person does. */
async function tryAgain(page: Page, said: string): Promise<void> {
  const [, seconds] = /Too many attempts\. Try again in (\d+) second/.exec(said) ?? [];
  if (seconds === undefined) return;
  await new Promise((resolve) => setTimeout(resolve, Number(seconds) * 1000));
  const again = await page.$('::-p-aria([name="Try again"][role="button"])');
  await again?.click();
}

/** Clicks a control; where a line that appeared above pushed it away from the pointer, clicks again, as a person does. */
async function press(found: Locator<Element>, name: string): Promise<void> {
  for (let attempt = 0; attempt < 5; attempt++) {
    const control = await found.waitHandle();
    const heard = await control.evaluateHandle((one) => {
      const clicks = { count: 0 };
      one.addEventListener('click', () => clicks.count++, { capture: true });
      // On a phone the navigation lies over the bottom of the window: a person scrolls until the control is above it.
      one.scrollIntoView({ block: 'nearest' });
      return clicks;
    });
    await found.click();
    // A document that is gone was left by the click.
    if (await heard.evaluate((clicks, one) => clicks.count > 0 || !one.isConnected, control).catch(() => true)) return;
  }
  throw new Error(`five clicks on "${name}" did not reach it: something lies above it`);
}

function pageOf(page: Page, http: string, own: Look): ConsolePage {
  const text = (): Promise<string> => page.evaluate(() => document.body.innerText);
  const field = (label: string) => page.locator(`::-p-aria(${label})`);
  return {
    page,
    text,
    async goTo(place) {
      await page.goto(`${http}/console/${place}`);
      await page.waitForSelector('main');
      await page.waitForFunction(() => document.querySelector('.loading') === null);
    },
    async sees(wanted) {
      const fits = (found: string) => (typeof wanted === 'string' ? found.includes(wanted) : wanted.test(found));
      const isSeen = async (): Promise<boolean> => {
        const said = await text();
        if (!fits(said)) await tryAgain(page, said);
        return fits(said);
      };
      await eventually(`the page says ${wanted}`, isSeen).catch(async (error) => {
        throw new Error(`${error.message}; it says:\n${await text()}`);
      });
    },
    async goes(gone) {
      await eventually(`the page says ${gone} no more`, async () => !(await text()).includes(gone));
    },
    click: (name) => press(field(name), name),
    // A heading may have the name of a field.
    fill: (label, given) =>
      Locator.race(writable.map((role) => page.locator(`::-p-aria([name="${label}"][role="${role}"])`))).fill(given),
    async isAccessible({ everyLook } = { everyLook: false }) {
      await page.evaluate(axe);
      for (const look of looksFrom(own).slice(0, everyLook ? allLooks : judgedLooks)) {
        await show(page, look);
        await judge(page, `${page.url()} at ${look.width} pixels, ${look.scheme}`);
      }
      await show(page, own);
    },
  };
}

/** The roles of what can be written into, as the browser names them. */
const writable = ['textbox', 'searchbox', 'combobox', 'spinbutton', 'Date', 'DateTime', 'InputTime'];
