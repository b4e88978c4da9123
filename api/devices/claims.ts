/**
 * Claims: serials that an organization's admins made their own, with credentials, before any board logged in with them.
 * They are bounded and end by themselves, so that nobody keeps the serials of boards that somebody else will buy (T-79).
 */

import { reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import type { Database, Transaction } from '../../runtime/database/database.ts';
import type { Membership } from '../access/principal.ts';
import { directoryStore } from '../directory/store.ts';
import type { DeviceRow } from './store.ts';

/** The defaults: how many claims an organization may have open, and after how many days a claim ends. */
export const defaultClaims = { most: 20, days: 14 };

/** Finds the claims under which no board has logged in since they were made. */
function openClaims(db: Database) {
  return db<DeviceRow & { claimed_at: number | null }>('devices')
    .join('frames', 'frames.serial', 'devices.serial')
    .whereNotNull('devices.claimed_at')
    .where((where) =>
      where.whereNull('frames.last_contact_at').orWhereRaw('frames.last_contact_at < devices.claimed_at'),
    );
}

/**
 * Refuses a further claim of an organization, and of all that was made from the same one. The organization is locked:
 * two who make its last claim at once do so one after the other.
 * @throws Refusal `conflict`
 */
export async function requireClaimRoom(
  trx: Transaction,
  { organizationId, vouchedBy = organizationId }: Pick<Membership, 'organizationId' | 'vouchedBy'>,
  { most, days }: { readonly most: number; readonly days: number },
): Promise<void> {
  await directoryStore(trx).lockOrganization(organizationId);
  const [counted] = await openClaims(trx)
    .join('organizations', 'organizations.id', 'devices.organization_id')
    .where((where) => where.where('organizations.id', vouchedBy).orWhere('organizations.vouched_by', vouchedBy))
    .count({ open: '*' });
  if (Number(counted?.open) < most) return;
  throw refuse('conflict', {
    message: reasonOf('many-claims', { most }),
    hint: reasonOf('claims-end', { days }),
  });
}

/** Notes that a device's serial was claimed. */
export async function noteClaim(trx: Transaction, deviceId: string, now: number): Promise<void> {
  await trx('devices').where({ id: deviceId }).update({ claimed_at: now });
}

/** Returns the devices whose claim is still open and older than a time. */
export function claimsBefore(db: Database, before: number): Promise<DeviceRow[]> {
  return openClaims(db).where('devices.claimed_at', '<=', before).orderBy('devices.id').select('devices.*');
}

/** Returns whether a device's claim is still open. */
export async function isOpenClaim(trx: Transaction, deviceId: string): Promise<boolean> {
  return (await openClaims(trx).where('devices.id', deviceId).first('devices.id')) !== undefined;
}
