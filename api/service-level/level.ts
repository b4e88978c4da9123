/**
 * The service level in the product's words: the share of pictures that were proven within one sleep of their frame and five
 * minutes, over the last 30 days.
 */
import type { Database } from '../../runtime/database/database.ts';
import { allRows, firstRow } from '../../runtime/database/plain-sql.ts';

const dayMs = 86_400_000;
/** The days that a level is of. */
export const levelDaysCounted = 30;
/** The target of an organization that set none, in thousandths. */
export const defaultLevelTarget = 990;
/** The targets that may be set, in thousandths. */
export const levelTargetBounds = { least: 500, most: 999 } as const;

/** The days in which a budget that burns is noticed, and the part of it that may burn in them. */
const burnDays = 2;
const burnShare = 0.2;
/** Fewer late pictures than these are nobody's alarm, however small a budget is. */
const leastLate = 3;

/** The counts of a level. `lately` are late pictures of the last two days. */
export interface LevelCounts {
  readonly pictures: number;
  readonly inTime: number;
  readonly lately: number;
  /** In thousandths. */
  readonly target: number;
}

/** A level with what follows from it. */
export interface ServiceLevel extends LevelCounts {
  /** The part of pictures in time; null while there are none. */
  readonly share: number | null;
  /** The part of the late pictures which the target allows that is left: 1 is all, below 0 more were late than it allows. */
  readonly budget: number;
  /** True where a fifth of the budget burned in two days. */
  readonly isBurning: boolean;
}

/** Works out what follows from counts. Pure. */
export function judgeLevel(counts: LevelCounts): ServiceLevel {
  const { pictures, inTime, lately, target } = counts;
  const allowed = (pictures * (1000 - target)) / 1000;
  const late = pictures - inTime;
  return {
    ...counts,
    share: pictures === 0 ? null : inTime / pictures,
    budget: late === 0 ? 1 : 1 - late / allowed,
    isBurning: lately >= Math.max(leastLate, allowed * burnShare),
  };
}

interface CountedRow {
  readonly organization_id: string;
  readonly name: string;
  readonly pictures: number | string | null;
  readonly in_time: number | string | null;
  readonly lately: number | string | null;
  readonly target: number | null;
}

const counted = `organizations.id as organization_id, organizations.name, sum(level_days.pictures) as pictures,
  sum(level_days.in_time) as in_time,
  sum(case when level_days.day > ? then level_days.pictures - level_days.in_time else 0 end) as lately,
  (select level_targets.target from level_targets where level_targets.organization_id = organizations.id) as target`;

const countsOf = (row: CountedRow): LevelCounts => ({
  pictures: Number(row.pictures ?? 0),
  inTime: Number(row.in_time ?? 0),
  lately: Number(row.lately ?? 0),
  target: row.target ?? defaultLevelTarget,
});

/** The days since 1970 at a moment, in UTC. */
export const levelDayOf = (at: number): number => Math.floor(at / dayMs);

/** Reads the level of an organization. */
export async function levelOf(db: Database, organizationId: string, now: number): Promise<ServiceLevel> {
  const today = levelDayOf(now);
  const row = await firstRow<CountedRow>(
    db,
    `select ${counted} from organizations left join level_days
       on level_days.organization_id = organizations.id and level_days.day > ?
     where organizations.id = ? group by organizations.id, organizations.name`,
    [today - burnDays, today - levelDaysCounted, organizationId],
  );
  return judgeLevel(
    row === undefined ? { pictures: 0, inTime: 0, lately: 0, target: defaultLevelTarget } : countsOf(row),
  );
}

/** The level of an organization in a list. */
export interface NamedLevel extends ServiceLevel {
  readonly organizationId: string;
  readonly name: string;
}

const levels = (some: string): string =>
  `select ${counted} from level_days join organizations on organizations.id = level_days.organization_id
   where level_days.day > ?${some} group by organizations.id, organizations.name`;

const hadLate = ` and level_days.organization_id in (
  select late.organization_id from level_days as late where late.day > ? and late.in_time < late.pictures)`;

const namedLevel = (row: CountedRow): NamedLevel => ({
  organizationId: row.organization_id,
  name: row.name,
  ...judgeLevel(countsOf(row)),
});

async function everyLevel(db: Database, now: number): Promise<readonly NamedLevel[]> {
  const today = levelDayOf(now);
  const rows = await allRows<CountedRow>(db, levels(''), [today - burnDays, today - levelDaysCounted]);
  return rows.map(namedLevel);
}

/** Adds the levels of all organizations up, and finds the least budget that one of them has left. */
export async function sumOfLevels(
  db: Database,
  now: number,
): Promise<{ readonly pictures: number; readonly inTime: number; readonly leastBudget: number }> {
  const all = await everyLevel(db, now);
  const sum = (read: (one: LevelCounts) => number): number => all.reduce((total, one) => total + read(one), 0);
  return {
    pictures: sum(({ pictures }) => pictures),
    inTime: sum(({ inTime }) => inTime),
    leastBudget: all.reduce((least, { budget }) => Math.min(least, budget), 1),
  };
}

/** Reads the levels of the organizations whose budget burns. */
export async function burningLevels(db: Database, now: number): Promise<readonly NamedLevel[]> {
  const today = levelDayOf(now);
  const days = [today - burnDays, today - levelDaysCounted, today - burnDays];
  const rows = await allRows<CountedRow>(db, levels(hadLate), days);
  return rows.map(namedLevel).filter(({ isBurning }) => isBurning);
}

/** Sets what an organization aims at, in thousandths. */
export async function setLevelTarget(db: Database, organizationId: string, target: number, now: number): Promise<void> {
  await db('level_targets')
    .insert({ organization_id: organizationId, target, updated_at: now })
    .onConflict('organization_id')
    .merge();
}

/** Deletes the counts of days that no level is of any longer. */
export const forgetLevelDays = (db: Database, now: number): Promise<number> =>
  db('level_days')
    .where('day', '<=', levelDayOf(now) - levelDaysCounted)
    .delete();
