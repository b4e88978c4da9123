/** Conditions and expressions on texts, in SQL for both databases. */
import type { Knex } from 'knex';
import { type Database, isPostgres } from '../../runtime/database/database.ts';
import type { SqlPart } from '../../runtime/database/plain-sql.ts';
import { foldedSql, foldText } from '../../runtime/fold-text.ts';

/**
 * Returns SQL for a `like` over one of our expressions that ignores case (C-18). The pattern is bound and escaped with
 * a backslash (T-20). Characters beyond ASCII take a call of a function of ours for each row, so other patterns go without
 * it.
 */
export function contains(db: Database, expression: string, pattern: string): SqlPart {
  return /^[\0-\x7f]*$/.test(pattern)
    ? { sql: `lower(${expression}) like lower(?) escape '\\'`, bindings: [pattern] }
    : { sql: `${foldedSql(db, expression)} like ? escape '\\'`, bindings: [foldText(pattern)] };
}

/** Turns a condition into the form that knex's `where` takes. */
export const isTrue =
  ({ sql, bindings }: SqlPart) =>
  (where: Knex.QueryBuilder): void => {
    where.whereRaw(sql, [...bindings] as string[]);
  };

/** Returns SQL that reads a text out of a JSON column; both names come from our own code. */
export function jsonText(db: Database, column: string, field: string): string {
  return isPostgres(db) ? `(${column}::json->>'${field}')` : `json_extract(${column}, '$.${field}')`;
}
