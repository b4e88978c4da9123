/** Keeps texts of feeds for a while in little memory. Nobody's feeds push out those of others. */

/** A text as it was fetched at a moment, epoch milliseconds. */
export interface KeptFeed {
  readonly text: string;
  readonly at: number;
}

/** The kept texts, by their addresses. */
export interface KeptFeeds {
  find(address: string): KeptFeed | undefined;
  /**
   * Keeps a text for the organization that fetched it last. When there is too much, the oldest text of the organization
   * that has most goes.
   */
  keep(address: string, feed: KeptFeed, organizationId: string): void;
}

/** The cost of a feed besides its text, so that a flood of tiny ones is limited, too. */
const ownCost = 1_000;

/**
 * Makes an empty store.
 * @param maxKept the limit of all texts together, in characters
 */
export function keptFeeds(maxKept: number): KeptFeeds {
  const feeds = new Map<string, KeptFeed & { readonly organizationId: string }>();
  const keptOf = new Map<string, number>();
  let total = 0;

  function count(organizationId: string, by: number): void {
    total += by;
    const kept = (keptOf.get(organizationId) ?? 0) + by;
    if (kept === 0) keptOf.delete(organizationId);
    else keptOf.set(organizationId, kept);
  }

  function drop(address: string): void {
    const feed = feeds.get(address);
    if (feed === undefined || !feeds.delete(address)) return;
    count(feed.organizationId, -costOf(address, feed));
  }

  function dropOldestOfLargest(): void {
    const largest = [...keptOf].reduce((most, one) => (one[1] > most[1] ? one : most), ['', 0]);
    for (const [address, { organizationId }] of feeds) {
      if (organizationId !== largest[0]) continue;
      drop(address);
      return;
    }
  }

  return {
    find: (address) => feeds.get(address),
    keep(address, feed, organizationId) {
      drop(address);
      feeds.set(address, { ...feed, organizationId });
      count(organizationId, costOf(address, feed));
      while (total > maxKept) dropOldestOfLargest();
    },
  };
}

function costOf(address: string, { text }: KeptFeed): number {
  return ownCost + address.length + text.length;
}
