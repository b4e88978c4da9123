/** The rows of links of members to devices and papers. */
import { reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import type { Transaction } from '../../runtime/database/database.ts';

/** The most members to whom one device or one paper is linked (T-110). */
export const maxViewers = 100;

/** The devices and the papers that are linked to a user, or are to be. */
export interface Links {
  readonly devices: readonly string[];
  readonly papers: readonly string[];
}

/** A member, and where. */
interface Linked {
  readonly userId: string;
  readonly organizationId: string;
}

/** Makes links of a user whose organization is locked. */
export async function addLinks(
  trx: Transaction,
  { userId, organizationId }: Linked,
  { devices, papers }: Links,
  now: number,
): Promise<void> {
  for (const [record, ids] of [
    ['device', [...new Set(devices)].sort()],
    ['paper', [...new Set(papers)].sort()],
  ] as const) {
    if (ids.length === 0) continue;
    await requireInside(trx, `${record}s`, ids, organizationId);
    const [table, column] = [`${record}_viewers`, `${record}_id`];
    await trx(table)
      .insert(ids.map((id) => ({ user_id: userId, [column]: id, created_at: now })))
      .onConflict(['user_id', column])
      .ignore();
    const crowded = await trx(table)
      .whereIn(column, ids)
      .groupBy(column)
      .havingRaw('count(*) > ?', [maxViewers])
      .first(column);
    if (crowded !== undefined) throw refuse('conflict', { message: reasonOf('many-viewers', { most: maxViewers }) });
  }
}

/** Ends links of a user whose organization is locked. */
export async function endLinks(
  trx: Transaction,
  { userId, organizationId }: Linked,
  { devices, papers }: Links,
  now: number,
): Promise<void> {
  await requireInside(trx, 'devices', devices, organizationId);
  await requireInside(trx, 'papers', papers, organizationId);
  await trx('device_viewers').where({ user_id: userId }).whereIn('device_id', devices).delete();
  await trx('paper_viewers').where({ user_id: userId }).whereIn('paper_id', papers).delete();
  await trx('devices').where({ patient: userId }).whereIn('id', devices).update({ patient: null, updated_at: now });
}

/** Requires that all of these belong to the organization; they stay so until the transaction ends. */
async function requireInside(
  trx: Transaction,
  table: string,
  ids: readonly string[],
  organizationId: string,
): Promise<void> {
  const wanted = [...new Set(ids)];
  const inside = trx(table).where({ organization_id: organizationId }).whereIn('id', wanted).orderBy('id').forShare();
  if ((await inside.pluck('id')).length < wanted.length) throw refuse('not-found');
}

/** Ends every link of a user, a device or a paper, because it moves to another organization. */
export async function endLinksOf(
  trx: Transaction,
  moved: { readonly user: string } | { readonly device: string } | { readonly paper: string },
): Promise<void> {
  if ('device' in moved) await trx('device_viewers').where({ device_id: moved.device }).delete();
  else if ('paper' in moved) await trx('paper_viewers').where({ paper_id: moved.paper }).delete();
  else {
    await trx('device_viewers').where({ user_id: moved.user }).delete();
    await trx('paper_viewers').where({ user_id: moved.user }).delete();
  }
}
