/** Folding of texts for search and order, so that case and composition of letters make no difference. */
import type { Knex } from 'knex';

/** The names of the functions that SQLite is given. */
const sqliteName = 'folded_text';
const orderingName = 'ordered_text';

/** Folds to upper case, which has one form of every letter; lower case has two forms of some. */
export function foldText(text: string): string {
  return text.toUpperCase().normalize('NFC');
}

/** Letters that are not composed with an accent, and that people nevertheless sort with another letter. */
const plainLetters: Readonly<Record<string, string>> = { Æ: 'AE', Ð: 'D', Đ: 'D', Ø: 'O', Þ: 'TH', Ł: 'L', Œ: 'OE' };

/** Returns the key by which lists order a text, in which neither accents nor case count. */
export function orderingText(text: string): string {
  const bare = text.toUpperCase().normalize('NFKD').replaceAll(/\p{M}/gu, '');
  return bare.replaceAll(/[ÆÐĐØÞŁŒ]/g, (letter) => plainLetters[letter] ?? letter);
}

interface SqliteHandle {
  function(name: string, options: { readonly deterministic: boolean }, run: (text: unknown) => unknown): unknown;
}

/**
 * Adds the functions of `foldedSql` and `orderedSql` to a connection of SQLite, whose own functions know ASCII only.
 */
export function teachFolding(handle: SqliteHandle): void {
  const teach = (name: string, change: (text: string) => string): unknown =>
    handle.function(name, { deterministic: true }, (text) => (typeof text === 'string' ? change(text) : text));
  teach(sqliteName, foldText);
  teach(orderingName, orderingText);
}

/**
 * Returns SQL that folds an expression. PostgreSQL folds by the rules of Unicode, whatever the locale of the database
 * is.
 */
export function foldedSql(db: Knex, expression: string): string {
  return db.client.driverName === 'pg'
    ? `normalize(upper((${expression}) collate "und-x-icu"), NFC)`
    : `${sqliteName}(${expression})`;
}

/** Returns SQL that orders by an expression as dictionaries do, not by the codes of its letters. */
export function orderedSql(db: Knex, expression: string): string {
  return db.client.driverName === 'pg' ? `(${expression}) collate "und-x-icu"` : `${orderingName}(${expression})`;
}
