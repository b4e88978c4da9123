/** The rows of frames with the offline firmware. */
import type { Database } from '../../../runtime/database/database.ts';
import { firstRow } from '../../../runtime/database/plain-sql.ts';
import { newRow, type RowIn } from '../../../runtime/database/table.ts';
import { serialKey } from '../../frames/registry.ts';
import { offlineTables } from './tables.ts';

/** A row of `offline_frames`. */
export type OfflineRow = RowIn<typeof offlineTables, 'offline_frames'>;

/** Reads the row of a frame; one that has never called has the values with which a row begins. */
export async function offlineRow(db: Database, serial: string): Promise<OfflineRow> {
  const key = serialKey(serial);
  const row = await firstRow<OfflineRow>(db, 'select * from offline_frames where serial = ?', [key]);
  return row ?? newRow(offlineTables, 'offline_frames', { serial: key });
}

/** Writes changed columns of a frame's row. */
export async function changeOffline(db: Database, serial: string, change: Partial<OfflineRow>): Promise<void> {
  const row = { ...newRow(offlineTables, 'offline_frames', { serial: serialKey(serial) }), ...change };
  await db<OfflineRow>('offline_frames').insert(row).onConflict('serial').merge(change);
}
