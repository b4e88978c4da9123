/** One `serve` at a time over a data folder, and where it is reached by commands on the same machine. */
import { constants } from 'node:fs';
import { access, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { makeFolder } from '../../gateway/runtime/durable-file.ts';
import { refuse } from '../../gateway/runtime/refusals.ts';
import { refusedFile } from '../../gateway/runtime/refuse-file.ts';

/** Where a running service says how it is reached. */
export const endpointsFile = 'endpoints.json';

/** What it says. */
export interface Endpoints {
  readonly http: string;
  readonly mqtt: string;
  readonly mqtts: string;
}

/** Never written to: it is there to be locked. */
const lockFile = 'serve.lock';

/**
 * Holds the folder until it is released: two delivery lines over one database would each do
 * what the other does. The kernel ends SQLite's lock with the process, so that no kill leaves the folder held.
 * @throws Refusal `bad-configuration` while another process holds it
 */
export async function holdFolder(dataFolder: string): Promise<() => void> {
  await makeFolder(dataFolder);
  const path = join(dataFolder, lockFile);
  // For its owner alone: whoever may read it may lock it. One that exists is not opened here: closing it ends a lock.
  await writeFile(path, '', { mode: 0o600, flag: 'wx' }).catch(unlessThere);
  const lock = await lockExclusively(path, dataFolder);
  // Left by one that was killed.
  await rm(join(dataFolder, endpointsFile), { force: true });
  return () => void lock.close();
}

async function lockExclusively(path: string, dataFolder: string): Promise<Sqlite.Database> {
  let lock: Sqlite.Database | undefined;
  try {
    // One that may only be read is shared by all who read it: SQLite opens it all the same, and locks nobody out.
    await access(path, constants.W_OK);
    lock = new Sqlite(path, { timeout: 0 });
    lock.exec('begin exclusive');
    return lock;
  } catch (error) {
    lock?.close();
    const code = error instanceof Sqlite.SqliteError ? error.code : '';
    if (code === 'SQLITE_NOTADB' || code === 'SQLITE_CORRUPT') {
      throw refuse('bad-configuration', {
        message: `${path} is no lock of a service`,
        hint: 'remove it: it holds nothing',
      });
    }
    // Of all files of the folder it is this one.
    if (code !== 'SQLITE_BUSY') throw refusedFile(error, path, 'PAPERGATE_DATA') ?? error;
    const other = await readEndpoints(dataFolder);
    throw refuse('bad-configuration', {
      message: `PAPERGATE_DATA: a service runs over ${dataFolder} already${other === undefined ? '' : `, at ${other.http}`}`,
      hint: 'end it first, or set another folder',
    });
  }
}

function unlessThere(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
}

/** Where the service over this folder said that it is reached; it may have been killed since. */
export async function readEndpoints(dataFolder: string): Promise<Endpoints | undefined> {
  try {
    const { http, mqtt, mqtts } = JSON.parse(await readFile(join(dataFolder, endpointsFile), 'utf8'));
    return URL.canParse(http) && typeof mqtts === 'string' ? { http, mqtt, mqtts } : undefined;
  } catch {
    return undefined;
  }
}
