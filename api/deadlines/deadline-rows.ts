/** The rows of deadlines, as code reads them. */
import { z } from 'zod';
import type { Database } from '../../runtime/database/database.ts';
import type { RowIn } from '../../runtime/database/table.ts';
import { type ChannelPlace, placesOf } from '../alerts/channel-places.ts';
import type { AskedGrade, DeadlineState } from './deadline-state.ts';
import { type DeadlineRule, deadlineRule, nextBy } from './deadline-times.ts';
import { type DeadlineStep, deadlineStep } from './steps.ts';
import type { deadlinesTables } from './tables.ts';

/** A row of `deadlines`. */
export type DeadlineRow = RowIn<typeof deadlinesTables, 'deadlines', { grade: AskedGrade }>;
/** A row of `deadline_occurrences`. */
export type OccurrenceRow = RowIn<typeof deadlinesTables, 'deadline_occurrences', { state: DeadlineState }>;
/** A row of `deadline_events`. */
export type DeadlineEventRow = RowIn<typeof deadlinesTables, 'deadline_events', { kind: DeadlineEventKind }>;
/** A row of `deadline_notices`. */
export type DeadlineNoticeRow = RowIn<
  typeof deadlinesTables,
  'deadline_notices',
  { state: DeadlineState; target_kind: NoticeTarget }
>;

/** Whom a notice goes to; `frame` for a frame that was given the paper, which needs no message. */
export type NoticeTarget = 'channel' | 'person' | 'frame';

/** The events of a deadline, each once in a round (DL-11 to DL-15). */
export const deadlineEventKinds = [
  'deadline.at-risk',
  'deadline.will-miss',
  'deadline.met',
  'deadline.unproven',
  'deadline.missed',
  'deadline.met-late',
] as const;
export type DeadlineEventKind = (typeof deadlineEventKinds)[number];

/** How long before its time a day of a deadline is opened: two of the longest sleeps (DL-22). */
export const openBeforeMs = 48 * 3_600_000;
/** For how long after its time a late proof is waited for. */
export const lateProofMs = 24 * 3_600_000;

/** Reads the rule of a deadline; undefined for one with one time. */
export const ruleOf = ({ rule }: Pick<DeadlineRow, 'rule'>): DeadlineRule | undefined =>
  rule === null ? undefined : deadlineRule.parse(JSON.parse(rule));

/** Reads the steps of a deadline. */
export const stepsOfDeadline = ({ steps }: Pick<DeadlineRow, 'steps'>): readonly DeadlineStep[] =>
  z.array(deadlineStep).parse(JSON.parse(steps));

/** Reads the devices that a deadline names; undefined where it names none. */
export const namedDevices = ({ devices }: Pick<DeadlineRow, 'devices'>): readonly string[] | undefined =>
  devices === null ? undefined : (JSON.parse(devices) as string[]);

/** Reads the places that a deadline names; null where it names none. */
export const placesOfDeadline = (row: Pick<DeadlineRow, 'places'>): readonly ChannelPlace[] | null => placesOf(row);

/** Returns the first time after a moment at which a deadline is due; undefined when none comes. */
export function nextTimeOf(row: Pick<DeadlineRow, 'rule' | 'by_at' | 'time_zone'>, after: number): number | undefined {
  const rule = ruleOf(row);
  if (rule !== undefined) return nextBy(rule, row.time_zone, after);
  return row.by_at !== null && row.by_at > after ? row.by_at : undefined;
}

/** A day of a deadline on a frame, with the deadline. */
export interface OpenOccurrence extends OccurrenceRow {
  readonly deadline: DeadlineRow;
}

const portion = 500;

/** Reads the deadlines of some occurrences. Those that were withdrawn are left out. */
export async function withDeadlines(db: Database, rows: readonly OccurrenceRow[]): Promise<OpenOccurrence[]> {
  const ids = [...new Set(rows.map(({ deadline_id }) => deadline_id))];
  const found = new Map<string, DeadlineRow>();
  for (let from = 0; from < ids.length; from += portion) {
    const some = await db<DeadlineRow>('deadlines')
      .whereIn('id', ids.slice(from, from + portion))
      .whereNull('withdrawn_at');
    for (const row of some) found.set(row.id, row);
  }
  return rows.flatMap((row) => {
    const deadline = found.get(row.deadline_id);
    return deadline === undefined ? [] : [{ ...row, deadline }];
  });
}
