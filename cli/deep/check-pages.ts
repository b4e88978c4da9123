/** Examines the pages of a database in slices: SQLite one table with its indexes after another, PostgreSQL as far as it can. */
import type { RowReader } from './invariant.ts';

/** The problems of pages, by table. */
export interface PagesFound {
  /** The number of tables that were examined. */
  readonly tables: number;
  readonly damaged: readonly DamagedTable[];
  /** The last table that was examined, where the time was over before all were. */
  readonly next?: string;
}

/** A table whose pages, or those of its indexes, are damaged. */
export interface DamagedTable {
  readonly table: string;
  /** The database's own words. */
  readonly words: string;
}

/** The most that is quoted of the database. */
const maxWords = 300;
/** The table of tables, by the name under which SQLite examines it. */
const schemaTable = 'sqlite_schema';

/**
 * Examines tables in the order of their names. Each is a read of its own: in between, SQLite's log of writes can be folded.
 * @param after the table after which to go on; empty for the first
 */
export async function checkPages(
  rows: RowReader,
  isPostgres: boolean,
  { after = '', isOver = () => false }: { readonly after?: string; readonly isOver?: () => boolean } = {},
): Promise<PagesFound> {
  let names: readonly string[];
  try {
    names = await tableNames(rows, isPostgres);
  } catch (error) {
    return { tables: 0, damaged: [{ table: schemaTable, words: wordsFrom(error) }] };
  }
  const examine = isPostgres ? await postgresExaminer(rows) : sqliteExaminer(rows);
  const damaged: DamagedTable[] = [];
  let [done, last] = [0, after];
  for (const table of names.filter((name) => name > after)) {
    if (isOver()) return { tables: done, damaged, next: last };
    const words = await examine(table);
    if (words !== undefined) damaged.push({ table, words: words.slice(0, maxWords) });
    [done, last] = [done + 1, table];
  }
  const failures = isPostgres ? await checksumFailures(rows) : 0;
  if (failures > 0) {
    const words = `PostgreSQL has found ${failures} pages whose checksums are wrong; its log names them`;
    damaged.push({ table: 'pg_stat_database', words });
  }
  return { tables: done, damaged };
}

async function tableNames(rows: RowReader, isPostgres: boolean): Promise<readonly string[]> {
  const sql = isPostgres
    ? 'select tablename as name from pg_tables where schemaname = current_schema()'
    : "select name from sqlite_master where type = 'table' and name not like 'sqlite_%'";
  const names = (await rows.all<{ name: string }>(sql)).map(({ name }) => name);
  return [...names, ...(isPostgres ? [] : [schemaTable])].sort();
}

/** Returns the words about a table; undefined for a sound one. */
type Examine = (table: string) => Promise<string | undefined>;

function sqliteExaminer(rows: RowReader): Examine {
  return async (table) => {
    try {
      const found = await rows.all<{ integrity_check: string }>(`pragma integrity_check("${table}")`);
      const words = found.map(({ integrity_check: line }) => line).filter((line) => line !== 'ok');
      return words.length === 0 ? undefined : words.join('; ').replaceAll('\n', ' ');
    } catch (error) {
      return wordsFrom(error);
    }
  };
}

/**
 * Reading a table has PostgreSQL compare the checksums of its pages, where the cluster has them. Where the extension amcheck
 * is installed, and its functions are allowed, indexes are held against their tables.
 */
async function postgresExaminer(rows: RowReader): Promise<Examine> {
  const [found] = await rows.all<{ may: boolean | null }>(
    `select has_function_privilege(p.oid, 'execute') as may from pg_proc p join pg_extension e on e.extname = 'amcheck'
      where p.proname = 'bt_index_check' order by may desc limit 1`,
  );
  return async (table) => {
    try {
      await rows.all(`select count(t.*) as n from "${table}" t`);
      if (found?.may === true) {
        await rows.all(`select bt_index_check(i.indexrelid, true) from pg_index i join pg_class c on c.oid = i.indexrelid
          join pg_am a on a.oid = c.relam where i.indrelid = '"${table}"'::regclass and a.amname = 'btree'
          and i.indisvalid and c.relkind = 'i'`);
      }
      return undefined;
    } catch (error) {
      return isDamage(error) ? wordsFrom(error) : undefined;
    }
  };
}

/** Whether PostgreSQL reports damaged data (class XX), and not a timeout or a table that has gone. */
function isDamage(error: unknown): boolean {
  return String((error as { readonly code?: unknown }).code).startsWith('XX');
}

async function checksumFailures(rows: RowReader): Promise<number> {
  const [found] = await rows.all<{ failures: string | null }>(
    'select checksum_failures as failures from pg_stat_database where datname = current_database()',
  );
  return Number(found?.failures ?? 0);
}

const wordsFrom = (error: unknown): string => (error instanceof Error ? error.message : 'it cannot be read');
