/** Access to devices and to the records that their fields name, in one place. */

import { reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import type { Database } from '../../runtime/database/database.ts';
import { isLinkedTo } from '../access/links.ts';
import { mayDo, membershipIn, type Principal, reachOf } from '../access/principal.ts';
import { type DeviceRow, deviceStore, findDevice } from './store.ts';

/**
 * Finds a device that the caller may read or write.
 * @throws Refusal `not-found` for a device that is missing or hidden from the caller, `access-denied` for the caller's
 * role
 */
export async function requireDevice(
  db: Database,
  principal: Principal,
  deviceId: string,
  act: 'read' | 'write',
): Promise<DeviceRow> {
  const device = await (act === 'write' ? deviceStore(db).locked(deviceId) : findDevice(db, deviceId));
  const membership = device && membershipIn(principal, device.organization_id);
  if (device === undefined || membership === undefined) throw refuse('not-found');
  const isSeen = reachOf(membership) === 'organization' || (await isLinkedTo(db, device, membership.userId));
  if (!isSeen) throw refuse('not-found');
  if (act === 'write' && !mayDo(membership, 'write')) throw refuse('access-denied');
  return device;
}

/**
 * Checks that a patient and a paper named for a device belong to its organization; they stay so until the transaction
 * ends.
 * @throws Refusal `not-found`, the same for a record elsewhere and for none
 */
export async function requireNamed(
  db: Database,
  organizationId: string,
  named: { readonly patient?: string | null | undefined; readonly paper?: string | null | undefined },
): Promise<void> {
  const isInside = async (table: string, id: string): Promise<boolean> =>
    (await db(table).where({ id, organization_id: organizationId }).forShare().first('id')) !== undefined;
  if (typeof named.patient === 'string' && !(await isInside('users', named.patient))) {
    throw refuse('not-found', { message: reasonOf('no-such-patient') });
  }
  if (typeof named.paper === 'string' && !(await isInside('papers', named.paper))) {
    throw refuse('not-found', { message: reasonOf('no-such-paper') });
  }
}
