/** A visit: a blank page in a context that nobody used before, and its own way through the guard (T-09, P-25). */
import type { BrowserContext, Page } from 'puppeteer';
import type { BrowserProcess } from './browser-process.ts';
import type { PageGuard, Passage } from './page-guard.ts';

/** What work gets. */
export interface Visit {
  readonly page: Page;
  readonly passage: Passage;
}

/** A visit and the context that is closed after it. */
export interface OpenVisit extends Visit {
  readonly context: BrowserContext;
}

/** Opens a visit. R-16: nothing a page does may wait for a person, leave a file, or open a second page. */
export async function openVisit({ browser, session, network }: BrowserProcess, guard: PageGuard): Promise<OpenVisit> {
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
    await Promise.all([denied, page.setBypassServiceWorker(true)]);
    return { context, page, passage };
  } catch (error) {
    await passage.close();
    throw error;
  }
}
