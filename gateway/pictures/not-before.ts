/** The order of evidence in a row that several nodes write, and that frames report more than once. */
import type { Knex } from 'knex';
import type { Database } from '../../runtime/database/database.ts';
import { grades, type ReportGrade } from '../frames/grades.ts';

/**
 * Returns a time for a column that is written after another one of its row, and is therefore no earlier: the clocks of two
 * nodes may differ by some milliseconds, and evidence counts in its order only.
 */
export function notBefore(db: Database, column: 'offered_at' | 'announced_at' | 'fetched_at', at: number): Knex.Raw {
  return db.raw(`case when ${column} > ? then ${column} else ? end`, [at, at]);
}

/**
 * Returns a time for what a frame reports of a picture: the first report since its download counts, and no later one moves
 * it (EV-04). A claim from before the download proves nothing, and gives way once to the first that follows (EV-05).
 */
export function firstSinceFetch(db: Database, column: 'shown_at' | 'confirmed_at', at: number): Knex.Raw {
  return db.raw(
    `case when ${column} is null or ${column} < fetched_at then
       case when fetched_at > ? then fetched_at else ? end else ${column} end`,
    [at, at],
  );
}

/** Returns the grade of a picture after a report: a weaker one takes nothing from a stronger one before it (EV-14). */
export function strongestGrade(db: Database, grade: ReportGrade): Knex.Raw {
  const stronger = grades.slice(grades.indexOf(grade) + 1).map((one) => `'${one}'`);
  if (stronger.length === 0) return db.raw('?', [grade]);
  return db.raw(`case when grade in (${stronger.join(', ')}) then grade else ? end`, [grade]);
}

/** Returns when the grade of a picture was reached: the first report since its download that is stronger than those before. */
export function gradeReachedAt(db: Database, grade: ReportGrade, at: number): Knex.Raw {
  const weaker = grades.slice(0, grades.indexOf(grade)).map((one) => `'${one}'`);
  return db.raw(
    `case when grade is null or shown_at is null or shown_at < fetched_at or grade in (${weaker.join(', ')}) then
       case when fetched_at > ? then fetched_at else ? end else graded_at end`,
    [at, at],
  );
}

/** The proof of an offer before there is any. */
export const noProof = { fetched_at: null, shown_at: null, confirmed_at: null, grade: null, graded_at: null } as const;
