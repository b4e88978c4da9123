/** The devices that asked for a picture and belong to nobody: they are seen, and not served. */
import type { TrmnlCall } from '../../firmware-protocol/trmnl/headers.ts';
import { panelOfCall } from '../../firmware-protocol/trmnl/models.ts';
import type { Database } from '../../runtime/database.ts';
import { allRows, changeRows, firstRow } from '../../runtime/plain-sql.ts';
import { passwordDigest, serialKey } from '../frames/registry.ts';

/** A row of `waiting_frames`. Times are epoch milliseconds. */
export interface WaitingRow {
  readonly serial: string;
  readonly first_at: number;
  readonly last_at: number;
  readonly asks: number;
  readonly model: string | null;
  readonly firmware: string | null;
  readonly width: number | null;
  readonly height: number | null;
  /** The panel that its model or its size names; null where it names neither. */
  readonly panel: string | null;
  /** The address that it asked from. */
  readonly address: string | null;
  readonly token_hash: string | null;
}

/** The most devices that are kept, and those from one address: whoever makes names up fills no table. */
const most = 500;
const maxFromAddress = 50;
/** How long a device is kept that asks no more. */
const keptMs = 7 * 86_400_000;

/**
 * Notes that a device asked. When the list is full, the device goes that asked last the longest ago: one that is there asks
 * again, and made-up names hide none for long.
 * @param address the address that the call came from
 */
export async function noteAsking(
  db: Database,
  call: TrmnlCall,
  address: string | undefined,
  now: number,
): Promise<void> {
  const serial = serialKey(call.serial);
  await changeRows(db, 'delete from waiting_frames where last_at < ?', [now - keptMs]);
  const known = await firstRow(db, 'select 1 as one from waiting_frames where serial = ?', [serial]);
  if (known === undefined) await makeRoom(db, address);
  const { model = null, firmware = null, width = null, height = null, token } = call;
  const panel = panelOfCall(call) ?? null;
  const tokenHash = token === undefined ? null : passwordDigest(token).toString('hex');
  await changeRows(
    db,
    `insert into waiting_frames
       (serial, first_at, last_at, asks, model, firmware, width, height, panel, address, token_hash)
     values (?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?)
     on conflict (serial) do update set last_at = excluded.last_at, asks = waiting_frames.asks + 1,
       model = coalesce(excluded.model, waiting_frames.model),
       firmware = coalesce(excluded.firmware, waiting_frames.firmware),
       width = coalesce(excluded.width, waiting_frames.width), height = coalesce(excluded.height, waiting_frames.height),
       panel = coalesce(excluded.panel, waiting_frames.panel), address = excluded.address,
       token_hash = coalesce(excluded.token_hash, waiting_frames.token_hash)`,
    [serial, now, now, model, firmware, width, height, panel, address ?? null, tokenHash],
  );
}

async function makeRoom(db: Database, address: string | undefined): Promise<void> {
  const counted = await firstRow<{ all_of: number; from_here: number }>(
    db,
    'select count(*) as all_of, count(case when address = ? then 1 end) as from_here from waiting_frames',
    [address ?? ''],
  );
  const isFullFromHere = Number(counted?.from_here) >= maxFromAddress;
  if (!isFullFromHere && Number(counted?.all_of) < most) return;
  const [among, values] = isFullFromHere ? ['where address = ?', [address ?? '']] : ['', []];
  const oldest = `select serial from waiting_frames ${among} order by last_at, serial limit 1`;
  await changeRows(db, `delete from waiting_frames where serial in (${oldest})`, values);
}

/** Lists the devices that wait, those that asked last first. */
export function waitingFrames(db: Database, now: number): Promise<readonly WaitingRow[]> {
  const sql = 'select * from waiting_frames where last_at >= ? order by last_at desc, serial';
  return allRows(db, sql, [now - keptMs]);
}

/** Finds a device that waits; undefined when it never asked, or asks no more. */
export function waitingFrame(db: Database, serial: string): Promise<WaitingRow | undefined> {
  return firstRow(db, 'select * from waiting_frames where serial = ?', [serialKey(serial)]);
}

/** True when a device that waits has a panel, or a frame. The frames are read one by one. */
export async function isPanelOfAny(db: Database, panel: string): Promise<boolean> {
  const sql = `select 1 as one from waiting_frames where panel = ?
    union all select 1 as one from frames where kind = ? or panel = ? limit 1`;
  return (await firstRow(db, sql, [panel, panel, panel])) !== undefined;
}

/** Takes a device off the list. */
export function forgetAsking(db: Database, serial: string): Promise<void> {
  return changeRows(db, 'delete from waiting_frames where serial = ?', [serialKey(serial)]);
}
