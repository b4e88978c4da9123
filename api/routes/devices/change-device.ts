/** Creates, changes and removes devices. */
import { z } from 'zod';
import { changeHands } from '../../../gateway/provisioning/own-frame.ts';
import { reasonOf } from '../../../reasons/reason.ts';
import { refuse } from '../../../reasons/refusals.ts';
import { type Transaction, transact } from '../../../runtime/database/database.ts';
import { mayDo, membershipIn, type Principal, requireMembership } from '../../access/principal.ts';
import { audienceOfDevice } from '../../changes/read-records.ts';
import { timedPictures } from '../../delivery-state/timed-rows.ts';
import { uploadAttempts } from '../../delivery-state/upload-attempts.ts';
import { deviceImages } from '../../devices/device-images.ts';
import { requireDrawable, requireKindOfFrame } from '../../devices/fit-panel.ts';
import { requireSettings } from '../../devices/frame-settings.ts';
import { writtenPlace, writtenTags } from '../../devices/place.ts';
import { requireDevice, requireNamed } from '../../devices/require-device.ts';
import { settingsOfMeta } from '../../devices/settings-of-meta.ts';
import { readRevision } from '../../devices/shown-item.ts';
import { drawAgain, forgetShown, tryAnew } from '../../devices/shown-pictures.ts';
import { type DeviceRow, deviceStore, findDevice } from '../../devices/store.ts';
import { updateSchedule } from '../../devices/update-schedule.ts';
import { endLinksOf } from '../../directory/link-rows.ts';
import { metaText, objectId, openObject, replacesMeta, storedObject } from '../../http/field-shapes.ts';
import { requireShortNames } from '../../http/short-names.ts';
import { awaitNoPicture } from '../../papers/awaited-pictures.ts';
import { keepPaper } from '../../papers/lock-paper.ts';
import type { DeviceDeps } from './device-deps.ts';

const named = { patient: objectId.nullable().optional(), paper: objectId.nullable().optional() };
const kind = z.string().min(1).max(100);

/** The body of a request that creates a device. */
export const deviceBody = z.object({ organization: objectId, kind: kind.optional(), ...named });

/** The fields of an update of a device: given fields replace stored ones, `meta` as a whole (C-46). */
export const deviceChange = z.object({
  intake: openObject.optional(),
  meta: z
    .looseObject({
      updateSchedule: updateSchedule.nullish(),
      place: writtenPlace.nullish(),
      tags: writtenTags.nullish(),
    })
    .describe(replacesMeta)
    .optional(),
  organization: objectId.optional(),
  ...named,
  kind: kind.optional(),
  deviceId: z.string().max(64).optional(),
  alarmEnable: z.number().int().optional(),
  takeOffsetTime: z.number().int().optional(),
  iotDevice: openObject.optional(),
  payment: openObject.optional(),
});

export type DeviceChange = z.output<typeof deviceChange>;

const adminFields = ['iotDevice', 'payment'] as const;
const detailFields = ['intake', 'alarmEnable', 'takeOffsetTime', 'iotDevice', 'payment'] as const;

/** Applies a change and returns the device as stored. */
export function changeDevice(
  deps: DeviceDeps,
  principal: Principal,
  deviceId: string,
  change: DeviceChange,
): Promise<DeviceRow> {
  return changeDeviceWith(deps, principal, deviceId, async () => change);
}

/**
 * Applies a change that is made from the device as it is locked, with rows of the caller's own in the same transaction.
 * @param decide its first call, outside of the transaction and without one, says which paper is named; what it throws in the
 *   transaction takes everything back
 */
export async function changeDeviceWith(
  deps: DeviceDeps,
  principal: Principal,
  deviceId: string,
  decide: (trx?: Transaction, device?: DeviceRow) => Promise<DeviceChange>,
): Promise<DeviceRow> {
  const named = await decide();
  const returns = await returnsToPaper(deps, deviceId, named);
  const { changed, hasNews, sawIt, seesIt } = await transact(deps.db, async (trx) => {
    const store = deviceStore(trx);
    await keepPaper(trx, named.paper);
    const device = await requireDevice(trx, principal, deviceId, 'write');
    const change = await decide(trx, device);
    const sawIt = await audienceOfDevice(trx, device);
    requireAllowed(principal, device, change);
    const organization = change.organization ?? device.organization_id;
    await requireNamed(trx, organization, change);
    const { serial } = device;
    const { kind, meta } = change;
    requireShortNames({ 'meta.name': meta?.name }, { 'meta.name': storedObject(device.meta).name });
    requireSettings(meta ?? {}, 'meta', storedObject(device.meta));
    requireDrawable(kind ?? device.kind, meta);
    const isOther = kind !== undefined && kind !== device.kind;
    if (isOther && serial !== null) await requireKindOfFrame(trx, serial, kind);
    await store.change(device, { ...columnsOf(device, change), updated_at: deps.clock.now() }, returns);
    if (returns) await forgetShown(trx, deviceId);
    const shown = { column: 'device_id', id: deviceId } as const;
    if (change.paper !== undefined) {
      await timedPictures(trx).replace(shown, deps.clock.now());
      await awaitNoPicture(trx, deviceId);
    }
    // Meta states how the device hangs and what its inks look like, and the kind names its panel.
    if (meta !== undefined || isOther) await drawAgain(trx, deviceId);
    if (typeof change.paper === 'string') await tryAnew(trx, deviceId);
    if (movesAway(device, change)) await leaveAll(trx, deps, device);
    const hasNews =
      serial !== null && meta !== undefined && (await deps.frames.configure(trx, serial, settingsOfMeta(meta)));
    const changed = await findDevice(trx, deviceId);
    if (changed === undefined) throw refuse('not-found');
    return { changed, hasNews, sawIt, seesIt: await audienceOfDevice(trx, changed) };
  });
  if (JSON.stringify(sawIt) !== JSON.stringify(seesIt)) deps.changes.left('device', changed.id, sawIt, seesIt);
  if (hasNews && changed.serial !== null) await deps.frames.announceSettings(changed.serial);
  return changed;
}

