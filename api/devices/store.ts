/** What is stored about devices. */
import type { Knex } from 'knex';
import { type Database, isPostgres } from '../../gateway/runtime/database.ts';
import { isId } from '../../gateway/runtime/random.ts';
import { type Principal, reachOf } from '../directory/principal.ts';
import { contains, jsonText } from '../directory/store.ts';

/** A row of `devices`. `serial` is lower case; `meta` and `details` are JSON objects; times are epoch milliseconds. */
export interface DeviceRow {
  id: string;
  organization_id: string;
  serial: string | null;
  kind: string | null;
  patient: string | null;
  paper_id: string | null;
  assignment: number;
  meta: string;
  details: string;
  created_at: number;
  updated_at: number;
}

/** Which devices a list shows. Patterns are for `like`; `order` holds SQL from an allow-list alone. */
export interface DeviceSearch {
  readonly organizationId?: string | undefined;
  readonly patient?: string | undefined;
  readonly name?: string | undefined;
  readonly search?: { readonly text: string; readonly pattern: string } | undefined;
  readonly order: readonly string[];
  readonly limit: number;
  readonly offset: number;
}

/** The devices' queries over a database or a transaction. */
export function deviceStore(db: Database) {
  const name = nameSql(db);
  return {
    find: (id: string): Promise<DeviceRow | undefined> => db<DeviceRow>('devices').where({ id }).first(),

    /** The same, and nobody else changes it before the transaction ends. */
    locked: (id: string): Promise<DeviceRow | undefined> => db<DeviceRow>('devices').where({ id }).forUpdate().first(),

    findBySerial: (serial: string): Promise<DeviceRow | undefined> =>
      db<DeviceRow>('devices').where({ serial }).first(),

    /** Devices that the caller may see: organizations in full, or those that they are the patient of (A-6). */
    async visible(principal: Principal, search: DeviceSearch): Promise<DeviceRow[]> {
      const query = db('devices').where((where) => seenBy(where, principal));
      if (search.organizationId !== undefined) query.where({ organization_id: search.organizationId });
      if (search.patient !== undefined) query.where({ patient: search.patient });
      if (search.name !== undefined) query.whereRaw(contains(name), [search.name]);
      if (search.search !== undefined) matchSearch(query, name, search.search);
      for (const order of search.order) query.orderByRaw(order);
      return query.limit(search.limit).offset(search.offset).select<DeviceRow[]>('*');
    },

    insert: (row: DeviceRow): Promise<unknown> => db('devices').insert(row),

    /**
     * Changes a device that still belongs to this organization. A change of paper or organization raises the
     * assignment in the same statement, so that a frame that leaves and returns is told apart (D-3).
     */
    change(device: DeviceRow, { paper_id, organization_id, ...plain }: Partial<DeviceRow>): Promise<number> {
      const differs: string[] = [];
      const moved: Record<string, string | null> = {};
      if (paper_id !== undefined) {
        differs.push('paper_id is distinct from :paper_id');
        moved.paper_id = paper_id;
      }
      if (organization_id !== undefined) {
        differs.push('organization_id <> :organization_id');
        moved.organization_id = organization_id;
      }
      const raised = `assignment + case when ${differs.join(' or ')} then 1 else 0 end`;
      return db('devices')
        .where({ id: device.id, organization_id: device.organization_id })
        .update({ ...plain, ...moved, ...(differs.length === 0 ? {} : { assignment: db.raw(raised, moved) }) });
    },

    /** Makes a paper the shown one of a device that shows none yet (A-24). */
    showFirst: (deviceId: string, paperId: string, now: number): Promise<number> =>
      db('devices')
        .where({ id: deviceId, paper_id: null })
        .update({ paper_id: paperId, assignment: db.raw('assignment + 1'), updated_at: now }),

    remove: (device: DeviceRow): Promise<number> =>
      db('devices').where({ id: device.id, organization_id: device.organization_id }).delete(),
  };
}

/** Narrows a query on `devices` to what the caller may see; nothing for a caller without memberships. */
export function seenBy(where: Knex.QueryBuilder, principal: Principal): void {
  where.whereRaw('1 = 0');
  for (const membership of principal.memberships) {
    const organization = { organization_id: membership.organizationId };
    where.orWhere(
      reachOf(membership) === 'organization' ? organization : { ...organization, patient: membership.userId },
    );
  }
}

/** SQL of the name that people see: what they gave it, else the serial (A-13). */
export function nameSql(db: Database): string {
  const given = jsonText(db, 'meta', 'name');
  return `coalesce(nullif(${isPostgres(db) ? given : `cast(${given} as text)`}, ''), serial, kind, '')`;
}

/** C-18: an id finds the record and what belongs to a patient, any text finds name, serial and kind. */
function matchSearch(
  query: Knex.QueryBuilder,
  name: string,
  { text, pattern }: { text: string; pattern: string },
): void {
  query.where((where) => {
    where.whereRaw(contains(name), [pattern]);
    where.orWhereRaw(contains("coalesce(serial, '')"), [pattern]);
    where.orWhereRaw(contains("coalesce(kind, '')"), [pattern]);
    if (isId(text)) where.orWhere({ id: text }).orWhere({ patient: text });
  });
}
