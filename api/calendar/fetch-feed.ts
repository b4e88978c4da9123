/**
 * Fetches a calendar feed under the rules for outgoing requests, redirects included, and keeps its text for a while.
 */

import { type Reason, reasonOf } from '../../reasons/reason.ts';
import { ReasonedError } from '../../reasons/reasoned-error.ts';
import type { Sharer } from '../../runtime/fair-shares.ts';
import type { AddressLogin } from '../outgoing/address-login.ts';
import { type FollowDeps, type FollowedAnswer, followRedirects } from '../outgoing/follow-redirects.ts';
import { type HomeNetworks, noHomeNetworks } from '../outgoing/home-networks.ts';
import { untilAborted } from '../outgoing/reach-host.ts';
import type { WayOut } from '../outgoing/way-out.ts';
import { decodeFeed } from './decode-feed.ts';
import { feedUrl } from './feed-list.ts';
import { keptFeeds } from './kept-feeds.ts';
import { type FeedSieve, feedSieve } from './sieve-feed.ts';

/** The text of a feed, or why it could not be had; a text next to a problem is the last one that was had. */
export interface FetchedFeed {
  readonly text?: string;
  /** When the text was had, epoch milliseconds. */
  readonly at?: number;
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

/** The most bytes of a feed, unpacked; most of a large one is the past, and is not kept. */
const feedLimitBytes = 20 * 1024 * 1024;
/** The time for a feed that has begun to answer: many houses send a megabyte in ten seconds. */
const feedTimeoutMs = 45_000;
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
      return { ...fetched, at };
    }
    const last = kept.find(keptAs(caller, addresses));
    return last === undefined || at - last.at > keptForMs ? fetched : { ...fetched, text: last.text, at: last.at };
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
    if (last !== undefined && clock.now() - last.at < youngerThanMs) return { text: last.text, at: last.at };
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

/** A caller that is notified of every connection made for it. */
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
 * before: a host that speaks TLS is not sent in the clear what it was asked privately before, whatever it answered
 * (T-53).
 */
async function fetchFirst(deps: FollowDeps, addresses: readonly URL[], caller: FeedCaller): Promise<FetchedFeed> {
  let unreached: FetchedFeed | undefined;
  for (const url of addresses) {
    let isConnected = false;
    const connected = (): void => {
      isConnected = true;
    };
    const fetched = await askOne(deps, url, { ...caller, connected });
    if (isConnected) return fetched;
    unreached ??= fetched;
  }
  return unreached ?? { problem: reasonOf('address-missing') };
}

/** Asks one address for a feed, and where it leads. */
async function askOne(deps: FollowDeps, url: URL, caller: ConnectingCaller): Promise<FetchedFeed> {
  const { sharer, signal, connected, logins } = caller;
  let sieve = feedSieve(deps.wayOut.clock.now());
  const answer = await followRedirects(deps, {
    sharer,
    signal,
    connected,
    logins,
    url,
    headers: { accept: 'text/calendar, */*;q=0.1' },
    readLimitBytes: feedLimitBytes,
    bodyTimeoutMs: feedTimeoutMs,
    readAddress: feedUrl,
    beginTaking() {
      sieve = feedSieve(deps.wayOut.clock.now());
      return sieve.take;
    },
  });
  if (answer.kind === 'problem') return { problem: feedProblem(answer.problem) };
  return answer.status === 200 ? readSieved(sieve, answer.contentType) : { problem: refusedBy(answer) };
}

function readSieved(sieve: FeedSieve, contentType: string | undefined): FetchedFeed {
  try {
    return { text: decodeFeed(sieve.end(), contentType) };
  } catch (error) {
    if (error instanceof ReasonedError) return { problem: error.reason };
    throw error;
  }
}

/** Says of a feed that is too long how long it may be. */
const feedProblem = (problem: Reason): Reason =>
  problem.code === 'answer-too-long' ? reasonOf('calendar-too-long', { most: feedLimitBytes / 2 ** 20 }) : problem;

/** Says what an answer without a feed means. */
function refusedBy({ status, challenge = '' }: FollowedAnswer): Reason {
  if (status !== 401) return reasonOf('answer-status', { status });
  // A realm is any text, the name of another scheme among it.
  const schemes = challenge.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
  const isDigest = /(?:^|,)\s*digest\b/i.test(schemes) && !/(?:^|,)\s*basic\b/i.test(schemes);
  return reasonOf(isDigest ? 'feed-wants-digest' : 'feed-wants-login', { status });
}
