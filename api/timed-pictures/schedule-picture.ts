/** Accepts pictures that are to be shown at a time, or until a time. When it returns, files and row are on the disk. */

import { type Reason, type Reasons, readReasons, reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import { isoTime } from '../../runtime/clock.ts';
import { type Database, type Transaction, transact } from '../../runtime/database/database.ts';
import { newRow } from '../../runtime/database/table.ts';
import { nameIn, type Principal } from '../access/principal.ts';
import { deliveryTables } from '../delivery-state/tables.ts';
import { placeOf, type TimedRow, timedPictures } from '../delivery-state/timed-rows.ts';
import type { UploadDeps } from '../delivery-state/upload-deps.ts';
import { requireDevice } from '../devices/require-device.ts';
import { storeAccepted } from '../files/picture-notes.ts';
import { timeOfIso } from '../http/time-of-iso.ts';
import type { QueuePlace } from '../images/normalize-image.ts';
import { drawsItself, isAlbum } from '../papers/kinds.ts';
import { transactOnPaper } from '../papers/lock-paper.ts';
import { requirePaper } from '../papers/require-paper.ts';
import { acceptImage, type ImageUpload, type OfferImageDeps } from '../uploads/offer-image.ts';
import { idOfMessage } from '../uploads/sent-message.ts';
import { mergedMeta, type PictureUpload, storeFiles } from '../uploads/store-picture.ts';

/** The times of a picture, epoch milliseconds. */
export interface ShowTimes {
  readonly from: number;
  readonly until: number | null;
}

/** The fields of a form that name times. */
export interface TimeFields {
  readonly showFrom?: string | undefined;
  readonly showUntil?: string | undefined;
}

export const showFromMeans = 'When it is to be shown, in ISO 8601 with its offset; left out, now';
export const showUntilMeans = 'When what was there before comes back, in ISO 8601 with its offset; left out, never';

/** A clock of the sender may be late by this much. */
const lateMs = 60_000;
const furthestMs = 366 * 86_400_000;
const maxOpen = 200;

/**
 * Reads the times of an upload; undefined where none is named.
 * @throws Refusal `invalid-request` that states what is wrong with them
 */
export function readShowTimes({ showFrom, showUntil }: TimeFields, now: number): ShowTimes | undefined {
  const [from, until] = [readTime('showFrom', showFrom), readTime('showUntil', showUntil)];
  if (from === undefined && until === undefined) return undefined;
  if (from !== undefined && from < now - lateMs)
    throw wrongTime(reasonOf('picture-time-past', { field: 'showFrom' }), 'leave it out to show it now');
  if (until !== undefined && until <= (from ?? now)) {
    const message =
      from === undefined ? reasonOf('picture-time-past', { field: 'showUntil' }) : reasonOf('picture-time-order');
    throw wrongTime(message, 'a picture is shown from showFrom to showUntil');
  }
  if (Math.max(from ?? 0, until ?? 0) > now + furthestMs) throw wrongTime(reasonOf('picture-time-far'));
  return { from: Math.max(from ?? now, now), until: until ?? null };
}

function readTime(field: string, text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  const at = /(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? timeOfIso(text) : Number.NaN;
  if (Number.isNaN(at)) {
    throw wrongTime(
      reasonOf('picture-time-unclear', { field }),
      'write it with its offset, as in 2026-05-09T18:00:00+02:00 or …Z',
    );
  }
  return at;
}

const wrongTime = (message: Reason, hint?: string) =>
  refuse('invalid-request', { message, ...(hint !== undefined && { hint }) });

/** Finds the picture that a message repeats; undefined for a new one. */
const ofMessage = async (db: Database, id: string | undefined): Promise<TimedRow | undefined> =>
  id === undefined ? undefined : timedPictures(db).find(id);

type NewRow = Pick<TimedRow, 'organization_id' | 'picture_key' | 'device_picture_key'> & Partial<TimedRow>;

function scheduledRow(deps: UploadDeps, principal: Principal, { from, until }: ShowTimes, given: NewRow): TimedRow {
  const now = deps.clock.now();
  return newRow(deliveryTables, 'timed_pictures', {
    id: deps.random.id(),
    account_id: principal.accountId,
    author: nameIn(principal, given.organization_id),
    state: 'waiting',
    show_from: from,
    show_until: until,
    due_at: from,
    created_at: now,
    updated_at: now,
    ...given,
  });
}

/** An upload without its picture: its times, and the signal that ends it while it waits to be decoded. */
interface Scheduled extends Pick<QueuePlace, 'signal'> {
  readonly times: ShowTimes;
}

/** Accepts a picture for a paper. */
export async function scheduleForPaper(
  deps: UploadDeps,
  principal: Principal,
  paperId: string,
  { times, signal, ...upload }: PictureUpload & Scheduled,
): Promise<TimedRow> {
  const before = await requirePaper(deps.db, principal, paperId, 'write');
  if (isAlbum(before.kind)) {
    throw wrongTime(reasonOf('album-takes-turns'), 'its pictures take turns: send without showFrom and showUntil');
  }
  if (drawsItself(before.kind)) {
    throw wrongTime(
      reasonOf('paper-draws-itself'),
      'showFrom and showUntil are for papers of pictures, and for devices',
    );
  }
  mergedMeta(before, upload);
  const id = idOfMessage({ ...principal, placeId: paperId, messageId: upload.messageId });
  const first = await ofMessage(deps.db, id);
  if (first !== undefined) return first;
  const queuePlace = { sharer: [before.organization_id, principal.accountId], signal };
  const keys = await storeFiles(deps, before, upload, queuePlace);
  return transactOnPaper(deps.db, paperId, async (trx) => {
    const { organization_id, picture_key } = await requirePaper(trx, principal, paperId, 'write');
    if (times.until !== null && picture_key === null) throw refuse('nothing-to-return-to');
    const settings = upload.settings === undefined ? null : JSON.stringify(upload.settings);
    const row = scheduledRow(deps, principal, times, {
      ...(id !== undefined && { id }),
      organization_id,
      paper_id: paperId,
      settings,
      ...keys,
    });
    return (await ofMessage(trx, id)) ?? (await sameOpen(trx, row)) ?? insertBounded(trx, row);
  });
}

/** Accepts an image of a device's own. */
export async function scheduleForDevice(
  deps: OfferImageDeps,
  principal: Principal,
  deviceId: string,
  { times, ...upload }: ImageUpload & Scheduled,
): Promise<TimedRow> {
  const id = idOfMessage({ ...principal, placeId: deviceId, messageId: upload.messageId });
  const first = await ofMessage(deps.db, id);
  if (first !== undefined) return first;
  const { device, source, ready, orientation } = await acceptImage(deps, principal, deviceId, upload);
  const keys = {
    picture_key: await storeAccepted(deps, source, device.organization_id),
    device_picture_key: ready === undefined ? null : await deps.files.put(ready, device.organization_id),
  };
  return transact(deps.db, async (trx) => {
    const { organization_id, paper_id } = await requireDevice(trx, principal, deviceId, 'write');
    if (times.until !== null && paper_id === null) throw refuse('nothing-to-return-to');
    const uuid = upload.uuid ?? deps.random.id();
    const row = scheduledRow(deps, principal, times, {
      ...(id !== undefined && { id }),
      organization_id,
      device_id: deviceId,
      ...keys,
      uuid,
      orientation,
    });
    return (await ofMessage(trx, id)) ?? (await sameOpen(trx, row)) ?? insertBounded(trx, row);
  });
}

/**
 * Finds the same picture for the same time at the same place that is not over: a sender that repeats it missed the
 * answer.
 */
async function sameOpen(trx: Transaction, row: TimedRow): Promise<TimedRow | undefined> {
  const open = await timedPictures(trx).open(placeOf(row));
  const begins = ({ show_from, created_at }: TimedRow): number => (show_from <= created_at ? 0 : show_from);
  return open.find(
    (one) =>
      one.account_id === row.account_id &&
      one.picture_key === row.picture_key &&
      one.show_until === row.show_until &&
      begins(one) === begins(row),
  );
}

async function insertBounded(trx: Transaction, row: TimedRow): Promise<TimedRow> {
  const { organization_id } = row;
  const counted = await trx('timed_pictures')
    .where({ organization_id })
    .whereNotNull('due_at')
    .count({ total: '*' })
    .first();
  if (Number(counted?.total ?? 0) >= maxOpen) {
    throw refuse('conflict', {
      message: reasonOf('many-timed', { most: maxOpen }),
      hint: 'cancel one: DELETE /timed-pictures/ID',
    });
  }
  await timedPictures(trx).insert(row);
  return row;
}

const outcomes = {
  done: reasonOf('timed-done'),
  cancelled: reasonOf('timed-was-cancelled'),
  replaced: reasonOf('timed-replaced'),
  failed: reasonOf('timed-failed'),
} as const;

/** Returns what becomes of the picture. */
export function outcomeOfTimed({ state, show_from, show_until, reason }: TimedRow): Reasons {
  if (state === 'waiting') return [reasonOf('timed-waits', { time: isoTime(show_from) })];
  if (state === 'showing') {
    if (show_until === null) return [reasonOf('timed-shown')];
    return [reasonOf('timed-shown-until', { time: isoTime(show_until) })];
  }
  if (state === 'interrupted') return [reasonOf('timed-interrupted')];
  if (state === 'missed') return [reasonOf('timed-missed')];
  return reason === null ? [outcomes[state]] : readReasons(reason);
}
