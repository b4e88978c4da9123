/** A database as SQL: its tables with all their rows. Databases are read by their own means, so that nothing is left out. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { tables } from '../../api/service/open/service-tables.ts';
import { papergateVersion } from '../../api/status/versions.ts';
import { type Database, type DatabaseAddress, openDatabase } from '../../runtime/database/database.ts';
import { postgresPrograms, startPostgres } from '../postgres-server.ts';
import { fillTables } from './fixture-rows.ts';

/** The time at which all migrations of a fixture were run. */
const migratedAt = new Date('2026-11-01T00:00:00Z');

/** Where fixtures are. */
export const fixtureFolder = 'test/fixtures/schemas';

/** Opens a database as a release does. */
type Open = (address: DatabaseAddress) => Promise<Database>;

/** Makes the fixtures of a release: what it makes of an empty database, filled. */
async function dumpRelease(open: Open): Promise<{ readonly sqlite: string; readonly postgres: string }> {
  const programs = postgresPrograms();
  if (programs === undefined) throw new Error('apt install postgresql: pg_dump writes the fixture for PostgreSQL');
  const folder = mkdtempSync(join(tmpdir(), 'papergate-schema-'));
  const server = startPostgres(programs);
  try {
    const file = join(folder, 'rows.sqlite');
    for (const address of [{ file }, { url: server.url }]) {
      const db = await open(address);
      await fillTables(db);
      await db('migrations').update({ migration_time: migratedAt });
      await db.destroy();
    }
    return { sqlite: dumpSqlite(file), postgres: dumpPostgres(programs, server.url) };
  } finally {
    server.stop();
    rmSync(folder, { recursive: true });
  }
}

function dumpSqlite(file: string): string {
  const db = new Sqlite(file);
  const made = db
    .prepare("select type, name, sql from sqlite_master where name not like 'sqlite%' order by type = 'index', rowid")
    .all() as readonly { readonly type: string; readonly name: string; readonly sql: string }[];
  const inserts = made.filter(({ type }) => type === 'table').flatMap(({ name }) => insertsOf(db, name));
  db.close();
  return `${[...made.map(({ sql }) => sql), ...inserts].map((statement) => `${statement};\n`).join('')}`;
}

function insertsOf(db: Sqlite.Database, table: string): readonly string[] {
  const columns = (db.pragma(`table_info(${table})`) as readonly { name: string }[]).map(({ name }) => `"${name}"`);
  const values = columns.map((name) => `quote(${name})`).join(` || ', ' || `);
  const rows = db.prepare(`select ${values} as row from ${table} order by rowid`).all() as readonly { row: string }[];
  return rows.map(({ row }) => `insert into ${table} (${columns.join(', ')}) values (${row})`);
}

/** The lines of pg_dump about the session that reads it back and about owners, and those for people. */
const aroundTheDump = /^(?:--.*|SET .*|SELECT pg_catalog\.set_config.*|\\.*|)\n/gm;

function dumpPostgres(programs: string, url: string): string {
  const args = ['--no-owner', '--no-privileges', '--column-inserts', '--schema=public', url];
  const text = execFileSync(join(programs, 'pg_dump'), args, { encoding: 'utf8', maxBuffer: 2 ** 26 });
  // Each fixture is read into a schema of its own.
  return text
    .replace(aroundTheDump, '')
    .replace(/^(?:CREATE|COMMENT ON) SCHEMA .*\n/gm, '')
    .replaceAll('public.', '');
}

/** Makes a database of a fixture. */
export async function readFixture(address: DatabaseAddress, sql: string): Promise<void> {
  if ('file' in address) {
    const db = new Sqlite(address.file);
    db.pragma('foreign_keys = off');
    db.exec(sql);
    db.close();
    return;
  }
  const client = new pg.Client({ connectionString: address.url });
  await client.connect();
  await client.query(sql);
  await client.end();
}

/** The fixture files of this release. */
export async function schemaFiles(): Promise<readonly (readonly [path: string, content: string])[]> {
  const made = await dumpRelease((address) => openDatabase(address, tables));
  return (['sqlite', 'postgres'] as const).map((kind) => [
    `${fixtureFolder}/${papergateVersion}.${kind}.sql`,
    made[kind],
  ]);
}
