/**
 * The outbox as a state machine: what each row may become, which step is next, and what a step leaves behind. Pure. It
 * ends by construction: a step counts a try before it begins, and a row has so many tries until a person asks for more.
 */

/** `arrived` waits in its album for the others; `stopped` has used up its tries; `refused` is worked on again. */
export type OutboxState = 'queued' | 'sending' | 'arrived' | 'sent' | 'timed' | 'refused' | 'stopped' | 'undone';

/** One picture on its way to one place, as far as the machine looks at it. Times are epoch milliseconds. */
export interface OutboxRow {
  readonly id: string;
  /** The key of its picture. */
  readonly draft: string;
  /** Names the pictures that take turns with it, which the frame shows once all of them are through. */
  readonly showId: string | undefined;
  readonly state: OutboxState;
  /** Whether the service has it: what is left is that the frame shows its album. */
  readonly hasArrived: boolean;
  /** Rows are sent in this order. */
  readonly order: number;
  /** The tries of the present step since a person asked for it. */
  readonly tries: number;
  readonly notBefore: number;
  /** The tab that takes a step with it, and until when the others leave it alone. */
  readonly lease: { readonly by: string; readonly until: number } | undefined;
}

/** A step is tried so often, with these pauses in between; then it waits for a person. */
const pausesMs = [5_000, 15_000, 60_000, 300_000] as const;
export const maxTries = pausesMs.length + 1;
/** A tab that says nothing for so long is gone. */
export const leaseMs = 60_000;

/** The next step: one row is sent, the album of several is shown, or there is nothing to do until a time. */
export type Step =
  | { readonly kind: 'send'; readonly ids: readonly string[] }
  | { readonly kind: 'show'; readonly showId: string; readonly ids: readonly string[] }
  | { readonly kind: 'wait'; readonly until: number };

/** How a step ended. `later` is what only a lost network or a busy service refuses; `left` was called off. */
export type Outcome<Row> =
  | { readonly kind: 'done'; readonly values: (row: Row) => Partial<Row>; readonly isTimed?: boolean }
  | { readonly kind: 'later'; readonly values: Partial<Row>; readonly pauseMs: number }
  | { readonly kind: 'refused'; readonly values: Partial<Row> }
  | { readonly kind: 'left' };

/** Who takes steps. */
export interface Worker {
  readonly me: string;
  readonly now: number;
  /** No other tab takes steps: anyone who left a lease is gone. */
  readonly isAlone: boolean;
}

/** Whether something is left to be done with a row, by the outbox itself or by a person. */
export const isOpen = ({ state }: Pick<OutboxRow, 'state'>): boolean =>
  state === 'queued' || state === 'sending' || state === 'arrived' || state === 'stopped';

/** Whether the outbox itself will do something. */
export const goesOn = (row: Pick<OutboxRow, 'state'>): boolean => isOpen(row) && row.state !== 'stopped';

const isUnsent = ({ state }: OutboxRow): boolean => state === 'queued' || state === 'sending';

/** Returns the fate of a picture, by its rows: it is on its way, worked on, or not needed any longer. */
export function fateOf(draft: string, rows: readonly OutboxRow[]): 'going' | 'in-hand' | 'gone' {
  const mine = rows.filter((row) => row.draft === draft);
  if (mine.some(isOpen)) return 'going';
  return mine.length === 0 || mine.some(({ state }) => state === 'refused') ? 'in-hand' : 'gone';
}

/** Whether a step failed before: the service is then asked whether it is there before another one begins. */
export const hadTrouble = (rows: readonly OutboxRow[]): boolean => rows.some((row) => goesOn(row) && row.tries > 0);

/** Returns the next step; undefined when nothing is left to be done. */
export function nextStep(rows: readonly OutboxRow[], { me, now, isAlone }: Worker): Step | undefined {
  const held = rows.flatMap(({ lease }) =>
    lease !== undefined && lease.by !== me && lease.until > now && !isAlone ? [lease.until] : [],
  );
  if (held.length > 0) return { kind: 'wait', until: Math.max(...held) };
  const left = [...rows].filter(goesOn).sort((one, other) => one.order - other.order);
  const ready = left.find((row) => isUnsent(row) && row.notBefore <= now);
  if (ready !== undefined) return { kind: 'send', ids: [ready.id] };
  const times = left.filter(isUnsent).map(({ notBefore }) => notBefore);
  for (const showId of new Set(left.flatMap((row) => row.showId ?? []))) {
    const mine = left.filter((row) => row.showId === showId);
    if (mine.some(isUnsent)) continue;
    const from = Math.max(...mine.map(({ notBefore }) => notBefore));
    if (from <= now) return { kind: 'show', showId, ids: mine.map(({ id }) => id) };
    times.push(from);
  }
  return times.length === 0 ? undefined : { kind: 'wait', until: Math.min(...times) };
}

