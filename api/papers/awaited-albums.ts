/** Albums that were made for a device, which goes on with what it shows until the first picture is there. */
import type { Transaction } from '../../runtime/database.ts';
import type { PaperRow } from './store.ts';

/** Selects such an album for its device, in the transaction that adds its first picture. */
export async function selectWithPicture(
  trx: Transaction,
  { id, device_id, organization_id }: Pick<PaperRow, 'id' | 'device_id' | 'organization_id'>,
  now: number,
): Promise<void> {
  const waiting: number = await trx('papers')
    .where({ id, selects_with_picture: 1 })
    .update({ selects_with_picture: null });
  if (waiting === 0) return;
  await trx('devices')
    .where({ id: device_id, organization_id })
    .whereRaw('paper_id is distinct from ?', [id])
    .update({ paper_id: id, assignment: trx.raw('assignment + 1'), updated_at: now });
}

/** Forgets such albums of a device: somebody chose for it meanwhile. */
export const awaitNoAlbum = (trx: Transaction, deviceId: string): Promise<number> =>
  trx('papers').where({ device_id: deviceId, selects_with_picture: 1 }).update({ selects_with_picture: null });
