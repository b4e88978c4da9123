/** A visit: a blank page in a context that nobody used before, with its own way through the guard. */

import type { BrowserContext, Page } from 'puppeteer';
import { reasonOf } from '../../reasons/reason.ts';
import { refuseServiceWorkers } from '../in-page/page-scripts.ts';
import type { BrowserProcess } from './browser-process.ts';
import { NotRendered } from './not-rendered.ts';
import type { PageGuard, Passage } from './page-guard.ts';

/** The page that work gets. */
export interface Visit {
  readonly page: Page;
  readonly passage: Passage;
  /** Counts the characters of a file that the service hands to the page. */
  readonly countHanded: (characters: number) => void;
  /** Rejects when the page has to end, whatever it is doing. */
  readonly aborted: Promise<never>;
}

/** The size of a page, and of its picture, in pixels. */
export interface PageSize {
  readonly width: number;
  readonly height: number;
}

/** A visit and the context that is closed after it. */
export interface OpenVisit extends Visit {
  readonly context: BrowserContext;
  readonly size: PageSize;
}

/**
 * Opens a visit of a page of this size. Nothing that a page does may wait for a person, leave a file, or open a second
 * page.
 */
export async function openVisit(
  { browser, session, network, watchTalk, handed }: BrowserProcess,
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
    const aborted = abortOf(page, passage, (tell) => watchTalk(context.id ?? '', tell));
    page.on('dialog', (dialog) => {
      dialog.dismiss().catch(() => {});
    });
    page.on('popup', (popup) => {
      popup?.close().catch(() => {});
    });
    // An empty list for every origin refuses all permissions.
    const denied = session.send('Browser.grantPermissions', {
      permissions: [],
      ...(context.id === undefined ? {} : { browserContextId: context.id }),
    });
    const refused = page.evaluateOnNewDocument(refuseServiceWorkers);
    await Promise.all([denied, refused, page.setBypassServiceWorker(true), resize(page, size)]);
    const countHanded = (characters: number): void => {
      handed.characters += characters;
      passage.countBytes(characters);
    };
    return { context, page, passage, countHanded, size, aborted };
  } catch (error) {
    await passage.close();
    throw error;
  }
}

/**
 * Ends a page at once when it asks for too much, never stops logging, or takes so much memory that its process is ended
 * (T-62).
 */
function abortOf(page: Page, passage: Passage, watchTalk: (tell: () => void) => () => void): Promise<never> {
  const aborted = new Promise<never>((_, reject) => {
    const forget = watchTalk(() => reject(new NotRendered(reasonOf('page-talks'))));
    page.once('close', forget);
    page.once('error', () => reject(new NotRendered(reasonOf('page-memory'))));
    page.on('request', (request) => {
      if (request.url().startsWith('http')) passage.countRequest();
      const exceeded = passage.exceeded();
      if (exceeded !== undefined) reject(new NotRendered(exceeded));
    });
  });
  aborted.catch(() => {});
  return aborted;
}

function resize(page: Page, { width, height }: PageSize): Promise<void> {
  return page.setViewport({ width, height, deviceScaleFactor: 1 });
}

/** Gives an opened visit the size that is needed. A visit that fails is closed. */
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
