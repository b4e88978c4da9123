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
import { PageSums } from './page-sums.ts';
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

/** A chain that begins at the end of the log that is held, without a copy yet. */
export class Chain {
  readonly #name: string;
  readonly #deps: ChainDeps;
  #until: number;
  #number = 0;
  #previous = '';
  #waiting: Waiting | undefined;
  #toldKeys = '';
  readonly #sums = new PageSums();
  #rot: ArchiveFault | undefined;

  constructor(name: string, began: number, deps: ChainDeps) {
    this.#name = name;
    this.#deps = deps;
    this.#until = began;
  }

  /** The moment up to which all is archived, epoch milliseconds. */
  get until(): number {
    return this.#until;
  }

  /** Archives what was committed; where nothing was, once a minute that nothing was. */
  async ship(): Promise<void> {
    for (;;) {
      const isLate = this.#waiting !== undefined;
      if (!isLate) {
        const at = this.#now();
        this.#take(this.#deps.held.read(), at);
      }
      const one = this.#waiting;
      if (one === undefined) return;
      await this.#write(one);
      if (!one.read.isCut && !isLate) return;
    }
  }

  /** Has SQLite begin its log again. */
  async beginAgain(): Promise<void> {
    await this.ship();
    let at = this.#until;
    const rest = await this.#deps.held.beginAgain(() => {
      at = this.#now();
    });
    await this.#takeRest(rest, at);
  }

  /**
   * Copies the whole database into the archive; other changes are archived meanwhile. One with pages that nothing wrote since the
   * last copy is not archived: that copy and the changes since are the sound database.
   * @param meanwhile runs after each part
   * @throws ArchiveFault for such pages, and from then on
   */
  async copy(meanwhile: () => Promise<unknown>): Promise<void> {
    const { clock, database, place, seal, files, followed, about } = this.#deps;
    if (this.#rot !== undefined) throw this.#rot;
    await this.ship();
    const aside = `${database}.copy-${randomUUID()}`;
    try {
      const shown = await this.#copyAside(aside);
      let shippedAt = clock.now();
      const parts = await writeParts(this.#deps, { chain: this.#name, aside }, async () => {
        await meanwhile();
        if (Math.abs(clock.now() - shippedAt) < shipMs) return;
        await this.ship();
        shippedAt = clock.now();
      });
      const { size } = await stat(aside);
      const lists = { files: [...files.present()], keys: { ...(await followed.keys()) } };
      const head: BaseHead = { format: 1, ...about, bytes: size, previous: shown.previous, parts, ...lists };
      const bytes = await packObject(seal, head, []);
      await place.put(baseName({ chain: this.#name, ...shown, digest: await sha256Of(bytes) }), bytes);
    } finally {
      for (const suffix of ['', '-journal', '-wal', '-shm']) await rm(aside + suffix, { force: true });
    }
  }

  /** Times never go back within a chain, whatever the clock does. */
  #now(): number {
    return Math.max(this.#until, this.#deps.clock.now());
  }

  #take(read: WalRead, at: number): void {
    if (typeof read === 'string') throw new ChainBroken(read);
    this.#sums.wrote(read);
    const isDue = read.size > 0 || (!read.isCut && at - this.#until >= idleMs);
    // The rest of a read that was cut was committed before this moment, too.
    if (isDue) this.#waiting = { read, until: read.isCut ? this.#until : at };
  }

  async #takeRest(rest: WalRead, at: number): Promise<void> {
    this.#take(rest, at);
    if (this.#waiting !== undefined) await this.#write(this.#waiting);
  }

  async #pack({ read, until }: Waiting): Promise<NonNullable<Waiting['packed']>> {
    const { followed, seal } = this.#deps;
    const [chain, number, from] = [this.#name, this.#number + 1, this.#until];
    const keys = await followed.keys();
    const text = JSON.stringify(keys);
    const head: SegmentHead = {
      format: 1,
      chain,
      number,
      previous: this.#previous,
      pageSize: pageSizeOf(read),
      size: read.size,
      pages: [...read.pages.keys()],
      ...(text !== this.#toldKeys && { keys }),
    };
    const bytes = await packObject(seal, head, [...read.pages.values()]);
    const digest = await sha256Of(bytes);
    this.#toldKeys = text;
    return { name: segmentName({ chain, number, from, until, digest }), bytes, digest };
  }

  async #write(one: Waiting): Promise<void> {
    if (one.read.size > 0) await this.#deps.files.follow();
    // It is written again as it is, should the place have taken it without saying so.
    one.packed ??= await this.#pack(one);
    await this.#deps.place.put(one.packed.name, one.packed.bytes);
    this.#number++;
    this.#previous = one.packed.digest;
    this.#until = one.until;
    this.#waiting = undefined;
  }

  /** @returns the moment of the copy, once it is whole */
  async #copyAside(to: string): Promise<{ number: number; at: number; previous: string }> {
    await requireRoom(this.#deps);
    await writeFile(to, '', { mode: 0o600, flag: 'wx' });
    let at = this.#until;
    // The database is waited for: what was committed meanwhile is in the rest, too.
    const { rest, copied } = await this.#deps.held.copy(to, () => {
      at = this.#now();
    });
    if (typeof rest !== 'string' && rest.isCut) throw new ChainBroken('much was written at once');
    await this.#takeRest(rest, at);
    const shown = { number: this.#number, at, previous: this.#previous };
    await copied;
    const changed = await this.#sums.compare(to);
    if (changed.length === 0) return shown;
    this.#rot = rotten(changed);
    throw this.#rot;
  }
}

const shownPages = 5;

function rotten(pages: readonly number[]): ArchiveFault {
  const listed = `${pages.slice(0, shownPages).join(', ')}${pages.length > shownPages ? ' and more' : ''}`;
  return new ArchiveFault(
    `the disk has changed ${pages.length} pages of the database (${listed}), which nothing wrote: no new copy is archived`,
    'look at the disk; then stop the service, move its data folder away, and papergate backup restore --from this archive: its newest moment is sound',
  );
}

async function requireRoom({ database, freeBytes }: ChainDeps): Promise<void> {
  const { size } = await stat(database);
  if ((await freeBytes()) >= size + spareBytes) return;
  const message = 'the disk is full: the archive needs room for a copy of the database';
  throw new ArchiveFault(message, 'make room on it', 'no-room');
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
