/**
 * Archives a database on SQLite and the files of its service into a second place, a few seconds after each change. Nothing of
 * the service waits for it: where the place is slow or away, changes wait in the log, and where the log gets too long it
 * is let go, and a new copy of the database begins another chain.
 */
import type { CommonDeps } from '../database/common-deps.ts';
import { pause } from '../limit-time.ts';
import { Chain, ChainBroken, type ChainDeps, shipMs } from './archive-chain.ts';
import { type LeaseKeeper, leaseKeeper } from './archive-lease.ts';
import { chainName } from './archive-names.ts';
import { ArchiveFault, type ArchivePlace, type ArchiveTrouble, carefulPlace } from './archive-place.ts';
import type { ArchiveSeal } from './archive-seal.ts';
import { type FileFollower, fileFollower } from './follow-files.ts';
import { type HeldWal, holdWal, type WhileNobodyWrites } from './held-wal.ts';
import { type ArchiveOwner, goneArchive, openOwnArchive, readMarker } from './open-archive.ts';
import { tidyArchive } from './tidy-archive.ts';

export interface ArchiverDeps
  extends Pick<ChainDeps, 'database' | 'freeBytes' | 'about' | 'followed'>,
    Pick<CommonDeps, 'clock' | 'logger'>,
    ArchiveOwner {
  readonly place: ArchivePlace;
  /** A name of the data folder. */
  readonly holder: string;
  /** Frames of a log that is let go while the place is away; of 256 MiB when absent. */
  readonly maxFrames?: number;
  /** How long moments are kept. */
  readonly days: number;
  readonly whileNobodyWrites: WhileNobodyWrites;
  /** Has the service's own connection make checkpoints, or leave them to the archiver. */
  checkpointsByItself(isOn: boolean): Promise<void>;
  /** Is called after each round. */
  tell(state: ArchiveState): Promise<void>;
}

interface FaultWords {
  readonly message: string;
  readonly hint: string;
  readonly trouble: ArchiveTrouble;
}

/** How far the archive is. Times are epoch milliseconds. */
export interface ArchiveState {
  /** Everything up to then can be restored; undefined while no copy is whole. */
  readonly until: number | undefined;
  /** The reason why it does not go on, and what to do. */
  readonly fault: (FaultWords & { readonly since: number }) | undefined;
}

export interface Archiver {
  /** Archives what is there and stops; a place that is away holds the stop up for a few seconds at most. */
  stop(): Promise<void>;
}

/** Frames of a log that SQLite would write into the database by itself. */
const fullFrames = 1000;
/** Frames of a log that is let go while the place is away: 256 MiB. */
const defaultMaxFrames = 65_536;
const dayMs = 86_400_000;
const lastRoundMs = 10_000;

/** Opened for as long as the archiver goes on. */
interface Opened {
  readonly held: HeldWal;
  readonly chain: Chain;
  readonly files: FileFollower;
  copiedAt: number | undefined;
}

/** Starts to archive, and goes on until it is stopped. */
export function startArchiver(deps: ArchiverDeps): Archiver {
  const { clock } = deps;
  const rounds = new ArchiveRounds(deps);
  let isStopped = false;
  let wake = (): void => {};
  const stopped = new Promise<void>((resolve) => {
    wake = resolve;
  });
  const running = (async () => {
    while (!isStopped) {
      await rounds.round();
      if (!isStopped) await Promise.race([pause(clock, shipMs), stopped]);
    }
  })();
  return {
    async stop() {
      isStopped = true;
      wake();
      await Promise.race([running.then(() => rounds.end()), pause(clock, lastRoundMs)]);
      rounds.close();
    },
  };
}

/** One round after the other; tests play them by themselves. */
export class ArchiveRounds {
  readonly #deps: ArchiverDeps;
  readonly #place: ArchivePlace;
  readonly #lease: LeaseKeeper;
  #seal: ArchiveSeal | undefined;
  #opened: Opened | undefined;
  #chains = 0;
  #until: number | undefined;
  #fault: ArchiveState['fault'];

  constructor(deps: ArchiverDeps) {
    this.#deps = deps;
    this.#place = carefulPlace(deps.place, deps.clock);
    this.#lease = leaseKeeper(this.#place, deps);
  }

