/**
 * The pictures on glasses: for many frames at once what each was offered last and shows, and for one what it showed before.
 */
import type { Database } from '../../runtime/database/database.ts';
import { allRows } from '../../runtime/database/plain-sql.ts';
import { serialKey } from '../frames/registry.ts';
import { ofOwner, type UploadRow, wasShown } from './upload-row.ts';

/** The facts about the pictures of a frame. */
export interface FleetPictures {
  /** The last offer that is still announced to the frame. */
  readonly newest: UploadRow | undefined;
  /** The last picture that the frame took whole and then reported as shown. */
  readonly shown: UploadRow | undefined;
  /** When the service took up from a restored backup last, in epoch milliseconds; null where it never did. */
  readonly restoredAt: number | null;
}

/** SQL of the id of one upload of a frame's present owner (T-63). */
const oneUpload = (of: string) => `(select id from uploads where uploads.serial = frames.serial
  and uploads.ownership = frames.ownership and ${of} desc limit 1)`;
const newestId = oneUpload('replaced_at is null order by offered_at');
const shownId = oneUpload(`${wasShown} order by shown_at`);

/** Reads the pictures of these frames, by serial. */
export async function picturesOfFleet(
  db: Database,
  serials: readonly string[],
): Promise<ReadonlyMap<string, FleetPictures>> {
  if (serials.length === 0) return new Map();
  const named = serials.map(() => '?').join(', ');
  const rows = await allRows<UploadRow & { is_newest: number; is_shown: number; restored_at: string | null }>(
    db,
    `with found as (select serial as of_serial, ${newestId} as newest_id, ${shownId} as shown_id
       from frames where serial in (${named}))
     select uploads.*, case when uploads.id = newest_id then 1 else 0 end as is_newest,
       case when uploads.id = shown_id then 1 else 0 end as is_shown,
       (select value from service_facts where name = 'restored at') as restored_at
     from found join uploads on uploads.id in (newest_id, shown_id)`,
    serials,
  );
  const found = new Map<string, FleetPictures>();
  for (const { is_newest, is_shown, restored_at, ...upload } of rows) {
    const { newest, shown } = found.get(upload.serial) ?? { newest: undefined, shown: undefined };
    found.set(upload.serial, {
      newest: is_newest === 1 ? upload : newest,
      shown: is_shown === 1 ? upload : shown,
      restoredAt: restored_at === null ? null : Number(restored_at),
    });
  }
  return found;
}

/** Lists pictures that a frame took whole and then reported as shown before a time, the newest first. */
export function picturesShown(db: Database, serial: string, before: number, limit: number): Promise<UploadRow[]> {
  return db<UploadRow>('uploads')
    .where({ serial: serialKey(serial) })
    .whereRaw(ofOwner)
    .whereRaw(wasShown)
    .where('shown_at', '<', before)
    .orderBy('shown_at', 'desc')
    .limit(limit);
}
