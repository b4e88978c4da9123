/** Shows pictures at their time on devices, before their papers. */

import { reasonOf } from '../../reasons/reason.ts';
import { Refusal, refuse } from '../../reasons/refusals.ts';
import { type Transaction, transact } from '../../runtime/database/database.ts';
import {
  type CoverRow,
  planTimed,
  type TimedPlace,
  type TimedPlan,
  type TimedRow,
  timedPictures,
} from '../delivery-state/timed-rows.ts';
import { requireDevice } from '../devices/require-device.ts';
import { readRevision } from '../devices/shown-item.ts';
import { forgetShown } from '../devices/shown-pictures.ts';
import { deviceStore, findDevice } from '../devices/store.ts';
import { storeImage } from '../uploads/offer-image.ts';
import { senderOfTimed, settleTimed, type TimedDeps, type TimedOutcome } from './settle-timed.ts';

/** A device with its plan at a moment, and the picture that covers its paper then. */
interface Show {
  readonly place: TimedPlace;
  readonly plan: TimedPlan;
  readonly cover: CoverRow | undefined;
  readonly now: number;
}

/** Carries out what is due on a device. */
export async function showTimedOnDevice(deps: TimedDeps, place: TimedPlace): Promise<TimedOutcome> {
  const { db, clock } = deps;
  const now = clock.now();
  const plan = planTimed(await timedPictures(db).open(place), now);
  const cover = await timedPictures(db).cover(place.id);
  const show: Show = { place, plan, cover, now };
  const next = plan.lasting ?? (plan.top?.id === cover?.timed_id ? undefined : plan.top);
  if (next === undefined) {
    const isBare = plan.top === undefined && cover !== undefined;
    const shows = isBare && (await showsOwn(deps, place.id, cover.timed_id));
    return transact(db, async (trx): Promise<TimedOutcome> => {
      if (!(await isAsBefore(trx, show))) return 'again';
      await settleTimed(trx, plan, now);
      if (isBare) await uncoverDevice(trx, place.id, shows, now);
      return 'done';
    });
  }
  try {
    await offerImage(deps, show, next);
  } catch (error) {
    if (error instanceof ChangedMeanwhile) return 'again';
    if (!(error instanceof Refusal)) throw error;
    await timedPictures(db).end(next.id, 'failed', now, error.reason);
    return 'again';
  }
  return next === plan.lasting ? 'again' : 'done';
}

/** Takes an offer back whose plan was overtaken: another node, or a person, has changed what the place shows. */
class ChangedMeanwhile extends Error {}

/** Locks a device, and returns whether the plan for it is still the one made before. */
async function isAsBefore(trx: Transaction, { place, plan, cover, now }: Show): Promise<boolean> {
  await deviceStore(trx).locked(place.id);
  const timed = timedPictures(trx);
  const still = planTimed(await timed.open(place), now);
  const stillCover = await timed.cover(place.id);
  return namesOf(still) === namesOf(plan) && stillCover?.timed_id === cover?.timed_id;
}

const namesOf = ({ ended, lasting, top, beneath }: TimedPlan): string =>
  JSON.stringify([ended.map(([{ id }, state]) => [id, state]), lasting?.id, top?.id, beneath.map(({ id }) => id)]);

async function offerImage(deps: TimedDeps, show: Show, next: TimedRow): Promise<void> {
  const { place, plan, now } = show;
  const principal = await senderOfTimed(deps.db, next);
  const device = await requireDevice(deps.db, principal, place.id, 'write');
  if (device.organization_id !== next.organization_id) throw refuse('not-found');
  const [source, ready] = [await fileOf(deps, next.picture_key), await fileOf(deps, next.device_picture_key)];
  if (source === undefined) throw refuse('not-found', { message: reasonOf('timed-file-gone') });
  const also = async (trx: Transaction): Promise<void> => {
    if (!(await isAsBefore(trx, show))) throw new ChangedMeanwhile();
    const timed = timedPictures(trx);
    const isLasting = next === plan.lasting;
    const isOpen = await timed.change(next.id, { shown_at: next.shown_at ?? now }, now);
    if (isOpen === 0) throw refuse('conflict', { message: reasonOf('timed-cancelled') });
    const nothing = { picture_key: null, device_picture_key: null, editable_key: null, picture_sender: null };
    if (isLasting) {
      await timed.end(next.id, 'done', now);
      await timed.uncover(place.id);
    } else await timed.putCover({ place: place.id, timed_id: next.id, ...nothing, meta: '{}' });
    await settleTimed(trx, isLasting ? { ...plan, top: undefined, beneath: [] } : plan, now);
  };
  await storeImage(deps, principal, device, {
    uuid: next.uuid ?? undefined,
    source: { bytes: source, notes: [] },
    ready,
    orientation: next.orientation ?? 'landscape',
    force: false,
    sender: next.author,
    also,
  });
}

async function fileOf({ files }: TimedDeps, key: string | null): Promise<Buffer | undefined> {
  return key === null ? undefined : files.get(key);
}

/** Asks whether the newest offer to the device's frame is this picture: another one is not taken away. */
async function showsOwn({ db, frames }: TimedDeps, deviceId: string, timedId: string): Promise<boolean> {
  const serial = (await findDevice(db, deviceId))?.serial ?? null;
  const offer = serial === null ? undefined : await frames.lastOffer(serial);
  if (offer === undefined || readRevision(offer.revision).kind !== 'deviceImage') return false;
  const image = await db('device_images').where({ device_id: deviceId, revision: offer.revision }).first('uuid');
  const row = await timedPictures(db).find(timedId);
  return image !== undefined && image.uuid === row?.uuid;
}

/** The device goes back to its paper, as if somebody named it (docs/decisions/0009). */
async function uncoverDevice(trx: Transaction, deviceId: string, shows: boolean, now: number): Promise<void> {
  const device = await deviceStore(trx).locked(deviceId);
  await timedPictures(trx).uncover(deviceId);
  if (device === undefined || !shows) return;
  await deviceStore(trx).change(device, { updated_at: now }, true);
  await forgetShown(trx, deviceId);
}
