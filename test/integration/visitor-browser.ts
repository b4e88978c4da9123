/** The browser of a person who visits: it says all that pages and itself have to say, unlike the one that renders. */
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import puppeteer, { type Browser, type BrowserContext, type Page } from 'puppeteer';
import { findBrowser } from '../../api/browser/find-browser.ts';

/** As root it runs as somebody without rights, whom its sandbox needs. */
const visitorId = 65_100;
/** A wait for what never comes ends before its file does, so that the file says which it was. */
const patienceMs = 180_000;

/** Opens the first page of another visitor, who shares nothing with the others. */
export type OpenVisitor = () => Promise<Page>;

/** The browser of this process, once it has one: to start one costs more than most tests with pages do. */
let started: Promise<Browser> | undefined;

/** Lets visitors use the browser of this process, and forgets all that their pages stored. */
export async function withVisitorBrowser(run: (openVisitor: OpenVisitor) => Promise<void>): Promise<void> {
  const browser = await sharedBrowser();
  keepsProcess(browser, true);
  const contexts: BrowserContext[] = [];
  try {
    await run(async () => {
      const context = await browser.createBrowserContext();
      contexts.push(context);
      // Of each page, its further tabs too.
      context.on('targetcreated', async (target) => {
        (await target.page())?.setDefaultTimeout(patienceMs);
      });
      return await context.newPage();
    });
  } finally {
    await Promise.all(contexts.map((context) => context.close()));
    keepsProcess(browser, false);
  }
}

async function sharedBrowser(): Promise<Browser> {
  const browser = await started;
  if (browser?.connected === true) return browser;
  started = launch();
  return started;
}

/** Says whether this process waits for its browser: at its end it does not. */
function keepsProcess(browser: Browser, isKept: boolean): void {
  const child = browser.process();
  for (const part of [child, ...(child?.stdio ?? [])]) {
    if (part === child || part instanceof Socket) part?.[isKept ? 'ref' : 'unref']();
  }
}

/** Starts a browser over a profile of its own; both end with this process. */
async function launch(): Promise<Browser> {
  const executable = await findBrowser({ browserPath: process.env.PAPERGATE_BROWSER, searchPath: process.env.PATH });
  const profile = mkdtempSync(path.join(tmpdir(), 'papergate-visitor-'));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(profile, visitorId, visitorId);
  const flags = await puppeteer.defaultArgs({ headless: 'shell', userDataDir: profile, args: ['--disable-quic'] });
  const drop = [`--reuid=${visitorId}`, `--regid=${visitorId}`, '--clear-groups', '--no-new-privs', '--', executable];
  const browser = await puppeteer.launch({
    executablePath: isRoot ? '/usr/bin/setpriv' : executable,
    args: [...(isRoot ? drop : []), ...flags, '--remote-debugging-pipe'],
    ignoreDefaultArgs: true,
    pipe: true,
    // It ends with its pipe. A test that plays the signal for what it tests goes on.
    handleSIGINT: false,
    defaultViewport: null,
    env: { HOME: profile, TMPDIR: profile, PATH: '/usr/bin:/bin', LANG: 'C.UTF-8' },
  });
  process.once('exit', () => {
    browser.process()?.kill('SIGKILL');
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  });
  return browser;
}
