/** Binds a provisioned frame to a device of an organization, and releases it again. */

import { refuse } from '../../../reasons/refusals.ts';
import { isUniqueViolation, transact } from '../../../runtime/database/database.ts';
import { type Principal, requireMembership } from '../../access/principal.ts';
import { audienceOfDevice } from '../../changes/read-records.ts';
import { deviceOfFrame } from '../../devices/device-of-frame.ts';
import type { Registration } from '../../devices/new-device.ts';
import { requireNamed } from '../../devices/require-device.ts';
import { type DeviceRow, deviceStore } from '../../devices/store.ts';
import { keepPaper } from '../../papers/lock-paper.ts';
import type { DeviceDeps } from './device-deps.ts';

/**
 * Registers a frame. A repetition changes nothing, except that a frame whose user reset it is activated again, as the
 * device that it is (W-36).
 * @returns the device, and whether its frame was activated by this call
 * @throws Refusal `unknown-frame` for a serial that is not provisioned, and likewise for one of another organization
 */
export async function registerFrame(
  deps: DeviceDeps,
  principal: Principal,
  serial: string,
  wanted: Registration,
): Promise<{ readonly device: DeviceRow; readonly activated: boolean }> {
  requireMembership(principal, wanted.organization, 'write');
  try {
    return await transact(deps.db, async (trx) => {
      const store = deviceStore(trx);
      await keepPaper(trx, wanted.paper);
      await requireNamed(trx, wanted.organization, wanted);
      const found = await store.findBySerial(serial);
      // A frame that is released meanwhile is registered like any other.
      const known = found && (await store.locked(found.id));
      // Nobody else learns whose frame it is, or whether there is such a frame (T-16).
      if (known !== undefined && known.organization_id !== wanted.organization) throw refuse('unknown-frame');
      const device = known ?? (await deviceOfFrame(trx, deps, serial, wanted));
      const activation = await deps.frames.activate(trx, serial);
      return { device, activated: known === undefined || activation === 'activated' };
    });
  } catch (error) {
    // Two organizations registered the frame at once, and the other one has it.
    if (isUniqueViolation(error)) throw refuse('unknown-frame');
    throw error;
  }
}

/**
 * Releases a frame of this organization and removes its device, which is returned as it was.
 * @throws Refusal `unknown-frame`
 */
export async function releaseDevice(
  deps: DeviceDeps,
  principal: Principal,
  serial: string,
  organization: string,
): Promise<DeviceRow> {
  requireMembership(principal, organization, 'write');
  const removed = await transact(deps.db, async (trx) => {
    const store = deviceStore(trx);
    const device = await store.findBySerial(serial);
    if (device?.organization_id !== organization) throw refuse('unknown-frame');
    const sawIt = await audienceOfDevice(trx, device);
    await store.remove(device);
    await deps.frames.release(trx, serial);
    return { device, sawIt };
  });
  deps.changes.left('device', removed.device.id, removed.sawIt);
  return removed.device;
}
