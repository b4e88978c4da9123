/** What is written down about frames beside their conversations: a note that cannot be kept is no reason to stop. */
import type { Clock } from '../runtime/clock.ts';
import { type Database, transactPatiently } from '../runtime/database.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Random } from '../runtime/random.ts';
import { type EventType, recordEvent } from './event-log.ts';

/** Notes under way. Nothing here ever rejects. */
export interface FrameNotes {
  /** Records an event of a frame. */
  note(serial: string, type: EventType, payload: Record<string, unknown>): Promise<void>;
  /** Records that a frame did wrong, in the log too: a frame of nobody has nobody who could read its events. */
  alert(serial: string, problem: string): Promise<void>;
  /** Looks after something that is being recorded about a frame. */
  keep(serial: string, recorded: Promise<void>): Promise<void>;
  /** Resolves when all that was begun has ended. */
  settled(): Promise<void>;
}

/** The notes of one gateway. */
export function frameNotes(edges: {
  readonly db: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}): FrameNotes {
  const { db, clock, random, logger } = edges;
  const underWay = new Set<Promise<void>>();

  function keep(serial: string, recorded: Promise<void>): Promise<void> {
    const noted = recorded
      .catch((error: unknown) => logger.error({ frame: serial, error }, 'event not recorded'))
      .finally(() => underWay.delete(noted));
    underWay.add(noted);
    return noted;
  }

  function note(serial: string, type: EventType, payload: Record<string, unknown>): Promise<void> {
    const at = clock.now();
    return keep(
      serial,
      transactPatiently(db, (trx) => recordEvent(trx, random, { serial, type, at, payload })),
    );
  }

  return {
    note,
    alert(serial, problem) {
      logger.warn({ frame: serial, problem }, 'alert about a frame');
      return note(serial, 'alert', { problem });
    },
    keep,
    async settled() {
      await Promise.all(underWay);
    },
  };
}
