/** Allows one `serve` at a time over a data folder, and records its addresses for commands on the same machine. */
import { constants } from 'node:fs';
import { access, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { refuse } from '../../reasons/refusals.ts';
import { makeFolder } from '../../runtime/disk/durable-file.ts';
import { refusedFile } from '../../runtime/disk/refuse-file.ts';
import { errorCode } from '../../runtime/error-code.ts';

/** The file in which a running service writes its addresses. */
export const endpointsFile = 'endpoints.json';

/** The content of that file. */
export interface Endpoints {
  readonly http: string;
  readonly mqtt: string;
  readonly mqtts: string;
}

/** The lock file: nothing is written to it, it only exists to be locked. */
export const lockFile = 'serve.lock';

/**
 * Holds the folder until it is released: two delivery lines over one database would each do
 * what the other does. The kernel ends SQLite's lock with the process, so that no kill leaves the folder held.
 * @throws Refusal `bad-configuration` while another process holds it
 */
export async function holdFolder(dataFolder: string): Promise<() => void> {
  await makeFolder(dataFolder);
  const path = join(dataFolder, lockFile);
  // Only its owner may read it, because a reader may lock it. An existing one is not opened here: closing it ends a
  // lock.
  await writeFile(path, '', { mode: 0o600, flag: 'wx' }).catch(unlessThere);
  const lock = await lockExclusively(path, dataFolder);
  // A killed process left this file.
  await rm(join(dataFolder, endpointsFile), { force: true });
  return () => void lock.close();
}

async function lockExclusively(path: string, dataFolder: string): Promise<Sqlite.Database> {
  let lock: Sqlite.Database | undefined;
  try {
    // A lock file that is only readable is shared by all who read it: SQLite opens it all the same, and locks nobody
    // out.
    await access(path, constants.W_OK);
    lock = new Sqlite(path, { timeout: 0 });
    lock.exec('begin exclusive');
    return lock;
  } catch (error) {
    lock?.close();
    const code = error instanceof Sqlite.SqliteError ? error.code : '';
    if (code === 'SQLITE_NOTADB' || code === 'SQLITE_CORRUPT') {
      throw refuse('bad-configuration', {
        message: `${path} is not a lock of a service`,
        hint: 'remove it: it holds nothing',
      });
    }
    // The error names only the folder, so the refusal names the lock file.
    if (code !== 'SQLITE_BUSY') throw refusedFile(error, path, 'PAPERGATE_DATA') ?? error;
    const other = await readEndpoints(dataFolder);
    throw refuse('bad-configuration', {
      message: `PAPERGATE_DATA: a service runs over ${dataFolder} already${other === undefined ? '' : `, at ${other.http}`}`,
      hint: 'end it first, or set another folder',
    });
  }
}

function unlessThere(error: unknown): void {
  if (errorCode(error) !== 'EEXIST') throw error;
}

/** Reads the addresses that the service over this folder wrote; it may have been killed since. */
export async function readEndpoints(dataFolder: string): Promise<Endpoints | undefined> {
  try {
    const { http, mqtt, mqtts } = JSON.parse(await readFile(join(dataFolder, endpointsFile), 'utf8'));
    return URL.canParse(http) && typeof mqtts === 'string' ? { http, mqtt, mqtts } : undefined;
  } catch {
    return undefined;
  }
}
