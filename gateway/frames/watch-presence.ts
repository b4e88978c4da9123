/** The presence watch: it records one alert for each outage of a frame, however often it looks or the service restarts. */

import { LeaseLost, type SingleTask } from '../../cluster/cluster.ts';
import { reasonOf } from '../../reasons/reason.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import { inRounds } from '../../runtime/rounds.ts';
import type { TraitsOf } from './dialect-traits.ts';
import { recordFrameEvent } from './event-log.ts';
import { graceMs } from './presence.ts';
import type { WatchRow } from './presence-tables.ts';
import { type FrameRow, frameRegistry } from './registry.ts';

/** The interval of the watch. The cost of a pass grows with the frames that are due, not with all frames. */
export const watchMs = 30_000;
/** The most frames that are judged in one pass; the others are still due in the next. */
const batch = 500;

export interface PresenceWatchDeps extends CommonDeps {
  readonly isConnected: (serial: string) => boolean;
  /** Of several nodes one watches: an outage is reported once. */
  readonly single: SingleTask;
  readonly traitsOf: TraitsOf;
}

/** The decision about a frame that is due. */
export type PresenceVerdict =
  | { readonly do: 'alert' }
  | { readonly do: 'forget' }
  | { readonly do: 'look again'; readonly at: number; readonly excused?: true };

/**
 * Judges a frame that has not come back in time.
 * @param startedAt the start of the service: no frame could be received before
 */
export function judgeSilence(
  frame: Pick<FrameRow, 'activation' | 'asleep_until' | 'last_contact_at'>,
  known: { connected: boolean; excused: boolean; startedAt: number; now: number },
): PresenceVerdict {
  const { now, startedAt } = known;
  // A frame that belongs to nobody may sleep until its button is pressed.
  if (frame.activation !== 'activated' || frame.asleep_until === null) return { do: 'forget' };
  const grace = graceMs(frame);
  if (known.connected) return { do: 'look again', at: now + grace };
  const expectedAt = frame.asleep_until;
  if (expectedAt + grace > now) return { do: 'look again', at: expectedAt + grace };
  // The frame may have come while the service was down, and sleeps once more. It is excused only once, because restarts
  // must not hide a dead frame.
  if (expectedAt < startedAt && !known.excused) {
    const sleepMs = Math.max(0, expectedAt - (frame.last_contact_at ?? expectedAt));
    return { do: 'look again', at: startedAt + sleepMs + grace, excused: true };
  }
  if (startedAt + grace > now) return { do: 'look again', at: startedAt + grace };
  return { do: 'alert' };
}

/** A running presence watch. */
export interface PresenceWatch {
  start(): void;
  /** Resolves when no pass is under way. */
  stop(): Promise<void>;
}

/** Composes the presence watch. */
export function watchPresence(deps: PresenceWatchDeps): PresenceWatch {
  const { db, clock, logger } = deps;
  let startedAt = 0;

  async function judge(due: WatchRow): Promise<void> {
    const now = clock.now();
    await deps.single.transact(db, async (trx) => {
      const frame = await frameRegistry(trx).known(due.serial);
      const verdict = judgeSilence(frame, {
        connected: deps.isConnected(due.serial),
        excused: due.excused === 1,
        startedAt,
        now,
      });
      // A message of the frame in the meantime has moved its due time: then nothing is changed here.
      const changed = await trx<WatchRow>('frame_watch')
        .where({ serial: due.serial, due_at: due.due_at, overdue_since: due.overdue_since })
        .update(changeBy(verdict, now));
      if (changed === 0 || verdict.do !== 'alert') return;
      const remedy = deps.traitsOf(frame.dialect).silence;
      const meaning = remedy === undefined ? {} : { remedy };
      await recordFrameEvent(trx, deps.random, {
        serial: due.serial,
        type: 'alert',
        at: now,
        payload: {
          stage: 'overdue',
          problem: reasonOf('did-not-come-back'),
          ...meaning,
          expectedAt: frame.asleep_until,
          lastContactAt: frame.last_contact_at,
        },
      });
    });
  }

  async function pass(): Promise<void> {
    if (!deps.single.isOurs()) return;
    const due = await db<WatchRow>('frame_watch').where('due_at', '<=', clock.now()).orderBy('due_at').limit(batch);
    for (const row of due) await judge(row);
  }

  const rounds = inRounds(clock, watchMs, () =>
    pass().catch((error: unknown) => {
      if (!(error instanceof LeaseLost)) logger.error({ error }, 'the presence watch failed; what is due stays due');
    }),
  );
  return {
    start() {
      startedAt = clock.now();
      rounds.start();
    },
    stop: rounds.stop,
  };
}

function changeBy(verdict: PresenceVerdict, now: number): Partial<WatchRow> {
  if (verdict.do === 'alert') return { due_at: null, overdue_since: now };
  if (verdict.do === 'forget') return { due_at: null };
  return { due_at: verdict.at, ...(verdict.excused && { excused: 1 }) };
}
