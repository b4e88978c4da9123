/**
 * A chain: changes of the database without a gap, one segment after the other, and copies of the whole database that stand
 * between two of them. A service that starts begins a chain of its own.
 */
import { randomUUID } from 'node:crypto';
import { open, rm, stat, writeFile } from 'node:fs/promises';
import type { Clock } from '../clock.ts';
import { sha256Of } from '../digest.ts';
import { baseName, partName, segmentName } from './archive-names.ts';
import { ArchiveFault, type ArchivePlace } from './archive-place.ts';
import type { ArchiveSeal } from './archive-seal.ts';
import { type BaseHead, packObject, type SegmentHead } from './archive-segment.ts';
import type { FileFollower, FollowedFiles } from './follow-files.ts';
import type { HeldWal } from './held-wal.ts';
import type { CommittedPages, WalRead } from './wal-frames.ts';

/** The log went on without this chain: the next one begins with a copy of the whole database. */
export class ChainBroken extends Error {}

export interface ChainDeps {
  readonly clock: Clock;
  readonly place: ArchivePlace;
  readonly seal: ArchiveSeal;
  readonly files: FileFollower;
  readonly followed: FollowedFiles;
  readonly held: HeldWal;
  /** The file of the database, and the room on its disk. */
  readonly database: string;
  readonly freeBytes: () => Promise<number>;
  readonly about: Pick<BaseHead, 'version' | 'filesIn'>;
}

export interface Chain {
  /** The moment up to which all is archived, epoch milliseconds. */
  until(): number;
  /** Archives what was committed; where nothing was, once a minute that nothing was. */
  ship(): Promise<void>;
  /** Has SQLite begin its log again. */
  turn(): Promise<void>;
  /**
   * Copies the whole database into the archive; other changes are archived meanwhile.
   * @param meanwhile runs after each part
   */
  copy(meanwhile: () => Promise<unknown>): Promise<void>;
}

interface Waiting {
  readonly read: CommittedPages;
  readonly until: number;
  packed?: { readonly name: string; readonly bytes: Uint8Array; readonly digest: string };
}

const idleMs = 60_000;
/** The time after which changes do not wait for a copy that is under way. */
export const shipMs = 10_000;
const partBytes = 8 * 1024 * 1024;
const spareBytes = 64 * 1024 * 1024;
const pageSizeOf = ({ pages }: CommittedPages): number => pages.values().next().value?.length ?? 0;

/** Begins a chain at the end of the log that is held, without a copy yet. */
export function beginChain(chain: string, began: number, deps: ChainDeps): Chain {
  const { clock, place, seal, held, files, followed } = deps;
  let [until, number, previous] = [began, 0, ''];
  let waiting: Waiting | undefined;
  let toldKeys = '';

  /** Times never go back within a chain, whatever the clock does. */
  const now = (): number => Math.max(until, clock.now());

  function take(read: WalRead, at: number): void {
    if (typeof read === 'string') throw new ChainBroken(read);
    // What follows a read that was cut was committed before this moment, too.
    if (read.size > 0 || (!read.isCut && at - until >= idleMs)) waiting = { read, until: read.isCut ? until : at };
  }

  async function pack({ read, until: to }: Waiting): Promise<NonNullable<Waiting['packed']>> {
    const keys = await followed.keys();
    const text = JSON.stringify(keys);
    const head: SegmentHead = {
      ...{ format: 1, chain, number: number + 1, previous, pageSize: pageSizeOf(read), size: read.size },
      pages: [...read.pages.keys()],
      ...(text !== toldKeys && { keys }),
    };
    const bytes = await packObject(seal, head, [...read.pages.values()]);
    const digest = await sha256Of(bytes);
    toldKeys = text;
    return { name: segmentName({ chain, number: number + 1, from: until, until: to, digest }), bytes, digest };
  }

  async function write(one: Waiting): Promise<void> {
    if (one.read.size > 0) await files.follow();
    // It is written again as it is, should the place have taken it without saying so.
    one.packed ??= await pack(one);
    await place.put(one.packed.name, one.packed.bytes);
    [number, previous, until] = [number + 1, one.packed.digest, one.until];
    waiting = undefined;
  }

  async function ship(): Promise<void> {
    for (;;) {
      const isLate = waiting !== undefined;
      if (waiting === undefined) {
        const at = now();
        take(held.read(), at);
      }
      const one = waiting;
      if (one === undefined) return;
      await write(one);
      if (!one.read.isCut && !isLate) return;
    }
  }

  async function takeRest(rest: WalRead, at: number): Promise<void> {
    take(rest, at);
    if (waiting !== undefined) await write(waiting);
  }

  /** @returns what the copy shows, once it is whole */
  async function copyAside(to: string): Promise<{ number: number; at: number; previous: string }> {
    await requireRoom(deps);
    await writeFile(to, '', { mode: 0o600, flag: 'wx' });
    const at = now();
    const { rest, copied } = await held.copy(to);
    if (typeof rest !== 'string' && rest.isCut) throw new ChainBroken('much was written at once');
    await takeRest(rest, at);
    const shown = { number, at, previous };
    await copied;
    return shown;
  }

  return {
    until: () => until,
    ship,
    async turn() {
      await ship();
      const at = now();
      await takeRest(await held.turn(), at);
    },
    async copy(meanwhile) {
      await ship();
      const aside = `${deps.database}.copy-${randomUUID()}`;
      try {
        const shown = await copyAside(aside);
        let shippedAt = clock.now();
        const parts = await writeParts(deps, { chain, aside }, async () => {
          await meanwhile();
          if (Math.abs(clock.now() - shippedAt) < shipMs) return;
          await ship();
          shippedAt = clock.now();
        });
        const { size } = await stat(aside);
        const whole = { format: 1, ...deps.about, bytes: size, previous: shown.previous, parts } as const;
        const head: BaseHead = { ...whole, files: [...files.present()], keys: { ...(await followed.keys()) } };
        const bytes = await packObject(seal, head, []);
        await place.put(baseName({ chain, ...shown, digest: await sha256Of(bytes) }), bytes);
      } finally {
        for (const suffix of ['', '-journal', '-wal', '-shm']) await rm(aside + suffix, { force: true });
      }
    },
  };
}

async function requireRoom({ database, freeBytes }: ChainDeps): Promise<void> {
  const { size } = await stat(database);
  if ((await freeBytes()) >= size + spareBytes) return;
  throw new ArchiveFault('the disk is full: the archive needs room for a copy of the database', 'make room on it');
}

/** Writes a copied database in parts; `between` runs after each. */
async function writeParts(
  { place, seal }: ChainDeps,
  { chain, aside }: { readonly chain: string; readonly aside: string },
  between: () => Promise<void>,
): Promise<BaseHead['parts']> {
  const copy = randomUUID().slice(0, 8);
  const parts: { name: string; digest: string }[] = [];
  const file = await open(aside, 'r');
  try {
    for (;;) {
      const part = Buffer.alloc(partBytes);
      const { bytesRead } = await file.read(part, 0, partBytes, parts.length * partBytes);
      if (bytesRead === 0) return parts;
      const bytes = await packObject(seal, {}, [part.subarray(0, bytesRead)]);
      const name = partName(chain, copy, parts.length);
      await place.put(name, bytes);
      parts.push({ name, digest: await sha256Of(bytes) });
      await between();
    }
  } finally {
    await file.close();
  }
}
