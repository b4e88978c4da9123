/**
 * The devices that ask for a picture and belong to nobody, or for another key: they are seen, and not served. Anyone may name
 * any address, so that one row is one device that asks: an address, from one place in the network, with one key or without.
 */

import { createHash } from 'node:crypto';
import type { TrmnlCall } from '../../firmware-protocol/trmnl/headers.ts';
import { panelOfCall } from '../../firmware-protocol/trmnl/models.ts';
import type { Database } from '../../runtime/database/database.ts';
import { allRows, changeRows, firstRow } from '../../runtime/database/plain-sql.ts';
import type { RowIn } from '../../runtime/database/table.ts';
import { addressBucket } from '../../runtime/plain-address.ts';
import { passwordDigest, serialKey } from '../frames/registry.ts';
import type { adoptionTables } from './tables.ts';

/** A row of `asking_frames`. */
export type AskingRow = RowIn<typeof adoptionTables, 'asking_frames'>;

/** A device that waits, with the number of others that name themselves as it does. */
export interface WaitingRow extends AskingRow {
  readonly others: number;
}

/** The most devices that are kept, those from one network address, and those that name themselves alike. */
const most = { all: 500, fromAddress: 50, alike: 8 };
/** How long a device that no longer asks is kept. */
const keptMs = 7 * 86_400_000;
/**
 * Two that name themselves alike are two devices while both asked within this time of each other: one that waits asks every
 * quarter of an hour, and one that changed its place in the network asks from there alone.
 */
const alikeMs = 45 * 60_000;

/** Who asks, as far as the service can tell it from others. */
export type Asker = Pick<AskingRow, 'address' | 'token_hash'>;

/** Who makes a call. */
export function askerOf(token: string | undefined, address: string | undefined): Asker {
  return {
    address: address === undefined ? null : addressBucket(address),
    token_hash: token === undefined ? null : passwordDigest(token).toString('hex'),
  };
}

/** The code of a device that asks. */
export function codeOfAsker(serial: string, { address, token_hash }: Asker): string {
  const said = [serialKey(serial), address ?? '', token_hash ?? ''].join(' ');
  return createHash('sha256').update(said).digest('hex').slice(0, 6).toUpperCase();
}

/**
 * Notes that a device asked. When the list is full, the device whose last request is the oldest is dropped: a real one
 * asks again, and made-up names hide none for long. Among devices of the same name the latest one is dropped, so that a
 * newcomer cannot push out one that keeps asking.
 * @returns its code
 */
export async function noteAsking(db: Database, call: TrmnlCall, asking: Asker, now: number): Promise<string> {
  const serial = serialKey(call.serial);
  const asker = codeOfAsker(serial, asking);
  await changeRows(db, 'delete from asking_frames where last_at < ?', [now - keptMs]);
  const known = await firstRow(db, 'select 1 as one from asking_frames where serial = ? and asker = ?', [
    serial,
    asker,
  ]);
  if (known === undefined) await makeRoom(db, serial, asking.address, now);
  const { model = null, firmware = null, width = null, height = null } = call;
  const panel = panelOfCall(call) ?? null;
  await changeRows(
    db,
    `insert into asking_frames
       (serial, asker, first_at, last_at, asks, model, firmware, width, height, panel, address, token_hash)
     values (?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?)
     on conflict (serial, asker) do update set last_at = excluded.last_at, asks = asking_frames.asks + 1,
       model = coalesce(excluded.model, asking_frames.model),
       firmware = coalesce(excluded.firmware, asking_frames.firmware),
       width = coalesce(excluded.width, asking_frames.width), height = coalesce(excluded.height, asking_frames.height),
       panel = coalesce(excluded.panel, asking_frames.panel)`,
    [serial, asker, now, now, model, firmware, width, height, panel, asking.address, asking.token_hash],
  );
  return asker;
}

async function makeRoom(db: Database, serial: string, address: string | null, now: number): Promise<void> {
  const counted = await firstRow<{ all_of: number; from_here: number; alike: number }>(
    db,
    `select count(*) as all_of, count(case when address = ? then 1 end) as from_here,
       count(case when serial = ? then 1 end) as alike from asking_frames`,
    [address ?? '', serial],
  );
  if (Number(counted?.alike) >= most.alike) {
    return removeFirst(db, 'where serial = ? order by case when last_at < ? then 0 else 1 end, first_at desc', [
      serial,
      now - alikeMs,
    ]);
  }
  if (Number(counted?.from_here) >= most.fromAddress) {
    return removeFirst(db, 'where address = ? order by last_at, serial, asker', [address ?? '']);
  }
  if (Number(counted?.all_of) >= most.all) return removeFirst(db, 'order by last_at, serial, asker', []);
}

async function removeFirst(db: Database, which: string, values: readonly (string | number)[]): Promise<void> {
  const row = await firstRow<AskingRow>(db, `select serial, asker from asking_frames ${which} limit 1`, [...values]);
  if (row === undefined) return;
  await changeRows(db, 'delete from asking_frames where serial = ? and asker = ?', [row.serial, row.asker]);
}

/** Lists the devices that wait, those that asked last first. */
export async function waitingFrames(db: Database, now: number): Promise<readonly WaitingRow[]> {
  const sql = 'select * from asking_frames where last_at >= ? order by last_at desc, serial, asker';
  const rows = await allRows<AskingRow>(db, sql, [now - keptMs]);
  const alike = new Map<string, AskingRow[]>();
  for (const row of rows) alike.set(row.serial, [...(alike.get(row.serial) ?? []), row]);
  return rows.map((row) => {
    const present = presentOf(alike.get(row.serial) ?? []);
    return { ...row, others: present.filter(({ asker }) => asker !== row.asker).length };
  });
}

/** The devices that name themselves by a serial and still ask, the one that asked last first. */
export async function askersOf(db: Database, serial: string): Promise<readonly AskingRow[]> {
  const sql = 'select * from asking_frames where serial = ? order by last_at desc, asker';
  return presentOf(await allRows<AskingRow>(db, sql, [serialKey(serial)]));
}

function presentOf(rows: readonly AskingRow[]): readonly AskingRow[] {
  const newest = rows.reduce((at, { last_at }) => Math.max(at, last_at), 0);
  return rows.filter(({ last_at }) => last_at > newest - alikeMs);
}

/** Finds a device that waits by its code, also one that no longer asks. */
export function askerByCode(db: Database, serial: string, code: string): Promise<AskingRow | undefined> {
  const sql = 'select * from asking_frames where serial = ? and asker = ?';
  return firstRow(db, sql, [serialKey(serial), code.toUpperCase()]);
}

/** True when a device that waits has a panel, or a frame. The frames are read one by one. */
export async function isPanelOfAny(db: Database, panel: string): Promise<boolean> {
  const sql = `select 1 as one from asking_frames where panel = ?
    union all select 1 as one from frames where kind = ? or panel = ? limit 1`;
  return (await firstRow(db, sql, [panel, panel, panel])) !== undefined;
}

/** Takes the devices that name themselves so off the list. */
export function forgetAsking(db: Database, serial: string): Promise<void> {
  return changeRows(db, 'delete from asking_frames where serial = ?', [serialKey(serial)]);
}
