/** Registers a frame for the operator, on the machine that the service runs on. */
import { activateFrame } from '../../gateway/provisioning/own-frame.ts';
import { refuse } from '../../reasons/refusals.ts';
import type { Clock } from '../../runtime/clock.ts';
import { type Database, transact } from '../../runtime/database/database.ts';
import type { Random } from '../../runtime/random.ts';
import { directoryStore, type OrganizationRow } from '../directory/store.ts';
import { deviceOfFrame } from './device-of-frame.ts';
import { type DeviceRow, deviceStore } from './store.ts';

/**
 * Makes a provisioned frame an organization's device. A repetition changes nothing.
 * @throws Refusal `not-found` without such an organization, `frame-taken` when another organization has the frame
 */
export function adoptFrame(
  context: { readonly db: Database; readonly clock: Clock; readonly random: Random },
  serial: string,
  organization: string,
): Promise<DeviceRow> {
  const key = serial.toLowerCase();
  return transact(context.db, async (trx) => {
    const known = await requireAdoptable(trx, key, organization);
    const device = known ?? (await deviceOfFrame(trx, context, key, { organization }));
    await activateFrame(trx, key, { now: context.clock.now(), random: context.random });
    return device;
  });
}

/**
 * Finds the device that the frame already is, if any.
 * @throws Refusal as `adoptFrame` does, for a frame that may not be provisioned yet
 */
export async function requireAdoptable(
  db: Database,
  serial: string,
  organization: string,
): Promise<DeviceRow | undefined> {
  await requireOrganization(db, organization);
  const device = await deviceStore(db).findBySerial(serial.toLowerCase());
  if (device !== undefined && device.organization_id !== organization) throw refuse('frame-taken');
  return device;
}

/**
 * Finds an organization by the id that the operator gave.
 * @throws Refusal `not-found`
 */
export async function requireOrganization(db: Database, id: string): Promise<OrganizationRow> {
  const found = await directoryStore(db).organization(id);
  if (found === undefined) throw refuse('not-found', { message: `No organization ${id}` });
  return found;
}
