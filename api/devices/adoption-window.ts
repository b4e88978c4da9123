/** Adoption windows: for some minutes an organization takes every frame that asks, in bounds (T-114). */
import { askersOf } from '../../gateway/adoption/waiting-frames.ts';
import type { Database, Transaction } from '../../runtime/database/database.ts';
import { changeRows, firstRow } from '../../runtime/database/plain-sql.ts';
import { addressBucket } from '../../runtime/plain-address.ts';
import { type AdoptDeps, adoptAsking, isAlone } from './adopt-asking.ts';
import { deviceStore } from './store.ts';

/** The most frames that one window adopts, and those in a minute: made-up addresses cannot fill the list of devices. */
export const windowBounds = { frames: 30, aMinute: 10 } as const;
const minuteMs = 60_000;

/** The time in which an organization takes every frame that asks. Times are epoch milliseconds. */
export interface AdoptionWindow {
  readonly organization_id: string;
  readonly until: number;
  /** The address that it was opened from. */
  readonly address: string;
  /** The number of frames that it has adopted; null for none. */
  readonly adopted: number | null;
  /** The beginning of the minute of its last adoption, and the number of adoptions in that minute. */
  readonly minute_from: number | null;
  readonly minute_adopted: number | null;
}

/** Opens the window of an organization, or moves its end; it counts from the beginning then. */
export function openWindow(
  db: Database,
  { organization_id, until, address }: Pick<AdoptionWindow, 'organization_id' | 'until' | 'address'>,
): Promise<void> {
  return changeRows(
    db,
    `insert into adoption_windows (organization_id, until, address) values (?, ?, ?)
     on conflict (organization_id) do update set until = excluded.until, address = excluded.address,
       adopted = null, minute_from = null, minute_adopted = null`,
    [organization_id, until, address],
  );
}

/** Closes the window of an organization. */
export function closeWindow(db: Database, organizationId: string): Promise<void> {
  return changeRows(db, 'delete from adoption_windows where organization_id = ?', [organizationId]);
}

/** The window of an organization while it is open. */
export function windowOf(db: Database, organizationId: string, now: number): Promise<AdoptionWindow | undefined> {
  const sql = 'select * from adoption_windows where organization_id = ? and until > ?';
  return firstRow(db, sql, [organizationId, now]);
}

/**
 * Adopts a frame that asks for its key while exactly one window is open to it, in the transaction of its call. One beyond the
 * bounds waits, and so does one while another device names itself as it does.
 * @returns true when it is somebody's now
 */
export async function adoptInWindow(
  trx: Transaction,
  deps: AdoptDeps,
  { serial, address }: { readonly serial: string; readonly address: string | undefined },
): Promise<boolean> {
  const now = deps.clock.now();
  const open = await trx<AdoptionWindow>('adoption_windows').where('until', '>', now).limit(100);
  if (open.length === 0 || (await deviceStore(trx).findBySerial(serial)) !== undefined) return false;
  const alone = await isAlone(trx);
  const from = address === undefined ? undefined : addressBucket(address);
  const [window, other] = open.filter((each) => alone || addressBucket(each.address) === from);
  if (window === undefined || other !== undefined) return false;
  const asking = await askersOf(trx, serial);
  // A device that names no panel has to be adopted by its kind.
  if (asking.length !== 1 || asking[0]?.panel == null) return false;
  if (!(await takeRoom(trx, window, now))) return false;
  await adoptAsking(trx, deps, { serial, organization: window.organization_id });
  return true;
}

/** Counts one more adoption where there is room for it. The row is locked by its change: two at once count as two. */
async function takeRoom(trx: Transaction, { organization_id }: AdoptionWindow, now: number): Promise<boolean> {
  const { frames, aMinute } = windowBounds;
  const changed = await trx<AdoptionWindow>('adoption_windows')
    .where({ organization_id })
    .whereRaw('coalesce(adopted, 0) < ?', [frames])
    .whereRaw('(minute_from is null or minute_from <= ? or minute_adopted < ?)', [now - minuteMs, aMinute])
    .update({
      adopted: trx.raw('coalesce(adopted, 0) + 1'),
      minute_adopted: trx.raw('case when minute_from > ? then minute_adopted + 1 else 1 end', [now - minuteMs]),
      minute_from: trx.raw('case when minute_from > ? then minute_from else ? end', [now - minuteMs, now]),
    });
  return changed === 1;
}
