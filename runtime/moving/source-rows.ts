/** The rows of a database on SQLite that is left: read in the order of its tables, and locked against writers meanwhile. */
import Sqlite from 'better-sqlite3';
import { refuse } from '../../reasons/refusals.ts';

/** A value of a row as both databases know it. */
export type Value = string | number | Buffer | null;
export type CopiedRow = Readonly<Record<string, Value>>;

/** A table, as it is read. */
export interface SourceTable {
  readonly name: string;
  readonly columns: readonly string[];
  /** The columns of its primary key. */
  readonly key: readonly string[];
}

/** An opened source. */
export interface SourceRows {
  /** Names of the migrations that it has had. */
  readonly migrations: readonly string[];
  /** Its tables; each stands behind those that its rows refer to. */
  readonly tables: readonly SourceTable[];
  count(table: SourceTable): number;
  /** Reads a table, some rows at a time. */
  batches(table: SourceTable): Iterable<readonly CopiedRow[]>;
  close(): void;
}

/** The number of rows that are read, written and compared together. */
const batch = 200;
const ownTables = ['migrations', 'migrations_lock'];

/**
 * Opens the file and locks it: others may read, and nobody writes.
 * @throws Refusal `bad-configuration` while another process writes
 */
export function openSourceRows(file: string): SourceRows {
  const db = new Sqlite(file, { fileMustExist: true, timeout: 5_000 });
  try {
    db.exec('begin immediate');
    const names = db
      .prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite\\_%' escape '\\'")
      .pluck()
      .all() as string[];
    const tables = inOrder(
      db,
      names.filter((name) => !ownTables.includes(name)),
    );
    return {
      migrations: names.includes('migrations')
        ? (db.prepare('select name from migrations').pluck().all() as string[])
        : [],
      tables: tables.map((name) => tableOf(db, name)),
      count: ({ name }) => Number(db.prepare(`select count(*) from "${name}"`).pluck().get()),
      *batches({ name }) {
        const some = db.prepare(
          `select rowid as "row id", * from "${name}" where rowid > ? order by rowid limit ${batch}`,
        );
        for (let after = Number.MIN_SAFE_INTEGER; ; ) {
          const rows = some.all(after) as (CopiedRow & { 'row id': number })[];
          if (rows.length > 0) yield rows.map(({ 'row id': _, ...row }) => row);
          const last = rows.at(-1);
          if (last === undefined || rows.length < batch) return;
          after = last['row id'];
        }
      },
      close: () => void db.close(),
    };
  } catch (error) {
    db.close();
    if (!(error instanceof Sqlite.SqliteError) || error.code !== 'SQLITE_BUSY') throw error;
    throw refuse('bad-configuration', {
      message: `PAPERGATE_DATA: another process writes to ${file}`,
      hint: 'end every command over this folder, and try again',
    });
  }
}

function tableOf(db: Sqlite.Database, name: string): SourceTable {
  const columns = db.prepare(`pragma table_info("${name}")`).all() as { name: string; pk: number }[];
  return {
    name,
    columns: columns.map((column) => column.name),
    key: columns
      .filter(({ pk }) => pk > 0)
      .sort((one, other) => one.pk - other.pk)
      .map((column) => column.name),
  };
}

/** Puts tables behind those that they refer to. */
function inOrder(db: Sqlite.Database, names: readonly string[]): string[] {
  const ordered: string[] = [];
  const visit = (name: string): void => {
    if (ordered.includes(name)) return;
    const referred = db.prepare(`pragma foreign_key_list("${name}")`).all() as { table: string }[];
    for (const { table } of referred) if (table !== name) visit(table);
    ordered.push(name);
  };
  for (const name of [...names].sort()) visit(name);
  return ordered;
}