/**
 * Deletes the images that the device had and the links of those who saw it, and gives its frame a new owner in the
 * records: the next one sees neither (T-63).
 */
async function leaveAll(trx: Transaction, { clock, random }: DeviceDeps, { id, serial }: DeviceRow): Promise<void> {
  await deviceImages(trx).removeAll(id);
  await endLinksOf(trx, { device: id });
  await timedPictures(trx).forgetPlace({ column: 'device_id', id });
  await uploadAttempts(trx).removeAll(id);
  await trx('deadline_occurrences').where({ device_id: id }).delete();
  await forgetShown(trx, id);
  if (serial !== null) await changeHands(trx, serial, { now: clock.now(), random });
}

/**
 * An update that names a paper, even the same one, ends the showing of the device's own image (docs/decisions/0009).
 */
async function returnsToPaper(deps: DeviceDeps, deviceId: string, change: DeviceChange): Promise<boolean> {
  if (typeof change.paper !== 'string') return false;
  const serial = (await findDevice(deps.db, deviceId))?.serial ?? null;
  const offer = serial === null ? undefined : await deps.frames.lastOffer(serial);
  return offer !== undefined && readRevision(offer.revision).kind === 'deviceImage';
}

const movesAway = (device: DeviceRow, { organization }: DeviceChange): boolean =>
  organization !== undefined && organization !== device.organization_id;

function requireAllowed(principal: Principal, device: DeviceRow, change: DeviceChange): void {
  const mayManage = mayDo(membershipIn(principal, device.organization_id), 'manage');
  // Costs and the device's identity are for admins (T-17).
  if (adminFields.some((field) => change[field] !== undefined) && !mayManage) throw refuse('access-denied');
  if (change.deviceId !== undefined && change.deviceId.toLowerCase() !== device.serial) {
    // A serial that is written into a record would take a frame without registration (T-19).
    throw refuse('conflict', {
      message: reasonOf('bound-by-registration'),
      hint: 'POST /devices/registerdevice/SERIAL',
    });
  }
  if (change.organization === undefined || !movesAway(device, change)) return;
  // Leaving an organization needs an admin of both (T-17).
  requireMembership(principal, device.organization_id, 'manage');
  requireMembership(principal, change.organization, 'manage');
}

function columnsOf(device: DeviceRow, change: DeviceChange): Partial<DeviceRow> {
  // The paper and the patient belong to the old organization and stay there.
  const left: Partial<DeviceRow> = movesAway(device, change) ? { paper_id: null, patient: null } : {};
  const details = storedObject(device.details);
  for (const field of detailFields) if (change[field] !== undefined) details[field] = change[field];
  return {
    ...left,
    ...(change.organization === undefined ? {} : { organization_id: change.organization }),
    ...(change.paper === undefined ? {} : { paper_id: change.paper }),
    ...(change.patient === undefined ? {} : { patient: change.patient }),
    ...(change.kind === undefined ? {} : { kind: change.kind }),
    ...(change.meta === undefined ? {} : { meta: metaText(change.meta) }),
    details: JSON.stringify(details),
  };
}

/** Removes a device and returns the row as it was. Its frame, if it has one, is free afterwards. */
export async function removeDevice(deps: DeviceDeps, principal: Principal, deviceId: string): Promise<DeviceRow> {
  const removed = await transact(deps.db, async (trx) => {
    const device = await requireDevice(trx, principal, deviceId, 'write');
    const sawIt = await audienceOfDevice(trx, device);
    await deviceStore(trx).remove(device);
    await timedPictures(trx).forgetPlace({ column: 'device_id', id: deviceId });
    if (device.serial !== null) await deps.frames.release(trx, device.serial);
    return { device, sawIt };
  });
  deps.changes.left('device', deviceId, removed.sawIt);
  return removed.device;
}