  /** Never rejects: what goes wrong is a state. */
  async round(): Promise<void> {
    const { logger, tell } = this.#deps;
    try {
      await this.#archive();
      if (this.#fault !== undefined) logger.info({}, 'archiving goes on');
      this.#fault = undefined;
    } catch (error) {
      await this.#failed(error).catch((worse: unknown) => logger.error({ error: worse }, 'the archiver failed'));
    }
    await tell({ until: this.#until, fault: this.#fault }).catch((error: unknown) =>
      logger.warn({ error }, 'the state of the archive could not be noted'),
    );
  }

  /** Archives what was written last; a failure is that of the last round. */
  async end(): Promise<void> {
    await this.#opened?.chain.ship().catch(() => {});
  }

  close(): void {
    this.#opened?.held.close();
    this.#opened = undefined;
  }

  async #letGo(): Promise<void> {
    if (this.#opened === undefined) return;
    this.close();
    await this.#deps.checkpointsByItself(true);
  }

  /** Whose archive it is, is asked each time: a share that is not mounted is an empty folder. */
  async #openPlace(): Promise<ArchiveSeal> {
    const { service } = this.#deps;
    this.#seal ??= await openOwnArchive(this.#place, this.#deps);
    const marker = await readMarker(this.#place);
    if (marker?.service === service) return this.#seal;
    throw goneArchive();
  }

  #renew(): Promise<number> {
    return this.#lease.hold(this.#until ?? 0);
  }

  async #begin(epoch: number, seal: ArchiveSeal): Promise<Opened> {
    const { clock, followed, database, whileNobodyWrites, checkpointsByItself } = this.#deps;
    const place = this.#place;
    const files = await fileFollower({ place, seal, clock }, followed);
    // What takes long is copied before the log is held.
    await files.follow(() => this.#renew());
    await checkpointsByItself(false);
    const held = await holdWal(database, whileNobodyWrites);
    const name = chainName(epoch, ++this.#chains);
    const chain = new Chain(name, clock.now(), { ...this.#deps, place, seal, held, files });
    return { held, chain, files, copiedAt: undefined };
  }

  async #archive(): Promise<void> {
    const seal = await this.#openPlace();
    const epoch = await this.#renew();
    this.#opened ??= await this.#begin(epoch, seal);
    const { chain, held, copiedAt } = this.#opened;
    await chain.ship();
    this.#tellUntil();
    if (held.frames() > fullFrames) await chain.beginAgain();
    const isDue = copiedAt === undefined || Math.abs(this.#deps.clock.now() - copiedAt) >= dayMs;
    if (isDue) await this.#copy(this.#opened, seal);
    this.#tellUntil();
  }

  async #copy(opened: Opened, seal: ArchiveSeal): Promise<void> {
    const { clock, days, logger } = this.#deps;
    await opened.chain.copy(async () => {
      this.#tellUntil();
      await this.#renew();
    });
    opened.copiedAt = clock.now();
    const kept = { since: clock.now() - days * dayMs, present: opened.files.present() };
    const removed = await tidyArchive({ place: this.#place, seal }, kept);
    logger.info({ removed }, 'copied the database into the archive');
  }

  #tellUntil(): void {
    if (this.#opened?.copiedAt !== undefined) this.#until = this.#opened.chain.until;
  }

  async #failed(error: unknown): Promise<void> {
    const { clock, logger, maxFrames = defaultMaxFrames } = this.#deps;
    if (error instanceof ChainBroken) {
      logger.info({ why: error.message }, 'the archive begins with a new copy of the database');
      return this.#letGo();
    }
    const words = describe(error);
    const { message, hint } = words;
    const isNew = this.#fault === undefined;
    if (isNew) logger.warn({ hint, ...(!isKnown(error) && { error }) }, `archiving waits: ${message}`);
    this.#fault = { ...words, since: this.#fault?.since ?? clock.now() };
    if ((this.#opened?.held.frames() ?? 0) < maxFrames) return;
    logger.warn({ hint }, 'archiving waits for too long: it begins with a new copy of the database when it goes on');
    await this.#letGo();
  }
}

function isKnown(error: unknown): error is Error & { readonly hint?: unknown } {
  return error instanceof Error && 'hint' in error;
}

function describe(error: unknown): FaultWords {
  const trouble = error instanceof ArchiveFault ? error.trouble : 'other';
  if (isKnown(error)) return { message: error.message, hint: String(error.hint ?? ''), trouble };
  const message = error instanceof Error ? error.message : String(error);
  return { message, hint: 'the log of the service says more', trouble };
}
