/**
 * Who sees a device or a paper besides those who see the whole organization: the members to whom it is linked. A device is
 * linked to its patient, which is the contract's own field, and to everybody whom an admin linked it to. A paper is linked
 * to those whom an admin linked it to, and seen with the devices that it belongs to. Every list, every check and every
 * stream asks here.
 */
import type { Database } from '../../runtime/database/database.ts';
import { allRows, type SqlPart } from '../../runtime/database/plain-sql.ts';

/** The ids of the devices that are linked to a user, as a select. It is answered by indexes of the user alone. */
export const linkedDevices = (userId: string): SqlPart => ({
  sql: `select id from devices where patient = ?
    union select device_id from device_viewers where user_id = ?`,
  bindings: [userId, userId],
});

/** The ids of the papers that an admin linked to a user, as a select. */
export const linkedPapers = (userId: string): SqlPart => ({
  sql: 'select paper_id from paper_viewers where user_id = ?',
  bindings: [userId],
});

/** Returns whether a device is linked to a user. */
export async function isLinkedTo(db: Database, device: LinkedDevice, userId: string): Promise<boolean> {
  if (device.patient === userId) return true;
  const sql = 'select user_id from device_viewers where user_id = ? and device_id = ?';
  return (await allRows(db, sql, [userId, device.id])).length > 0;
}

interface LinkedDevice {
  readonly id: string;
  readonly patient: string | null;
}

/** The most ids that one statement names. */
const named = 500;

/** Reads to whom each of these devices is linked; devices that are linked to nobody are left out. */
export async function viewersOfDevices(db: Database, ids: readonly string[]): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  const all = [...new Set(ids)];
  for (let start = 0; start < all.length; start += named) {
    const some = all.slice(start, start + named);
    const places = some.map(() => '?').join(', ');
    const rows = await allRows<{ id: string; user_id: string }>(
      db,
      `select id, patient as user_id from devices where patient is not null and id in (${places})
       union select device_id, user_id from device_viewers where device_id in (${places}) order by 1, 2`,
      [...some, ...some],
    );
    for (const { id, user_id } of rows) found.set(id, [...(found.get(id) ?? []), user_id]);
  }
  return found;
}

/** Reads who sees each of these papers by a link: its own, or that of a device which shows it or which it belongs to. */
export async function viewersOfPapers(db: Database, ids: readonly string[]): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  const add = (id: string, users: readonly string[]): void => {
    found.set(id, [...new Set([...(found.get(id) ?? []), ...users])].sort());
  };
  for (let start = 0; start < ids.length; start += named) {
    const some = ids.slice(start, start + named);
    const places = some.map(() => '?').join(', ');
    const own = await allRows<{ id: string; user_id: string }>(
      db,
      `select paper_id as id, user_id from paper_viewers where paper_id in (${places})`,
      some,
    );
    for (const { id, user_id } of own) add(id, [user_id]);
    const isLinked =
      '(devices.patient is not null or exists (select 1 from device_viewers where device_id = devices.id))';
    const shown = await allRows<{ id: string; device_id: string }>(
      db,
      `select papers.id, devices.id as device_id from papers join devices on devices.paper_id = papers.id
         where papers.id in (${places}) and devices.organization_id = papers.organization_id and ${isLinked}
       union select papers.id, devices.id from papers join devices on devices.id = papers.device_id
         where papers.id in (${places}) and devices.organization_id = papers.organization_id and ${isLinked}`,
      [...some, ...some],
    );
    const viewers = await viewersOfDevices(
      db,
      shown.map(({ device_id }) => device_id),
    );
    for (const { id, device_id } of shown) add(id, viewers.get(device_id) ?? []);
  }
  return found;
}
