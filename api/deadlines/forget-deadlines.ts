import type { Database } from '../../runtime/database/database.ts';

/** Forgets the days of deadlines that were over before a moment, with their events and notices, and deadlines that ended then. */
export async function forgetDeadlines(db: Database, before: number): Promise<void> {
  await db('deadline_occurrences').where('by_at', '<', before).delete();
  await db('deadlines')
    .where((ended) => void ended.where('withdrawn_at', '<', before).orWhere('by_at', '<', before))
    .delete();
}
