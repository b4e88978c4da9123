/** Rows of a SQLite database that are put back before each run, and what may be wrong with those that were written. */
import type Sqlite from 'better-sqlite3';

/** The rows of a database. */
export interface FrozenRows {
  /** Puts all rows back as they were when this began. */
  restore(): void;
  /** Returns the first column that holds what its type, or PostgreSQL, refuses. */
  wrong(): string | undefined;
}

interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
}

/** Returns the condition under which a column's value is refused. */
function refused({ name, type }: Column): string {
  if (/^integer/i.test(type))
    return `typeof("${name}") not in ('integer', 'null') or abs("${name}") > ${Number.MAX_SAFE_INTEGER}`;
  // PostgreSQL stores no zero in a text.
  const json = name === 'payload' ? ` or not json_valid("${name}")` : '';
  return `typeof("${name}") not in ('text', 'null') or instr("${name}", char(0)) > 0 or instr("${name}", '\\u0000') > 0${json}`;
}

/** Keeps all rows. */
export function frozenRows(db: Sqlite.Database): FrozenRows {
  const tables = db
    .prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'")
    .pluck()
    .all() as string[];
  for (const name of tables) db.exec(`create temp table "kept ${name}" as select * from "${name}"`);
  const restoring = tables
    .map((name) => `delete from "${name}"; insert into "${name}" select * from "kept ${name}";`)
    .join('');
  const columns = tables.flatMap((table) =>
    (db.pragma(`table_info("${table}")`) as Omit<Column, 'table'>[]).map(({ name, type }) => ({ table, name, type })),
  );
  const looking = columns
    .filter(({ type }) => /^(?:integer|text)/i.test(type))
    .map((column) =>
      db
        .prepare(`select '${column.table}.${column.name}' from "${column.table}" where ${refused(column)} limit 1`)
        .pluck(),
    );
  return {
    restore() {
      db.pragma('foreign_keys = off');
      db.exec(`begin; ${restoring} commit`);
      db.pragma('foreign_keys = on');
    },
    wrong() {
      for (const look of looking) {
        const found = look.get() as string | undefined;
        if (found !== undefined) return `a row holds in ${found} what no column of that type may`;
      }
      return undefined;
    },
  };
}
