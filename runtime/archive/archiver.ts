/**
 * Archives a database on SQLite and the files of its service into a second place, a few seconds after each change. Nothing of
 * the service waits for it: where the place is slow or away, changes wait in the log, and where the log gets too long it
 * is let go, and a new copy of the database begins another chain.
 */
import type { CommonDeps } from '../database/common-deps.ts';
import { pause } from '../limit-time.ts';
import { beginChain, type Chain, ChainBroken, type ChainDeps, shipMs } from './archive-chain.ts';
import { type LeaseKeeper, leaseKeeper } from './archive-lease.ts';
import { chainName } from './archive-names.ts';
import { ArchiveFault, type ArchivePlace, carefulPlace } from './archive-place.ts';
import type { ArchiveSeal } from './archive-seal.ts';
import { type FileFollower, fileFollower } from './follow-files.ts';
import { type HeldWal, holdWal, type WhileNobodyWrites } from './held-wal.ts';
import { openOwnArchive, readMarker } from './open-archive.ts';
import { tidyArchive } from './tidy-archive.ts';

export interface ArchiverDeps
  extends Pick<ChainDeps, 'database' | 'freeBytes' | 'about' | 'followed'>,
    Pick<CommonDeps, 'clock' | 'logger'> {
  readonly place: ArchivePlace;
  /** The id of the service, and a name of its data folder. */
  readonly service: string;
  readonly holder: string;
  readonly key: string | undefined;
  /** Frames of a log that is let go while the place is away; of 256 MiB when absent. */
  readonly mostFrames?: number;
  /** How long moments are kept. */
  readonly days: number;
  readonly whileNobodyWrites: WhileNobodyWrites;
  /** Has the service's own connection make checkpoints, or leave them to the archiver. */
  checkpointsByItself(isOn: boolean): Promise<void>;
  /** Is called after each round. */
  tell(state: ArchiveState): Promise<void>;
}

/** How far the archive is. Times are epoch milliseconds. */
export interface ArchiveState {
  /** Everything up to then can be restored; undefined while no copy is whole. */
  readonly until: number | undefined;
  /** The reason why it does not go on, and what to do. */
  readonly fault: { readonly message: string; readonly hint: string; readonly since: number } | undefined;
}

export interface Archiver {
  /** Archives what is there and stops; a place that is away holds the stop up for a few seconds at most. */
  stop(): Promise<void>;
}

/** Frames of a log that SQLite would write into the database by itself. */
const turnFrames = 1000;
/** Frames of a log that is let go while the place is away: 256 MiB. */
const usualMostFrames = 65_536;
const dayMs = 86_400_000;
const lastRoundMs = 10_000;

/** What is open while the archiver goes on. */
interface Opened {
  readonly held: HeldWal;
  readonly chain: Chain;
  readonly files: FileFollower;
  copiedAt: number | undefined;
}

/** Starts to archive, and goes on until it is stopped. */
export function startArchiver(deps: ArchiverDeps): Archiver {
  const { clock } = deps;
  const rounds = archiveRounds(deps);
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
      await Promise.race([running.then(rounds.end), pause(clock, lastRoundMs)]);
      rounds.close();
    },
  };
}

/** One round after the other; tests run them by themselves. */
export function archiveRounds(deps: ArchiverDeps) {
  const { clock, logger, holder } = deps;
  const place = carefulPlace(deps.place, clock);
  const lease: LeaseKeeper = leaseKeeper(place, { holder, clock });
  let seal: ArchiveSeal | undefined;
  let opened: Opened | undefined;
  let chains = 0;
  let until: number | undefined;
  let fault: ArchiveState['fault'];

  function close(): void {
    opened?.held.close();
    opened = undefined;
  }

  async function letGo(): Promise<void> {
    if (opened === undefined) return;
    close();
    await deps.checkpointsByItself(true);
  }

  /** Whose archive it is, is asked each time: a share that is not mounted any more is an empty folder. */
  async function openPlace(): Promise<ArchiveSeal> {
    if (seal === undefined) seal = await openOwnArchive(place, { service: deps.service, key: deps.key });
    const marker = await readMarker(place);
    if (marker?.service === deps.service) return seal;
    throw new ArchiveFault('the archive is not there any more', 'is the disk or the share mounted?');
  }

  const renew = (): Promise<number> => lease.hold(until ?? 0);

  async function begin(epoch: number, opening: ArchiveSeal): Promise<Opened> {
    const files = await fileFollower({ place, seal: opening, clock }, deps.followed);
    // What takes long is copied before the log is held.
    await files.follow(renew);
    await deps.checkpointsByItself(false);
    const held = await holdWal(deps.database, deps.whileNobodyWrites);
    const chain = beginChain(chainName(epoch, ++chains), clock.now(), { ...deps, place, seal: opening, held, files });
    return { held, chain, files, copiedAt: undefined };
  }

  async function archive(): Promise<void> {
    const opening = await openPlace();
    const epoch = await renew();
    opened ??= await begin(epoch, opening);
    const { chain, held, files } = opened;
    const tellUntil = (): void => {
      if (opened?.copiedAt !== undefined) until = chain.until();
    };
    await chain.ship();
    tellUntil();
    if (held.frames() > turnFrames) await chain.turn();
    const isDue = opened.copiedAt === undefined || Math.abs(clock.now() - opened.copiedAt) >= dayMs;
    if (isDue) {
      await chain.copy(async () => {
        tellUntil();
        await renew();
      });
      opened.copiedAt = clock.now();
      const since = clock.now() - deps.days * dayMs;
      const removed = await tidyArchive({ place, seal: opening }, { since, present: files.present() });
      logger.info({ removed }, 'copied the database into the archive');
    }
    tellUntil();
  }

  /** @returns whether the next round begins another chain */
  async function failed(error: unknown): Promise<void> {
    if (error instanceof ChainBroken) {
      logger.info({ why: error.message }, 'the archive begins with a new copy of the database');
      return letGo();
    }
    const { message, hint } = describe(error);
    if (fault === undefined) logger.warn({ hint, ...(!isKnown(error) && { error }) }, `archiving waits: ${message}`);
    fault = { message, hint, since: fault?.since ?? clock.now() };
    if ((opened?.held.frames() ?? 0) < (deps.mostFrames ?? usualMostFrames)) return;
    logger.warn({ hint }, 'archiving waits for too long: it begins with a new copy of the database when it goes on');
    await letGo();
  }

  return {
    /** Never rejects: what goes wrong is a state. */
    async round(): Promise<void> {
      try {
        await archive();
        if (fault !== undefined) logger.info({}, 'archiving goes on');
        fault = undefined;
      } catch (error) {
        await failed(error).catch((worse: unknown) => logger.error({ error: worse }, 'the archiver failed'));
      }
      await deps
        .tell({ until, fault })
        .catch((error: unknown) => logger.warn({ error }, 'the state of the archive could not be noted'));
    },
    async end(): Promise<void> {
      await opened?.chain.ship().catch(() => {});
    },
    close,
  };
}

function isKnown(error: unknown): error is Error & { readonly hint?: unknown } {
  return error instanceof Error && 'hint' in error;
}

function describe(error: unknown): { readonly message: string; readonly hint: string } {
  if (isKnown(error)) return { message: error.message, hint: String(error.hint ?? '') };
  return { message: error instanceof Error ? error.message : String(error), hint: 'the log of the service says more' };
}
