/** A feed of a calendar as it is stored. Pure. */
import type { DraftLogin } from './paper-draft.ts';

/** A feed; fields of other clients stay. */
export type StoredFeed = Readonly<Record<string, unknown>>;

/** Returns the feeds of a meta. */
export const feedsIn = (stored: unknown): readonly StoredFeed[] =>
  Array.isArray(stored) ? stored.filter((feed) => typeof feed === 'object' && feed !== null) : [];

/** Returns a field of a feed as text. */
export const feedText = (feed: StoredFeed, field: string): string => {
  const value = feed[field];
  return typeof value === 'string' ? value : '';
};

/** Returns the logins whose very address is still among the feeds: no other one is asked with them. */
export function loginsFor(stored: unknown, logins: readonly DraftLogin[]): DraftLogin[] {
  const addresses = feedsIn(stored).map((feed) => feedText(feed, 'url'));
  return logins.filter(({ address }) => addresses.includes(address));
}
