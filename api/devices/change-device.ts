/** Creates, changes and removes devices. */
import { z } from 'zod';
import { panelOfKind, withOwnPalette, withOwnTurn } from '../../firmware-protocol/panels.ts';
import { transact } from '../../gateway/runtime/database.ts';
import { refuse } from '../../gateway/runtime/refusals.ts';
import { drawAgain, forgetShown, tryAnew } from '../delivery/picture-store.ts';
import { mayDo, membershipIn, type Principal, requireMembership } from '../directory/principal.ts';
import { metaText, objectId, openObject, replacesMeta, storedObject } from '../http/field-shapes.ts';
import { keepPaper } from '../papers/lock-paper.ts';
import type { DeviceEdges } from './device-edges.ts';
import { deviceImages, isOwnRevision } from './device-images.ts';
import { requireDevice, requireNamed } from './require-device.ts';
import { type DeviceRow, deviceName, deviceStore, findDevice } from './store.ts';
import { updateSchedule, windowsOf } from './update-schedule.ts';

const named = { patient: objectId.nullable().optional(), paper: objectId.nullable().optional() };
const kind = z.string().min(1).max(100);

/** Whose a new device is, and what it is linked to. */
export interface Registration {
  readonly organization: string;
  readonly patient?: string | null | undefined;
  readonly paper?: string | null | undefined;
}

/** What creating a device takes. */
export const deviceBody = z.object({ organization: objectId, kind: kind.optional(), ...named });

/** What an update of a device may carry: given fields replace stored ones, `meta` as a whole (C-46). */
export const deviceChange = z.object({
  intake: openObject.optional(),
  meta: z.looseObject({ updateSchedule: updateSchedule.nullish() }).describe(replacesMeta).optional(),
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

/** A new row. */
export function newDevice(
  edges: Pick<DeviceEdges, 'clock' | 'random'>,
  from: Registration & { readonly serial?: string; readonly kind?: string | undefined },
): DeviceRow {
  const now = edges.clock.now();
  const serial = from.serial ?? null;
  const known = { serial, kind: from.kind ?? null, meta: '{}' };
  return {
    ...known,
    name: deviceName(known),
    id: edges.random.id(),
    organization_id: from.organization,
    patient: from.patient ?? null,
    paper_id: from.paper ?? null,
    assignment: 1,
    details: '{}',
    created_at: now,
    updated_at: now,
  };
}

/** Applies a change and returns the device as stored. */
export async function changeDevice(
  edges: DeviceEdges,
  principal: Principal,
  deviceId: string,
  change: DeviceChange,
): Promise<DeviceRow> {
  const returns = await returnsToPaper(edges, deviceId, change);
  const { changed, hasNews } = await transact(edges.database, async (trx) => {
    const store = deviceStore(trx);
    await keepPaper(trx, change.paper);
    const device = await requireDevice(trx, principal, deviceId, 'write');
    requireAllowed(principal, device, change);
    const organization = change.organization ?? device.organization_id;
    await requireNamed(trx, organization, change);
    requireDrawable(change.kind ?? device.kind, change);
    await store.change(device, { ...columnsOf(device, change), updated_at: edges.clock.now() }, returns);
    if (returns) await forgetShown(trx, deviceId);
    // How it hangs and what its inks look like stand in meta, and its kind names its panel.
    const isOther = change.kind !== undefined && change.kind !== device.kind;
    if (change.meta !== undefined || isOther) await drawAgain(trx, deviceId);
    if (typeof change.paper === 'string') await tryAnew(trx, deviceId);
    if (movesAway(device, change)) await deviceImages(trx).removeAll(deviceId);
    const { serial } = device;
    const { meta } = change;
    const hasNews =
      serial !== null &&
      meta !== undefined &&
      (await edges.frames.configure(trx, serial, {
        sleepTime: meta.sleepTime,
        updateSchedule: windowsOf(meta.updateSchedule),
      }));
    const changed = await findDevice(trx, deviceId);
    if (changed === undefined) throw refuse('not-found');
    return { changed, hasNews };
  });
  if (hasNews && changed.serial !== null) await edges.frames.announceSettings(changed.serial);
  return changed;
}

/** What `meta` may say of the panel, and what judges it. */
const ofThePanel = { palette: withOwnPalette, landscapeTurn: withOwnTurn } as const;

/** PN-09: what cannot be drawn with is refused when it is saved. */
function requireDrawable(kind: string | null, { meta }: DeviceChange): void {
  const panel = panelOfKind(kind ?? '');
  for (const [field, apply] of Object.entries(ofThePanel)) {
    const wish = meta?.[field];
    if (wish === undefined) continue;
    const own = panel && apply(panel, wish);
    const problem = own ?? `no panel is known for devices of kind ${kind ?? 'unknown'}`;
    if (typeof problem === 'string') throw refuse('invalid-request', { hint: `meta.${field}: ${problem}` });
  }
}

/** Naming a paper, also the same one, ends what an image of the device's own took the place of (docs/decisions/0009). */
async function returnsToPaper(edges: DeviceEdges, deviceId: string, change: DeviceChange): Promise<boolean> {
  if (typeof change.paper !== 'string') return false;
  const serial = (await findDevice(edges.database, deviceId))?.serial ?? null;
  return serial !== null && isOwnRevision((await edges.frames.lastOffer(serial))?.revision);
}

const movesAway = (device: DeviceRow, { organization }: DeviceChange): boolean =>
  organization !== undefined && organization !== device.organization_id;

function requireAllowed(principal: Principal, device: DeviceRow, change: DeviceChange): void {
  const mayManage = mayDo(membershipIn(principal, device.organization_id), 'manage');
  // T-17: money and the device's identity are for admins.
  if (adminFields.some((field) => change[field] !== undefined) && !mayManage) throw refuse('access-denied');
  if (change.deviceId !== undefined && change.deviceId.toLowerCase() !== device.serial) {
    // T-19: a serial written into a record would be a frame taken without asking.
    throw refuse('conflict', {
      message: 'A frame is bound to a device by registration only',
      hint: 'POST /devices/registerdevice/SERIAL',
    });
  }
  if (change.organization === undefined || !movesAway(device, change)) return;
  // T-17: leaving an organization needs an admin of both.
  requireMembership(principal, device.organization_id, 'manage');
  requireMembership(principal, change.organization, 'manage');
}

function columnsOf(device: DeviceRow, change: DeviceChange): Partial<DeviceRow> {
  // What belongs to the old organization stays there.
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

/** Removes a device; its frame, if any, is nobody's afterwards. Returns the row as it was. */
export function removeDevice(edges: DeviceEdges, principal: Principal, deviceId: string): Promise<DeviceRow> {
  return transact(edges.database, async (trx) => {
    const device = await requireDevice(trx, principal, deviceId, 'write');
    await deviceStore(trx).remove(device);
    if (device.serial !== null) await edges.frames.release(trx, device.serial);
    return device;
  });
}
