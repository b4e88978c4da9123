/** A database's tables in words that do not depend on the way in which they came about: for comparing. */
import { type Database, isPostgres } from '../../runtime/database/database.ts';

/** Describes every column, index and constraint, a line for each, in order. */
export async function describeSchema(db: Database): Promise<readonly string[]> {
  return (isPostgres(db) ? await ofPostgres(db) : await ofSqlite(db)).sort();
}

const queries = [
  `select format('column %s.%s %s %s %s %s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
     a.attnotnull, a.attstorage, pg_get_expr(d.adbin, d.adrelid)) as line
   from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
   left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
   where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace`,
  `select format('index %s', indexdef) as line from pg_indexes where schemaname = current_schema()`,
  `select format('constraint %s %s %s', c.relname, k.conname, pg_get_constraintdef(k.oid)) as line
   from pg_constraint k join pg_class c on c.oid = k.conrelid where k.connamespace = current_schema()::regnamespace`,
];

async function ofPostgres(db: Database): Promise<string[]> {
  const own = (await db.raw('select current_schema() as name')).rows[0].name;
  const lines: string[] = [];
  for (const query of queries) {
    const { rows }: { rows: readonly { line: string }[] } = await db.raw(query);
    lines.push(...rows.map(({ line }) => line.replaceAll(`${own}.`, '')));
  }
  return lines;
}

async function ofSqlite(db: Database): Promise<string[]> {
  const tables: readonly { name: string; strict: number }[] = await db.raw(
    "select name, strict from pragma_table_list where type = 'table' and name not like 'sqlite%'",
  );
  const lines: string[] = [];
  for (const { name, strict } of tables) {
    lines.push(`table ${name} ${strict === 1 ? 'strict' : ''}`);
    const columns: readonly Record<string, unknown>[] = await db.raw(`pragma table_xinfo(${name})`);
    for (const { cid: _, ...column } of columns) lines.push(`column ${name} ${JSON.stringify(column)}`);
    const keys: readonly Record<string, unknown>[] = await db.raw(`pragma foreign_key_list(${name})`);
    for (const { id: _, seq, ...key } of keys) lines.push(`foreign key ${name} ${seq} ${JSON.stringify(key)}`);
    const indexes: readonly Record<string, unknown>[] = await db.raw(
      `select list."unique", list.origin, list.partial, master.sql,
         (select group_concat(coalesce(info.name, '?')) from pragma_index_info(list.name) as info) as columns
       from pragma_index_list('${name}') as list join sqlite_master as master on master.name = list.name`,
    );
    for (const index of indexes) lines.push(`index ${name} ${JSON.stringify(index)}`);
  }
  return lines;
}
