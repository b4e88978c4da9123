/** What is stored about devices. */
import type { Knex } from 'knex';
import { listedStatus } from '../../gateway/frames/list-status.ts';
import type { Database } from '../../gateway/runtime/database.ts';
import { firstRow } from '../../gateway/runtime/plain-sql.ts';
import { isId } from '../../gateway/runtime/random.ts';
import { type Principal, reachOf } from '../directory/principal.ts';
import { contains } from '../directory/store.ts';
import { storedObject } from '../http/field-shapes.ts';
import { deviceImages } from './device-images.ts';

/** A row of `devices`. `serial` is lower case; `name` is what people see; `meta` and `details` are JSON objects; times are epoch milliseconds. */
export interface DeviceRow {
  id: string;
  organization_id: string;
  serial: string | null;
  kind: string | null;
  name: string;
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
  readonly status?: FrameStatus | undefined;
  readonly order: readonly string[];
  readonly limit: number;
  readonly offset: number;
}

type FrameStatus = 'online' | 'offline' | 'error';

/** A row of a list: what is stored of the device, and of its frame what lists show. */
export type ListedRow = Omit<DeviceRow, 'details' | 'assignment'> & {
  readonly status: FrameStatus;
  readonly frame_kind: string | null;
};

/** What statuses are judged by: the frames that are connected, and the time. */
export interface Presence {
  readonly connected: readonly string[];
  readonly now: number;
}

const listedColumns = ['id', 'organization_id', 'serial', 'kind', 'name', 'patient', 'paper_id', 'meta'] as const;
/** Rows of a list that are held at once. */
const portionRows = 500;

/** Fields that lists are ordered by, each with its column. */
export const sortableColumns = {
  id: 'id',
  name: 'name',
  status: 'status',
  kind: 'kind',
  patient: 'patient',
  paper: 'paper_id',
  organization: 'organization_id',
  deviceId: 'serial',
  serialNumber: 'serial',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
} as const;

/** The devices' queries over a database or a transaction. */
export function deviceStore(db: Database) {
  return {
    find: (id: string): Promise<DeviceRow | undefined> => firstRow(db, 'select * from devices where id = ?', [id]),

    /** The same, and nobody else changes it before the transaction ends. */
    locked: (id: string): Promise<DeviceRow | undefined> => db<DeviceRow>('devices').where({ id }).forUpdate().first(),

    findBySerial: (serial: string): Promise<DeviceRow | undefined> =>
      db<DeviceRow>('devices').where({ serial }).first(),

    /**
     * Devices that the caller may see, in portions: organizations in full, or those that they are the patient of.
     * One query settles which devices and in which order; of a long list the rows are then read portion by portion.
     */
    async *visible(principal: Principal, search: DeviceSearch, presence: Presence): AsyncGenerator<ListedRow[]> {
      const frames = listedStatus(db, presence.connected, presence.now);
      const rows = () =>
        db('devices')
          .joinRaw(frames.joins('devices.serial'))
          .select<ListedRow[]>(
            ...listedColumns,
            'created_at',
            'updated_at',
            'frame_kind',
            db.raw('(?) as status', [frames.status]),
          );
      const chosen = <Query extends Knex.QueryBuilder>(query: Query): Query => {
        query.where((where) => seenBy(where, principal, search.organizationId));
        if (search.patient !== undefined) query.where({ patient: search.patient });
        if (search.name !== undefined) query.whereRaw(contains('name'), [search.name]);
        if (search.search !== undefined) matchSearch(query, search.search);
        if (search.status !== undefined) query.whereRaw('(?) = ?', [frames.status, search.status]);
        for (const order of search.order) query.orderByRaw(order);
        return query.limit(search.limit).offset(search.offset) as Query;
      };
      if (search.limit <= portionRows) {
        yield await chosen(rows());
        return;
      }
      const byStatus = search.order.some((term) => term.startsWith('status '));
      const ids =
        byStatus || search.status !== undefined
          ? chosen(
              rows()
                .clear('select')
                .select('id', db.raw('(?) as status', [frames.status])),
            )
          : chosen(db('devices').select('id'));
      const order: string[] = (await ids).map(({ id }: { id: string }) => id);
      for (let at = 0; at < order.length; at += portionRows) {
        const some = order.slice(at, at + portionRows);
        const found = new Map((await rows().whereIn('id', some)).map((row) => [row.id, row]));
        // One that was removed meanwhile is left out.
        yield some.flatMap((id) => found.get(id) ?? []);
      }
    },

    insert: (row: DeviceRow): Promise<unknown> => db('devices').insert(row),

    /**
     * Changes a device that still belongs to this organization. A change of paper or organization raises the
     * assignment in the same statement, so that a frame that leaves and returns is told apart (D-3).
     * @param returns the frame showed something else and comes back to its paper
     */
    change(
      device: DeviceRow,
      { paper_id, organization_id, ...plain }: Partial<DeviceRow>,
      returns = false,
    ): Promise<number> {
      const differs: string[] = returns ? ['1 = 1'] : [];
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
        .update({
          ...plain,
          ...moved,
          name: deviceName({ ...device, ...plain }),
          ...(differs.length === 0 ? {} : { assignment: db.raw(raised, moved) }),
        });
    },

    /** Makes a paper the shown one of a device that shows none yet. */
    showFirst: (deviceId: string, paperId: string, now: number): Promise<number> =>
      db('devices')
        .where({ id: deviceId, paper_id: null })
        .update({ paper_id: paperId, assignment: db.raw('assignment + 1'), updated_at: now }),

    async remove(device: DeviceRow): Promise<void> {
      await deviceImages(db).removeAll(device.id);
      await db('devices').where({ id: device.id, organization_id: device.organization_id }).delete();
    },
  };
}

/**
 * Narrows a query on `devices` to what the caller may see, of one organization or of all theirs; nothing for a caller
 * without memberships. Whole organizations are asked for by equality, which an index answers in order.
 */
export function seenBy(where: Knex.QueryBuilder, principal: Principal, organizationId?: string): void {
  const memberships = principal.memberships.filter(
    (membership) => organizationId === undefined || membership.organizationId === organizationId,
  );
  const whole = memberships.filter((membership) => reachOf(membership) === 'organization');
  const linked = memberships.filter((membership) => reachOf(membership) !== 'organization');
  if (memberships.length === 0) where.whereRaw('1 = 0');
  if (whole.length === 1) where.where({ organization_id: whole[0]?.organizationId });
  if (whole.length > 1) {
    where.whereIn(
      'organization_id',
      whole.map((membership) => membership.organizationId),
    );
  }
  for (const { organizationId: id, userId } of linked) where.orWhere({ organization_id: id, patient: userId });
}

/** The name people see: what they gave it, else the serial, else the kind. */
export function deviceName({ meta, serial, kind }: Pick<DeviceRow, 'meta' | 'serial' | 'kind'>): string {
  const { name } = storedObject(meta);
  const given = typeof name === 'string' || typeof name === 'number' ? String(name) : '';
  return given === '' ? (serial ?? kind ?? '') : given;
}

/** C-18: an id finds the record and what belongs to a patient, any text finds name, serial and kind. */
function matchSearch(query: Knex.QueryBuilder, { text, pattern }: { text: string; pattern: string }): void {
  query.where((where) => {
    where.whereRaw(contains('name'), [pattern]);
    where.orWhereRaw(contains("coalesce(serial, '')"), [pattern]);
    where.orWhereRaw(contains("coalesce(kind, '')"), [pattern]);
    if (isId(text)) where.orWhere({ id: text }).orWhere({ patient: text });
  });
}
