/**
 * Files that the database knows by rows. The bytes lie in the row or elsewhere; when a file may go is the same for both,
 * and is counted by the database's clock: nodes whose clocks differ agree on it.
 */
import type { Knex } from 'knex';
import type { Database } from '../database/database.ts';
import { databaseNow } from '../database/database-time.ts';
import { sha256Of } from '../digest.ts';
import type { Collected, DurableFolder, FindUsed } from '../disk/durable-folder.ts';
import type { FileArea, FileAreas } from './file-areas.ts';
import type { FileCache } from './file-cache.ts';

/** A place that stores bytes. `Row` has the columns by which a row refers to them. */
export interface BytesPlace<Row extends object> {
  readonly table: 'stored_files' | 'stored_objects';
  /** The columns of the row by which the bytes are found. */
  readonly columns: readonly (keyof Row & string)[];
  /** Makes bytes durable, and returns the columns for their row. */
  write(name: string, bytes: Uint8Array): Promise<Row>;
  /** Reads bytes; undefined when they are not there. They are held against their digest afterwards. */
  read(row: Row, name: string): Promise<Buffer | undefined>;
  /** Is called when a row is gone for good. */
  gone(row: Row): Promise<void>;
  /** Removes bytes that no row names, and that no living process is about to name. Returns their number. */
  sweep(): Promise<number>;
}

/** The number of files that one query looks up. */
const batch = 200;

/** A file and the commit of the row that refers to it are less than this apart: both are steps of one request. */
const maxIntakeMs = 3_600_000;
const digestName = /^[0-9a-f]{64}$/;

interface StoreDeps {
  readonly db: Database;
  readonly area: FileArea;
  /** Keeps what was read on this machine's disk. */
  readonly cache: FileCache;
  readonly damaged: (name: string) => void;
}

/** The rows of one area. */
class RowStore<Row extends object> implements DurableFolder {
  readonly #db: Database;
  readonly #area: FileArea;
  readonly #place: BytesPlace<Row>;
  readonly #cache: FileCache;
  readonly #damaged: (name: string) => void;
  readonly #told = new Set<string>();

  constructor({ db, area, cache, damaged }: StoreDeps, place: BytesPlace<Row>) {
    this.#db = db;
    this.#area = area;
    this.#place = place;
    this.#cache = cache;
    this.#damaged = damaged;
  }

