/** The intervals of the wall's record: which picture hung on which frame from when to when. */
import type { Grade } from '../../gateway/frames/grades.ts';
import type { Database } from '../../runtime/database/database.ts';
import { allRows } from '../../runtime/database/plain-sql.ts';
import type { RowIn } from '../../runtime/database/table.ts';
import type { ShownKind } from '../devices/shown-item.ts';
import type { recordTables } from './tables.ts';

/**
 * The ways in which an interval ends: another picture took its place; what the frame reports leaves open what is on its glass;
 * the frame left the organization.
 */
export const intervalEnds = ['replaced', 'uncertain', 'left'] as const;
export type IntervalEnd = (typeof intervalEnds)[number];

/** A row of `wall_intervals`. */
export type IntervalRow = RowIn<
  typeof recordTables,
  'wall_intervals',
  { shows: ShownKind; grade: Grade; ended: IntervalEnd | null }
>;

/** A stretch of an organization's record: intervals that touch it. Times are epoch milliseconds, the end is not in it. */
export interface RecordStretch {
  readonly organizationId: string;
  /** One frame alone; all that the organization has or had unless given. */
  readonly serial?: string | undefined;
  readonly from: number;
  readonly to: number;
}

/** The place in a list behind which it goes on: the last interval of the page before. */
export type IntervalPlace = Pick<IntervalRow, 'since' | 'id'>;

/** Reads the last interval of each of these frames, by serial. */
export async function lastIntervals(db: Database, serials: readonly string[]): Promise<Map<string, IntervalRow>> {
  if (serials.length === 0) return new Map();
  const rows = await allRows<IntervalRow>(
    db,
    `select wall_intervals.* from wall_intervals where serial in (${serials.map(() => '?').join(', ')})
       and since = (select max(last.since) from wall_intervals as last where last.serial = wall_intervals.serial)`,
    serials,
  );
  return new Map(rows.map((row) => [row.serial, row]));
}

/**
 * Finds what hung on each frame when the stretch began. The frames are found by stepping from one to the next in the index,
 * because those that are gone stand nowhere else.
 */
const hungAtBeginning = `with recursive walls (serial) as (
    select (select min(serial) from wall_intervals where organization_id = ?)
    union all
    select (select min(wall_intervals.serial) from wall_intervals
      where wall_intervals.organization_id = ? and wall_intervals.serial > walls.serial)
    from walls where walls.serial is not null)
  select wall_intervals.* from walls join wall_intervals on wall_intervals.id = (
    select hung.id from wall_intervals as hung
    where hung.organization_id = ? and hung.serial = walls.serial and hung.since < ? order by hung.since desc limit 1)
  where walls.serial is not null and (wall_intervals.until is null or wall_intervals.until > ?)`;

const hungOnOne = `select wall_intervals.* from wall_intervals where id = (
    select hung.id from wall_intervals as hung
    where hung.organization_id = ? and hung.serial = ? and hung.since < ? order by hung.since desc limit 1)
  and (until is null or until > ?)`;

async function hungBefore(
  db: Database,
  { organizationId, serial, from }: RecordStretch,
): Promise<readonly IntervalRow[]> {
  const rows =
    serial === undefined
      ? await allRows<IntervalRow>(db, hungAtBeginning, [organizationId, organizationId, organizationId, from, from])
      : await allRows<IntervalRow>(db, hungOnOne, [organizationId, serial, from, from]);
  return rows.toSorted((one, other) => one.since - other.since || (one.id < other.id ? -1 : 1));
}

/**
 * Lists the intervals that touch a stretch, in the order in which they began. The first page begins with what hung when the
 * stretch began, which may be more than the limit.
 */
export async function intervalsIn(
  db: Database,
  stretch: RecordStretch,
  { after, limit }: { readonly after?: IntervalPlace | undefined; readonly limit: number },
): Promise<readonly IntervalRow[]> {
  const { organizationId, serial, from, to } = stretch;
  const earlier = after === undefined || after.since < from ? await hungBefore(db, stretch) : [];
  const ofFrame = serial === undefined ? '' : ' and serial = ?';
  const [since, id] = after === undefined || after.since < from ? [from, ''] : [after.since, after.id];
  const began = await allRows<IntervalRow>(
    db,
    `select * from wall_intervals where organization_id = ?${ofFrame} and since < ?
       and since >= ? and (since > ? or id > ?) order by since, id limit ?`,
    [organizationId, ...(serial === undefined ? [] : [serial]), to, since, since, id, limit],
  );
  return [...earlier, ...began];
}

/** Reads the whole of a stretch page by page, so that others have their turn in between. */
export async function* everyInterval(db: Database, stretch: RecordStretch): AsyncGenerator<IntervalRow> {
  const limit = 1_000;
  let after: IntervalPlace | undefined;
  for (;;) {
    const page = await intervalsIn(db, stretch, { after, limit });
    const began = page.filter(({ since }) => since >= stretch.from);
    yield* page;
    after = began.at(-1);
    if (began.length < limit || after === undefined) return;
  }
}
