/** Shows pictures at their time, and what was there before when it is over: a step of the delivery line. */

import { type Transaction, transact } from '../../runtime/database.ts';
import type { Logger } from '../../runtime/logger.ts';
import { Refusal, refuse } from '../../runtime/refusals.ts';
import { said } from '../../runtime/said-sentence.ts';
import type { Principal } from '../access/principal.ts';
import { requireDevice } from '../devices/require-device.ts';
import { readRevision } from '../devices/shown-item.ts';
import { forgetShown } from '../devices/shown-pictures.ts';
import { deviceStore, findDevice } from '../devices/store.ts';
import { directoryStore } from '../directory/store.ts';
import { storedObject } from '../http/field-shapes.ts';
import { changeSavedPaper } from '../integration/change-saved-paper.ts';
import { lockPaper } from '../papers/lock-paper.ts';
import { paperMeta } from '../papers/paper-meta.ts';
import { requirePaper } from '../papers/require-paper.ts';
import { type PaperRow, paperStore } from '../papers/store.ts';
import { noteUpload } from './note-upload.ts';
import { type OfferImageDeps, storeImage } from './offer-image.ts';
import {
  type CoverRow,
  planTimed,
  type TimedPlace,
  type TimedPlan,
  type TimedRow,
  timedPictures,
} from './timed-rows.ts';

/** The dependencies of showing them. */
export interface TimedDeps extends OfferImageDeps {
  readonly logger: Logger;
}

/** Does what is due, and returns the time at which something is due next; null when nothing is. */
export type ShowTimed = () => Promise<number | null>;

type Keys = Pick<PaperRow, 'picture_key' | 'device_picture_key' | 'editable_key'>;
const keysOf = ({ picture_key, device_picture_key, editable_key }: Keys): Keys => ({
  picture_key,
  device_picture_key,
  editable_key,
});

/** Makes the step. A place whose work fails is tried again with the next pass, and holds up no other. */
export function timedShower(deps: TimedDeps): ShowTimed {
  const { db, clock, logger } = deps;
  return async () => {
    for (const place of await timedPictures(db).due(clock.now())) {
      try {
        while ((await (place.column === 'paper_id' ? onPaper(deps, place) : onDevice(deps, place))) === 'again');
      } catch (error) {
        logger.error({ error, place: place.id }, 'a picture could not be shown at its time');
      }
    }
    return timedPictures(db).nextDue();
  };
}

/** A picture that cannot be shown ends; then the plan is made anew. */
type Outcome = 'again' | 'done';

async function onPaper(deps: TimedDeps, place: TimedPlace): Promise<Outcome> {
  const now = deps.clock.now();
  return transact(deps.db, async (trx): Promise<Outcome> => {
    await lockPaper(trx, place.id);
    const timed = timedPictures(trx);
    const plan = planTimed(await timed.open(place), now);
    const cover = await timed.cover(place.id);
    const next = plan.lasting ?? (plan.top?.id === cover?.timed_id ? undefined : plan.top);
    if (next === undefined) {
      await settle(trx, plan, now);
      if (plan.top === undefined && cover !== undefined) await uncoverPaper(deps, trx, cover, now);
      return 'done';
    }
    try {
      const paper = await requirePaper(trx, await principalOf(trx, next), place.id, 'write');
      if (paper.organization_id !== next.organization_id) throw refuse('not-found');
      await coverPaper(deps, trx, paper, cover, next, now);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      await timed.end(next.id, 'failed', now, error.message);
      return 'again';
    }
    if (next === plan.lasting) {
      await timed.end(next.id, 'done', now);
      await settle(trx, { ...plan, top: undefined, beneath: [] }, now);
      return 'again';
    }
    await settle(trx, plan, now);
    return 'done';
  });
}

/** Writes down how the pictures of a place fare. */
async function settle(trx: Transaction, { ended, top, beneath }: TimedPlan, now: number): Promise<void> {
  const timed = timedPictures(trx);
  for (const [row, state] of ended) await timed.end(row.id, state, now);
  for (const row of beneath) await timed.change(row.id, { state: 'interrupted', due_at: row.show_until }, now);
  if (top !== undefined) {
    const shown = { state: 'showing', due_at: top.show_until, shown_at: top.shown_at ?? now } as const;
    await timed.change(top.id, shown, now);
  }
}

