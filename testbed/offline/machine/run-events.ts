/**
 * The events of a run: every fault that hits, and every act of people and backends. They can be noted, and a run can be given which
 * of them happen.
 */

/** One event. Anyone who drew it drew so many numbers before it; from there its details follow. */
export interface RunEvent {
  /** The time in milliseconds since the run began, without leaps. */
  readonly at: number;
  readonly who: string;
  readonly what: string;
  readonly draw: number;
}

/** A moment at which an event may happen. */
export interface Occasion extends Omit<RunEvent, 'at'> {
  /** True when the draws of the seed make it happen here. */
  readonly isDrawn: boolean;
  /** False while such an event does not happen at all. */
  readonly isPossible: boolean;
}

/** Decides about the events of one run, and keeps what happened. */
export interface EventLog {
  /** Makes this the time of the events. */
  keepTime(now: () => number): void;
  /** Returns the event that happens on this occasion; undefined when none does. */
  decide(occasion: Occasion): Pick<RunEvent, 'draw'> | undefined;
  /** Notes an act that begins. */
  began(act: RunEvent): void;
  /** The acts of this player that are to happen, in place of those that would be drawn; undefined where they are drawn. */
  acts(who: string): readonly RunEvent[] | undefined;
  /** Everything that happened, as it is noted. */
  readonly happened: readonly RunEvent[];
  /** Returns whether there was an occasion for such an event. */
  hadOccasion(event: Pick<RunEvent, 'who' | 'what'>): boolean;
}

const kindOf = ({ who, what }: Pick<RunEvent, 'who' | 'what'>): string => `${who}: ${what}`;

/** Opens a log of a run in which everything happens that its seed draws. */
export function noteEvents(): EventLog {
  return logOf(undefined, ({ isDrawn, who, what, draw }, at) => (isDrawn ? { at, who, what, draw } : undefined));
}

/**
 * Opens a log of a run in which these events happen and no others: each on the first occasion of its kind that comes at its time or
 * later. With all events that were noted of a seed the run is the same.
 */
export function keepEvents(kept: readonly RunEvent[]): EventLog {
  const waiting = new Map<string, RunEvent[]>();
  for (const event of kept) waiting.set(kindOf(event), [...(waiting.get(kindOf(event)) ?? []), event]);
  return logOf(kept, (occasion, at) => {
    const queue = waiting.get(kindOf(occasion));
    const next = queue?.[0];
    if (next === undefined || !occasion.isPossible || at < next.at) return undefined;
    // Of several occasions at one moment the noted one is meant.
    if (at === next.at && occasion.draw < next.draw) return undefined;
    return queue?.shift();
  });
}

function logOf(
  kept: readonly RunEvent[] | undefined,
  decide: (occasion: Occasion, at: number) => RunEvent | undefined,
): EventLog {
  const happened: RunEvent[] = [];
  const occasions = new Set<string>();
  let now = (): number => 0;
  return {
    keepTime(clock) {
      now = clock;
    },
    decide(occasion) {
      if (occasion.isPossible) occasions.add(kindOf(occasion));
      const event = decide(occasion, now());
      if (event !== undefined) happened.push(event);
      return event;
    },
    began(act) {
      occasions.add(kindOf(act));
      happened.push(act);
    },
    acts: (who) => kept?.filter((event) => event.who === who),
    happened,
    hadOccasion: (event) => occasions.has(kindOf(event)),
  };
}
