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
    const words = `PostgreSQL has found ${failures} pages with wrong checksums; its log names them, and select pg_stat_reset() forgets them`;
    damaged.push({ table: 'pg_stat_database', words });
  }
  return { tables: done, damaged };
}

async function tableNames(rows: RowReader, isPostgres: boolean): Promise<readonly string[]> {
  const sql = isPostgres
    ? "select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r'"
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
 * Reading a table has PostgreSQL compare the checksums of its pages, where the cluster has them. Long values lie elsewhere, and
 * are read only where they are used. Where the extension amcheck is installed, and its functions are allowed, indexes are held
 * against their tables.
 */
async function postgresExaminer(rows: RowReader): Promise<Examine> {
  const [found] = await rows.all<{ may: boolean | null }>(
    `select has_function_privilege(p.oid, 'execute') as may from pg_proc p join pg_extension e on e.extname = 'amcheck'
      where p.proname = 'bt_index_check' order by may desc limit 1`,
  );
  return async (table) => {
    try {
      // Stored files are read whole afterwards, against their digests.
      const read = table === 'stored_files' ? 'count(t.*)' : 'sum(length(t::text))';
      for await (const pages of pagesOf(rows, table)) await rows.all(`select ${read} from "${table}" t where ${pages}`);
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

/** As many pages as one query can read in the time that it is given, on a slow disk. */
const pagesAtOnce = 16_384;

/** Yields conditions that together choose all rows of a table. */
async function* pagesOf(rows: RowReader, table: string): AsyncGenerator<string> {
  const [size] = await rows.all<{ pages: string }>(
    `select pg_relation_size('"${table}"'::regclass) / current_setting('block_size')::int as pages`,
  );
  for (let from = 0; from === 0 || from < Number(size?.pages); from += pagesAtOnce)
    yield `t.ctid >= '(${from},0)' and t.ctid < '(${from + pagesAtOnce},0)'`;
}

/**
 * Whether a database reports damaged data: SQLite anything, PostgreSQL its class XX, and 58 for what the operating system would
 * not read, but not a timeout or a table that has gone.
 */
export function isDamage(error: unknown): boolean {
  return /^(?:XX|58|SQLITE_)/.test(String((error as { readonly code?: unknown }).code));
}

/** Asks for the pages whose checksums were found wrong by anybody, which the server counts until that is reset. */
async function checksumFailures(rows: RowReader): Promise<number> {
  const [found] = await rows.all<{ failures: string | null }>(
    'select checksum_failures as failures from pg_stat_database where datname = current_database()',
  );
  return Number(found?.failures ?? 0);
}

const wordsFrom = (error: unknown): string => (error instanceof Error ? error.message : 'it cannot be read');
