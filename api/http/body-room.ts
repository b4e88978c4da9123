/**
 * Keeps callers' bodies while they arrive and are worked on: small ones in memory, all others on the disk, both within
 * one bound for everybody. A body that does not fit is refused before it is read, or as soon as it has grown too large.
 */
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Refusal, refuse } from '../../reasons/refusals.ts';
import type { Clock } from '../../runtime/clock.ts';
import { errorCode } from '../../runtime/error-code.ts';
import { fairShares, type Sharer } from '../../runtime/fair-shares.ts';
import { isSmallMachine } from '../../runtime/machine-memory.ts';
import { reserveScratch, type ScratchMemory } from '../../runtime/scratch-memory.ts';
import { type SharedBudget, sharedBudget } from '../../runtime/shared-budget.ts';
import { defaultFormLimitBytes } from './body-limits.ts';

const mebibyte = 1024 * 1024;

/** The bounds for all callers together. */
export interface BodyLimits {
  readonly memoryBytes: number;
  readonly diskBytes: number;
  /** The free space on the disk that bodies leave for everything that is to be kept. */
  readonly spareDiskBytes: number;
  /** The calls with large bodies or with files that are worked on at once, in all and of one organization. */
  readonly works: { readonly atOnce: number; readonly ofOne: number };
  /** The longest wait of such a call for its place. */
  readonly maxWaitMs: number;
}

const defaultLimits: BodyLimits = {
  memoryBytes: 64 * mebibyte,
  diskBytes: 1024 * mebibyte,
  spareDiskBytes: 256 * mebibyte,
  // One call of an organization may wait for its picture to be decoded while another is read.
  works: { atOnce: 3, ofOne: 2 },
  maxWaitMs: 60_000,
};

/** One picture after the other, and most of what arrives on the disk (T-96). Anyone who sends many waits longer then. */
const smallLimits: BodyLimits = {
  ...defaultLimits,
  memoryBytes: 16 * mebibyte,
  works: { atOnce: 1, ofOne: 1 },
  maxWaitMs: 180_000,
};

/** Returns the bounds for a machine, or a container, with so much memory. */
export function bodyLimitsFor(memoryBytes: number): BodyLimits {
  return isSmallMachine(memoryBytes) ? smallLimits : defaultLimits;
}

/**
 * The pieces in which large bodies came are freed at the next collection of old objects: minutes later where little else
 * happens. After many bytes, and when few have come for a while, nobody is held up by one.
 */
const manyBytes = 64 * mebibyte;
const fewBytes = 16 * mebibyte;
const quietMs = 5_000;

/** The seconds after which a refused caller may find room. */
const retryAfterSeconds = 10;

export interface BodyRoomDeps {
  /** The room's own folder: files in it when the room opens were left by a process that died. */
  readonly folder: string;
  readonly clock: Clock;
  /** Returns the free bytes of the disk that the folder is on. */
  readonly freeBytes: () => Promise<number>;
  /** Frees memory: called when large bodies came, and for a while few more did. */
  readonly collect?: (() => void) | undefined;
  /** The limits; missing ones have the default. */
  readonly limits?: Partial<BodyLimits> | undefined;
}

/** A file that exists until its call is answered. */
export interface BodyFile {
  readonly path: string;
  readonly handle: FileHandle;
}

export interface CallRoom {
  /**
   * Takes memory.
   * @throws Refusal `unavailable` when there is not so much for this caller
   */
  takeMemory(bytes: number): void;
  /**
   * Takes space on the disk.
   * @throws Refusal `unavailable` when there is not so much for this caller
   */
  takeDisk(bytes: number): Promise<void>;
  openFile(): Promise<BodyFile>;
  /**
   * Works on the body when this call has its place in the queue.
   * @throws Refusal `unavailable` when that takes too long
   */
  work<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result>;
  /**
   * Parses a body that is all in memory for a moment: one call after the other. What `work` returns must hold nothing of
   * the bytes, which it may overwrite.
   */
  takeApart<Result>(file: BodyFile, work: (bytes: Buffer) => Promise<Result>): Promise<Result>;
  /** Gives everything back and removes the files. */
  leave(): Promise<void>;
}

