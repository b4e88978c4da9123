/** Presents deadlines and their days: the state, its cause, the way out, and who was notified of it (DL-23). */
import { z } from 'zod';
import { readReasons } from '../../../reasons/reason.ts';
import { wordsOf } from '../../../reasons/words.ts';
import { isoTime, isoTimeOrNull } from '../../../runtime/clock.ts';
import type { Database } from '../../../runtime/database/database.ts';
import { channelPlace } from '../../alerts/channel-places.ts';
import { waysOut, waysOutOf } from '../../deadlines/deadline-reasons.ts';
import {
  type DeadlineNoticeRow,
  type DeadlineRow,
  deadlineEventKinds,
  namedDevices,
  type OccurrenceRow,
  placesOfDeadline,
  ruleOf,
  stepsOfDeadline,
} from '../../deadlines/deadline-rows.ts';
import { askedGrades, deadlineStates } from '../../deadlines/deadline-state.ts';
import { nextTimeShown } from '../../deadlines/deadline-store.ts';
import { deadlineStep } from '../../deadlines/steps.ts';
import { placeOfMeta, placeShown } from '../../devices/place.ts';
import { spelledAs, spelledReasons } from '../../http/spelled-reasons.ts';
import { titleSql } from '../../papers/store.ts';

const time = z.string().nullable();

/** A person, a channel or a frame that a step went to. */
const toldShown = z.object({
  kind: z.enum(['channel', 'person', 'frame']),
  id: z.string(),
  name: z.string().describe('empty for one that is not there any longer'),
  state: z.enum(deadlineStates).describe('how it stood then'),
  at: z.string().describe('when the step was taken'),
  sentAt: time.describe('when it arrived; null while it waits, or where it never did'),
  problem: z.string().nullable(),
});

/** One day of a deadline on one frame. */
export const dueShown = z
  .object({
    id: z.string(),
    deadline: z.string(),
    name: z.string().describe('of the deadline, or of its paper'),
    paper: z.string().nullable(),
    device: z.string().nullable().describe('null while no frame is to show it'),
    deviceName: z.string(),
    place: placeShown,
    by: z.string(),
    state: z.enum(deadlineStates),
    since: z.string(),
    cause: z.string().nullable(),
    causes: spelledReasons.optional(),
    waysOut: z.array(z.enum(waysOut)).describe('what a person can do, the nearest first'),
    expectedWakeAt: time.describe('when the frame is expected, as it was judged'),
    provenAt: time,
    grade: z.string().nullable().describe('of that proof'),
    willMissAt: time.describe('when it was first known that it cannot be kept'),
    foreseeable: z.boolean().nullable().describe('false where the cause came after the last wake of the frame'),
    acknowledgedAt: time,
    acknowledgedBy: z.string().nullable(),
    acknowledgedUntil: time.describe('until when its steps rest'),
    told: z.array(toldShown),
    events: z.array(z.object({ kind: z.enum(deadlineEventKinds), at: z.string() })),
  })
  .meta({ id: 'DueDeadline' });

/** A deadline. */
export const deadlineShown = z
  .object({
    id: z.string(),
    organization: z.string(),
    name: z.string(),
    paper: z.string().nullable(),
    timedPicture: z.string().nullable(),
    entry: z.string().nullable(),
    onePicture: z.boolean().describe('it is about one picture that was sent, and no newer one'),
    devices: z.array(z.string()).nullable(),
    places: z.array(channelPlace).nullable(),
    by: time,
    rule: z.object({ weekdays: z.array(z.number()), time: z.string() }).nullable(),
    timeZone: z.string(),
    freshMinutes: z.number().nullable(),
    grade: z.enum(askedGrades),
    steps: z.array(deadlineStep),
    language: z.string(),
    author: z.string(),
    createdAt: z.string(),
    updatedAt: z.string(),
    withdrawnAt: time,
    nextBy: time,
    due: z.array(dueShown).describe('its days that are near, and those that were over lately, by their time'),
  })
  .meta({ id: 'Deadline' });

type DueShown = z.input<typeof dueShown>;
type DeadlineShown = z.input<typeof deadlineShown>;

/** The most days of one answer. */
export const maxDueShown = 2_000;

interface DueRow extends OccurrenceRow {
  readonly device_name: string | null;
  readonly device_meta: string | null;
  readonly deadline_name: string;
  readonly paper_id: string | null;
  readonly title: string | null;
}

/** A search: days of some organizations, also of one deadline, device or paper alone, within some time. */
export interface DueSearch {
  readonly organizations: readonly string[];
  readonly deadlineId?: string | undefined;
  readonly deviceId?: string | undefined;
  readonly paperId?: string | undefined;
  readonly from: number;
  readonly until: number;
}

