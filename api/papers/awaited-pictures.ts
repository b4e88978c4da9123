/** Papers that were made for a device, which goes on with what it shows until the first picture is there. */
import { planAgain } from '../../gateway/frames/plans-due.ts';
import type { Database, Transaction } from '../../runtime/database/database.ts';
import { type DeviceRow, findDevice } from '../devices/store.ts';
import type { PaperRow } from './store.ts';

/** Selects such a paper for its device, in the transaction that stores its first picture. */
export async function selectWithPicture(
  trx: Transaction,
  { id, device_id, organization_id }: Pick<PaperRow, 'id' | 'device_id' | 'organization_id'>,
  now: number,
): Promise<void> {
  const waiting: number = await trx('papers')
    .where({ id, selects_with_picture: 1 })
    .update({ selects_with_picture: null });
  if (waiting === 0) return;
  await planAgain(trx, [device_id]);
  await trx('devices')
    .where({ id: device_id, organization_id })
    .whereRaw('paper_id is distinct from ?', [id])
    .update({ paper_id: id, assignment: trx.raw('assignment + 1'), updated_at: now });
}

/** The device that such a paper waits to be shown by; undefined for every other paper. */
export async function deviceWaitingFor(
  db: Database,
  { device_id, organization_id, selects_with_picture }: PaperRow,
): Promise<DeviceRow | undefined> {
  if (selects_with_picture !== 1 || device_id === null) return undefined;
  const device = await findDevice(db, device_id);
  return device?.organization_id === organization_id ? device : undefined;
}

/** Forgets such papers of a device: somebody chose for it meanwhile. */
export const awaitNoPicture = (trx: Transaction, deviceId: string): Promise<number> =>
  trx('papers').where({ device_id: deviceId, selects_with_picture: 1 }).update({ selects_with_picture: null });
