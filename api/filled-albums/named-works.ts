/** Works by their names, of which none is under way twice: listings of sources, fillings of albums. */
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import { fairShares } from '../../runtime/fair-shares.ts';

/** The works at once, in all and of one organization: most of them wait for a server. */
const works = { atOnce: 16, ofOne: 4 } as const;

/** A piece of work, which is ended by a signal. */
type Work = (signal: AbortSignal) => Promise<void>;

/** Begins with nothing under way. */
export function namedWorks(logger: CommonDeps['logger']) {
  const shares = fairShares(works);
  const underWay = new Map<string, Promise<void>>();
  const onceMore = new Set<string>();
  let ending = new AbortController();

  function begin(name: string, organizationId: string, work: Work): void {
    if (underWay.has(name)) return;
    const { signal } = ending;
    const done = shares
      .run([organizationId], () => work(signal), signal)
      .catch((error: unknown) => {
        if (!signal.aborted) logger.error({ error, work: name }, 'filling albums broke off');
      })
      .finally(() => {
        underWay.delete(name);
        if (onceMore.delete(name) && !signal.aborted) begin(name, organizationId, work);
      });
    underWay.set(name, done);
  }

  return {
    begin,
    /** Begins a work, once more after the one that is under way: that may have missed what is new. */
    beginAfter(name: string, organizationId: string, work: Work): void {
      if (underWay.has(name)) onceMore.add(name);
      else begin(name, organizationId, work);
    },
    async idle(): Promise<void> {
      while (underWay.size > 0) await Promise.all(underWay.values());
    },
    /** Breaks off what is under way. */
    stop(): void {
      ending.abort();
      ending = new AbortController();
    },
  };
}
