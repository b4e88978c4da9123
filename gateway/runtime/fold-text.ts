/** Texts that people take for the same when they search: whatever their case, and however their letters are composed. */
import type { Knex } from 'knex';

/** Name of the function that SQLite is given for it. */
const sqliteName = 'folded_text';

/** Upper case knows one form of every letter, where lower case has two of some. */
export function foldText(text: string): string {
  return text.toUpperCase().normalize('NFC');
}

interface SqliteHandle {
  function(name: string, options: { readonly deterministic: boolean }, run: (text: unknown) => unknown): unknown;
}

/** Gives a connection of SQLite, whose own functions fold ASCII alone, the function of `foldedSql`. */
export function teachFolding(handle: SqliteHandle): void {
  handle.function(sqliteName, { deterministic: true }, (text) => (typeof text === 'string' ? foldText(text) : text));
}

/** SQL of an expression, folded. PostgreSQL folds by the rules of Unicode, whatever the locale of the database is. */
export function foldedSql(db: Knex, expression: string): string {
  return db.client.config.client === 'pg'
    ? `normalize(upper((${expression}) collate "und-x-icu"), NFC)`
    : `${sqliteName}(${expression})`;
}
