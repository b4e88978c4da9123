/** The browser of a person who visits: it says all that pages and itself have to say, unlike the one that renders. */
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import puppeteer, { type Browser } from 'puppeteer';
import { findBrowser } from '../../api/browser/find-browser.ts';

/** As root it runs as somebody without rights, whom its sandbox needs. */
const visitorId = 65_100;

/** Opens a browser over a profile of its own, and ends it with all that it wrote. */
export async function withVisitorBrowser(run: (browser: Browser) => Promise<void>): Promise<void> {
  const executable = await findBrowser({ browserPath: process.env.PAPERGATE_BROWSER, searchPath: process.env.PATH });
  const profile = await mkdtemp(path.join(tmpdir(), 'papergate-visitor-'));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) await chown(profile, visitorId, visitorId);
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
  try {
    await run(browser);
  } finally {
    await browser.close();
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}
