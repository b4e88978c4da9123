/** The requests of a page: which of them are under way, and which failed. */

import type { HTTPRequest, Page } from 'puppeteer';
import type { Clock } from '../../runtime/clock.ts';
import { parseUrl } from '../../runtime/read-address.ts';

/** Requests that bring nothing to be seen, or never end. */
const passedOver: readonly ReturnType<HTTPRequest['resourceType']>[] = [
  'ping',
  'media',
  'texttrack',
  'eventsource',
  'websocket',
  'manifest',
  'cspviolationreport',
  'preflight',
];

/** A request that is under way. */
interface UnderWay {
  readonly since: number;
  /** Whether it goes to the page's own site. */
  readonly isOwn: boolean;
  /** Whether a script asked: some of these are held open until there is news. */
  readonly isAsked: boolean;
}

export interface PageTraffic {
  /** The origins of requests that failed; paths and queries may hold secrets. */
  readonly failedOrigins: ReadonlySet<string>;
  underWay(): readonly UnderWay[];
  /** When a request began or ended last. */
  movedAt(): number;
  /** Whether a connection is open on which news may come. */
  isConnected(): boolean;
}

const originOf = (url: string): string | undefined => {
  const origin = parseUrl(url)?.origin ?? 'null';
  return origin === 'null' ? undefined : origin;
};

const hostOf = (url: string): string => parseUrl(url)?.hostname ?? '';

/**
 * Returns whether two hosts belong to one site, as far as their names show: the last two labels of both are the same.
 */
function isSameSite(one: string, other: string): boolean {
  const siteOf = (host: string): string => (/^[\d.]+$|:/.test(host) ? host : host.split('.').slice(-2).join('.'));
  return siteOf(one) === siteOf(other);
}

/** Watches the requests of a page from now on. */
export function watchTraffic(page: Page, clock: Clock): PageTraffic {
  const failedOrigins = new Set<string>();
  const open = new Map<HTTPRequest, UnderWay>();
  let movedAt = clock.now();
  let isConnected = false;
  const fail = (request: HTTPRequest): void => {
    const origin = originOf(request.url());
    if (origin !== undefined) failedOrigins.add(origin);
  };
  const end = (request: HTTPRequest): void => {
    if (open.delete(request)) movedAt = clock.now();
  };
  page.on('request', (request) => {
    const type = request.resourceType();
    if (type === 'eventsource') isConnected = true;
    if (passedOver.includes(type) || originOf(request.url()) === undefined) return;
    movedAt = clock.now();
    const isOwn = request.isNavigationRequest() || isSameSite(hostOf(request.url()), hostOf(page.url()));
    open.set(request, { since: movedAt, isOwn, isAsked: type === 'fetch' || type === 'xhr' });
  });
  page.on('requestfinished', end);
  page.on('requestfailed', (request) => {
    end(request);
    fail(request);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) fail(response.request());
  });
  return {
    failedOrigins,
    underWay: () => [...open.values()],
    movedAt: () => movedAt,
    isConnected: () => isConnected,
  };
}
