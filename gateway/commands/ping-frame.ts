/** The ping: a frame that is awake is asked; about a frame that sleeps, its last known state is returned. */

import { isoTimeOrNull } from '../../runtime/clock.ts';
import { transact } from '../../runtime/database/database.ts';
import { newRow } from '../../runtime/database/table.ts';
import { graceMs, wakefulness } from '../frames/presence.ts';
import { type FrameRow, frameRegistry } from '../frames/registry.ts';
import { answerMs, type CommandDeps } from './command-frame.ts';
import { type CommandRow, commandLog, recordCommand } from './command-log.ts';
import { commandsTables } from './tables.ts';

/** The result of a ping. Times are epoch milliseconds. */
export interface Ping {
  readonly success: boolean;
  readonly reachable: boolean;
  /** `silent` is awake and did not answer; `overdue` should have woken by now; `unknown` was never connected. */
  readonly state: 'awake' | 'silent' | 'sleeping' | 'overdue' | 'unknown';
  readonly roundTripMs?: number;
  readonly lastReachableAt: number | null;
  readonly expectedWakeAt: number | null;
  /** The frame's reply when it was asked; else the frame's last report. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/** Creates the ping of one gateway. */
export function pingFrame(deps: CommandDeps) {
  const { db, clock, random, replies } = deps;

  /** Asks a frame that is awake; undefined when it was gone before it could be asked. */
  async function ask(frame: FrameRow, waitForData: boolean): Promise<Partial<Ping> | undefined> {
    const row = pingRow(frame.serial, random.id(), clock.now());
    await transact(db, async (trx) => {
      await commandLog(trx).insert(row);
      await recordCommand(trx, row, { stage: 'sent' }, { now: row.created_at, random });
    });
    const sentAt = clock.now();
    const expected = replies.expect(row.id, answerMs);
    const sent = deps.send(frame.serial, { id: row.id, name: 'ping' });
    if (!sent) expected.cancel();
    const reply = await expected.reply;
    if (reply !== undefined && reply !== 'unsent') {
      return {
        success: reply.ok,
        reachable: true,
        state: 'awake',
        lastReachableAt: reply.at,
        roundTripMs: reply.at - sentAt,
        ...(waitForData && { data: reply.data ?? {} }),
      };
    }
    const ended = await commandLog(db).end([row.id], 'sent', 'expired');
    if (ended === 1) await recordCommand(db, row, { stage: 'unanswered' }, { now: clock.now(), random });
    return sent && reply !== 'unsent' ? { success: false, reachable: false, state: 'silent' } : undefined;
  }

  return async function ping(serial: string, { waitForData }: { waitForData: boolean }): Promise<Ping | undefined> {
    const frame = await frameRegistry(db).find(serial);
    if (frame === undefined) return undefined;
    const connection = deps.connection(frame.serial);
    const known: Ping = {
      success: false,
      reachable: false,
      state: silence(frame, clock.now()),
      lastReachableAt: frame.last_contact_at,
      expectedWakeAt: frame.asleep_until,
    };
    // W-34: classic frames know no ping, so their last report and its age are all that can be returned.
    const { knowsCommands } = deps.traitsOf(frame.dialect);
    const { awake } = wakefulness(frame, connection, knowsCommands, clock.now());
    if (!knowsCommands) {
      const data = waitForData && { data: lastReport(frame) };
      const found = awake && ({ success: true, reachable: true, state: 'awake' } as const);
      const lastReachableAt = Math.max(connection?.lastSeenAt ?? 0, frame.last_contact_at ?? 0) || null;
      return { ...known, lastReachableAt, ...found, ...data };
    }
    return awake ? { ...known, ...(await ask(frame, waitForData)) } : known;
  };
}

function silence(frame: FrameRow, now: number): 'sleeping' | 'overdue' | 'unknown' {
  if (frame.last_contact_at === null) return 'unknown';
  if (frame.asleep_until === null) return 'overdue';
  return now <= frame.asleep_until + graceMs(frame) ? 'sleeping' : 'overdue';
}

function lastReport(frame: FrameRow): Record<string, unknown> {
  const { firmware, rssi, orientation, cycle_started_at: at } = frame;
  const reported = { firmware, batteryMv: frame.battery_mv, rssi, orientation, fileVersion: frame.reported_version };
  return { ...reported, reportedAt: isoTimeOrNull(at) };
}

/** The row of a ping, which is sent and over within one wake, and never waits for a frame. */
function pingRow(serial: string, id: string, now: number): CommandRow {
  return newRow(commandsTables, 'frame_commands', {
    id,
    serial,
    name: 'ping',
    state: 'sent',
    created_at: now,
    expires_at: now + answerMs,
    sent_at: now,
  });
}
