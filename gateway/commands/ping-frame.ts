/** Whether a frame is there right now: one that is awake is asked, of one that sleeps is told what is known. */
import { graceMs } from '../frames/presence.ts';
import { type FrameRow, frameRegistry } from '../frames/registry.ts';
import { transact } from '../runtime/database.ts';
import { answerMs, type CommandEdges } from './command-frame.ts';
import { type CommandRow, commandLog, recordCommand } from './command-log.ts';

/** What a ping found. Times are epoch milliseconds. */
export interface Ping {
  readonly success: boolean;
  readonly reachable: boolean;
  /** `silent` is awake and did not answer; `overdue` should have woken by now; `unknown` was never heard of. */
  readonly state: 'awake' | 'silent' | 'sleeping' | 'overdue' | 'unknown';
  readonly roundTripMs?: number;
  readonly lastReachableAt: number | null;
  readonly expectedWakeAt: number | null;
  /** The frame's own words about itself, when they were waited for. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/** Makes the ping of one gateway. */
export function pingFrame(edges: CommandEdges) {
  const { db, clock, random, replies } = edges;

  /** Asks a frame that is awake; undefined when it was gone before it could be asked. */
  async function ask(frame: FrameRow, waitForData: boolean): Promise<Partial<Ping> | undefined> {
    const row = pingRow(frame.serial, random.id(), clock.now());
    await transact(db, async (trx) => {
      await commandLog(trx).insert(row);
      await recordCommand(trx, random, row, row.created_at, { stage: 'sent' });
    });
    const sentAt = clock.now();
    const expected = replies.expect(row.id, answerMs);
    const sent = edges.send(frame.serial, { id: row.id, name: 'ping' });
    if (!sent) expected.cancel();
    const reply = await expected.reply;
    if (reply !== undefined && reply !== 'unsaid') {
      return {
        ...{ success: reply.ok, reachable: true, state: 'awake', lastReachableAt: reply.at },
        roundTripMs: reply.at - sentAt,
        ...(waitForData && { data: reply.data ?? {} }),
      };
    }
    const ended = await commandLog(db).end([row.id], 'sent', 'expired');
    if (ended === 1) await recordCommand(db, random, row, clock.now(), { stage: 'unanswered' });
    return sent && reply !== 'unsaid' ? { success: false, reachable: false, state: 'silent' } : undefined;
  }

  return async function ping(serial: string, { waitForData }: { waitForData: boolean }): Promise<Ping | undefined> {
    const frame = await frameRegistry(db).find(serial);
    if (frame === undefined) return undefined;
    const connection = edges.connection(frame.serial);
    const known: Ping = {
      ...{ success: false, reachable: false, state: silence(frame, clock.now()) },
      lastReachableAt: frame.last_contact_at,
      expectedWakeAt: frame.asleep_until,
    };
    if (connection === undefined) return known;
    // W-34: these know no ping; being connected is all that they can say.
    if (!edges.traitsOf(frame.dialect).knowsCommands) {
      const data = waitForData && { data: lastReport(frame) };
      return { ...known, success: true, reachable: true, state: 'awake', ...data };
    }
    return connection.awake ? { ...known, ...(await ask(frame, waitForData)) } : known;
  };
}

function silence(frame: FrameRow, now: number): 'sleeping' | 'overdue' | 'unknown' {
  if (frame.last_contact_at === null) return 'unknown';
  if (frame.asleep_until === null) return 'overdue';
  return now <= frame.asleep_until + graceMs(frame) ? 'sleeping' : 'overdue';
}

function lastReport(frame: FrameRow): Record<string, unknown> {
  const { firmware, rssi, orientation } = frame;
  return { firmware, batteryMv: frame.battery_mv, rssi, orientation, fileVersion: frame.reported_version };
}

/** Given and over within one wake: it never waits for a frame. */
function pingRow(serial: string, id: string, now: number): CommandRow {
  return {
    ...{ id, serial, name: 'ping', data: null, state: 'sent' },
    ...{ created_at: now, expires_at: now + answerMs, sent_at: now, answered_at: null, answer: null },
  };
}
