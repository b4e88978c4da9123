/** An album as it is filled: its choices, its sources, its queue, and the frames that show it. */
import { createHash } from 'node:crypto';
import { viewSize } from '../../firmware-protocol/panels.ts';
import type { Database, Transaction } from '../../runtime/database/database.ts';
import type { RowIn } from '../../runtime/database/table.ts';
import { localDate } from '../../runtime/local-time.ts';
import type { Random } from '../../runtime/random.ts';
import { panelOf } from '../devices/device-panel.ts';
import type { DeviceRow } from '../devices/store.ts';
import { storedObject } from '../http/field-shapes.ts';
import type { ViewPixels } from '../inks/paired-picture.ts';
import { orientationOf } from '../papers/orientation.ts';
import { devicesThatShow } from '../papers/shown-papers.ts';
import { type PaperRow, paperStore } from '../papers/store.ts';
import { type AlbumChoices, albumChoices } from './album-choices.ts';
import { placesOfFrames, type QueueRow, readQueue } from './queue.ts';
import { type AlbumSourceRow, sourcesOfAlbum } from './sources.ts';
import type { filledAlbumTables } from './tables.ts';

/** A row of `filled_albums`. */
export type FilledAlbumRow = RowIn<typeof filledAlbumTables, 'filled_albums'>;

export interface AlbumPlan {
  readonly paper: PaperRow;
  readonly choices: AlbumChoices;
  readonly state: FilledAlbumRow;
  readonly sources: readonly AlbumSourceRow[];
  readonly queue: readonly QueueRow[];
  /** The places of the frames that show the album. */
  readonly places: readonly number[];
  readonly glass: GlassOfAlbum;
  /** The date in the album's zone. */
  readonly date: string;
}

/** The panels that an album is fetched for. */
interface GlassOfAlbum {
  /** The longer side of the largest in pixels. */
  readonly longSide: number;
  /** The way all of them hang; undefined where they differ, or where no frame shows the album. */
  readonly shape: 'landscape' | 'portrait' | undefined;
  /** The pixels of one of them, as a person sees them. */
  readonly view: ViewPixels | undefined;
  /** Whether playlists or boards on frames show the album among others. */
  readonly isAmongOthers: boolean;
}

/** The size for which pictures are fetched while no frame shows their album. */
const defaultSide = 1600;

/** Names the choices under which pictures wait: others are chosen when they change. */
export const chosenAs = (choices: AlbumChoices, sources: readonly AlbumSourceRow[]): string =>
  createHash('sha256')
    .update(JSON.stringify([choices, sources.map(({ number }) => number)]))
    .digest('base64url')
    .slice(0, 12);

/** Loads an album. Returns undefined when it was removed, or when no source fills it. */
export async function loadPlan(
  db: Database | Transaction,
  random: Random,
  { paperId, now }: { readonly paperId: string; readonly now: number },
): Promise<AlbumPlan | undefined> {
  const paper = await paperStore(db).find(paperId);
  const all = await sourcesOfAlbum(db, paperId);
  const queue = await readQueue(db, paperId);
  if (paper === undefined || (all.length === 0 && queue.length === 0)) return undefined;
  // A login is for the organization that it was given in.
  const sources = all.filter((source) => source.organization_id === paper.organization_id);
  const choices = albumChoices(storedObject(paper.meta));
  const fresh = { paper_id: paperId, seed: random.secret(9), round: 2, chosen_as: chosenAs(choices, sources) };
  await db('filled_albums').insert(fresh).onConflict('paper_id').ignore();
  const state = await db<FilledAlbumRow>('filled_albums').where({ paper_id: paperId }).first();
  if (state === undefined) return undefined;
  const places = await placesOfFrames(db, paperId);
  const glass = await glassOf(db, paper);
  return { paper, choices, state, sources, queue, places, glass, date: localDate(now, choices.timeZone) };
}

async function glassOf(db: Database, paper: PaperRow): Promise<GlassOfAlbum> {
  const devices: DeviceRow[] = await db<DeviceRow>('devices').whereIn('id', [...(await devicesThatShow(db, paper))]);
  const views = devices.flatMap((device) => {
    const panel = panelOf(device);
    return panel === undefined ? [] : [viewSize(panel, orientationOf(paper.meta, device.meta))];
  });
  const isAmongOthers = devices.some(({ paper_id }) => paper_id !== paper.id);
  if (views.length === 0) return { longSide: defaultSide, shape: undefined, view: undefined, isAmongOthers };
  const wide = views.filter(({ width, height }) => width >= height).length;
  return {
    longSide: Math.max(...views.flatMap(({ width, height }) => [width, height])),
    shape: wide === views.length ? 'landscape' : wide === 0 ? 'portrait' : undefined,
    view: views[0],
    isAmongOthers,
  };
}
