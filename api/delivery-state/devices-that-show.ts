/** The devices that show a paper, and their pictures made due again when what it is drawn from has changed. */
import type { Database } from '../../runtime/database/database.ts';
import { composedKinds } from '../papers/kinds.ts';
import type { PaperRow } from '../papers/store.ts';

/** Finds the devices that show a paper, by itself or among others. */
export async function devicesThatShow(
  db: Database,
  { id, organization_id }: Pick<PaperRow, 'id' | 'organization_id'>,
): Promise<readonly string[]> {
  const rows: { id: string }[] = await db('devices')
    .join('papers', 'papers.id', 'devices.paper_id')
    .where('devices.organization_id', organization_id)
    .where(
      (shows) =>
        void shows
          .where('papers.id', id)
          .orWhere((among) => among.whereIn('papers.kind', [...composedKinds]).where('papers.meta', 'like', `%${id}%`)),
    )
    .select('devices.id');
  return rows.map((row) => row.id);
}

/** Makes the pictures of devices due: they are drawn again, and offered where a pixel changed. */
export const drawAgainOn = (db: Database, deviceIds: readonly string[], now: number): Promise<number> =>
  db('shown_pictures')
    .whereIn('device_id', [...deviceIds])
    .update({ render_due_at: now, attempts: 0 });
