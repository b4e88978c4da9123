/**
 * The second place that a service is archived into: a folder or a bucket. Every object has a name of its own and is written
 * once. An object counts when it was read back with the bytes that were written.
 */
import { randomUUID } from 'node:crypto';
import { open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from '../clock.ts';
import { sha256Of } from '../digest.ts';
import { makeFolder, syncFile, syncFolder, undefinedIfMissing } from '../disk/durable-file.ts';
import { errorCode } from '../error-code.ts';
import type { Bucket } from '../files/s3-client.ts';
import { limitTime, timedOut } from '../limit-time.ts';

/** A place of objects. Names have slashes between their parts. */
export interface ArchivePlace {
  /** Writes an object that is not there yet. */
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** Reads an object; undefined where there is none. */
  get(name: string): Promise<Buffer | undefined>;
  remove(name: string): Promise<void>;
  /** Names of the objects whose names begin so, in their order. */
  list(prefix: string): Promise<readonly string[]>;
}

/** The kinds of troubles that keep a service from being archived; `other` where the sentence alone says which. */
export const archiveTroubles = ['away', 'full', 'unwritable', 'taken', 'wrong-bytes', 'no-room', 'other'] as const;
export type ArchiveTrouble = (typeof archiveTroubles)[number];

/** A fault of the second place, in a sentence for the operator. */
export class ArchiveFault extends Error {
  readonly hint: string;
  readonly trouble: ArchiveTrouble;

  constructor(message: string, hint: string, trouble: ArchiveTrouble = 'other') {
    super(message);
    this.hint = hint;
    this.trouble = trouble;
  }
}

/** The largest object: parts of a copied database and pictures are far smaller. */
const maxBytes = 256 * 1024 * 1024;
/** Longer than a bucket's own attempts. */
const limitMs = 150_000;
const unfinished = '.part';

/** Opens a folder, on another disk or a share. */
export function folderPlace(folder: string): ArchivePlace {
  async function listBelow(below: string): Promise<string[]> {
    const entries = await readdir(join(folder, below), { withFileTypes: true }).catch(undefinedIfMissing);
    const found: string[] = [];
    for (const entry of entries ?? []) {
      const name = below === '' ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) found.push(...(await listBelow(name)));
      else if (!name.endsWith(unfinished)) found.push(name);
    }
    return found;
  }
  return {
    async put(name, bytes) {
      const path = join(folder, name);
      await makeFolder(dirname(path));
      const aside = `${path}.${randomUUID()}${unfinished}`;
      try {
        const file = await open(aside, 'wx', 0o600);
        try {
          await file.writeFile(bytes);
          await syncFile(file);
        } finally {
          await file.close();
        }
        await rename(aside, path);
      } catch (error) {
        await rm(aside, { force: true }).catch(() => {});
        throw error;
      }
      await syncFolder(dirname(path));
    },
    async get(name) {
      const path = join(folder, name);
      const found = await stat(path).catch(undefinedIfMissing);
      if (found === undefined) return undefined;
      if (found.size > maxBytes) throw new ArchiveFault(`${name} is not an object of an archive`, 'name another place');
      return readFile(path);
    },
    remove: (name) => rm(join(folder, name), { force: true }),
    async list(prefix) {
      const below = prefix.slice(0, Math.max(0, prefix.lastIndexOf('/')));
      return (await listBelow(below)).filter((name) => name.startsWith(prefix)).sort();
    },
  };
}

/** Opens a bucket, with names below a prefix. */
export function bucketPlace(bucket: Bucket, prefix: string): ArchivePlace {
  return {
    put: (name, bytes) => bucket.put(prefix + name, bytes),
    get: (name) => bucket.get(prefix + name, maxBytes),
    remove: (name) => bucket.remove(prefix + name),
    async list(beginning) {
      const found: string[] = [];
      for await (const { key } of bucket.list(prefix + beginning)) {
        // A store that ignores the prefix lists the objects of others, too.
        if (key.startsWith(prefix + beginning)) found.push(key.slice(prefix.length));
      }
      return found.sort();
    },
  };
}

/**
 * Lets nothing wait for a place for ever, reads back what was written, and asks for one thing at a time: a share that hangs
 * keeps one thread of this process, and no second one.
 */
export function carefulPlace(place: ArchivePlace, clock: Clock): ArchivePlace {
  let underWay: Promise<unknown> | undefined;
  async function ask<Result>(work: () => Promise<Result>): Promise<Result> {
    if (underWay !== undefined) throw silent();
    const asked = work().finally(() => {
      underWay = undefined;
    });
    underWay = asked;
    const result = await limitTime(clock, limitMs, asked).catch((error: unknown) => {
      throw faultOf(error);
    });
    if (result === timedOut) throw silent();
    return result;
  }
  return {
    async put(name, bytes) {
      await ask(() => place.put(name, bytes));
      const stored = await ask(() => place.get(name));
      if (stored !== undefined && (await sha256Of(stored)) === (await sha256Of(bytes))) return;
      // Under its name it would be taken for what was written.
      await ask(() => place.remove(name)).catch(() => {});
      throw new ArchiveFault(
        'the place of the archive has other bytes than were written into it',
        'look at the disk, the share or the store, or name another place',
        'wrong-bytes',
      );
    },
    get: (name) => ask(() => place.get(name)),
    remove: (name) => ask(() => place.remove(name)),
    list: (prefix) => ask(() => place.list(prefix)),
  };
}

function silent(): ArchiveFault {
  const hint = 'is the share mounted, and its server there?';
  return new ArchiveFault('the place of the archive does not answer', hint, 'away');
}

const problems: Readonly<Record<string, readonly [problem: string, hint: string, trouble: ArchiveTrouble]>> = {
  ENOSPC: ['is full', 'make room on it', 'full'],
  EDQUOT: ['is full', 'make room on it', 'full'],
  EACCES: ['may not be written by this user', 'chown it, or name another place', 'unwritable'],
  EPERM: ['may not be written by this user', 'chown it, or name another place', 'unwritable'],
  EROFS: ['cannot be written', 'is its disk mounted read-only?', 'unwritable'],
  ENOTDIR: ['is not a folder', 'name another one', 'unwritable'],
  EEXIST: ['is not a folder', 'name another one', 'unwritable'],
};

function faultOf(error: unknown): unknown {
  const isOfTheDisk = error instanceof Error && 'syscall' in error;
  if (!isOfTheDisk) return error;
  const code = errorCode(error);
  const unknown = [`cannot be used (${code})`, 'is the disk or the share mounted?', 'away'] as const;
  const [problem, hint, trouble] = problems[code] ?? unknown;
  return new ArchiveFault(`the place of the archive ${problem}`, hint, trouble);
}
