/**
 * Reports what became of something that was sent, by its id and on one frame: pages take their statements about a glass
 * from here.
 */

import { factsOfFleet } from '../../gateway/frames/fleet-facts.ts';
import type { Grade } from '../../gateway/frames/grades.ts';
import { picturesOfFleet } from '../../gateway/pictures/fleet-pictures.ts';
import { gradeOf, ofOwner, type UploadRow, wasShown } from '../../gateway/pictures/upload-row.ts';
import type { Database } from '../../runtime/database/database.ts';
import { uploadAttempts } from '../delivery-state/upload-attempts.ts';
import type { EvidenceLevel } from '../delivery-state/weigh-evidence.ts';
import { revisionOf } from '../devices/shown-item.ts';
import type { DeviceRow } from '../devices/store.ts';
import { sentPictures } from '../papers/sent-pictures.ts';
import { paperStore } from '../papers/store.ts';
import { onFrame } from './picture-due.ts';
import type { ProgressDeps, pictureStates } from './picture-progress.ts';

/** The progress of one sending on one frame. Times are epoch milliseconds. */
export interface SentEvidence {
  readonly state: (typeof pictureStates)[number];
  /** When the frame reported it, of one that is or was on the glass; and when it reported the next one. */
  readonly since: number | null;
  readonly until: number | null;
  /** How far it came, and what that is worth; null before the frame reported it. */
  readonly level: EvidenceLevel | null;
  readonly grade: Grade | null;
}

/** An offer that showed something that was sent. */
type Offer = UploadRow;

const untouched = { since: null, until: null, level: null, grade: null } as const;

/**
 * Says what became of each of these on the frame of a device.
 * @param ids names of album pictures, and of attempts to upload a picture
 */
export async function evidenceOfSent(
  deps: ProgressDeps,
  device: DeviceRow,
  ids: readonly string[],
): Promise<ReadonlyMap<string, SentEvidence>> {
  const { db, clock, frames } = deps;
  const serial = device.serial ?? '';
  const now = clock.now();
  const [facts, pictures] = [await factsOfFleet(db, [serial], now), await picturesOfFleet(db, [serial])];
  const frame = facts.get(serial);
  const mine = frame && pictures.get(frame.serial);
  const { glass } = onFrame(frame, mine, frames.traitsOf, now);
  const found = new Map<string, SentEvidence>();
  for (const id of ids) {
    const offers = frame === undefined ? [] : await offersOf(db, { deviceId: device.id, serial: frame.serial, id });
    const isOf = (uploadId: string | undefined): boolean => offers.some((offer) => offer.id === uploadId);
    if (glass !== null && isOf(glass.uploadId)) {
      const { since, level, grade, doubt } = glass;
      // Later evidence against it takes the proof away, and leaves the report.
      found.set(id, {
        state: 'on-glass',
        since,
        until: null,
        level: doubt === null ? level : 'reported shown',
        grade,
      });
    } else if (isOf(mine?.newest?.id)) found.set(id, { state: 'on-its-way', ...untouched });
    else found.set(id, (await lastShowing(db, offers)) ?? { state: await stateAhead(db, device, id), ...untouched });
  }
  return found;
}

interface Sent {
  readonly deviceId: string;
  readonly serial: string;
  readonly id: string;
}

/** The offers to a frame by its present owner (T-63) that showed what was sent under this id. */
async function offersOf(db: Database, { deviceId, serial, id }: Sent): Promise<Offer[]> {
  const offers = () => db<UploadRow>('uploads').where({ serial }).whereRaw(ofOwner);
  const attempt = await uploadAttempts(db).find(id, deviceId);
  if (attempt?.skipped === 1) {
    // Its pixels were those of what the frame had been offered last, with which it was compared.
    const before = await offers().where('offered_at', '<=', attempt.started_at).orderBy('offered_at', 'desc').first();
    if (before !== undefined) return offers().where({ revision: before.revision });
  }
  return offers().where((any) => {
    any
      .whereIn('revision', [revisionOf({ kind: 'picture', id }), revisionOf({ kind: 'deviceImage', id })])
      .orWhere({ id: attempt?.upload_id ?? id })
      .orWhereIn('id', db('picture_showings').where({ picture_id: id }).select('upload_id'));
  });
}

/** From when to when the frame showed it last; undefined when it never reported it. */
async function lastShowing(db: Database, offers: readonly Offer[]): Promise<SentEvidence | undefined> {
  const [last] = offers
    .filter(({ shown_at, fetched_at }) => shown_at !== null && fetched_at !== null && shown_at >= fetched_at)
    .sort((one, other) => (other.shown_at ?? 0) - (one.shown_at ?? 0));
  if (last === undefined) return undefined;
  const since = last.shown_at ?? 0;
  const next = await db<UploadRow>('uploads')
    .where({ serial: last.serial })
    .whereRaw(ofOwner)
    .whereRaw(wasShown)
    .where('shown_at', '>', since)
    .orderBy('shown_at')
    .first('shown_at');
  const level = last.confirmed_at === null ? 'reported shown' : 'confirmed';
  return { state: 'was-on-glass', since, until: next?.shown_at ?? null, level, grade: gradeOf(last) };
}

/** Whether it is still to come to the frame: it lies in what the frame shows. */
async function stateAhead(db: Database, device: DeviceRow, id: string): Promise<'accepted' | 'replaced'> {
  const paper = device.paper_id === null ? undefined : await paperStore(db).find(device.paper_id);
  if (paper === undefined) return 'replaced';
  const isNow = paper.picture_revision === id;
  const inAlbum = (await sentPictures(db).find(paper.id, id))?.picture_key != null;
  return isNow || inAlbum ? 'accepted' : 'replaced';
}
