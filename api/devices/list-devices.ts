/** Lists the devices that a caller may see. */
import { listedStatus } from '../../gateway/frames/list-status.ts';
import { isSimulatedSql } from '../../gateway/frames/simulated-frames.ts';
import type { Database } from '../../runtime/database/database.ts';
import { allRows, joinParts, type SqlPart } from '../../runtime/database/plain-sql.ts';
import { columnsIn } from '../../runtime/database/table.ts';
import { isId } from '../../runtime/random.ts';
import { linkedDevices } from '../access/links.ts';
import { type Principal, reachOf } from '../access/principal.ts';
import { contains } from '../directory/text-conditions.ts';
import type { DeviceRow } from './store.ts';
import { devicesTables } from './tables.ts';

/** The filters of a list of devices. Patterns are for `like`; `order` holds SQL from an allow-list alone. */
export interface DeviceSearch {
  readonly organizationId?: string | undefined;
  readonly patient?: string | undefined;
  readonly name?: string | undefined;
  readonly search?: { readonly text: string; readonly pattern: string } | undefined;
  readonly status?: FrameStatus | undefined;
  /** These devices alone. */
  readonly ids?: readonly string[] | undefined;
  /** Devices whose ids come after this one. */
  readonly after?: string | undefined;
  readonly order: readonly string[];
  readonly limit: number;
  readonly offset: number;
}

type FrameStatus = 'online' | 'offline' | 'error';

/** The columns that lists do not show. */
const unlisted = ['assignment', 'claimed_at', 'details', 'name_order'] as const satisfies readonly (keyof DeviceRow)[];

/** A device as lists show it. */
export type ListedDeviceRow = Omit<DeviceRow, (typeof unlisted)[number]>;

/** A row of a list: the stored device, and the parts of its frame that lists show. */
export type ListedRow = ListedDeviceRow & {
  readonly status: FrameStatus;
  /** 1 for a device whose frame the service plays itself, else 0. */
  readonly is_simulated: number;
};

/** The facts that statuses are judged by: the frames that are connected, and the time. */
export interface Presence {
  readonly connected: readonly string[];
  readonly now: number;
}

const isListed = (column: string): boolean => !unlisted.some((name) => name === column);
const listedColumns = `${columnsIn(devicesTables, 'devices').filter(isListed).join(', ')},
  case when ${isSimulatedSql('devices.serial')} then 1 else 0 end as is_simulated`;
/** The number of rows of a list that are held at once, and the size that their `meta` may have together (T-61). */
const portionRows = 500;
const portionBytes = 2 * 1024 * 1024;
/** Up to this number rows are read in one query, if they are no larger than a portion. */
const fewRows = 64;

/** A row that will be read, and the size of its `meta`. */
interface Weighed {
  readonly id: string;
  readonly bytes: number;
}
const weighed = 'id, octet_length(meta) as bytes';

/** The fields that lists are ordered by, each with its column. */
export const sortableColumns = {
  id: 'id',
  name: 'name_order',
  status: 'status',
  kind: 'kind',
  patient: 'patient',
  paper: 'paper_id',
  organization: 'organization_id',
  deviceId: 'serial',
  serialNumber: 'serial',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
};

/**
 * Reads the devices that the caller may see, in portions: whole organizations, or the devices that are linked to the
 * caller. One query settles which devices and in which order; the rows of a long list are then read
 * portion by portion.
 */
