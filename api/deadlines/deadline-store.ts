/** Makes deadlines, and ends them. */
import { reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import type { Database, Transaction } from '../../runtime/database/database.ts';
import { newRow } from '../../runtime/database/table.ts';
import type { Moment } from '../../runtime/moment.ts';
import type { ChannelPlace } from '../alerts/channel-places.ts';
import type { WordedLanguage } from '../words/service-words.ts';
import { type DeadlineRow, nextTimeOf } from './deadline-rows.ts';
import type { AskedGrade } from './deadline-state.ts';
import type { DeadlineRule } from './deadline-times.ts';
import { openOccurrences } from './open-occurrences.ts';
import { type DeadlineStep, defaultSteps } from './steps.ts';
import { deadlinesTables } from './tables.ts';

/** The most deadlines of one organization that were not withdrawn. */
export const maxDeadlines = 500;
/** Nobody plans further ahead. */
const furthestMs = 366 * 86_400_000;

/** The subject of a deadline. */
export interface DeadlineSubject {
  readonly paperId: string | null;
  readonly timedId: string | null;
  readonly entryId: string | null;
  readonly revision: string | null;
}

/** A deadline as somebody wants it. Times are epoch milliseconds. */
export interface DeadlineChoice extends DeadlineSubject {
  readonly name: string;
  readonly devices: readonly string[] | null;
  readonly places: readonly ChannelPlace[] | null;
  readonly by: number | DeadlineRule;
  readonly timeZone: string;
  readonly freshMinutes: number | null;
  readonly grade: AskedGrade;
  readonly steps: readonly DeadlineStep[];
  readonly language: WordedLanguage;
}

/** The choice of a new deadline, where nothing else is said. */
export const defaultDeadline: Omit<DeadlineChoice, 'by'> = {
  name: '',
  paperId: null,
  timedId: null,
  entryId: null,
  revision: null,
  devices: null,
  places: null,
  timeZone: 'UTC',
  freshMinutes: null,
  grade: 'processed',
  steps: defaultSteps,
  language: 'en',
};

/** The columns of what was chosen. */
function columnsOf(choice: DeadlineChoice) {
  const { devices, places, by, steps } = choice;
  return {
    name: choice.name,
    paper_id: choice.paperId,
    timed_id: choice.timedId,
    entry_id: choice.entryId,
    revision: choice.revision,
    devices: devices === null ? null : JSON.stringify(devices),
    places: places === null ? null : JSON.stringify(places),
    by_at: typeof by === 'number' ? by : null,
    rule: typeof by === 'number' ? null : JSON.stringify(by),
    time_zone: choice.timeZone,
    fresh_minutes: choice.freshMinutes,
    grade: choice.grade,
    steps: JSON.stringify(steps),
    language: choice.language,
  };
}

/** @throws Refusal `invalid-request` for a time that is over */
export function requireStillToCome(by: number, now: number): void {
  if (by > now) return;
  throw refuse('invalid-request', { message: reasonOf('deadline-past'), hint: reasonOf('deadline-later') });
}

/** @throws Refusal `invalid-request` for a time that is over, or too far ahead */
function requireFuture({ by }: DeadlineChoice, now: number): void {
  if (typeof by !== 'number') return;
  requireStillToCome(by, now);
  if (by > now + furthestMs) {
    throw refuse('invalid-request', { message: reasonOf('deadline-far'), hint: reasonOf('deadline-nearer') });
  }
}

/**
 * Makes a deadline and opens its days that are near, in the caller's transaction, which has locked the organization.
 * @throws Refusal `invalid-request` for a time that is over, `conflict` for one deadline too many
 */
export async function makeDeadline(
  trx: Transaction,
  { organizationId, author, choice }: { organizationId: string; author: string; choice: DeadlineChoice },
  moment: Moment,
): Promise<DeadlineRow> {
  const { now, random } = moment;
  requireFuture(choice, now);
  const held = await trx('deadlines')
    .where({ organization_id: organizationId })
    .whereNull('withdrawn_at')
    .count({ count: '*' })
    .first();
  if (Number(held?.count ?? 0) >= maxDeadlines) {
    throw refuse('conflict', {
      message: reasonOf('deadlines-many', { most: maxDeadlines }),
      hint: reasonOf('deadline-withdraw-other'),
    });
  }
  const row = newRow(deadlinesTables, 'deadlines', {
    id: random.id(),
    organization_id: organizationId,
    author,
    created_at: now,
    updated_at: now,
    opened_until: now,
    ...columnsOf(choice),
  });
  await trx('deadlines').insert({ ...row, due_at: null });
  await openOccurrences(trx, row, moment);
  return { ...row, due_at: null };
}

/** Changes a deadline: its open days that are still to come begin again. @throws Refusal as `makeDeadline` */
export async function changeDeadline(
  trx: Transaction,
  before: DeadlineRow,
  choice: DeadlineChoice,
  moment: Moment,
): Promise<readonly string[]> {
  const { now } = moment;
  const isSameTime = typeof choice.by === 'number' && choice.by === before.by_at;
  if (!isSameTime) requireFuture(choice, now);
  const serials = await serialsOf(trx, before.id);
  await trx('deadline_occurrences').where({ deadline_id: before.id }).where('by_at', '>', now).delete();
  const change = { ...columnsOf(choice), updated_at: now, opened_until: now };
  await trx('deadlines').where({ id: before.id }).update(change);
  await openOccurrences(trx, { ...before, ...change }, moment);
  return serials;
}

/** Withdraws a deadline: nothing of it is due any longer (DL-21). @returns the frames that it was about */
export async function withdrawDeadline(trx: Transaction, id: string, now: number): Promise<readonly string[]> {
  const serials = await serialsOf(trx, id);
  await trx('deadlines').where({ id }).update({ withdrawn_at: now, updated_at: now, due_at: null });
  await trx('deadline_occurrences').where({ deadline_id: id }).update({ due_at: null });
  return serials;
}

async function serialsOf(db: Database, deadlineId: string): Promise<readonly string[]> {
  const serials: (string | null)[] = await db('deadline_occurrences')
    .where({ deadline_id: deadlineId })
    .whereNotNull('due_at')
    .distinct('serial')
    .pluck('serial');
  return serials.flatMap((serial) => serial ?? []);
}

/** Returns when a deadline is due next; null when it is not any longer. */
export const nextTimeShown = (row: DeadlineRow, now: number): number | null =>
  row.withdrawn_at === null ? (nextTimeOf(row, now) ?? null) : null;
