/** Says how far pictures are that people sent: accepted, on their way, proven on a glass, or on it earlier. */
import type { TraitsOf } from '../../gateway/frames/dialect-traits.ts';
import { factsOfFleet } from '../../gateway/frames/fleet-facts.ts';
import { picturesOfFleet } from '../../gateway/pictures/fleet-pictures.ts';
import { ofOwner, type UploadRow } from '../../gateway/pictures/upload-row.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import type { Database } from '../../runtime/database/database.ts';
import { readRevision, revisionOf } from '../devices/shown-item.ts';
import type { SentPictureRow } from '../papers/sent-pictures.ts';
import type { PaperRow } from '../papers/store.ts';
import { onFrame } from './picture-due.ts';

/** The states of a picture. Nothing but a proof makes it `on-glass` or `was-on-glass`. */
export const pictureStates = ['accepted', 'on-its-way', 'on-glass', 'was-on-glass', 'replaced'] as const;

/** How far a picture is. Times are epoch milliseconds. */
export interface PictureProgress {
  readonly state: (typeof pictureStates)[number];
  /** Since when it is on a glass, or when it came to one last; null when it was never proven there. */
  readonly since: number | null;
  /**
   * When the frame that it is on its way to wakes, the first of several; null where that is unknown, and in all other
   * states.
   */
  readonly nextWakeAt: number | null;
}

export interface ProgressDeps extends Pick<CommonDeps, 'db' | 'clock'> {
  readonly frames: { readonly traitsOf: TraitsOf };
}

/** An offer of a sent picture, as far as it counts here. */
type Showing = Pick<UploadRow, 'id' | 'serial' | 'offered_at' | 'fetched_at' | 'shown_at' | 'confirmed_at'> & {
  readonly picture_id: string;
};

const columns = ['id', 'serial', 'offered_at', 'fetched_at', 'shown_at', 'confirmed_at'].map(
  (name) => `uploads.${name}`,
);

/** The last offers of each picture to each frame of its present owner (T-63): the last one, and the last that was proven. */
async function showingsOf(db: Database, pictures: readonly SentPictureRow[]): Promise<Showing[]> {
  const inAlbum = pictures.filter(({ picture_key }) => picture_key !== null).map(({ id }) => id);
  const replaced = pictures.filter(({ picture_key }) => picture_key === null);
  const ofAlbum: Showing[] = await db('picture_showings')
    .join('uploads', 'uploads.id', 'picture_showings.upload_id')
    .whereIn('picture_showings.picture_id', inAlbum)
    .whereRaw(ofOwner)
    .select('picture_showings.picture_id', ...columns);
  const revisions = replaced.flatMap(({ revision }) =>
    revision === null ? [] : [revisionOf({ kind: 'picture', id: revision })],
  );
  const ofPapers: (Omit<Showing, 'picture_id'> & { readonly revision: string })[] = await db('uploads')
    .whereIn('revision', revisions)
    .whereRaw(ofOwner)
    .select('uploads.revision', ...columns);
  const receipts = ofPapers.flatMap(({ revision, ...upload }) =>
    replaced
      .filter((picture) => picture.revision === readRevision(revision).id)
      .map((picture) => ({ ...upload, picture_id: picture.id })),
  );
  return [...ofAlbum, ...receipts];
}

const isProven = ({ fetched_at, shown_at, confirmed_at }: Showing): boolean =>
  fetched_at !== null && shown_at !== null && shown_at >= fetched_at && confirmed_at !== null;

/** Says of each picture of one paper how far it is, by its id. */
export async function progressOf(
  { db, clock, frames }: ProgressDeps,
  paper: Pick<PaperRow, 'picture_revision'>,
  pictures: readonly SentPictureRow[],
): Promise<ReadonlyMap<string, PictureProgress>> {
  const now = clock.now();
  const showings = await showingsOf(db, pictures);
  const serials = [...new Set(showings.map(({ serial }) => serial))];
  const [fleet, facts] = [await picturesOfFleet(db, serials), await factsOfFleet(db, serials, now)];
  /** The uploads that are proven to be on a glass right now, with since when, and those on their way, with the next wake. */
  const [onGlass, onTheirWay] = [new Map<string, number>(), new Map<string, number | null>()];
  for (const [serial, pictures] of fleet) {
    const { glass } = onFrame(facts.get(serial), pictures, frames.traitsOf, now);
    if (glass?.level === 'confirmed' && glass.doubt === null) onGlass.set(glass.uploadId, glass.since);
    const wake = facts.get(serial)?.asleep_until ?? null;
    if (pictures.newest !== undefined && !onGlass.has(pictures.newest.id)) onTheirWay.set(pictures.newest.id, wake);
  }
  const judge = (picture: SentPictureRow): PictureProgress => {
    const own = showings.filter(({ picture_id }) => picture_id === picture.id);
    const since = own.flatMap(({ id }) => onGlass.get(id) ?? []);
    if (since.length > 0) return { state: 'on-glass', since: Math.min(...since), nextWakeAt: null };
    const proven = own.filter(isProven).map(({ shown_at }) => shown_at ?? 0);
    const last = proven.length === 0 ? null : Math.max(...proven);
    if (own.some(({ id }) => onTheirWay.has(id))) {
      const wakes = own.flatMap(({ id }) => onTheirWay.get(id) ?? []);
      return { state: 'on-its-way', since: last, nextWakeAt: wakes.length === 0 ? null : Math.min(...wakes) };
    }
    if (last !== null) return { state: 'was-on-glass', since: last, nextWakeAt: null };
    const isReplaced = picture.picture_key === null && picture.revision !== paper.picture_revision;
    return { state: isReplaced ? 'replaced' : 'accepted', since: null, nextWakeAt: null };
  };
  return new Map(pictures.map((picture) => [picture.id, judge(picture)]));
}

/** The offer whose drawing shows best how a picture looks on a glass: the last one that was shown, else the last one. */
export async function bestShowing(
  db: Database,
  picture: SentPictureRow,
): Promise<{ readonly uploadId: string; readonly serial: string } | undefined> {
  const rank = ({ fetched_at, shown_at }: Showing): number => (fetched_at === null ? 0 : (shown_at ?? 0));
  const [best] = (await showingsOf(db, [picture])).sort((a, b) => rank(b) - rank(a) || b.offered_at - a.offered_at);
  return best && { uploadId: best.id, serial: best.serial };
}
