/** Files as rows of the database, so that several nodes need nothing else in common. */
import type { Clock } from '../clock.ts';
import type { Database } from '../database.ts';
import { sha256Of } from '../digest.ts';
import type { Collected, DurableFolder, FindUsed } from '../durable-folder.ts';
import type { FileArea, FileAreas } from './file-areas.ts';
import type { FileCache } from './file-cache.ts';

/** Dependencies of files in the database. */
export interface DatabaseFilesDeps {
  readonly db: Database;
  readonly clock: Clock;
  /** Keeps what was read on this machine's disk. */
  readonly cacheOf: (area: FileArea) => FileCache;
}

/** A file and the commit of the row that refers to it are less than this apart: both are steps of one request. */
const maxIntakeMs = 3_600_000;
const digestName = /^[0-9a-f]{64}$/;
/** The number of files that are looked at together. */
const batch = 200;

interface FileRow {
  readonly area: FileArea;
  readonly name: string;
  readonly size: number;
  readonly bytes: Buffer;
  readonly condemned_at: number | null;
}

/** Opens the files of a database. */
export function databaseFiles(deps: DatabaseFilesDeps): FileAreas {
  const { db } = deps;
  return {
    open: (area, damaged = () => {}) => openArea(deps, area, damaged),
    collect: (area, findUsed) => collectArea(deps, area, findUsed),
    async bytes(area) {
      const row = await db('stored_files').where({ area }).sum({ bytes: 'size' }).first();
      return Number(row?.bytes ?? 0);
    },
  };
}

function openArea({ db, cacheOf }: DatabaseFilesDeps, area: FileArea, damaged: (name: string) => void): DurableFolder {
  const cache = cacheOf(area);
  const told = new Set<string>();
  /** Reads the bytes as they were stored (T-67). */
  async function get(name: string): Promise<Buffer | undefined> {
    if (!digestName.test(name)) throw new Error('file names are digests');
    const kept = await cache.get(name);
    if (kept !== undefined) return kept;
    const row: Pick<FileRow, 'bytes'> | undefined = await db('stored_files').where({ area, name }).first('bytes');
    if (row === undefined) return undefined;
    if ((await sha256Of(row.bytes)) !== name) {
      if (!told.has(name)) damaged(name);
      told.add(name);
      return undefined;
    }
    await cache.put(name, row.bytes);
    return row.bytes;
  }
  return {
    get,
    async put(bytes) {
      const name = await sha256Of(bytes);
      const stored = { area, name, size: bytes.length, bytes: Buffer.from(bytes), condemned_at: null };
      await db('stored_files').insert(stored).onConflict(['area', 'name']).merge();
      told.delete(name);
      await cache.put(name, bytes);
      return name;
    },
    async keep(name) {
      // The row is asked, and not the cache: it may be gone.
      const kept = await db('stored_files').where({ area, name }).update({ condemned_at: null });
      return kept === 1 && (await get(name)) !== undefined;
    },
  };
}

/**
 * Clears away files that no row refers to, in two passes at least an hour apart, so that no writer is overtaken (INV-03,
 * INV-04). The first marks a file; whoever puts or keeps it meanwhile takes the mark away. The second looks again.
 */
async function collectArea({ db, clock }: DatabaseFilesDeps, area: FileArea, findUsed: FindUsed): Promise<Collected> {
  const now = clock.now();
  let [condemned, restored, removed] = [0, 0, 0];
  for await (const rows of inBatches(db, area)) {
    const used = await findUsed(rows.map(({ name }) => name));
    for (const { name, condemned_at } of rows) {
      const same = db('stored_files').where({ area, name, condemned_at });
      if (condemned_at === null) {
        if (!used.has(name)) condemned += await same.update({ condemned_at: now });
      } else if (used.has(name)) restored += await same.update({ condemned_at: null });
      else if (now - condemned_at >= maxIntakeMs) removed += await same.delete();
    }
  }
  return { condemned, restored, removed };
}

async function* inBatches(db: Database, area: FileArea): AsyncGenerator<readonly FileRow[]> {
  for (let after = ''; ; ) {
    const rows: FileRow[] = await db('stored_files')
      .where({ area })
      .where('name', '>', after)
      .orderBy('name')
      .limit(batch)
      .select('name', 'condemned_at');
    if (rows.length === 0) return;
    yield rows;
    after = rows.at(-1)?.name ?? '';
  }
}
