/** Finds the present troubles of all organizations, by indexes that contain nothing but rows in trouble. */
import { pausedByPerson } from '../../gateway/firmware/rollouts.ts';
import { isSimulatedSql } from '../../gateway/frames/simulated-frames.ts';
import { readReasons, reasonOf, storedReasons } from '../../reasons/reason.ts';
import type { Database } from '../../runtime/database/database.ts';
import { allRows } from '../../runtime/database/plain-sql.ts';
import { storedObject } from '../http/field-shapes.ts';
import { isNothingYet } from '../papers/not-set-up.ts';
import { limitOfDataMs, setsLimit, shortestLimitMs } from '../papers/old-data.ts';
import { shownPapers } from '../papers/shown-papers.ts';
import { titleSql } from '../papers/store.ts';
import { burningLevels } from '../service-level/level.ts';
import type { Condition, OutageKind } from './outage-kinds.ts';

const dayMs = 86_400_000;
/** How long callbacks of a paper fail before its owner is notified, as with the health of the service. */
const failingCallbackMs = 3_600_000;
/** The time before its end at which a frame's certificate is to be renewed. */
const endsSoonMs = 14 * dayMs;
/** A frame whose certificate ended is silent, and reported as such; it is forgotten here after a year. */
const endedLongMs = 365 * dayMs;

interface FoundRow {
  readonly organization_id: string | null;
  readonly subject: string;
  readonly name: string;
  readonly since: number | null;
}

const ofDevice = `devices.organization_id, devices.id as subject, coalesce(nullif(devices.name, ''), frames.spelling) as name`;
/** A frame that its owner gave up is nobody's trouble, and neither is one that the service plays itself. */
const activeDevice = `join frames on frames.serial = troubled.serial and frames.activation = 'activated'
    and not (${isSimulatedSql('frames.serial')})
  join devices on devices.serial = troubled.serial`;

const silentSql = `select ${ofDevice}, coalesce(frames.asleep_until, troubled.overdue_since) as since
  from frame_watch as troubled ${activeDevice} where troubled.overdue_since is not null`;

const batterySql = `select ${ofDevice}, frames.last_contact_at as since
  from frame_watch as troubled ${activeDevice} where troubled.battery_level in ('low', 'critical')`;

const credentialsSql = `select ${ofDevice}, null as since
  from (select serial from frame_certificates where revoked_at is null and expires_at > ? and expires_at < ?
      group by serial) as troubled ${activeDevice}
  where frames.password_hash is null and not exists (select 1 from frame_certificates as later
    where later.serial = troubled.serial and later.revoked_at is null and later.expires_at >= ?)`;

const rolloutSql = `select r.owner as organization_id, r.id as subject, i.kind || ' ' || i.version as name, r.changed_at as since
  from firmware_rollouts as r join firmware_images as i on i.id = r.image_id
  where r.state = 'paused' and r.reason <> ?`;

/** The reason of a job that a person paused, as its row has it. */
export const jobPausedByPerson = storedReasons(reasonOf('job-paused-by-person'));

const jobSql = `select organization_id, id as subject, coalesce(nullif(name, ''), author) as name, changed_at as since
  from jobs where state = 'paused' and reason <> ?`;

/** Finds the conditions of every kind that rows show. */
export async function findConditions(db: Database, now: number): Promise<readonly Condition[]> {
  const ends = [now - endedLongMs, now + endsSoonMs, now + endsSoonMs];
  const found = [
    ...conditionsOf('frame-silent', await allRows<FoundRow>(db, silentSql, []), now),
    ...conditionsOf('battery-low', await allRows<FoundRow>(db, batterySql, []), now),
    ...conditionsOf('credentials-ending', await allRows<FoundRow>(db, credentialsSql, ends), now),
    ...conditionsOf('rollout-paused', await allRows<FoundRow>(db, rolloutSql, [pausedByPerson]), now),
    ...conditionsOf('job-paused', await allRows<FoundRow>(db, jobSql, [jobPausedByPerson]), now),
    ...conditionsOf('picture-failing', await failingPapers(db), now),
    ...conditionsOf('data-old', await oldData(db, now), now),
    ...conditionsOf('callbacks-failing', await failingCallbacks(db, now), now),
    ...conditionsOf('pictures-late', await lateOrganizations(db, now), now),
  ];
  return found;
}

function conditionsOf(kind: OutageKind, rows: readonly FoundRow[], now: number): Condition[] {
  return rows.map(({ organization_id: organizationId, subject, name, since }) => ({
    organizationId,
    kind,
    subject,
    name,
    since: since ?? now,
  }));
}

interface FailingRow {
  readonly organization_id: string;
  readonly subject: string;
  readonly since: number;
  readonly problem: string;
}

