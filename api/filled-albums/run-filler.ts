/** Lists the sources of albums and fills their windows, on one of several nodes. When it ends, another one goes on. */
import type { SingleTask } from '../../cluster/cluster.ts';
import type { Database } from '../../runtime/database/database.ts';
import { inBackground } from '../../runtime/in-background.ts';
import { inRounds } from '../../runtime/rounds.ts';
import { type FillDeps, fillWindow } from './fill-window.ts';
import { namedWorks } from './named-works.ts';
import { countAhead, windowSize } from './queue.ts';
import { readCaptures } from './read-captures.ts';
import type { AlbumSourceRow } from './sources.ts';
import { takeListing } from './take-listing.ts';

/** Time between two looks for what is due. */
const roundMs = 10_000;
/** The time after which a full window is looked at again: its day may be over, or its settings changed. */
const fullMs = 60_000;

export interface FillerDeps extends Omit<FillDeps, 'filled'> {
  readonly single: SingleTask;
  /** Wakes the delivery line. */
  readonly nudgeLine: () => void;
}

/** The worker that fills albums. */
export interface AlbumFiller {
  start(): void;
  /** Looks at once: a source was added, or an album changed. */
  nudge(): void;
  /** Does everything that is due now, as its rounds do. */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

/** Looks for what is due, and begins it. */
function lookForWork(given: FillerDeps) {
  const { db, clock, logger, nudgeLine } = given;
  const deps: FillDeps = { ...given, filled: nudgeLine };
  const underWay = namedWorks(logger);
  const fullUntil = new Map<string, number>();

  const fill = (begin: typeof underWay.begin, { paper_id, organization_id }: Album): void =>
    begin(`album ${paper_id}`, organization_id, async (signal) => {
      await fillWindow(deps, paper_id, signal);
      fullUntil.set(paper_id, clock.now() + fullMs);
    });

  async function list(row: AlbumSourceRow, signal: AbortSignal): Promise<void> {
    const open = () => given.open(row, signal);
    if (await takeListing(deps, row, open)) nudgeLine();
    await readCaptures(deps, row, open);
    fullUntil.delete(row.paper_id);
    fill(underWay.beginAfter, row);
  }

  return {
    ...underWay,
    /** Looks at every album again, full or not. */
    forget: (): void => fullUntil.clear(),
    async look(): Promise<void> {
      const now = clock.now();
      for (const row of await dueSources(db, now)) {
        underWay.begin(`source ${row.id}`, row.organization_id, (signal) => list(row, signal));
      }
      for (const album of await albumsToFill(db, now)) {
        if (!album.isFull || (fullUntil.get(album.paper_id) ?? 0) <= now) fill(underWay.begin, album);
      }
    },
  };
}

/** An album that sources fill. */
type Album = Pick<AlbumSourceRow, 'paper_id' | 'organization_id'>;

const dueSources = (db: Database, now: number): Promise<AlbumSourceRow[]> =>
  db<AlbumSourceRow>('album_sources').where('next_at', '<=', now).orderBy('next_at');

/** Albums with sources that do not wait after a failure, with whether enough pictures are ahead of every frame. */
async function albumsToFill(db: Database, now: number): Promise<readonly (Album & { readonly isFull: boolean })[]> {
  const albums: Album[] = await db('album_sources')
    .leftJoin('filled_albums', 'filled_albums.paper_id', 'album_sources.paper_id')
    .where((due) => void due.whereNull('filled_albums.next_at').orWhere('filled_albums.next_at', '<=', now))
    .distinct('album_sources.paper_id', 'album_sources.organization_id');
  const judged: (Album & { readonly isFull: boolean })[] = [];
  for (const album of albums)
    judged.push({ ...album, isFull: (await countAhead(db, album.paper_id)) >= windowSize.ahead });
  return judged;
}

/** Composes it; nothing is asked before `start`. */
export function albumFiller(deps: FillerDeps): AlbumFiller {
  const { clock, logger, single } = deps;
  const works = lookForWork(deps);
  let isRunning = false;
  let last: Promise<void> = Promise.resolve();

  /** Rounds and nudges follow each other. */
  const lookNext = (): Promise<void> => {
    last = last
      .then(async () => {
        if (isRunning && single.isOurs()) await works.look();
      })
      .catch((error: unknown) => logger.error({ error }, 'albums were not looked at'));
    return last;
  };
  const nudge = (): void => {
    works.forget();
    if (isRunning) inBackground(logger, 'fill albums', lookNext);
  };
  const rounds = inRounds(clock, roundMs, lookNext);
  single.whenOurs(nudge);
  return {
    start() {
      isRunning = true;
      nudge();
      rounds.start();
    },
    nudge,
    async settle() {
      await works.look();
      await works.idle();
    },
    async stop() {
      isRunning = false;
      await rounds.stop();
      works.stop();
      await last;
      await works.idle();
    },
  };
}
