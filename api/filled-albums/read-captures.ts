/**
 * Reads the beginnings of listed pictures for when they were taken: a folder states when a file came there, and the order of
 * an album may need the capture's own date before the picture is fetched whole (FI-12, WD-9).
 */
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import type { Database } from '../../runtime/database/database.ts';
import { storedObject } from '../http/field-shapes.ts';
import { type CaptureFacts, captureFacts } from '../images/capture-facts.ts';
import { paperStore } from '../papers/store.ts';
import { type PictureSource, SourceFault } from '../picture-sources/source.ts';
import { type AlbumChoices, albumChoices } from './album-choices.ts';
import type { SourcePictureRow } from './choose-next.ts';
import { takenColumns } from './listed-rows.ts';
import type { AlbumSourceRow } from './sources.ts';

/** The bounds of one listing: a library of 20,000 files is read within a day of listings. */
export const headsOfListing = 200;
const withinMs = 20_000;
const atOnce = 2;

const ordersByDate: readonly AlbumChoices['order'][] = ['captured', 'onThisDay'];

/**
 * Reads some pictures of which nobody has read a date yet, those that arrived last first, where the album is ordered by
 * dates. A source that does not answer is left alone: its next listing says why.
 */
export async function readCaptures(
  { db, clock }: Pick<CommonDeps, 'db' | 'clock'>,
  row: AlbumSourceRow,
  open: () => Promise<PictureSource>,
): Promise<void> {
  const paper = await paperStore(db).find(row.paper_id);
  const still = await db<AlbumSourceRow>('album_sources').where({ id: row.id, fault_kind: null }).first('id');
  if (paper === undefined || still === undefined) return;
  if (!ordersByDate.includes(albumChoices(storedObject(paper.meta)).order)) return;
  const until = clock.now() + withinMs;
  try {
    const source = await open();
    if (source.fetchHead === undefined) return;
    const waiting = await unread(db, row.number);
    const readNext = async (): Promise<void> => {
      for (let next = waiting.pop(); next !== undefined && clock.now() < until; next = waiting.pop()) {
        await noteFacts(db, next, await factsOfHead(source, next.key));
      }
    };
    await Promise.all(Array.from({ length: atOnce }, readNext));
  } catch (error) {
    if (!(error instanceof SourceFault)) throw error;
  }
}

type UnreadRow = Pick<SourcePictureRow, 'id' | 'key' | 'mark'>;

const unread = async (db: Database, source: number): Promise<UnreadRow[]> => {
  const rows: UnreadRow[] = await db<SourcePictureRow>('source_pictures')
    .where({ source, is_guessed: 1, is_read: 0 })
    .whereNull('left_out')
    .orderBy([
      { column: 'arrived_at', order: 'desc' },
      { column: 'id', order: 'asc' },
    ])
    .limit(headsOfListing)
    .select('id', 'key', 'mark');
  return rows.reverse();
};

/**
 * Reads the facts that the beginning of a picture tells. Of one that its source cannot give there are none.
 * @throws SourceFault where the source itself does not answer
 */
export async function factsOfHead(source: PictureSource, key: string): Promise<CaptureFacts | undefined> {
  try {
    const head = await source.fetchHead?.(key);
    return head && captureFacts(head);
  } catch (error) {
    if (error instanceof SourceFault && error.kind === 'unusable') return undefined;
    throw error;
  }
}

async function noteFacts(db: Database, { id, mark }: UnreadRow, facts: CaptureFacts | undefined): Promise<void> {
  // A picture whose pixels changed meanwhile is read again.
  await db('source_pictures')
    .where({ id, mark })
    .update({ is_read: 1, ...sizeColumns(facts), ...captureColumns(facts) });
}

/** The columns of the upright size of a picture, where its bytes tell it. */
export const sizeColumns = ({ width, height }: CaptureFacts = { orientation: 1 }) =>
  width === undefined || height === undefined ? {} : { width, height };

/** The columns of the date of capture, where the bytes of a picture tell it. */
export function captureColumns({ taken }: CaptureFacts = { orientation: 1 }): Partial<ReturnType<typeof takenColumns>> {
  const own = taken === undefined ? Number.NaN : Date.parse(`${taken}Z`);
  return Number.isNaN(own) ? {} : takenColumns(own);
}
