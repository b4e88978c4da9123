/** Binds a provisioned frame to a device of an organization, and releases it again (A-15, T-19). */
import { isUniqueViolation, transact } from '../../gateway/runtime/database.ts';
import { refuse } from '../../gateway/runtime/refusals.ts';
import { type Principal, requireMembership } from '../directory/principal.ts';
import { keepPaper } from '../papers/lock-paper.ts';
import type { Registration } from './change-device.ts';
import type { DeviceEdges } from './device-edges.ts';
import { insertDeviceOf } from './device-of-frame.ts';
import { requireNamed } from './require-device.ts';
import { type DeviceRow, deviceStore } from './store.ts';

/**
 * Registers a frame. Doing it again changes nothing, except that a frame whose user reset it is activated anew, as the
 * device that it is (W-36).
 * @returns the device, and whether its frame was none that works and is one now
 * @throws Refusal `unknown-frame` for a serial that is not provisioned, and likewise for one that is somebody else's
 */
export async function registerFrame(
  edges: DeviceEdges,
  principal: Principal,
  serial: string,
  wanted: Registration,
): Promise<{ readonly device: DeviceRow; readonly activated: boolean }> {
  requireMembership(principal, wanted.organization, 'write');
  try {
    return await transact(edges.database, async (trx) => {
      const store = deviceStore(trx);
      await keepPaper(trx, wanted.paper);
      await requireNamed(trx, wanted.organization, wanted);
      const found = await store.findBySerial(serial);
      // One that is released meanwhile is registered like every other.
      const known = found && (await store.locked(found.id));
      // T-16: whose frame it is, and whether there is such a frame, is told to nobody else.
      if (known !== undefined && known.organization_id !== wanted.organization) throw refuse('unknown-frame');
      const activation = await edges.frames.activate(trx, serial);
      if (known !== undefined) return { device: known, activated: activation === 'activated' };
      if (activation === 'unknown') throw refuse('unknown-frame');
      return { device: await insertDeviceOf(trx, edges, serial, wanted), activated: true };
    });
  } catch (error) {
    // Two organizations at once: the other one has it.
    if (isUniqueViolation(error)) throw refuse('unknown-frame');
    throw error;
  }
}

/**
 * Releases a frame of this organization and removes its device, which is returned as it was.
 * @throws Refusal `unknown-frame`
 */
export async function releaseFrame(
  edges: DeviceEdges,
  principal: Principal,
  serial: string,
  organization: string,
): Promise<DeviceRow> {
  requireMembership(principal, organization, 'write');
  return transact(edges.database, async (trx) => {
    const store = deviceStore(trx);
    const device = await store.findBySerial(serial);
    if (device?.organization_id !== organization) throw refuse('unknown-frame');
    await store.remove(device);
    await edges.frames.release(trx, serial);
    return device;
  });
}