export interface BodyRoom {
  /**
   * Opens the room of one call.
   * @param sharer whose call it is: an organization, or an address, then something within it
   */
  enter(sharer: Sharer): CallRoom;
}

/** Opens the room, and deletes the files that a process that died left in it (T-35). */
export async function openBodyRoom({ folder, clock, freeBytes, collect, limits }: BodyRoomDeps): Promise<BodyRoom> {
  const { memoryBytes, diskBytes, spareDiskBytes, works, maxWaitMs } = { ...defaultLimits, ...limits };
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const memory = sharedBudget(memoryBytes);
  const disk = sharedBudget(diskBytes);
  const queue = fairShares(works);
  const apart = fairShares({ atOnce: 1 });
  const scratch = reserveScratch(defaultFormLimitBytes);
  const countLarge = quietWatch(clock, collect);
  let files = 0;

  return {
    enter(sharer) {
      const taken: (() => void)[] = [];
      const opened: BodyFile[] = [];
      let isLeft = false;
      // Methods: each call comes here, and a function with a name of its own costs a microsecond.
      return {
        takeMemory(bytes) {
          taken.push(take(memory, sharer, bytes));
        },
        async takeDisk(bytes) {
          // Space that others were granted may not be written yet.
          if ((await freeBytes()) - disk.used() - bytes < spareDiskBytes) throw noRoom('The disk is nearly full');
          taken.push(take(disk, sharer, bytes));
          countLarge(bytes);
        },
        async openFile() {
          if (isLeft) throw new Error('the call is over');
          const path = join(folder, String(files++));
          const file = { path, handle: await open(path, 'wx+', 0o600).catch(refuseFullDisk) };
          opened.push(file);
          return file;
        },
        async work(work, signal) {
          const late = new AbortController();
          const timer = clock.after(maxWaitMs, () => late.abort(noRoom('Too many uploads are being worked on')));
          try {
            return await queue.run(sharer, work, AbortSignal.any([signal, late.signal]));
          } finally {
            timer.cancel();
          }
        },
        takeApart(file, work) {
          return apart.run(sharer, () => readInto(scratch, file, work));
        },
        async leave() {
          isLeft = true;
          if (opened.length > 0) await Promise.all(opened.map(removeFile));
          for (const giveBack of taken) giveBack();
        },
      };
    },
  };
}

function take(budget: SharedBudget, [whose = '']: Sharer, bytes: number): () => void {
  const giveBack = budget.take(whose, bytes);
  if (giveBack === undefined) throw noRoom('Too much is being uploaded');
  return giveBack;
}

function removeFile({ handle, path }: BodyFile): Promise<void> {
  return handle.close().finally(() => rm(path, { force: true }));
}

/** Counts the bytes of large bodies, and collects when there were many and only few have come for a while. */
function quietWatch(clock: Clock, collect: () => void = () => {}): (bytes: number) => void {
  let uncollected = 0;
  let recent = 0;
  let isWaiting = false;
  const look = (): void => {
    isWaiting = true;
    recent = 0;
    clock.after(quietMs, () => {
      isWaiting = false;
      if (recent > fewBytes) return look();
      uncollected = 0;
      collect();
    });
  };
  return (bytes) => {
    uncollected += bytes;
    recent += bytes;
    if (uncollected >= manyBytes && !isWaiting) look();
  };
}

async function readInto<Result>(
  scratch: ScratchMemory,
  { handle }: BodyFile,
  work: (bytes: Buffer) => Promise<Result>,
): Promise<Result> {
  const { size } = await handle.stat();
  return scratch.lend(size, async (bytes) => {
    for (let at = 0; at < size; ) {
      const { bytesRead } = await handle.read(bytes, at, size - at, at);
      if (bytesRead === 0) throw new Error('the file of a body is shorter than it was');
      at += bytesRead;
    }
    return work(bytes);
  });
}

function noRoom(message: string): Refusal {
  return refuse('unavailable', { message, retryAfterSeconds });
}

/** Refuses when the disk is full, which is not a bug; for code that writes a body. */
export function refuseFullDisk(error: unknown): never {
  const code = errorCode(error);
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG') throw noRoom('The disk is full');
  throw error;
}
