/**
 * Reads the plain SQL of the product in its sources, and holds its columns against the declared tables: queries through
 * knex are held by the compiler. A whole statement is prepared; of a part, the names that can be told from words are
 * looked up.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tables } from '../api/service/open/service-tables.ts';
import { type Database, openDatabase } from '../runtime/database/database.ts';

const test = suite('columns in plain SQL');
const root = resolve(import.meta.dirname, '..');

/** SQL as it stands in a source, with `{?}` for what the code puts into it. */
interface Piece {
  readonly place: string;
  readonly sql: string;
}

/** A source of the product with its pieces of SQL. */
interface SqlSource {
  readonly text: string;
  readonly pieces: readonly Piece[];
}

const isStatement =
  /^\s*(?:(?:select|insert into|update \w+\s+set|delete from)\s\S|with (?:recursive )?\w+ (?:as )?\()/;
const isPart =
  /^\s*\(?(?:not exists|exists|case when|coalesce\(|left join|join|on conflict|select)\s|(?:=|<|>) ?\?|\bis (?:not )?(?:null|distinct from)\b|\bexcluded\./;
/** Statements about things that are made as they are declared, or about the databases' own tables, and sentences. */
const isOther = /^create (?:unique )?index |\bpg_|\bsqlite_|\browid\b|\binformation_schema\b| (?:the|a|of|who) /;
/** Syntax that SQLite does not understand. */
const isOfPostgres = /::|\bfor (?:share|update)\b|\bcurrent_(?:schema|database|setting)\b|\bclock_timestamp\b/;
const hole = '{?}';

function read(path: string): SqlSource {
  const text = readFileSync(join(root, path), 'utf8');
  const pieces: Piece[] = [];
  const look = (sql: string, at: number): void => {
    if (isOther.test(sql) || !(isStatement.test(sql) || isPart.test(sql))) return;
    pieces.push({ place: `${path}:${text.slice(0, at).split('\n').length}`, sql: sql.replaceAll(/'[^']*'/g, "''") });
  };
  new Visitor({
    Literal: ({ value, start }) => typeof value === 'string' && look(value, start),
    TemplateLiteral: ({ quasis, start }) => look(quasis.map(({ value }) => value.cooked).join(hole), start),
  }).visit(parseSync(path, text).program);
  return { text, pieces };
}

const sources = ['api', 'gateway', 'runtime', 'cli'].flatMap((floor) =>
  readdirSync(join(root, floor), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => read(relative(root, join(entry.parentPath, entry.name)))),
);

/** The columns of each table. */
type Schema = ReadonlyMap<string, ReadonlySet<string>>;

async function withSchema(work: (schema: Schema, db: Database) => void | Promise<void>): Promise<void> {
  const db = await openDatabase({ file: ':memory:' }, tables);
  try {
    const rows: { name: string; columns: string }[] = await db.raw(
      `select m.name, group_concat(c.name) as columns from sqlite_master m join pragma_table_info(m.name) c
       where m.type = 'table' group by m.name`,
    );
    await work(new Map(rows.map(({ name, columns }) => [name, new Set(columns.split(','))])), db);
  } finally {
    await db.destroy();
  }
}

/** The names that statements of a source give to what they select, with common tables and their columns among them. */
const givenIn = (text: string): ReadonlySet<string> =>
  new Set(
    [
      ...text.matchAll(/\bas (?:not )?(?:materialized )?"?(\w+)/g),
      ...text.matchAll(/\b(?:with|recursive|temporary table) (\w+)|\b(\w+) as (?:materialized )?\(/g),
      ...text.matchAll(/\b(?:with (?:recursive )?\w+|as \w+) \(([\w, ]+)\)/g),
    ].flatMap(([, ...names]) => names.flatMap((name) => (name ?? '').split(', '))),
  );

/** The tables that a name stands for in a source: its own, or those to which it is given. */
function aliasesIn(pieces: readonly Piece[], schema: Schema): ReadonlyMap<string, readonly string[]> {
  const aliases = new Map([...schema.keys()].map((table) => [table, [table]]));
  const naming =
    /\b(?:from|join|update|into)\s+(\w+)\s+(?:as\s+)?(?!(?:on|where|set|join|left|order|group|limit|union|values)\b)(\w+)/g;
  for (const { sql } of pieces) {
    for (const [, table = '', alias = ''] of sql.matchAll(naming)) {
      if (schema.has(table)) aliases.set(alias, [...(aliases.get(alias) ?? []), table]);
    }
  }
  return aliases;
}

/** Words that stand before a comparison and are no columns. */
const keywords = new Set(['end', 'is', 'null', 'not', 'and', 'or', 'where', 'when']);
const qualified = /\b([a-z_]\w*)\.([a-z_]\w*)/g;
/** Names that no word of a sentence or of SQL is like, and what is compared. */
const columnLike = [
  /(?<![\w.{:"$])([a-z]+(?:_[a-z0-9]+)+)\b(?![\w.(])/g,
  /(?<![\w.{:"$])([a-z]\w*) (?:=|<|>|<=|>=|<>|is (?:not )?null|is (?:not )?distinct|(?:not )?in \()(?!\w)/g,
];

/** Returns the names in the SQL of a source that are no column of the table that they belong to. */
function unknownNames({ text, pieces }: SqlSource, schema: Schema): string[] {
  const [given, aliases] = [givenIn(text), aliasesIn(pieces, schema)];
  const columns = new Set([...schema.values()].flatMap((names) => [...names]));
  const isKnown = (name: string): boolean =>
    [columns, given, keywords].some((names) => names.has(name)) || schema.has(name);
  const isColumn = (table: string, name: string): boolean => {
    const own = aliases.get(table);
    return own === undefined ? isKnown(name) : own.some((one) => schema.get(one)?.has(name));
  };
  return pieces.flatMap(({ place, sql }) => {
    const wrong = [
      ...[...sql.matchAll(qualified)].flatMap(([all, table = '', name = '']) => (isColumn(table, name) ? [] : [all])),
      ...columnLike.flatMap((like) =>
        [...sql.matchAll(like)].flatMap(([, name = '']) => (isKnown(name) ? [] : [name])),
      ),
    ];
    return [...new Set(wrong)].map((name) => `${place}: ${name}`);
  });
}

test('every whole statement is one that the declared tables understand', () =>
  withSchema(async (_, db) => {
    const whole = sources
      .flatMap(({ pieces }) => pieces)
      .filter(({ sql }) => isStatement.test(sql) && !sql.includes(hole) && !isOfPostgres.test(sql));
    assert.ok(whole.length > 80, `${whole.length} statements`);
    const wrong: string[] = [];
    for (const { place, sql } of whole) {
      await db
        .raw(`explain ${sql.replaceAll('?', 'null')}`)
        .catch((error: Error) => wrong.push(`${place}: ${error.message}`));
    }
    assert.equal(wrong, []);
  }));

test('every column that a part of a statement names is declared', () =>
  withSchema((schema) => {
    const { length } = sources.flatMap(({ pieces }) => pieces);
    assert.ok(length > 200, `${length} pieces of SQL`);
    assert.equal(
      sources.flatMap((source) => unknownNames(source, schema)),
      [],
    );
  }));

test('a misspelt column is found, in a statement and in each kind of part', () =>
  withSchema((schema) => {
    const found = (...sqls: string[]): string[] =>
      unknownNames({ text: sqls.join('\n'), pieces: sqls.map((sql) => ({ place: 'x', sql })) }, schema);
    assert.equal(found('select session_epohc from frames where serial = ?'), ['x: session_epohc']);
    assert.equal(found('select f.serail from frames f'), ['x: f.serail']);
    assert.equal(found('select uploads.serial, uploads.kind from uploads'), ['x: uploads.kind']);
    assert.equal(found('serail = ?'), ['x: serail']);
    assert.equal(found('coalesce(told_ta, ?)'), ['x: told_ta']);
    assert.equal(found('on conflict (serial) do update set asks = excluded.ask'), ['x: excluded.ask']);
    assert.equal(found('select count(*) as all_of from frames', 'all_of > ? and frames.kind = ?'), []);
  }));

test.run();