  async put(bytes: Uint8Array): Promise<string> {
    const name = await sha256Of(bytes);
    // Bytes that are there need not be written again; damaged ones are, which repairs them.
    if (!(await this.#restored(name))) {
      const row = await this.#place.write(name, bytes);
      const what = { area: this.#area, name, size: bytes.length, ...row, condemned_at: null };
      await this.#db<Record<string, unknown>>(this.#place.table).insert(what).onConflict(['area', 'name']).merge();
      this.#told.delete(name);
    }
    await this.#cache.put(name, bytes);
    return name;
  }

  /** Reads the bytes as they were stored (T-67). */
  async get(name: string): Promise<Buffer | undefined> {
    if (!digestName.test(name)) throw new Error('file names are digests');
    const copy = await this.#cache.get(name);
    if (copy !== undefined) return copy;
    const bytes = await this.#kept(name);
    if (bytes !== undefined) await this.#cache.put(name, bytes);
    return bytes;
  }

  async #kept(name: string): Promise<Buffer | undefined> {
    const row = await this.#row(name);
    if (row === undefined) return undefined;
    const bytes = await this.#sound(row, name);
    if (bytes !== undefined) return bytes;
    // Somebody may have stored it again in between.
    const later = await this.#row(name);
    const isSame = later === undefined || this.#place.columns.every((column) => same(later[column], row[column]));
    const found = isSame ? undefined : await this.#sound(later, name);
    if (found === undefined) this.#tell(name);
    return found;
  }

  /** Asks the place itself, and not the cache: bytes that only the cache has are not stored. */
  async keep(name: string): Promise<boolean> {
    if (await this.#restored(name)) return true;
    if ((await this.#row(name)) !== undefined) this.#tell(name);
    return false;
  }

  async collect(findUsed: FindUsed): Promise<Collected> {
    const now = databaseNow(this.#db);
    let [condemned, restored, removed] = [0, 0, 0];
    const due = (rows: Knex.QueryBuilder) => rows.whereRaw(`condemned_at <= ${now} - ${maxIntakeMs}`);
    for await (const rows of this.#batches(due)) {
      const used = await findUsed(rows.map(({ name }) => name));
      for (const row of rows) {
        // A writer that claimed the file meanwhile has changed the row.
        const asSeen = this.#files().where({ name: row.name, condemned_at: row.condemned_at });
        if (used.has(row.name)) restored += await asSeen.update({ condemned_at: null });
        else if ((await asSeen.delete()) > 0) {
          removed++;
          await this.#place.gone(row);
        }
      }
    }
    for await (const rows of this.#batches((rows) => rows.whereNull('condemned_at'))) {
      const used = await findUsed(rows.map(({ name }) => name));
      const unused = rows.flatMap(({ name }) => (used.has(name) ? [] : [name]));
      condemned += await this.#files()
        .whereIn('name', unused)
        .whereNull('condemned_at')
        .update({ condemned_at: this.#db.raw(now) });
    }
    return { condemned, restored, removed: removed + (await this.#place.sweep()) };
  }

  async *names(): AsyncIterable<string> {
    for await (const rows of this.#batches((rows) => rows)) for (const { name } of rows) yield name;
  }

  async bytes(): Promise<number> {
    const [sum] = await this.#files().sum({ bytes: 'size' });
    return Number(sum?.bytes ?? 0);
  }

  #files(): Knex.QueryBuilder {
    return this.#db(this.#place.table).where({ area: this.#area });
  }

  #row(name: string): Promise<Row | undefined> {
    return this.#files()
      .where({ name })
      .first(...this.#place.columns);
  }

  /** Takes a file back that waits for its second pass, and returns whether its bytes are sound. */
  async #restored(name: string): Promise<boolean> {
    await this.#files().where({ name }).whereNotNull('condemned_at').update({ condemned_at: null });
    const row = await this.#row(name);
    return row !== undefined && (await this.#sound(row, name)) !== undefined;
  }

  async #sound(row: Row, name: string): Promise<Buffer | undefined> {
    const bytes = await this.#place.read(row, name);
    return bytes !== undefined && (await sha256Of(bytes)) === name ? bytes : undefined;
  }

  #tell(name: string): void {
    if (!this.#told.has(name)) this.#damaged(name);
    this.#told.add(name);
  }

  /** Reads rows in the order of their digests, some at a time. */
  async *#batches(
    among: (rows: Knex.QueryBuilder) => Knex.QueryBuilder,
  ): AsyncIterable<(Row & { name: string; condemned_at: number | null })[]> {
    const columns = this.#place.columns.filter((column) => column !== 'bytes');
    for (let after = ''; ; ) {
      const rows = await among(this.#files().where('name', '>', after))
        .orderBy('name')
        .limit(batch)
        .select('name', 'condemned_at', ...columns);
      if (rows.length > 0) yield rows;
      if (rows.length < batch) return;
      after = rows.at(-1).name;
    }
  }
}

function same(one: unknown, other: unknown): boolean {
  return one === other || (Buffer.isBuffer(one) && Buffer.isBuffer(other) && one.equals(other));
}

export interface RowFilesDeps {
  readonly db: Database;
  readonly cacheOf: (area: FileArea) => FileCache;
}

/** Opens files that the database knows, each area at its place. */
export function filesByRows<Row extends object>(
  { db, cacheOf }: RowFilesDeps,
  placeOf: (area: FileArea) => BytesPlace<Row>,
): FileAreas {
  const open = (area: FileArea, damaged: (name: string) => void = () => {}): RowStore<Row> =>
    new RowStore({ db, area, cache: cacheOf(area), damaged }, placeOf(area));
  return {
    open,
    collect: (area, findUsed) => open(area).collect(findUsed),
    names: (area) => open(area).names(),
    bytes: (area) => open(area).bytes(),
  };
}
