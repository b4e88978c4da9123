/** The deadlines that are due on one device around now, as the answer about the device has them. */
import { z } from 'zod';
import { readReasons } from '../../reasons/reason.ts';
import { wordsOf } from '../../reasons/words.ts';
import { isoTime } from '../../runtime/clock.ts';
import type { Database } from '../../runtime/database/database.ts';
import { titleSql } from '../papers/store.ts';
import { lateProofMs, type OccurrenceRow, openBeforeMs } from './deadline-rows.ts';
import { deadlineStates } from './deadline-state.ts';

/** A deadline that is due on a device. */
export const dueOnDevice = z
  .object({
    deadline: z.string(),
    name: z.string().describe('of the deadline, or of its paper'),
    paper: z.string().nullable(),
    by: z.string(),
    state: z.enum(deadlineStates),
    cause: z.string().nullable(),
  })
  .meta({ id: 'DueOnDevice' });

/** The times that count as around now: from 12 hours ago until 24 hours from now. */
export const dueAroundNow = (now: number) => ({ from: now - lateProofMs / 2, until: now + openBeforeMs / 2 });

interface DueRow extends Pick<OccurrenceRow, 'deadline_id' | 'by_at' | 'state' | 'cause'> {
  readonly name: string;
  readonly paper_id: string | null;
  readonly title: string | null;
}

/** Reads what is due on a device around now, by its time. */
export async function readDueOnDevice(
  db: Database,
  deviceId: string,
  now: number,
): Promise<z.input<typeof dueOnDevice>[]> {
  const { from, until } = dueAroundNow(now);
  const rows: DueRow[] = await db('deadline_occurrences as o')
    .join('deadlines as d', 'd.id', 'o.deadline_id')
    .where({ 'o.device_id': deviceId })
    .whereNull('d.withdrawn_at')
    .where('o.by_at', '>=', from)
    .where('o.by_at', '<', until)
    .orderBy(['o.by_at', 'o.id'])
    .select(
      ...['o.deadline_id', 'o.by_at', 'o.state', 'o.cause', 'd.name', 'd.paper_id'],
      db.raw(`(select ${titleSql(db)} from papers where papers.id = d.paper_id) as title`),
    );
  return rows.map(({ deadline_id, name, title, paper_id, by_at, state, cause }) => ({
    deadline: deadline_id,
    name: name === '' ? String(title ?? '') : name,
    paper: paper_id,
    by: isoTime(by_at),
    state,
    cause: cause === null ? null : wordsOf(readReasons(cause)),
  }));
}