/** Reads days of deadlines by their time, with all that is known of them. */
export async function readDue(db: Database, search: DueSearch): Promise<DueShown[]> {
  const query = db('deadline_occurrences as o')
    .join('deadlines as d', 'd.id', 'o.deadline_id')
    .leftJoin('devices', 'devices.id', 'o.device_id')
    .whereIn('d.organization_id', [...search.organizations])
    .whereNull('d.withdrawn_at')
    .where('o.by_at', '>=', search.from)
    .where('o.by_at', '<', search.until)
    .orderBy(['o.by_at', 'devices.name_order', 'o.id'])
    .limit(maxDueShown)
    .select(
      ...['o.*', 'devices.name as device_name', 'devices.meta as device_meta', 'd.name as deadline_name', 'd.paper_id'],
      db.raw(`(select ${titleSql(db)} from papers where papers.id = d.paper_id) as title`),
    );
  if (search.deadlineId !== undefined) query.where('o.deadline_id', search.deadlineId);
  if (search.deviceId !== undefined) query.where('o.device_id', search.deviceId);
  if (search.paperId !== undefined) query.where('d.paper_id', search.paperId);
  const rows: DueRow[] = await query;
  const told = await toldOf(
    db,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => showDue(row, told.get(row.id)));
}

interface Told {
  readonly notices: (DeadlineNoticeRow & { readonly name: string | null })[];
  readonly events: { readonly occurrence_id: string; readonly kind: string; readonly at: number }[];
}

const portion = 400;

async function toldOf(db: Database, ids: readonly string[]): Promise<ReadonlyMap<string, Told>> {
  const told = new Map<string, Told>(ids.map((id) => [id, { notices: [], events: [] }]));
  for (let from = 0; from < ids.length; from += portion) {
    const some = ids.slice(from, from + portion);
    const name = `case n.target_kind when 'channel' then (select name from alert_channels where id = n.target_id)
      when 'person' then (select coalesce(nullif(name, ''), email) from users where id = n.target_id)
      else (select name from devices where id = n.target_id) end as name`;
    const notices: Told['notices'] = await db('deadline_notices as n')
      .whereIn('n.occurrence_id', some)
      .orderBy(['n.created_at', 'n.id'])
      .select('n.*', db.raw(name));
    const events: Told['events'] = await db('deadline_events').whereIn('occurrence_id', some).orderBy(['at', 'id']);
    for (const notice of notices) told.get(notice.occurrence_id)?.notices.push(notice);
    for (const event of events) told.get(event.occurrence_id)?.events.push(event);
  }
  return told;
}

function showDue(row: DueRow, { notices, events }: Told = { notices: [], events: [] }): DueShown {
  const causes = readReasons(row.cause);
  return {
    id: row.id,
    deadline: row.deadline_id,
    name: row.deadline_name === '' ? String(row.title ?? '') : row.deadline_name,
    paper: row.paper_id,
    device: row.device_id,
    deviceName: row.device_name ?? '',
    place: placeOfMeta(row.device_meta ?? '{}'),
    by: isoTime(row.by_at),
    state: row.state,
    since: isoTime(row.since),
    cause: causes.length === 0 ? null : wordsOf(causes),
    ...spelledAs('causes', causes),
    waysOut: [...waysOutOf(causes)],
    expectedWakeAt: isoTimeOrNull(row.wake_at),
    provenAt: isoTimeOrNull(row.proof_at),
    grade: row.grade,
    willMissAt: isoTimeOrNull(row.will_miss_at),
    foreseeable: row.foreseeable === null ? null : row.foreseeable === 1,
    acknowledgedAt: isoTimeOrNull(row.acknowledged_at),
    acknowledgedBy: row.acknowledged_by,
    acknowledgedUntil: isoTimeOrNull(row.acknowledged_until),
    told: notices.map(showTold),
    events: events.map(({ kind, at }) => ({ kind: kind as DueShown['events'][number]['kind'], at: isoTime(at) })),
  };
}

const showTold = (notice: Told['notices'][number]): DueShown['told'][number] => ({
  kind: notice.target_kind,
  id: notice.target_id,
  name: notice.name ?? '',
  state: notice.state,
  at: isoTime(notice.created_at),
  sentAt: isoTimeOrNull(notice.sent_at),
  problem: notice.sent_at !== null || notice.last_error === null ? null : wordsOf(readReasons(notice.last_error)),
});

/** Presents a deadline with its days. */
export function showDeadline(row: DeadlineRow, due: DueShown[], now: number): DeadlineShown {
  const rule = ruleOf(row);
  return {
    id: row.id,
    organization: row.organization_id,
    name: row.name,
    paper: row.paper_id,
    timedPicture: row.timed_id,
    entry: row.entry_id,
    onePicture: row.revision !== null,
    devices: [...(namedDevices(row) ?? [])].length === 0 ? null : [...(namedDevices(row) ?? [])],
    places: placesOfDeadline(row) as DeadlineShown['places'],
    by: isoTimeOrNull(row.by_at),
    rule: rule ?? null,
    timeZone: row.time_zone,
    freshMinutes: row.fresh_minutes,
    grade: row.grade,
    steps: [...stepsOfDeadline(row)] as DeadlineShown['steps'],
    language: row.language,
    author: row.author,
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
    withdrawnAt: isoTimeOrNull(row.withdrawn_at),
    nextBy: isoTimeOrNull(nextTimeShown(row, now)),
    due,
  };
}
