/** The browser of a person who visits: it says all that pages and itself have to say, unlike the one that renders. */
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import puppeteer, { type Browser, type Page } from 'puppeteer';
import { findBrowser } from '../../api/browser/find-browser.ts';

/** As root it runs as somebody without rights, whom its sandbox needs. */
const visitorId = 65_100;
/** How long a wait may take, on a busy machine too. */
const patienceMs = 120_000;

/** Opens the first page of another visitor, who shares nothing with the others. */
export type OpenVisitor = () => Promise<Page>;

/** Lets visitors use a browser, and ends it with all that it wrote. */
export async function withVisitorBrowser(run: (openVisitor: OpenVisitor) => Promise<void>): Promise<void> {
  const { browser, profile } = await launch();
  try {
    await run(async () => {
      const context = await browser.createBrowserContext();
      // Of each page, its further tabs too.
      context.on('targetcreated', async (target) => {
        (await target.page())?.setDefaultTimeout(patienceMs);
      });
      return await context.newPage();
    });
  } finally {
    await browser.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Starts a browser over a profile of its own. */
async function launch(): Promise<{ readonly browser: Browser; readonly profile: string }> {
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
    defaultViewport: null,
    env: { HOME: profile, TMPDIR: profile, PATH: '/usr/bin:/bin', LANG: 'C.UTF-8' },
  });
  return { browser, profile };
}
