/** A feed of a calendar as it is stored. Pure. */
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
