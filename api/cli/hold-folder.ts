/** One `serve` at a time over a data folder, and where it is reached by commands on the same machine. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { makeFolder } from '../../gateway/runtime/durable-file.ts';
import { refuse } from '../../gateway/runtime/refusals.ts';

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
  const lock = new Sqlite(path, { timeout: 0 });
  try {
    lock.exec('begin exclusive');
  } catch (error) {
    lock.close();
    if (!(error instanceof Sqlite.SqliteError && error.code === 'SQLITE_BUSY')) throw error;
    const other = await readEndpoints(dataFolder);
    throw refuse('bad-configuration', {
      message: `PAPERGATE_DATA: a service runs over ${dataFolder} already${other === undefined ? '' : `, at ${other.http}`}`,
      hint: 'end it first, or set another folder',
    });
  }
  // Left by one that was killed.
  await rm(join(dataFolder, endpointsFile), { force: true });
  return () => void lock.close();
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
