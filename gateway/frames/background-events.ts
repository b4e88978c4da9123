/** Records events of frames in the background of their conversations: an event that cannot be recorded stops nothing. */

import type { Reason } from '../../reasons/reason.ts';
import { wordsOf } from '../../reasons/words.ts';
import type { Clock } from '../../runtime/clock.ts';
import { type Database, isPostgres, transactPatiently } from '../../runtime/database/database.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { Random } from '../../runtime/random.ts';
import { type EventFacts, type EventType, recordFrameEvent } from './event-log.ts';

/** The events that are being recorded. None of these promises ever rejects. */
export interface BackgroundEvents {
  /** Records an event of a frame. */
  record(serial: string, type: EventType, payload: EventFacts): Promise<void>;
  /** Records an alert, and logs it too, because nobody can read the events of a frame without an owner. */
  alert(serial: string, problem: Reason): Promise<void>;
  /** Keeps track of an event that is being recorded, and logs its failure. */
  track(serial: string, recorded: Promise<void>): Promise<void>;
  /** Resolves when every event that was begun is recorded or has failed. */
  settled(): Promise<void>;
}

/** Creates the background events of one gateway. */
export function backgroundEvents(deps: {
  readonly db: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}): BackgroundEvents {
  const { db, clock, random, logger } = deps;
  const underWay = new Set<Promise<void>>();

  function track(serial: string, recorded: Promise<void>): Promise<void> {
    const tracked = recorded
      .catch((error: unknown) => logger.error({ frame: serial, error }, 'event not recorded'))
      .finally(() => underWay.delete(tracked));
    underWay.add(tracked);
    return tracked;
  }

  function record(serial: string, type: EventType, payload: EventFacts): Promise<void> {
    const at = clock.now();
    const recordIn = (one: Database): Promise<void> => recordFrameEvent(one, random, { serial, type, at, payload });
    // A statement alone is a transaction of its own; SQLite has it ride along with the next commit.
    return track(serial, isPostgres(db) ? recordIn(db) : transactPatiently(db, recordIn));
  }

  return {
    record,
    alert(serial, problem) {
      logger.warn({ frame: serial, problem: wordsOf(problem) }, 'alert about a frame');
      return record(serial, 'alert', { problem });
    },
    track,
    async settled() {
      await Promise.all(underWay);
    },
  };
}
