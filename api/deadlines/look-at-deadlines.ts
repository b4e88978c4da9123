/** One look at deadlines: opens days that are near, judges what is due or changed, plans wakes, and begins to send what is owed. */
import type { SingleTask } from '../../cluster/cluster.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import { transact } from '../../runtime/database/database.ts';
import { allRows } from '../../runtime/database/plain-sql.ts';
import { type DeadlineRow, type OccurrenceRow, withDeadlines } from './deadline-rows.ts';
import type { DeadlineDrain } from './drain-deadline-notices.ts';
import { moveOccurrence } from './move-occurrence.ts';
import { openOccurrences } from './open-occurrences.ts';
import { planDeadlineWakes } from './plan-deadline-wakes.ts';
import { readSituations, type SituationDeps } from './read-situation.ts';

export interface DeadlineWatchDeps extends CommonDeps, SituationDeps {
  /** Of several nodes one sweeps. */
  readonly single: SingleTask;
  readonly drain: DeadlineDrain;
  /** Is called when a step gave another frame the paper. */
  readonly assigned: () => void;
}

const maxOpened = 200;
/** The pause before a deadline is judged again that could not be judged. */
const againMs = 60_000;
/** The most frames that one pass looks at; the next one goes on. */
const maxFrames = 1_000;

/** Finds the frames of some occurrences. */
export async function framesOf({ db }: Pick<DeadlineWatchDeps, 'db'>, ids: ReadonlySet<string>): Promise<string[]> {
  const serials: (string | null)[] = await db('deadline_occurrences')
    .whereIn('id', [...ids].slice(0, maxFrames))
    .distinct('serial')
    .pluck('serial');
  return serials.flatMap((serial) => serial ?? []);
}

interface LookScope {
  readonly reported: readonly string[];
  readonly everything: boolean;
}

interface Seen {
  readonly hasOpen: boolean;
  /** True when there was more than one pass does. */
  readonly isMore: boolean;
  /** When something is due next; Infinity when nothing is. */
  readonly nextAt: number;
}

/** Looks once, and begins to send what is owed. */
export async function lookAtDeadlines(deps: DeadlineWatchDeps, { reported, everything }: LookScope): Promise<Seen> {
  const { db, drain } = deps;
  if (everything) await openDue(deps);
  const { frames, rows, isMore } = await toLookAt(deps, { reported, everything });
  await judgeOccurrences(deps, rows, frames);
  await drain.drain();
  const [next] = await allRows<{ at: number | null }>(
    db,
    'select min(due_at) as at from deadline_occurrences where due_at is not null',
    [],
  );
  const nextAt = next?.at ?? null;
  return {
    hasOpen: nextAt !== null,
    isMore,
    nextAt: nextAt ?? Infinity,
  };
}

/** Opens the days that are near, and has frames join those of places and papers. */
async function openDue({ db, clock, random, single }: DeadlineWatchDeps): Promise<void> {
  const now = clock.now();
  const due = await db<DeadlineRow>('deadlines')
    .whereNull('withdrawn_at')
    .where(
      (some) =>
        void some
          .where('due_at', '<=', now)
          .orWhere((open) => void open.where('opened_until', '>', now).whereNull('devices')),
    )
    .orderBy('due_at')
    .limit(maxOpened);
  if (due.length === 0 || !single.isOurs()) return;
  for (const { id } of due) {
    await single.transact(db, async (trx) => {
      const row = await trx<DeadlineRow>('deadlines').where({ id, withdrawn_at: null }).forUpdate().first();
      if (row !== undefined) await openOccurrences(trx, row, { now, random });
    });
  }
}

/** SQL: something that a deadline depends on was written since it was looked at. */
const changedSql = `select o.* from deadline_occurrences as o
  left join devices on devices.id = o.device_id
  left join papers on papers.id = devices.paper_id
  left join frames on frames.serial = devices.serial
  left join shown_pictures on shown_pictures.device_id = devices.id
  where o.due_at is not null and (o.due_at <= ? or devices.updated_at >= o.looked_at or papers.updated_at >= o.looked_at
    or papers.image_updated_at >= o.looked_at or frames.updated_at >= o.looked_at
    or shown_pictures.updated_at >= o.looked_at or frames.serial is distinct from o.serial
    or exists (select 1 from paper_contents where paper_contents.paper_id = papers.id
      and paper_contents.received_at >= o.looked_at)
    or exists (select 1 from timed_pictures where timed_pictures.updated_at >= o.looked_at
      and timed_pictures.paper_id = papers.id))
  order by o.due_at limit ${maxFrames}`;

/** Finds the occurrences to look at, with all others of their frames: wakes are planned for all of them. */
async function toLookAt(
  { db, clock }: DeadlineWatchDeps,
  { reported, everything }: LookScope,
): Promise<{
  readonly frames: readonly string[];
  readonly rows: readonly OccurrenceRow[];
  readonly isMore: boolean;
}> {
  const due = everything ? await allRows<OccurrenceRow>(db, changedSql, [clock.now()]) : [];
  const frames = [...new Set([...reported, ...due.flatMap(({ serial }) => serial ?? [])])];
  const rows = new Map(due.map((row) => [row.id, row]));
  for (let from = 0; from < frames.length; from += 200) {
    const some = frames.slice(from, from + 200);
    const open = await allRows<OccurrenceRow>(
      db,
      `select * from deadline_occurrences where due_at is not null and serial in (${some.map(() => '?').join()})`,
      some,
    );
    for (const row of open) rows.set(row.id, row);
  }
  return { frames, rows: [...rows.values()], isMore: due.length === maxFrames };
}

/** Judges these occurrences, plans the wakes of their frames and of others that are named, and ends what left. */
export async function judgeOccurrences(
  deps: DeadlineWatchDeps,
  rows: readonly OccurrenceRow[],
  frames: readonly string[],
): Promise<void> {
  const { db, clock, random, logger } = deps;
  const open = await withDeadlines(db, rows);
  const now = clock.now();
  const situations = await readSituations(deps, open, now);
  let isAssigned = false;
  for (const situation of situations) {
    try {
      const moved = await moveOccurrence(db, situation, { now, random });
      isAssigned = isAssigned || moved?.isAssigned === true;
    } catch (error) {
      // The others are looked at all the same, and this one again soon.
      const { id } = situation.occurrence;
      logger.error({ error, occurrence: id }, 'a deadline could not be judged');
      await db('deadline_occurrences')
        .where({ id })
        .whereNotNull('due_at')
        .update({ due_at: now + againMs });
    }
  }
  await closeLost(deps, rows, new Set(situations.map(({ occurrence }) => occurrence.id)));
  const serials = [...new Set([...frames, ...situations.flatMap(({ device }) => device?.serial ?? [])])];
  if (serials.length > 0) await planDeadlineWakes(db, serials, situations, now);
  if (isAssigned) deps.assigned();
}

/** Removes the days of devices that left, and ends those of deadlines that were withdrawn. */
async function closeLost(
  { db }: Pick<DeadlineWatchDeps, 'db'>,
  rows: readonly OccurrenceRow[],
  known: ReadonlySet<string>,
): Promise<void> {
  const lost = rows.filter(({ id }) => !known.has(id)).map(({ id }) => id);
  if (lost.length === 0) return;
  await transact(db, async (trx) => {
    await trx('deadline_occurrences').whereIn('id', lost).update({ due_at: null });
  });
}
