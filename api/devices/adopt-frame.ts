/** The operator's own registration of a frame, from the machine the service runs on. */
import { frameRegistry } from '../../gateway/frames/registry.ts';
import type { Clock } from '../../gateway/runtime/clock.ts';
import { type Database, transact } from '../../gateway/runtime/database.ts';
import type { Random } from '../../gateway/runtime/random.ts';
import { refuse } from '../../gateway/runtime/refusals.ts';
import { insertDeviceOf } from './device-of-frame.ts';
import { type DeviceRow, deviceStore } from './store.ts';

/**
 * Makes a provisioned frame an organization's device; doing it again changes nothing.
 * @throws Refusal `not-found` without such an organization, `frame-taken` when it is another organization's
 */
export function adoptFrame(
  house: { readonly db: Database; readonly clock: Clock; readonly random: Random },
  serial: string,
  organization: string,
): Promise<DeviceRow> {
  const key = serial.toLowerCase();
  return transact(house.db, async (trx) => {
    const known = await requireAdoptable(trx, key, organization);
    const registry = frameRegistry(trx);
    const frame = await registry.known(key);
    if (frame.activation !== 'activated') await registry.setActivation(key, 'activated', house.clock.now());
    if (known !== undefined) return known;
    return insertDeviceOf(trx, house, key, { organization });
  });
}

/**
 * The device that the frame is already, if any.
 * @throws Refusal as `adoptFrame` does, for a frame that may not be provisioned yet
 */
export async function requireAdoptable(
  db: Database,
  serial: string,
  organization: string,
): Promise<DeviceRow | undefined> {
  const found = await db('organizations').where({ id: organization }).first('id');
  if (found === undefined) throw refuse('not-found', { message: `No organization ${organization}` });
  const device = await deviceStore(db).findBySerial(serial.toLowerCase());
  if (device !== undefined && device.organization_id !== organization) throw refuse('frame-taken');
  return device;
}
