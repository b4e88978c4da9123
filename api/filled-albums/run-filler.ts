/** Lists the sources of albums and fills their windows, on one of several nodes. When it ends, another one goes on. */
import type { SingleTask } from '../../cluster/cluster.ts';
import { fairShares } from '../../runtime/fair-shares.ts';
import { inBackground } from '../../runtime/in-background.ts';
import { inRounds } from '../../runtime/rounds.ts';
import { type FillDeps, fillWindow } from './fill-window.ts';
import { windowSize } from './queue.ts';
import type { AlbumSourceRow } from './sources.ts';
import { takeListing } from './take-listing.ts';

/** Time between two looks for what is due. */
const roundMs = 10_000;
/** The time after which a full window is looked at again: its day may be over, or its settings changed. */
const fullMs = 60_000;
/** The works at once, in all and of one organization: most of them wait for a server. */
const works = { atOnce: 16, ofOne: 4 } as const;

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

/** Composes it; nothing is asked before `start`. */
export function albumFiller(given: FillerDeps): AlbumFiller {
  const { db, clock, logger, single, nudgeLine } = given;
  const deps: FillDeps = { ...given, filled: nudgeLine };
  const shares = fairShares(works);
  const underWay = new Map<string, Promise<void>>();
  const fullUntil = new Map<string, number>();
  let ending = new AbortController();
  let isRunning = false;
  let last: Promise<void> = Promise.resolve();

  /** Begins a work, unless one of this name is under way. */
  function begin(name: string, organizationId: string, work: (signal: AbortSignal) => Promise<void>): void {
    if (underWay.has(name)) return;
    const { signal } = ending;
    const done = shares
      .run([organizationId], () => work(signal), signal)
      .catch((error: unknown) => {
        if (!signal.aborted) logger.error({ error, work: name }, 'filling albums broke off');
      })
      .finally(() => underWay.delete(name));
    underWay.set(name, done);
  }

  async function list(row: AlbumSourceRow, signal: AbortSignal): Promise<void> {
    const isShown = await takeListing(deps, row, given.open(row, signal));
    if (isShown) nudgeLine();
    fullUntil.delete(row.paper_id);
    beginFilling(row.paper_id, row.organization_id);
  }

  const beginFilling = (paperId: string, organizationId: string): void =>
    begin(`album ${paperId}`, organizationId, async (signal) => {
      await fillWindow(deps, paperId, signal);
      fullUntil.set(paperId, clock.now() + fullMs);
    });

  async function look(): Promise<void> {
    const now = clock.now();
    const due: AlbumSourceRow[] = await db<AlbumSourceRow>('album_sources')
      .where('next_at', '<=', now)
      .orderBy('next_at');
    for (const row of due) begin(`source ${row.id}`, row.organization_id, (signal) => list(row, signal));
    for (const { paper_id, organization_id } of await albumsToFill(now)) beginFilling(paper_id, organization_id);
  }

  /** Albums with sources whose window is not full, or was not looked at for a while. */
  async function albumsToFill(now: number): Promise<readonly Pick<AlbumSourceRow, 'paper_id' | 'organization_id'>[]> {
    const rows: (Pick<AlbumSourceRow, 'paper_id' | 'organization_id'> & { ahead: number })[] = await db('album_sources')
      .leftJoin('filled_albums', 'filled_albums.paper_id', 'album_sources.paper_id')
      .where((due) => void due.whereNull('filled_albums.next_at').orWhere('filled_albums.next_at', '<=', now))
      .distinct('album_sources.paper_id', 'album_sources.organization_id')
      .select(db.raw(aheadSql));
    return rows.filter(
      ({ paper_id, ahead }) => Number(ahead) < windowSize.ahead || (fullUntil.get(paper_id) ?? 0) <= now,
    );
  }

  async function idle(): Promise<void> {
    while (underWay.size > 0) await Promise.all(underWay.values());
  }

  /** Rounds and nudges follow each other. */
  const lookNext = (): Promise<void> => {
    last = last
      .then(async () => {
        if (isRunning && single.isOurs()) await look();
      })
      .catch((error: unknown) => logger.error({ error }, 'albums were not looked at'));
    return last;
  };
  const nudge = (): void => {
    fullUntil.clear();
    if (isRunning) inBackground(logger, 'fill albums', lookNext);
  };
  const rounds = inRounds(clock, roundMs, lookNext);
  single.whenOurs(nudge);
  return {
    start() {
      isRunning = true;
      ending = new AbortController();
      nudge();
      rounds.start();
    },
    nudge,
    async settle() {
      await look();
      await idle();
    },
    async stop() {
      isRunning = false;
      await rounds.stop();
      ending.abort();
      await last;
      await idle();
    },
  };
}

/** SQL: the pictures of an album that wait for the frame that is farthest. */
const aheadSql = `(select count(*) from album_queue where album_queue.paper_id = album_sources.paper_id
  and album_queue.place >= coalesce((select max(shown_pictures.turn) from shown_pictures
    join devices on devices.id = shown_pictures.device_id and devices.paper_id = shown_pictures.paper_id
    where shown_pictures.paper_id = album_sources.paper_id), 0)) as ahead`;
