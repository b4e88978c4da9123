/**
 * The device of a frame, and the one place that says of which kind it is: the frame's own, until a person gives
 * it another.
 */
import type { NamedKind } from '../../gateway/frames/frame-kinds.ts';
import { frameRegistry } from '../../gateway/frames/registry.ts';
import type { Transaction } from '../../gateway/runtime/database.ts';
import { drawAgain } from '../delivery/picture-store.ts';
import { newDevice, type Registration } from './change-device.ts';
import type { DeviceEdges } from './device-edges.ts';
import { type DeviceRow, deviceStore } from './store.ts';

/** Makes the device of a provisioned frame that is registered. */
export async function insertDeviceOf(
  trx: Transaction,
  edges: Pick<DeviceEdges, 'clock' | 'random'>,
  serial: string,
  registration: Registration,
): Promise<DeviceRow> {
  const { kind } = await frameRegistry(trx).known(serial);
  const device = newDevice(edges, { ...registration, serial, kind });
  await deviceStore(trx).insert(device);
  return device;
}

/** A frame's kind became another: so does its device's, which is drawn for it, unless a person gave it one of its own. */
export async function followFrame(trx: Transaction, { serial, before, kind }: NamedKind): Promise<void> {
  const device = await deviceStore(trx).findBySerial(serial);
  if (device === undefined || device.kind !== before) return;
  await deviceStore(trx).change(device, { kind });
  await drawAgain(trx, device.id);
}
