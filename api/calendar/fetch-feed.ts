/**
 * Fetches a calendar feed under the rules for outgoing requests, redirects included, and keeps its text for a while.
 */

import { type Reason, reasonOf } from '../../reasons/reason.ts';
import type { Sharer } from '../../runtime/fair-shares.ts';
import { type AddressLogin, loginHeaders } from '../outgoing/address-login.ts';
import { type HomeNetworks, type HomeWatch, noHomeNetworks } from '../outgoing/home-networks.ts';
import { untilAborted } from '../outgoing/reach-host.ts';
import { requestOnce } from '../outgoing/request-once.ts';
import type { WayOut } from '../outgoing/way-out.ts';
import { decodeFeed } from './decode-feed.ts';
import { feedUrl } from './feed-list.ts';
import { keptFeeds } from './kept-feeds.ts';

/** The text of a feed, or why it could not be had; a text beside a problem is the last one that was had. */
export interface FetchedFeed {
  readonly text?: string;
  readonly problem?: Reason;
}

/** The caller for whom a feed is fetched. */
export interface FeedCaller {
  /** The sharer that waits, its organization first. */
  readonly sharer: Sharer;
  /**
   * The signal of a caller that does not wait any longer: its call rejects with the reason, and the last caller's ends
   * the request.
   */
  readonly signal: AbortSignal;
  /** Headers for feeds behind a login, each for its own origin alone. */
  readonly logins?: readonly AddressLogin[] | undefined;
}

/**
 * Fetches a feed from the first of its addresses that a connection is made to, unless the kept text is younger than
 * `youngerThanMs`.
 */
export type FetchFeed = (addresses: readonly URL[], youngerThanMs: number, caller: FeedCaller) => Promise<FetchedFeed>;

const feedLimitBytes = 4 * 1024 * 1024;
const maxRedirects = 3;
/**
 * The most that is kept of feeds, in characters, and the time for which a kept text stands in for a feed that cannot be
 * reached.
 */
const maxKept = 12 * 1024 * 1024;
const keptForMs = 24 * 3_600_000;

/** A request that is under way, and the number of callers that wait for it. */
interface Coming {
  readonly answer: Promise<FetchedFeed>;
  readonly over: AbortController;
  callers: number;
}

/**
 * Makes the fetcher of a process.
 * @param home the home network, where feeds may be, too
 */
export function feedFetcher(wayOut: WayOut, home: HomeNetworks = noHomeNetworks): FetchFeed {
  const { clock } = wayOut;
  // What was read in the house is not kept for those who may not read there.
  // What was read with a login is kept for its own paper.
  const keptAs = ({ sharer, logins = [] }: FeedCaller, addresses: readonly URL[]): string => {
    const withLogin = addresses.some((url) => logins.some(({ origin }) => origin === url.origin));
    return `${home.isFor(sharer[0] ?? '') ? 'home ' : ''}${withLogin ? `${sharer.join()} ` : ''}${nameOf(addresses)}`;
  };
  const kept = keptFeeds(maxKept);
  const coming = new Map<string, Coming>();

  async function fetchAnew(addresses: readonly URL[], caller: FeedCaller): Promise<FetchedFeed> {
    const fetched = await fetchFirst({ wayOut, home }, addresses, caller);
    const at = clock.now();
    if (fetched.text !== undefined) {
      kept.keep(keptAs(caller, addresses), { text: fetched.text, at }, caller.sharer[0] ?? '');
      return fetched;
    }
    const last = kept.find(keptAs(caller, addresses));
    return last === undefined || at - last.at > keptForMs ? fetched : { ...fetched, text: last.text };
  }

  function begin(asked: string, addresses: readonly URL[], caller: FeedCaller): Coming {
    const over = new AbortController();
    const answer = fetchAnew(addresses, { ...caller, signal: over.signal });
    answer.catch(() => {}); // nobody hears of it when nobody waits any longer
    const under: Coming = { answer, over, callers: 0 };
    coming.set(asked, under);
    return under;
  }

  return async (addresses, youngerThanMs, caller) => {
    const { sharer, signal } = caller;
    signal.throwIfAborted();
    const last = kept.find(keptAs(caller, addresses));
    if (last !== undefined && clock.now() - last.at < youngerThanMs) return { text: last.text };
    // Requests are joined within one organization only: nobody waits for the turn of another (T-65).
    const asked = `${sharer[0]} ${keptAs(caller, addresses)}`;
    const under = coming.get(asked) ?? begin(asked, addresses, caller);
    under.callers++;
    try {
      return await untilAborted(under.answer, signal);
    } finally {
      under.callers--;
      if (under.callers === 0) {
        if (coming.get(asked) === under) coming.delete(asked);
        under.over.abort();
      }
    }
  };
}

