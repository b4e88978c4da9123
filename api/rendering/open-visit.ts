/** A visit: a blank page in a context that nobody used before, and its own way through the guard (T-09, P-25). */
import type { BrowserContext, Page } from 'puppeteer';
import type { BrowserProcess } from './browser-process.ts';
import type { PageGuard, Passage } from './page-guard.ts';

/** What work gets. */
export interface Visit {
  readonly page: Page;
  readonly passage: Passage;
}

/** Pixels of a page, and of its picture. */
export interface PageSize {
  readonly width: number;
  readonly height: number;
}

/** A visit and the context that is closed after it. */
export interface OpenVisit extends Visit {
  readonly context: BrowserContext;
  readonly size: PageSize;
}

/** Opens a visit of a page of this size. R-16: nothing a page does may wait for a person, leave a file, or open a second page. */
export async function openVisit(
  { browser, session, network }: BrowserProcess,
  guard: PageGuard,
  size: PageSize,
): Promise<OpenVisit> {
  const passage = await guard.open(network?.listen);
  try {
    const context = await browser.createBrowserContext({
      proxyServer: passage.proxyServer,
      proxyBypassList: ['<-loopback>'],
      downloadBehavior: { policy: 'deny' },
    });
    const page = await context.newPage();
    page.on('dialog', (dialog) => {
      dialog.dismiss().catch(() => {});
    });
    page.on('popup', (popup) => {
      popup?.close().catch(() => {});
    });
    // An empty list for every origin: all permissions are refused.
    const denied = session.send('Browser.grantPermissions', {
      permissions: [],
      ...(context.id === undefined ? {} : { browserContextId: context.id }),
    });
    await Promise.all([denied, page.setBypassServiceWorker(true), resize(page, size)]);
    return { context, page, passage, size };
  } catch (error) {
    await passage.close();
    throw error;
  }
}

function resize(page: Page, { width, height }: PageSize): Promise<void> {
  return page.setViewport({ width, height, deviceScaleFactor: 1 });
}

/** A visit that was opened for whoever comes, in the size that somebody wants. One that fails is closed. */
export async function sized(opening: Promise<OpenVisit>, wanted: PageSize): Promise<OpenVisit> {
  const visit = await opening;
  const { width, height } = visit.size;
  try {
    if (width !== wanted.width || height !== wanted.height) await resize(visit.page, wanted);
    return visit;
  } catch (error) {
    await visit.passage.close();
    throw error;
  }
}
