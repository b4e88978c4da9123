/** Fetches a calendar feed under the rules for outgoing requests, redirects included, and keeps what it got for a while. */
import type { Clock } from '../../gateway/runtime/clock.ts';
import { type Network, requestOnce } from '../callbacks/request-once.ts';
import { feedUrl } from './feed-list.ts';

/** A feed's text, or why it could not be had; `text` beside a problem is the last that was had. */
export interface FetchedFeed {
  readonly text?: string;
  readonly problem?: string;
}

/** Fetches a feed, unless what is kept of it is younger than this. */
export type FetchFeed = (url: URL, youngerThanMs: number) => Promise<FetchedFeed>;

const feedLimitBytes = 4 * 1024 * 1024;
const mostRedirects = 3;
/** What is kept of feeds, in characters, and for how long it stands in for one that cannot be reached. */
const mostKept = 24 * 1024 * 1024;
const keptForMs = 24 * 3_600_000;

interface Kept {
  readonly text: string;
  readonly at: number;
}

/** A fetcher for the process. `network` decides where names and addresses lead. */
export function feedFetcher(edges: { readonly network: Network; readonly clock: Clock }): FetchFeed {
  const kept = new Map<string, Kept>();
  const coming = new Map<string, Promise<FetchedFeed>>();

  function keep(key: string, text: string): void {
    kept.delete(key);
    kept.set(key, { text, at: edges.clock.now() });
    let total = 0;
    for (const { text: one } of kept.values()) total += one.length;
    for (const [oldest, { text: one }] of kept) {
      if (total <= mostKept) break;
      kept.delete(oldest);
      total -= one.length;
    }
  }

  async function fetchAnew(url: URL): Promise<FetchedFeed> {
    const fetched = await followRedirects(edges, url);
    if (fetched.text !== undefined) {
      keep(url.href, fetched.text);
      return fetched;
    }
    const last = kept.get(url.href);
    const isOld = last === undefined || edges.clock.now() - last.at > keptForMs;
    return isOld ? fetched : { ...fetched, text: last.text };
  }

  return async (url, youngerThanMs) => {
    const last = kept.get(url.href);
    if (last !== undefined && edges.clock.now() - last.at < youngerThanMs) return { text: last.text };
    const under = coming.get(url.href) ?? fetchAnew(url).finally(() => coming.delete(url.href));
    coming.set(url.href, under);
    return under;
  };
}

/** Each step is an address of its own, checked as the first one (T-04). */
async function followRedirects(edges: { network: Network; clock: Clock }, first: URL): Promise<FetchedFeed> {
  let url = first;
  for (let steps = 0; steps <= mostRedirects; steps++) {
    const outcome = await requestOnce(edges, {
      url: url.href,
      method: 'GET',
      headers: { accept: 'text/calendar, */*;q=0.1', 'user-agent': 'papergate' },
      allowLoopback: false,
      allowPlain: true,
      readLimitBytes: feedLimitBytes,
    });
    if (outcome.kind === 'problem') return { problem: outcome.problem };
    if (outcome.status === 200) return { text: new TextDecoder().decode(outcome.body) };
    const { status, location } = outcome;
    if (![301, 302, 303, 307, 308].includes(status) || location === undefined) return { problem: `status ${status}` };
    const next = URL.canParse(location, url.href) ? feedUrl(new URL(location, url).href) : 'not a URL';
    if (typeof next === 'string') return { problem: `it redirects to an unusable address: ${next}` };
    // What was asked for privately is not told to everybody on the way.
    if (url.protocol === 'https:' && next.protocol === 'http:') return { problem: 'it redirects from HTTPS to HTTP' };
    url = next;
  }
  return { problem: `it redirects more than ${mostRedirects} times` };
}
