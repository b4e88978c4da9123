/** What is stored about devices. */
import { listedStatus } from '../../gateway/frames/list-status.ts';
import type { Database } from '../../gateway/runtime/database.ts';
import { allRows, firstRow, joinParts, type SqlPart } from '../../gateway/runtime/plain-sql.ts';
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
export type ListedRow = Omit<DeviceRow, 'details' | 'assignment'> & { readonly status: FrameStatus };

/** What statuses are judged by: the frames that are connected, and the time. */
export interface Presence {
  readonly connected: readonly string[];
  readonly now: number;
}

const listedColumns = 'id, organization_id, serial, kind, name, patient, paper_id, meta, created_at, updated_at';
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

/** A device by its id: apart from the other queries, for it is what is asked most. */
export function findDevice(db: Database, id: string): Promise<DeviceRow | undefined> {
  return firstRow(db, 'select * from devices where id = ?', [id]);
}

/** The devices' queries over a database or a transaction. */
export function deviceStore(db: Database) {
  return {
    /** As `findDevice`, and nobody else changes it before the transaction ends. */
    locked: (id: string): Promise<DeviceRow | undefined> => db<DeviceRow>('devices').where({ id }).forUpdate().first(),

    findBySerial: (serial: string): Promise<DeviceRow | undefined> =>
      db<DeviceRow>('devices').where({ serial }).first(),

    /**
     * Devices that the caller may see, in portions: organizations in full, or those that they are the patient of.
     * One query settles which devices and in which order; of a long list the rows are then read portion by portion.
     */
    async *visible(principal: Principal, search: DeviceSearch, presence: Presence): AsyncGenerator<ListedRow[]> {
      const frames = listedStatus(db, presence.connected, presence.now);
      const joined = `devices ${frames.joins('devices.serial')}`;
      const listed = `select ${listedColumns}, ${frames.status.sql} as status from ${joined}`;
      const where = conditionsOf(db, principal, search, frames.status);
      const chosen = `where ${where.sql} order by ${search.order.join(', ')} limit ? offset ?`;
      const page = [...where.bindings, search.limit, search.offset];
      if (search.limit <= portionRows) {
        yield [...(await allRows<ListedRow>(db, `${listed} ${chosen}`, [...frames.status.bindings, ...page]))];
        return;
      }
      const byStatus = search.status !== undefined || search.order.some((term) => term.startsWith('status '));
      const ids = byStatus
        ? { sql: `select id, ${frames.status.sql} as status from ${joined}`, bindings: frames.status.bindings }
        : { sql: 'select id from devices', bindings: [] };
      const found = await allRows<{ id: string }>(db, `${ids.sql} ${chosen}`, [...ids.bindings, ...page]);
      const order = found.map(({ id }) => id);
      for (let at = 0; at < order.length; at += portionRows) {
        const some = order.slice(at, at + portionRows);
        const named = `${listed} where id in (${some.map(() => '?').join(', ')})`;
        const rows = await allRows<ListedRow>(db, named, [...frames.status.bindings, ...some]);
        const byId = new Map(rows.map((row) => [row.id, row]));
        // One that was removed meanwhile is left out.
        yield some.flatMap((id) => byId.get(id) ?? []);
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
 * What of `devices` the caller may see, of one organization or of all theirs; nothing for a caller without memberships.
 * Whole organizations are asked for by equality, which an index answers in order.
 */
export function seenBy(principal: Principal, organizationId?: string): SqlPart {
  const memberships = principal.memberships.filter(
    (membership) => organizationId === undefined || membership.organizationId === organizationId,
  );
  const parts = memberships.map((membership): SqlPart => {
    const { organizationId: id, userId } = membership;
    return reachOf(membership) === 'organization'
      ? { sql: 'organization_id = ?', bindings: [id] }
      : { sql: '(organization_id = ? and patient = ?)', bindings: [id, userId] };
  });
  return parts.length === 0 ? { sql: '1 = 0', bindings: [] } : joinParts(parts, ' or ');
}

function conditionsOf(db: Database, principal: Principal, search: DeviceSearch, status: SqlPart): SqlPart {
  const parts = [seenBy(principal, search.organizationId)];
  if (search.patient !== undefined) parts.push({ sql: 'patient = ?', bindings: [search.patient] });
  if (search.name !== undefined) parts.push(contains(db, 'name', search.name));
  if (search.search !== undefined) parts.push(matching(db, search.search));
  if (search.status !== undefined) {
    parts.push({ sql: `(${status.sql}) = ?`, bindings: [...status.bindings, search.status] });
  }
  return joinParts(
    parts.map(({ sql, bindings }) => ({ sql: `(${sql})`, bindings })),
    ' and ',
  );
}

/** The name people see: what they gave it, else the serial, else the kind. */
export function deviceName({ meta, serial, kind }: Pick<DeviceRow, 'meta' | 'serial' | 'kind'>): string {
  const { name } = storedObject(meta);
  const given = typeof name === 'string' || typeof name === 'number' ? String(name) : '';
  return given === '' ? (serial ?? kind ?? '') : given;
}

/** C-18: an id finds the record and what belongs to a patient, any text finds name, serial and kind. */
function matching(db: Database, { text, pattern }: { text: string; pattern: string }): SqlPart {
  const texts = ['name', "coalesce(serial, '')", "coalesce(kind, '')"].map((read) => contains(db, read, pattern));
  return joinParts(
    [...texts, ...(isId(text) ? [{ sql: '(id = ? or patient = ?)', bindings: [text, text] }] : [])],
    ' or ',
  );
}
