/**
 * Reads which parts of organizations changed since a moment: coarse news, by which an open page reads a list again. What
 * calls do is found in the log of who did what, where every call that changes something leaves an entry; what the service
 * does by itself, in the rows of outages, channels, rollouts and callbacks (docs/decisions/0050).
 */
import { isoTime } from '../../runtime/clock.ts';
import type { Database } from '../../runtime/database/database.ts';
import { allRows } from '../../runtime/database/plain-sql.ts';
import { earliestId } from '../../runtime/random.ts';
import type { Act } from '../access/principal.ts';
import type { AuditAction, AuditedKind } from '../http/audited.ts';

/** Areas of an organization that no row of devices and papers shows, each with the act that a reader must be allowed. */
export const areas = {
  people: 'write',
  paper: 'write',
  firmware: 'write',
  alerts: 'manage',
  audit: 'manage',
} as const satisfies Readonly<Record<string, Act>>;

/** A part of an organization. */
export type Area = keyof typeof areas;

/** Something of an area changed. */
export interface AreaChange {
  readonly at: string;
  readonly area: Area;
  readonly organization: string;
  /** The paper whose guests, logins, pictures, connections or callbacks changed; null for another area. */
  readonly paper: string | null;
}

/** The actions of callers and of the service since a moment. */
export interface Deeds {
  readonly ids: readonly string[];
  readonly areas: readonly AreaChange[];
  /** The users whose links changed: those who are one of them read everything again. */
  readonly linked: readonly string[];
}

interface Entry {
  readonly id: string;
  readonly organization_id: string;
  readonly at: number;
  readonly action: AuditAction;
  readonly object_kind: AuditedKind;
  readonly object_id: string | null;
  readonly connected: string | null;
}

const areaOfKind: { readonly [Kind in AuditedKind]?: Area } = {
  user: 'people',
  account: 'people',
  organization: 'people',
  key: 'people',
  paper: 'paper',
  picture: 'paper',
  connection: 'paper',
  rollout: 'firmware',
  channel: 'alerts',
};

/** Reads what was done since a moment, epoch milliseconds, as far as it is new. */
export async function deedsSince(
  db: Database,
  since: number,
  { limit, isNew }: { readonly limit: number; readonly isNew: (id: string) => boolean },
): Promise<Deeds> {
  const entries = await allRows<Entry>(
    db,
    `select audit_entries.id, audit_entries.organization_id, audit_entries.at, action, object_kind, object_id,
       connections.paper_id as connected
     from audit_entries left join connections on object_kind = 'connection' and connections.id = object_id
     where audit_entries.id >= ? order by audit_entries.id limit ?`,
    [earliestId(since), limit],
  );
  const own = await momentsSince(db, since, limit);
  const [newEntries, newMoments] = [entries.filter(({ id }) => isNew(id)), own.filter(({ id }) => isNew(id))];
  const changed = [
    ...newEntries.flatMap(areasOfEntry),
    ...newMoments.map(({ area, at, owner, paper }) => areaChange(area, at, owner, paper)),
  ];
  const linked = newEntries.flatMap(({ action, object_id }) => (action === 'user.linked' ? (object_id ?? []) : []));
  return { ids: [...newEntries, ...newMoments].map(({ id }) => id), areas: onceEach(changed), linked };
}

const areaChange = (area: Area, at: number, organization: string, paper: string | null = null): AreaChange => ({
  at: isoTime(at),
  area,
  organization,
  paper,
});

/** An entry changes the log, and mostly the object that it is about. */
function areasOfEntry(entry: Entry): AreaChange[] {
  const { at, organization_id, object_kind, object_id, connected } = entry;
  const area = areaOfKind[object_kind];
  const log = areaChange('audit', at, organization_id);
  if (area === undefined) return [log];
  const paper = object_kind === 'paper' ? object_id : connected;
  return [log, areaChange(area, at, organization_id, area === 'paper' ? paper : null)];
}

/** Leaves one of the changes of the same thing: however often it changed, one look reports it once. */
export function onceEach(changes: readonly AreaChange[]): AreaChange[] {
  const last = new Map<string, AreaChange>();
  for (const change of changes) last.set(`${change.area} ${change.organization} ${change.paper}`, change);
  return [...last.values()];
}

/** The changes that the service makes by itself: rows of these tables in which one of these times has just been set. */
const moments = [
  { area: 'alerts', table: 'alert_outages', owner: 'organization_id', column: 'told_at' },
  { area: 'alerts', table: 'alert_outages', owner: 'organization_id', column: 'ended_at' },
  { area: 'alerts', table: 'alert_channels', owner: 'organization_id', column: 'last_sent_at' },
  { area: 'alerts', table: 'alert_channels', owner: 'organization_id', column: 'last_error_at' },
  { area: 'firmware', table: 'firmware_rollouts', owner: 'owner', column: 'changed_at' },
] as const satisfies readonly {
  readonly area: Area;
  readonly table: string;
  readonly owner: string;
  readonly column: string;
}[];

/** Each attempt to send a callback, which is about the paper of its connection. */
const triedCallbacks = `select callback_events.id || '.' || tried_at as id, 'paper' as area, connections.organization_id as owner,
  tried_at as at, connections.paper_id as paper
  from callback_events join connections on connections.id = callback_events.connection_id where tried_at >= ?`;

interface AreaMoment {
  readonly id: string;
  readonly area: Area;
  readonly owner: string;
  readonly at: number;
  /** The paper whose callback was tried; null for a change that concerns no paper. */
  readonly paper: string | null;
}

function momentsSince(db: Database, since: number, limit: number): Promise<readonly AreaMoment[]> {
  const selects = moments.map(
    ({ area, table, owner, column }) =>
      `select id || '.${column}.' || ${column} as id, '${area}' as area, ${owner} as owner, ${column} as at, null as paper from ${table}
       where ${column} >= ? and ${owner} is not null`,
  );
  const sql = `select id, area, owner, at, paper from (${[...selects, triedCallbacks].join(' union all ')}) as moments limit ?`;
  return allRows(db, sql, [...moments.map(() => since), since, limit]);
}
