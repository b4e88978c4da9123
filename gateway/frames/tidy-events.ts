/** The nightly pass over the events of frames: old ones go, routine wakes are folded, tables of coming days are made. */
import { type Database, isPostgres, transact } from '../../runtime/database/database.ts';
import { earliestId } from '../../runtime/random.ts';
import { dropEventDays, eventDayMs, eventDayOf, makeEventDays, undividedParts } from './event-days.ts';
import { foldEvents } from './fold-events.ts';

/** The most events that one transaction deletes: others write in between. */
const deletedAtOnce = 1_000;

/** The number of events that went, about, and of those that were folded into others. */
export interface TidiedEvents {
  readonly forgotten: number;
  readonly folded: number;
}

/**
 * Tidies up. It reads what it removes or folds and not what stays: ids are in the order of time. Another run, also after
 * the process was killed in the middle, does the rest.
 */
export async function tidyEvents(db: Database, now: number, keepDays: number): Promise<TidiedEvents> {
  const olderThan = now - keepDays * eventDayMs;
  let forgotten = 0;
  if (isPostgres(db)) {
    await makeEventDays(db, now);
    forgotten += await dropEventDays(db, olderThan);
  }
  for (const table of await undividedParts(db)) forgotten += await deleteInSteps(db, table, olderThan);
  await db('event_days')
    .where('day', '<', eventDayOf(olderThan) - 1)
    .delete();
  return { forgotten, folded: await foldEvents(db, now) };
}

async function deleteInSteps(db: Database, table: string, olderThan: number): Promise<number> {
  let deleted = 0;
  for (;;) {
    const some = await transact(db, (trx) =>
      trx(table)
        .whereIn(
          'id',
          trx(table)
            .where('id', '<', earliestId(olderThan))
            .where('at', '<', olderThan)
            .orderBy('id')
            .limit(deletedAtOnce)
            .select('id'),
        )
        .delete(),
    );
    deleted += some;
    if (some < deletedAtOnce) return deleted;
  }
}
