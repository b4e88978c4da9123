/** The versions of what runs here. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, isPostgres } from '../../runtime/database/database.ts';

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));

/** The version of this release. */
export const papergateVersion = String(version);

/** The versions of the service's parts. */
export interface Versions {
  readonly papergate: string;
  readonly node: string;
  readonly database: string;
  /** The number of changes that the tables have had. */
  readonly schema: number;
  /** Null while no browser runs. */
  readonly browser: string | null;
}

/** Finds the versions. */
export async function findVersions(db: Database, browser: string | undefined): Promise<Versions> {
  const changes = await db('migrations').count({ count: '*' }).first();
  return {
    papergate: papergateVersion,
    node: process.version.slice(1),
    database: await databaseVersion(db),
    schema: Number(changes?.count),
    browser: browser ?? null,
  };
}

async function databaseVersion(db: Database): Promise<string> {
  if (isPostgres(db)) {
    const { rows } = await db.raw('show server_version');
    return `PostgreSQL ${rows[0].server_version}`;
  }
  const [row] = await db.raw('select sqlite_version() as version');
  return `SQLite ${row.version}`;
}
