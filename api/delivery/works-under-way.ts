/** Works of the line that are under way, for as many organizations as there are: none takes all of the room. */

/** Bound over all organizations. Rendering has queues of its own, and a work that waits there costs next to nothing. */
const maxAtOnce = 128;
const maxPerOwner = 16;

/** The works. */
export interface WorksUnderWay {
  /** @param work ends without an error; `ended` is called when it is no longer under way */
  begin(id: string, organizationId: string, work: Promise<void>, ended: () => void): void;
  /** Counts the works that may still begin. */
  room(): number;
  ids(): string[];
  /** Organizations of which no more may begin. */
  full(): string[];
  /** True when no more may begin, of somebody at least. */
  isFull(): boolean;
  /** Resolves when no work is under way. */
  idle(): Promise<void>;
}

/** Opens the room. */
export function worksUnderWay(): WorksUnderWay {
  const works = new Map<string, { readonly organizationId: string; readonly ended: Promise<void> }>();
  const full = (): string[] => {
    const counts = new Map<string, number>();
    for (const { organizationId } of works.values()) counts.set(organizationId, (counts.get(organizationId) ?? 0) + 1);
    return [...counts].flatMap(([organizationId, count]) => (count >= maxPerOwner ? [organizationId] : []));
  };
  return {
    begin(id, organizationId, work, ended) {
      const ending = work.finally(() => {
        works.delete(id);
        ended();
      });
      works.set(id, { organizationId, ended: ending });
    },
    room: () => maxAtOnce - works.size,
    ids: () => [...works.keys()],
    full,
    isFull: () => works.size >= maxAtOnce || full().length > 0,
    async idle() {
      while (works.size > 0) await Promise.all([...works.values()].map(({ ended }) => ended));
    },
  };
}