const failingPicturesSql = `select papers.organization_id, papers.id as subject, shown_pictures.updated_at as since,
    shown_pictures.problem
  from shown_pictures join devices on devices.id = shown_pictures.device_id and devices.paper_id = shown_pictures.paper_id
    join papers on papers.id = devices.paper_id
  where shown_pictures.problem is not null
  union all
  select papers.organization_id, papers.id, deliveries.updated_at, deliveries.reason
  from deliveries join paper_contents on paper_contents.paper_id = deliveries.paper_id
      and paper_contents.request_id = deliveries.request_id
    join papers on papers.id = paper_contents.paper_id
    join devices on devices.id = deliveries.device_id and devices.assignment = deliveries.assignment
      and devices.paper_id = papers.id
  where deliveries.state = 'failed'`;

/** Finds papers whose picture cannot be made. One that has nothing to show yet has not failed. */
async function failingPapers(db: Database): Promise<FoundRow[]> {
  const rows = await allRows<FailingRow>(db, failingPicturesSql, []);
  return named(
    db,
    rows.filter(({ problem }) => !isNothingYet(readReasons(problem))),
  );
}

/** A source counts while the paper is of the kind that asks it. Data that are sent have no source that could fail. */
const failingSourcesSql = `select papers.organization_id, papers.id as subject, papers.meta, sources.since, sources.is_sent
  from (select paper_id, failing_since as since, 0 as is_sent, 'recipe' as kind from recipe_data where failing_since < ?
      union all
      select paper_id, failing_since, 0, 'remote' from remote_pictures where failing_since < ?
      union all
      select paper_id, coalesce(listed_at, created_at), 0, 'album' from album_sources
        where fault_kind is not null and coalesce(listed_at, created_at) < ?
      union all
      select recipe_hooks.paper_id, polled_at, 1, 'recipe' from recipe_hooks
        join recipe_data on recipe_data.paper_id = recipe_hooks.paper_id
        where poll_due_at is null and polled_at < ?) as sources
    join papers on papers.id = sources.paper_id and papers.kind = sources.kind`;

interface SilentSource extends Omit<FailingRow, 'problem'> {
  readonly meta: string;
  readonly is_sent: number;
}

/**
 * Finds papers with a source that has not answered for longer than the paper allows, or to which nothing was sent for so
 * long. As with frames, one that nobody looks at is nobody's trouble: a frame has to show the paper.
 */
async function oldData(db: Database, now: number): Promise<FoundRow[]> {
  const bound = now - shortestLimitMs;
  const rows = await allRows<SilentSource>(db, failingSourcesSql, [bound, bound, bound, bound]);
  const old = rows.filter(({ since, meta: text, is_sent }) => {
    const meta = storedObject(text);
    return now - since > limitOfDataMs(meta) && (is_sent === 0 || setsLimit(meta));
  });
  const shown = await shownPapers(
    db,
    old.map(({ subject: id, organization_id }) => ({ id, organization_id })),
  );
  return named(
    db,
    old.filter(({ subject }) => shown.has(subject)),
  );
}

const failingCallbacksSql = `select connections.organization_id, connections.paper_id as subject,
    min(callback_events.created_at) as since
  from callback_events join connections on connections.id = callback_events.connection_id
  where callback_events.due_at is not null and callback_events.attempts > 0 and callback_events.created_at < ?
    and connections.revoked_at is null
  group by connections.organization_id, connections.paper_id`;

async function failingCallbacks(db: Database, now: number): Promise<FoundRow[]> {
  return named(db, await allRows<Omit<FailingRow, 'problem'>>(db, failingCallbacksSql, [now - failingCallbackMs]));
}

async function lateOrganizations(db: Database, now: number): Promise<FoundRow[]> {
  const burning = await burningLevels(db, now);
  return burning.map(({ organizationId: id, name }) => ({ organization_id: id, subject: id, name, since: now }));
}

/** Makes one row of each paper, with its title and the earliest time. */
async function named(db: Database, rows: readonly Omit<FailingRow, 'problem'>[]): Promise<FoundRow[]> {
  const first = new Map<string, Omit<FailingRow, 'problem'>>();
  for (const row of rows) {
    const known = first.get(row.subject);
    if (known === undefined || row.since < known.since) first.set(row.subject, row);
  }
  if (first.size === 0) return [];
  const titles: { id: string; title: string }[] = await db('papers')
    .whereIn('id', [...first.keys()])
    .select('id', db.raw(`${titleSql(db)} as title`));
  const titleOf = new Map(titles.map(({ id, title }) => [id, title]));
  return [...first.values()].flatMap((row) => {
    const name = titleOf.get(row.subject);
    return name === undefined ? [] : [{ ...row, name: String(name) }];
  });
}
