/** Looks for frames that stay away: one alert an outage, however often it looks and whoever restarts (A-12, W-39). */
import type { Clock, Timer } from '../runtime/clock.ts';
import { type Database, transact } from '../runtime/database.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Random } from '../runtime/random.ts';
import { recordEvent } from './event-log.ts';
import { graceMs } from './presence.ts';
import type { WatchRow } from './presence-tables.ts';
import { type FrameRow, frameRegistry } from './registry.ts';

/** How often it looks. A pass costs what is due, not what is stored. */
export const watchMs = 30_000;
/** Frames judged in one pass; the rest are still due in the next. */
const batch = 500;

/** What the watch is handed. */
export interface WatchEdges {
  readonly db: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly isConnected: (serial: string) => boolean;
}

/** What to do about a frame whose time has come. */
export type Verdict =
  | { readonly do: 'alert' }
  | { readonly do: 'forget' }
  | { readonly do: 'look again'; readonly at: number; readonly excused?: true };

/**
 * Judges a frame that has not been heard of in time.
 * @param startedAt since when the service listens: nobody could be heard before
 */
export function judgeSilence(
  frame: Pick<FrameRow, 'activation' | 'asleep_until' | 'last_contact_at'>,
  known: { connected: boolean; excused: boolean; startedAt: number; now: number },
): Verdict {
  const { now, startedAt } = known;
  // A frame that belongs to nobody may sleep until its button is pressed.
  if (frame.activation !== 'activated' || frame.asleep_until === null) return { do: 'forget' };
  const grace = graceMs(frame);
  if (known.connected) return { do: 'look again', at: now + grace };
  const expectedAt = frame.asleep_until;
  if (expectedAt + grace > now) return { do: 'look again', at: expectedAt + grace };
  // It may have come while nobody listened, and sleeps once more. Only once: restarts must not hide a dead frame.
  if (expectedAt < startedAt && !known.excused) {
    const sleepMs = Math.max(0, expectedAt - (frame.last_contact_at ?? expectedAt));
    return { do: 'look again', at: startedAt + sleepMs + grace, excused: true };
  }
  if (startedAt + grace > now) return { do: 'look again', at: startedAt + grace };
  return { do: 'alert' };
}

/** A watch that runs by the clock. */
export interface PresenceWatch {
  start(): void;
  /** Resolves when nothing is under way. */
  stop(): Promise<void>;
}

/** Composes the watch. */
export function watchPresence(edges: WatchEdges): PresenceWatch {
  const { db, clock, logger } = edges;
  let startedAt = 0;
  let timer: Timer | undefined;
  let passing: Promise<void> = Promise.resolve();

  async function judge(due: WatchRow): Promise<void> {
    const now = clock.now();
    await transact(db, async (trx) => {
      const frame = await frameRegistry(trx).known(due.serial);
      const verdict = judgeSilence(frame, {
        connected: edges.isConnected(due.serial),
        excused: due.excused === 1,
        startedAt,
        now,
      });
      // A frame that spoke meanwhile has moved its own time: then nothing is changed here.
      const changed = await trx<WatchRow>('frame_watch')
        .where({ serial: due.serial, due_at: due.due_at, overdue_since: due.overdue_since })
        .update(changeBy(verdict, now));
      if (changed === 0 || verdict.do !== 'alert') return;
      await recordEvent(trx, edges.random, {
        serial: due.serial,
        type: 'alert',
        at: now,
        payload: {
          stage: 'overdue',
          problem: 'did not come back when it was expected',
          expectedAt: frame.asleep_until,
          lastContactAt: frame.last_contact_at,
        },
      });
    });
  }

  async function pass(): Promise<void> {
    const due = await db<WatchRow>('frame_watch').where('due_at', '<=', clock.now()).orderBy('due_at').limit(batch);
    for (const row of due) await judge(row);
  }

  function look(): void {
    passing = pass()
      .catch((error: unknown) => logger.error({ error }, 'the presence watch failed; what is due stays due'))
      .then(() => {
        if (timer !== undefined) timer = clock.after(watchMs, look);
      });
  }

  return {
    start() {
      startedAt = clock.now();
      timer = clock.after(watchMs, look);
    },
    async stop() {
      timer?.cancel();
      timer = undefined;
      await passing;
    },
  };
}

function changeBy(verdict: Verdict, now: number): Partial<WatchRow> {
  if (verdict.do === 'alert') return { due_at: null, overdue_since: now };
  if (verdict.do === 'forget') return { due_at: null };
  return { due_at: verdict.at, ...(verdict.excused && { excused: 1 }) };
}
