/** Notes about a frame beside its conversation: a note that cannot be kept is no reason to stop. */
import type { Clock } from '../runtime/clock.ts';
import { type Database, transactPatiently } from '../runtime/database.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Random } from '../runtime/random.ts';
import { type EventType, recordEvent } from './event-log.ts';

/** Takes notes of one gateway. Both calls resolve when the note is kept or given up; neither rejects. */
export interface Notes {
  note(serial: string, type: EventType, payload: Record<string, unknown>): Promise<void>;
  /** Waits for something that is being recorded already. */
  kept(serial: string, recorded: Promise<void>): Promise<void>;
  /** Resolves when nothing is being written down. */
  idle(): Promise<void>;
}

/** Composes the notes. */
export function keepNotes(edges: { db: Database; clock: Clock; random: Random; logger: Logger }): Notes {
  const { db, clock, random, logger } = edges;
  const notes = new Set<Promise<void>>();

  function kept(serial: string, recorded: Promise<void>): Promise<void> {
    const noted = recorded
      .catch((error: unknown) => logger.error({ frame: serial, error }, 'event not recorded'))
      .finally(() => notes.delete(noted));
    notes.add(noted);
    return noted;
  }

  return {
    note(serial, type, payload) {
      const at = clock.now();
      return kept(
        serial,
        transactPatiently(db, (trx) => recordEvent(trx, random, { serial, type, at, payload })),
      );
    },
    kept,
    async idle() {
      await Promise.all(notes);
    },
  };
}