export async function* visibleDevices(
  db: Database,
  principal: Principal,
  search: DeviceSearch,
  presence: Presence,
): AsyncGenerator<ListedRow[]> {
  const frames = listedStatus(db, presence.connected, presence.now);
  const joined = `devices ${frames.joins('devices.serial')}`;
  const listed = `select ${listedColumns}, ${frames.status.sql} as status from ${joined}`;
  const where = conditionsOf(db, principal, search, frames.status);
  const chosen = `where ${where.sql} order by ${search.order.join(', ')} limit ? offset ?`;
  const page = [...where.bindings, search.limit, search.offset];
  if (search.limit <= fewRows) {
    const rows = await allRows<ListedRow>(db, `${listed} ${chosen}`, [...frames.status.bindings, ...page]);
    if (rows.reduce((bytes, { meta }) => bytes + meta.length, 0) <= portionBytes) {
      yield [...rows];
      return;
    }
  }
  const byStatus = search.status !== undefined || search.order.some((term) => term.startsWith('status '));
  const ids = byStatus
    ? { sql: `select ${weighed}, ${frames.status.sql} as status from ${joined}`, bindings: frames.status.bindings }
    : { sql: `select ${weighed} from devices`, bindings: [] };
  const found = await allRows<Weighed>(db, `${ids.sql} ${chosen}`, [...ids.bindings, ...page]);
  for (const some of portionsOf(found)) {
    const named = `${listed} where id in (${some.map(() => '?').join(', ')})`;
    const rows = await allRows<ListedRow>(db, named, [...frames.status.bindings, ...some]);
    const byId = new Map(rows.map((row) => [row.id, row]));
    // A device that was removed meanwhile is left out.
    yield some.flatMap((id) => byId.get(id) ?? []);
  }
}

/** Groups the ids of the rows: as many together as may be held at once. */
function portionsOf(rows: readonly Weighed[]): string[][] {
  const portions: string[][] = [];
  let bytes = portionBytes;
  for (const row of rows) {
    bytes += row.bytes;
    const last = portions.at(-1);
    if (last !== undefined && bytes <= portionBytes && last.length < portionRows) last.push(row.id);
    else {
      portions.push([row.id]);
      bytes = row.bytes;
    }
  }
  return portions;
}

/**
 * Narrows a query on `devices` to those that the caller may see, in one organization or in all of the caller's; a
 * caller without memberships sees none. Whole organizations are compared by equality, which an index answers in order.
 */
export function seenBy(principal: Principal, organizationId?: string): SqlPart {
  const memberships = principal.memberships.filter(
    (membership) => organizationId === undefined || membership.organizationId === organizationId,
  );
  const parts = memberships.map((membership): SqlPart => {
    const { organizationId: id, userId } = membership;
    if (reachOf(membership) === 'organization') return { sql: 'organization_id = ?', bindings: [id] };
    const linked = linkedDevices(userId);
    return { sql: `(organization_id = ? and id in (${linked.sql}))`, bindings: [id, ...linked.bindings] };
  });
  return parts.length === 0 ? { sql: '1 = 0', bindings: [] } : joinParts(parts, ' or ');
}

function conditionsOf(db: Database, principal: Principal, search: DeviceSearch, status: SqlPart): SqlPart {
  const parts = [seenBy(principal, search.organizationId)];
  if (search.patient !== undefined) parts.push({ sql: 'patient = ?', bindings: [search.patient] });
  if (search.name !== undefined) parts.push(contains(db, 'name', search.name));
  if (search.search !== undefined) parts.push(matching(db, search.search));
  if (search.after !== undefined) parts.push({ sql: 'id > ?', bindings: [search.after] });
  if (search.ids !== undefined) {
    parts.push({ sql: `id in (${search.ids.map(() => '?').join(', ')})`, bindings: search.ids });
  }
  if (search.status !== undefined) {
    parts.push({ sql: `(${status.sql}) = ?`, bindings: [...status.bindings, search.status] });
  }
  return joinParts(
    parts.map(({ sql, bindings }) => ({ sql: `(${sql})`, bindings })),
    ' and ',
  );
}

/**
 * Narrows a search: an id finds the record and the devices of a patient, any text finds name, serial and kind (C-18).
 */
function matching(db: Database, { text, pattern }: { text: string; pattern: string }): SqlPart {
  const texts = ['name', "coalesce(serial, '')", "coalesce(kind, '')"].map((read) => contains(db, read, pattern));
  return joinParts(
    [...texts, ...(isId(text) ? [{ sql: '(id = ? or patient = ?)', bindings: [text, text] }] : [])],
    ' or ',
  );
}
