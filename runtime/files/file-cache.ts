/**
 * Files on this machine's disk that are kept elsewhere for good: what was asked for last, up to a number of bytes. Nothing
 * depends on it: a file that is missing, damaged or cannot be written is fetched again.
 */
import { randomBytes } from 'node:crypto';
import { readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Of } from '../digest.ts';
import { makeFolder } from '../disk/durable-file.ts';

/** The cache of one area. Names are digests. */
export interface FileCache {
  get(name: string): Promise<Buffer | undefined>;
  put(name: string, bytes: Uint8Array): Promise<void>;
}

const digestName = /^[0-9a-f]{64}$/;

/** Opens caches below a folder, which share the limit. */
export async function openFileCaches(folder: string, limitBytes: number): Promise<(area: string) => FileCache> {
  const kept = new KeptFiles(limitBytes);
  const opened = new Map<string, string>();
  await makeFolder(folder);
  for (const area of await readdir(folder)) await kept.find(join(folder, area));
  const open = async (area: string): Promise<string> => {
    const path = opened.get(area) ?? join(folder, area);
    if (!opened.has(area)) await makeFolder(path);
    opened.set(area, path);
    return path;
  };
  return (area) => ({
    async get(name) {
      const file = join(folder, area, name);
      const bytes = await readFile(file).catch(() => undefined);
      if (bytes === undefined) return undefined;
      if ((await sha256Of(bytes)) !== name) {
        await kept.remove(file);
        return undefined;
      }
      await kept.use(file, bytes.length);
      return bytes;
    },
    async put(name, bytes) {
      if (bytes.length > limitBytes) return;
      try {
        const file = join(await open(area), name);
        const aside = `${file}.${randomBytes(6).toString('hex')}`;
        await writeFile(aside, bytes, { mode: 0o600 });
        await rename(aside, file);
        await kept.use(file, bytes.length);
      } catch {
        // A full disk does not make the file unavailable: it is fetched again next time.
      }
    },
  });
}

/** The files by their last use, the one that was not used for longest first. */
class KeptFiles {
  readonly #sizes = new Map<string, number>();
  readonly #limitBytes: number;
  #bytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** Takes over what an earlier process left in a folder. */
  async find(folder: string): Promise<void> {
    const names = await readdir(folder).catch(() => []);
    const files = await Promise.all(
      names.map(async (name) => ({ name, file: join(folder, name), ...(await facts(join(folder, name))) })),
    );
    for (const { name, file, size, usedAt } of files.sort((one, other) => one.usedAt - other.usedAt)) {
      // A process that died left a part of a file.
      if (!digestName.test(name)) await rm(file, { recursive: true, force: true }).catch(() => {});
      else if (usedAt > 0) this.#count(file, size);
    }
    await this.#shrink();
  }

  async use(file: string, size: number): Promise<void> {
    this.#count(file, size);
    const now = new Date();
    await utimes(file, now, now).catch(() => {});
    await this.#shrink();
  }

  async remove(file: string): Promise<void> {
    this.#bytes -= this.#sizes.get(file) ?? 0;
    this.#sizes.delete(file);
    await rm(file, { force: true }).catch(() => {});
  }

  #count(file: string, size: number): void {
    this.#bytes += size - (this.#sizes.get(file) ?? 0);
    this.#sizes.delete(file);
    this.#sizes.set(file, size);
  }

  async #shrink(): Promise<void> {
    for (const file of this.#sizes.keys()) {
      if (this.#bytes <= this.#limitBytes) return;
      await this.remove(file);
    }
  }
}

async function facts(file: string): Promise<{ size: number; usedAt: number }> {
  return stat(file).then(
    ({ size, mtimeMs }) => ({ size, usedAt: mtimeMs }),
    () => ({ size: 0, usedAt: 0 }),
  );
}
