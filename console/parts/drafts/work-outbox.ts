/** Takes the steps of the outbox one after the other, whatever becomes of its tab, its network and its service. */
import { hadTrouble, leaseMs, type OutboxRow, type Outcome, renew, settle, take, type Worker } from './outbox.ts';

export interface OutboxPorts<Row extends OutboxRow> {
  readonly me: string;
  readonly isAlone: boolean;
  now(): number;
  /** Changes the stored rows as one transaction over all tabs, and returns them. */
  change(how: (rows: readonly Row[]) => readonly Row[]): Promise<readonly Row[]>;
  /** Whether somebody else is signed in by now, or another organization is looked at. */
  isOver(): boolean;
  /** Asks the service whether it is there. */
  isThere(): Promise<boolean>;
  /** Sends a picture. It never rejects: its outcome contains any failure. */
  send(row: Row): Promise<Outcome<Row>>;
  /** Has the frame show an album of those that have arrived. */
  show(rows: readonly Row[]): Promise<Outcome<Row>>;
  /** Takes a picture back that the service took after somebody had called it off. */
  takeBack(row: Row): Promise<void>;
  /** Runs something from time to time until the returned function is called. */
  every(ms: number, run: () => void): () => void;
}

/** The delay before asking again whether the service is there. */
const absentMs = 15_000;

/**
 * Works until nothing can be done now.
 * @returns when to come back; undefined when nothing is left
 */
export async function workOutbox<Row extends OutboxRow>(ports: OutboxPorts<Row>): Promise<number | undefined> {
  const worker = (): Worker => ({ me: ports.me, isAlone: ports.isAlone, now: ports.now() });
  while (!ports.isOver()) {
    // A service that does not answer costs no try.
    if (hadTrouble(await ports.change((rows) => rows)) && !(await ports.isThere())) return ports.now() + absentMs;
    let taken = take<Row>([], worker());
    await ports.change((rows) => {
      taken = take(rows, worker());
      return taken.rows;
    });
    const { step } = taken;
    if (step === undefined) return undefined;
    if (step.kind === 'wait') return step.until;
    const mine = taken.rows.filter(({ id }) => step.ids.includes(id));
    const stop = ports.every(leaseMs / 3, () => void ports.change((rows) => renew(rows, worker())));
    const [first] = mine;
    if (first === undefined) return undefined;
    const outcome = await (step.kind === 'send' ? ports.send(first) : ports.show(mine)).finally(stop);
    let gone: readonly Row[] = [];
    await ports.change((rows) => {
      gone = mine.filter(({ id }) => rows.every((row) => row.id !== id));
      return settle(rows, step, outcome, ports.now());
    });
    if (step.kind === 'send' && outcome.kind === 'done')
      for (const row of gone) await ports.takeBack({ ...row, ...outcome.values(row) }).catch(() => undefined);
  }
  return undefined;
}
