/**
 * Finds the device of a frame. This is the one place that decides the device's kind: its frame's, unless the frame's
 * panel is unknown.
 */
import { panelOfKind } from '../../firmware-protocol/panels.ts';
import type { NamedKind } from '../../gateway/frames/frame-kinds.ts';
import { panelOfFrame } from '../../gateway/frames/named-panel.ts';
import { type FrameRow, frameRegistry } from '../../gateway/frames/registry.ts';
import { requestSettings } from '../../gateway/frames/settings.ts';
import { changeHands } from '../../gateway/provisioning/own-frame.ts';
import { refuse } from '../../reasons/refusals.ts';
import type { Transaction } from '../../runtime/database/database.ts';
import { storedObject } from '../http/field-shapes.ts';
import { type NewDeviceDeps, newDevice, type Registration } from './new-device.ts';
import { settingsOfMeta } from './settings-of-meta.ts';
import { drawAgain } from './shown-pictures.ts';
import { type DeviceRow, deviceStore, findDevice } from './store.ts';

/** The number of devices without a frame that a registration looks at. */
const maxLookedAt = 500;

/**
 * Makes the device of a provisioned frame that is registered. A device that was made beforehand and waits for a frame
 * becomes this frame's, else a new one is made. The frame's earlier history does not belong to it (T-63).
 * @throws Refusal `unknown-frame`
 */
export async function deviceOfFrame(
  trx: Transaction,
  deps: NewDeviceDeps,
  serial: string,
  registration: Registration,
): Promise<DeviceRow> {
  const frame = await frameRegistry(trx).find(serial);
  if (frame === undefined) throw refuse('unknown-frame');
  await changeHands(trx, serial, { now: deps.clock.now(), random: deps.random });
  const waiting = await waitingDevice(trx, frame, registration);
  if (waiting !== undefined) return bind(trx, deps, { device: waiting, frame }, registration);
  const device = newDevice(deps, { ...registration, serial, kind: frame.kind });
  await deviceStore(trx).insert(device);
  return device;
}

/**
 * Finds the newest device without a frame that this registration fits. It is locked, so that no other registration
 * takes it.
 */
async function waitingDevice(
  trx: Transaction,
  frame: FrameRow,
  { organization, patient, paper }: Registration,
): Promise<DeviceRow | undefined> {
  const panel = panelOfFrame(frame)?.name ?? frame.kind;
  const isOfPanel = ({ kind }: DeviceRow) => kind === null || (panelOfKind(kind)?.name ?? kind) === panel;
  const fits = (device: DeviceRow): boolean =>
    isOfPanel(device) && agrees(device.patient, patient) && agrees(device.paper_id, paper);
  const found = (await withoutFrame(trx, organization)).find(fits);
  const held = found && (await deviceStore(trx).locked(found.id));
  return held?.serial === null && held.organization_id === organization ? held : undefined;
}

/** Finds an organization's devices that have no frame, the newest first. */
function withoutFrame(trx: Transaction, organization_id: string): Promise<DeviceRow[]> {
  return trx<DeviceRow>('devices')
    .where({ organization_id, serial: null })
    .orderBy([
      { column: 'created_at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .limit(maxLookedAt);
}

/** A registration agrees with a device when both name the same value, or one of them names none. */
function agrees(has: string | null, named: string | null | undefined): boolean {
  return has === null || typeof named !== 'string' || has === named;
}

async function bind(
  trx: Transaction,
  { clock, random }: NewDeviceDeps,
  { device, frame }: { readonly device: DeviceRow; readonly frame: FrameRow },
  { patient, paper }: Registration,
): Promise<DeviceRow> {
  const { serial, kind } = frame;
  const now = clock.now();
  const named = { patient: patient ?? device.patient, paper_id: paper ?? device.paper_id };
  await deviceStore(trx).change(device, { serial, kind, ...named, updated_at: now });
  await requestSettings(trx, serial, settingsOfMeta(storedObject(device.meta)), { now, random });
  return (await findDevice(trx, device.id)) as DeviceRow;
}

/** Gives the device the new kind of its frame, and makes it be drawn for that. */
export async function followFrame(trx: Transaction, { serial, kind }: NamedKind): Promise<void> {
  const device = await deviceStore(trx).findBySerial(serial);
  if (device === undefined || device.kind === kind) return;
  await deviceStore(trx).change(device, { kind });
  await drawAgain(trx, device.id);
}
