/**
 * Works of the line that are under way, for as many organizations as there are: none takes all of the room. Work that
 * was found due and cannot begin yet waits here, so that all due work need not be read again whenever a piece of it
 * ends.
 */

/** Bound over all organizations. Rendering has queues of its own, and a work that waits there costs next to nothing. */
const maxAtOnce = 128;
const maxPerOwner = 16;

/** The works, and what was found due and waits. */
export interface WorksUnderWay<Found> {
  /** @param work ends without an error; `ended` is called when it is no longer under way */
  begin(id: string, organizationId: string, work: Promise<void>, ended: () => void): void;
  /** Counts the works that may still begin. */
  room(): number;
  /** Asks if a work may begin: there is room for its organization, and none of this name is under way. */
  mayBegin(id: string, organizationId: string): boolean;
  /**
   * Opens a look at what is due, before it is read. Its `mayBegin` refuses also what was under way then: that may have
   * ended since, and been read as it was before.
   */
  look(): Pick<WorksUnderWay<Found>, 'mayBegin'>;
  ids(): string[];
  /** Organizations that may begin no more work. */
  full(): string[];
  /** True when at least one organization may begin no more work. */
  isFull(): boolean;
  /** Has it wait until it may begin. */
  wait(id: string, organizationId: string, found: Found): void;
  /** Takes one of those that wait and may begin now: of each organization the one that waits longest. */
  next(): Found | undefined;
  /** True where more of an organization may begin, and nothing of it waits. */
  isFree(organizationId: string): boolean;
  /** True while something waits, whether or not it may begin. */
  isAnyWaiting(): boolean;
  /** Forgets all that waits, because everything that is due is looked for again, except what these organizations have. */
  forgetWaiting(exceptOf?: readonly string[]): void;
  /** Resolves when no work is under way. */
  idle(): Promise<void>;
}

/** Opens the room. */
export function worksUnderWay<Found>(): WorksUnderWay<Found> {
  const works = new Map<string, Promise<void>>();
  /** The number of works of each organization that has some. */
  const counts = new Map<string, number>();
  /** The works that wait, by organization and name. */
  const waiting = new Map<string, Map<string, Found>>();

  const full = (): string[] =>
    [...counts].flatMap(([organizationId, count]) => (count >= maxPerOwner ? [organizationId] : []));
  const hasRoom = (organizationId: string): boolean =>
    works.size < maxAtOnce && (counts.get(organizationId) ?? 0) < maxPerOwner;

  const mayBegin = (id: string, organizationId: string): boolean => hasRoom(organizationId) && !works.has(id);

  function count(organizationId: string, change: 1 | -1): void {
    const now = (counts.get(organizationId) ?? 0) + change;
    if (now === 0) counts.delete(organizationId);
    else counts.set(organizationId, now);
  }

  return {
    begin(id, organizationId, work, ended) {
      count(organizationId, 1);
      const ending = work.finally(() => {
        works.delete(id);
        count(organizationId, -1);
        ended();
      });
      works.set(id, ending);
    },
    room: () => maxAtOnce - works.size,
    mayBegin,
    look() {
      const before = new Set(works.keys());
      return { mayBegin: (id, organizationId) => !before.has(id) && mayBegin(id, organizationId) };
    },
    ids: () => [...works.keys()],
    full,
    isFull: () => works.size >= maxAtOnce || full().length > 0,
    wait(id, organizationId, found) {
      const ofOwner = waiting.get(organizationId) ?? new Map<string, Found>();
      waiting.set(organizationId, ofOwner.set(id, found));
    },
    next() {
      for (const [organizationId, ofOwner] of waiting) {
        if (!hasRoom(organizationId)) continue;
        for (const [id, found] of ofOwner) {
          if (works.has(id)) continue;
          ofOwner.delete(id);
          if (ofOwner.size === 0) waiting.delete(organizationId);
          return found;
        }
      }
      return undefined;
    },
    isFree: (organizationId) => hasRoom(organizationId) && !waiting.has(organizationId),
    isAnyWaiting: () => waiting.size > 0,
    forgetWaiting(exceptOf = []) {
      for (const organizationId of waiting.keys())
        if (!exceptOf.includes(organizationId)) waiting.delete(organizationId);
    },
    async idle() {
      while (works.size > 0) await Promise.all(works.values());
    },
  };
}