/** The dependencies of fetching. */
interface FetchDeps {
  readonly wayOut: WayOut;
  readonly home: HomeNetworks;
}

/** A caller that hears of every connection that is made for it. */
interface ConnectingCaller extends FeedCaller {
  readonly connected: () => void;
}

/**
 * Names a list of addresses. A text kept under two addresses was perhaps fetched without encryption, and is not the one
 * that is kept under the first.
 */
const nameOf = (addresses: readonly URL[]): string => addresses.map(({ href }) => href).join(' ');

/**
 * Fetches a feed from its addresses in turn. The next address is asked only where no connection was made to the one
 * before: a host that speaks TLS is not told again in the clear what it was asked for privately, whatever it answered
 * (T-53).
 */
async function fetchFirst(deps: FetchDeps, addresses: readonly URL[], caller: FeedCaller): Promise<FetchedFeed> {
  let unreached: FetchedFeed | undefined;
  for (const url of addresses) {
    let isConnected = false;
    const connected = (): void => {
      isConnected = true;
    };
    const fetched = await followRedirects(deps, url, { ...caller, connected });
    if (isConnected) return fetched;
    unreached ??= fetched;
  }
  return unreached ?? { problem: reasonOf('address-missing') };
}

/**
 * Follows redirects. Each step is an address of its own, checked as the first one (T-04). From outside none leads into
 * the house (T-92).
 */
async function followRedirects(
  { wayOut, home }: FetchDeps,
  first: URL,
  caller: ConnectingCaller,
): Promise<FetchedFeed> {
  const { sharer, signal, connected, logins = [] } = caller;
  let url = first;
  let isInside = true;
  let isFirst = true;
  for (let steps = 0; steps <= maxRedirects; steps++) {
    const watch: HomeWatch | undefined = isInside ? home.watch(sharer[0] ?? '') : undefined;
    const outcome = await requestOnce(wayOut, {
      sharer,
      signal,
      url: url.href,
      method: 'GET',
      headers: {
        accept: 'text/calendar, */*;q=0.1',
        'user-agent': 'papergate',
        ...(isFirst ? loginHeaders(logins, url) : {}),
      },
      allowLoopback: false,
      allowPlain: true,
      ...(watch !== undefined && { rule: watch.rule }),
      readLimitBytes: feedLimitBytes,
      async mayBegin() {
        connected();
        return true;
      },
    });
    if (outcome.kind === 'problem') return { problem: outcome.problem };
    if (outcome.status === 200) return { text: decodeFeed(outcome.body, outcome.contentType) };
    const { status, location } = outcome;
    if (![301, 302, 303, 307, 308].includes(status) || location === undefined)
      return { problem: reasonOf('answer-status', { status }) };
    const next = URL.canParse(location, url.href) ? feedUrl(new URL(location, url).href) : reasonOf('not-a-url');
    if (!(next instanceof URL)) return { problem: reasonOf('redirect-unusable', { because: next }) };
    // An address that was asked for privately is not told to everybody on the way.
    if (url.protocol === 'https:' && next.protocol === 'http:') return { problem: reasonOf('redirect-not-private') };
    url = next;
    isInside = watch?.isHome() === true;
    // A login goes to the origin that was named, and no further, nor is it asked for by another one.
    isFirst &&= next.origin === first.origin;
  }
  return { problem: reasonOf('redirects-many', { most: maxRedirects }) };
}
