/**
 * Keeps logins for the feeds and the website of a paper: a header for each origin, or a value in the storage of its pages, sealed. Its value is given out to
 * nobody; it goes to its origin alone (T-93).
 */

import { reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Database } from '../../runtime/database/database.ts';
import type { RowIn } from '../../runtime/database/table.ts';
import type { Random } from '../../runtime/random.ts';
import { open, seal } from '../../runtime/sealed.ts';
import type { AddressLogin } from '../outgoing/address-login.ts';
import type { PaperRow } from './store.ts';
import type { papersTables } from './tables.ts';

/** A row of `address_logins`. */
export type AddressLoginRow = RowIn<typeof papersTables, 'address_logins'>;

/** The most origins of one paper: as many as it may have calendars. */
const maxLogins = 20;

type Owner = Pick<PaperRow, 'id' | 'organization_id'>;

const rowsOf = (db: Database, { id, organization_id }: Owner) =>
  db<AddressLoginRow>('address_logins').where({ paper_id: id, organization_id });

/** The place for which a value is sealed: another row's, or one for another origin, cannot be opened in its stead. */
const placeOf = ({
  paper_id,
  organization_id,
  origin,
  header,
  storage_item,
}: Omit<AddressLoginRow, 'id' | 'sealed' | 'set_at'>): string =>
  JSON.stringify([
    'address_logins',
    paper_id,
    organization_id,
    origin,
    header,
    ...(storage_item === null ? [] : [storage_item]),
  ]);

/** Returns a paper's logins, without their values. */
export const listLogins = (db: Database, paper: Owner): Promise<AddressLoginRow[]> =>
  rowsOf(db, paper).orderBy('origin');

/** Returns a paper's logins with their values. */
export async function openLogins(db: Database, sealKey: Uint8Array, paper: Owner): Promise<AddressLogin[]> {
  const rows = await rowsOf(db, paper);
  return rows.map((row) => ({
    origin: row.origin,
    header: row.header,
    ...(row.storage_item !== null && { storageKey: row.storage_item }),
    value: open(row.sealed, placeOf(row), sealKey),
  }));
}

/**
 * Sets the login of an origin, in place of one that it had, in a transaction that has locked the paper.
 * @throws Refusal `conflict` for a paper that has as many as it may
 */
export async function setLogin(
  db: Database,
  deps: { readonly clock: Clock; readonly random: Random; readonly sealKey: Uint8Array },
  paper: Owner,
  { origin, header, storageKey, value }: AddressLogin,
): Promise<AddressLoginRow> {
  await db('address_logins').where({ paper_id: paper.id, origin }).delete();
  if ((await listLogins(db, paper)).length >= maxLogins) {
    throw refuse('conflict', { hint: reasonOf('many-logins', { most: maxLogins }) });
  }
  const owner = { paper_id: paper.id, organization_id: paper.organization_id };
  const place = { ...owner, origin, header, storage_item: storageKey ?? null };
  const sealed = seal(value, placeOf(place), deps.sealKey, deps.random);
  const row = { id: deps.random.id(), ...place, sealed, set_at: deps.clock.now() };
  await db('address_logins').insert(row);
  return row;
}

/** Removes a login, and returns the number of those that were there. */
export const removeLogin = (db: Database, paper: Owner, id: string): Promise<number> =>
  rowsOf(db, paper).where({ id }).delete();