/** Puts a picture on a paper. What was there before is kept, unless the picture stays. */
async function coverPaper(
  { random }: TimedDeps,
  trx: Transaction,
  paper: PaperRow,
  cover: CoverRow | undefined,
  next: TimedRow,
  now: number,
): Promise<void> {
  const settings = storedObject(next.settings ?? '{}');
  const { meta: kept = '{}' } = cover ?? {};
  const before = restored(paper.meta, kept);
  const base = storedObject(kept);
  for (const name of Object.keys(settings)) base[name] ??= Object.hasOwn(before, name) ? [before[name]] : [];
  const meta = paperMeta(Object.assign(before, settings), settings);
  if (next.show_until === null) await timedPictures(trx).uncover(paper.id);
  else {
    const files = keysOf(cover ?? paper);
    await timedPictures(trx).putCover({ place: paper.id, timed_id: next.id, ...files, meta: JSON.stringify(base) });
  }
  await putPicture(trx, paper, { ...keysOf(next), meta }, next.shown_at === null ? next.id : random.id(), now);
}

/** Gives a paper back what it had before. */
async function uncoverPaper({ random }: TimedDeps, trx: Transaction, cover: CoverRow, now: number): Promise<void> {
  await timedPictures(trx).uncover(cover.place);
  const paper = await paperStore(trx).find(cover.place);
  if (paper === undefined) return;
  const meta = JSON.stringify(restored(paper.meta, cover.meta));
  await putPicture(trx, paper, { ...keysOf(cover), meta }, random.id(), now);
}

async function putPicture(
  trx: Transaction,
  paper: PaperRow,
  change: Keys & Pick<PaperRow, 'meta'>,
  attemptId: string,
  now: number,
): Promise<void> {
  await changeSavedPaper(trx, paper, {
    ...change,
    picture_revision: change.picture_key === null ? null : attemptId,
    image_updated_at: Math.max(now, (paper.image_updated_at ?? 0) + 1),
    updated_at: now,
  });
  const attempt = { attemptId, forced: false, skipped: false, similarity: null, isRepeat: false };
  await noteUpload(trx, { ...paper, ...change }, attempt, now);
}

/** The meta with the values that it had before: each name stands with its value in a list, which is empty for none. */
function restored(meta: string, kept: string): Record<string, unknown> {
  const object: Record<string, unknown> = Object.assign(Object.create(null), storedObject(meta));
  for (const [name, value] of Object.entries(storedObject(kept))) {
    if (!Array.isArray(value)) continue;
    if (value.length === 0) delete object[name];
    else object[name] = value[0];
  }
  return object;
}

async function onDevice(deps: TimedDeps, place: TimedPlace): Promise<Outcome> {
  const { db, clock } = deps;
  const now = clock.now();
  const plan = planTimed(await timedPictures(db).open(place), now);
  const cover = await timedPictures(db).cover(place.id);
  const next = plan.lasting ?? (plan.top?.id === cover?.timed_id ? undefined : plan.top);
  if (next === undefined) {
    const isBare = plan.top === undefined && cover !== undefined;
    const shows = isBare && (await showsOwn(deps, place.id, cover.timed_id));
    await transact(db, async (trx) => {
      await settle(trx, plan, now);
      if (isBare) await uncoverDevice(trx, place.id, shows, now);
    });
    return 'done';
  }
  try {
    await offerImage(deps, place, plan, next, now);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    await timedPictures(db).end(next.id, 'failed', now, error.message);
    return 'again';
  }
  return next === plan.lasting ? 'again' : 'done';
}

async function offerImage(
  deps: TimedDeps,
  place: TimedPlace,
  plan: TimedPlan,
  next: TimedRow,
  now: number,
): Promise<void> {
  const principal = await principalOf(deps.db, next);
  const device = await requireDevice(deps.db, principal, place.id, 'write');
  if (device.organization_id !== next.organization_id) throw refuse('not-found');
  const [source, ready] = [await fileOf(deps, next.picture_key), await fileOf(deps, next.device_picture_key)];
  if (source === undefined) throw refuse('not-found', { message: said('timed-file-gone') });
  const orientation = next.orientation ?? 'landscape';
  const image = { uuid: next.uuid ?? undefined, source, ready, orientation, force: false };
  await storeImage(deps, principal, device, image, async (trx) => {
    const timed = timedPictures(trx);
    const isLasting = next === plan.lasting;
    const isOpen = await timed.change(next.id, { shown_at: next.shown_at ?? now }, now);
    if (isOpen === 0) throw refuse('conflict', { message: said('timed-cancelled') });
    const { meta, ...noKeys } = { meta: '{}', picture_key: null, device_picture_key: null, editable_key: null };
    if (isLasting) {
      await timed.end(next.id, 'done', now);
      await timed.uncover(place.id);
    } else await timed.putCover({ place: place.id, timed_id: next.id, ...noKeys, meta });
    await settle(trx, isLasting ? { ...plan, top: undefined, beneath: [] } : plan, now);
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

/** Whoever sent the picture must still be allowed to when its time comes. */
async function principalOf(db: TimedDeps['db'], { account_id: accountId }: TimedRow): Promise<Principal> {
  return { accountId, memberships: await directoryStore(db).membershipsOf(accountId) };
}