/**
 * Takes the next step out: its try is counted and it is leased before anything is sent. What has no tries left stops.
 * @returns the rows to be stored, and the step
 */
export function take<Row extends OutboxRow>(
  rows: readonly Row[],
  worker: Worker,
): { readonly rows: readonly Row[]; readonly step: Step | undefined } {
  const step = nextStep(rows, worker);
  if (step === undefined || step.kind === 'wait') return { rows, step };
  const { ids } = step;
  const isSpent = rows.some(({ id, tries }) => ids.includes(id) && tries >= maxTries);
  const changed = rows.map((row): Row => {
    if (!ids.includes(row.id)) return row;
    if (isSpent) return { ...row, state: 'stopped', lease: undefined };
    const state = step.kind === 'send' ? 'sending' : row.state;
    return { ...row, state, tries: row.tries + 1, lease: { by: worker.me, until: worker.now + leaseMs } };
  });
  return isSpent ? take(changed, worker) : { rows: changed, step };
}

/** Ends a step. Rows that were taken away meanwhile stay away. */
export function settle<Row extends OutboxRow>(
  rows: readonly Row[],
  { kind, ids }: { readonly kind: 'send' | 'show'; readonly ids: readonly string[] },
  outcome: Outcome<Row>,
  now: number,
): readonly Row[] {
  return rows.map((row): Row => {
    if (!ids.includes(row.id)) return row;
    const before = { ...row, lease: undefined };
    const waiting: OutboxState = kind === 'send' ? 'queued' : 'arrived';
    if (outcome.kind === 'left') return { ...before, state: waiting };
    if (outcome.kind === 'done') {
      const ended = { ...before, ...outcome.values(row) };
      if (kind === 'show') return { ...ended, state: 'sent', tries: 0 };
      const state = row.showId !== undefined ? 'arrived' : outcome.isTimed === true ? 'timed' : 'sent';
      return { ...ended, state, hasArrived: true, tries: 0, notBefore: 0 };
    }
    const ended = { ...before, ...outcome.values };
    if (outcome.kind === 'refused') return { ...ended, state: kind === 'send' ? 'refused' : 'stopped' };
    if (row.tries >= maxTries) return { ...ended, state: 'stopped' };
    const pauseMs = Math.max(outcome.pauseMs, pausesMs[row.tries - 1] ?? 0);
    return { ...ended, state: waiting, notBefore: now + pauseMs };
  });
}

/** Keeps the other tabs away from the rows of a step that goes on. */
export const renew = <Row extends OutboxRow>(rows: readonly Row[], { me, now }: Worker): readonly Row[] =>
  rows.map((row) => (row.lease?.by === me ? { ...row, lease: { by: me, until: now + leaseMs } } : row));

/** Puts rows into the outbox, in place of what ended under their ids; what is on its way stays as it is. */
export function add<Row extends OutboxRow>(rows: readonly Row[], added: readonly Row[]): readonly Row[] {
  const isGoing = (id: string): boolean => rows.some((row) => row.id === id && isOpen(row));
  const fresh = added.filter(({ id }) => !isGoing(id));
  return [...rows.filter(({ id }) => fresh.every((one) => one.id !== id)), ...fresh];
}

/** Gives a row that stopped its tries back, with those that wait for the same album. */
export function again<Row extends OutboxRow>(rows: readonly Row[], id: string): readonly Row[] {
  const asked = rows.find((row) => row.id === id);
  const isMeant = (row: Row): boolean =>
    row.id === id || (asked?.hasArrived === true && row.hasArrived && row.showId === asked.showId);
  return rows.map((row) =>
    row.state !== 'stopped' || !isMeant(row)
      ? row
      : { ...row, state: row.hasArrived ? 'arrived' : 'queued', tries: 0, notBefore: 0 },
  );
}
