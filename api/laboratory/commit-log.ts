/** What each commit changed, read from the database by eyes that are not the service's. */
import type Sqlite from 'better-sqlite3';
import type { UploadRow } from '../../gateway/pictures/upload-log.ts';
import type { DeliveryRow } from '../delivery/states.ts';
import type { RequestRow } from '../integration/requests.ts';

/** A row as it was and as it is. One of them is missing for what came or went. */
export interface Change<Row> {
  readonly before: Row | undefined;
  readonly after: Row | undefined;
}

/** A row of `callback_events`. */
export interface EventRow {
  readonly id: string;
  readonly connection_id: string;
  readonly generation: number;
  readonly request_id: string;
  readonly delivery_id: string | null;
  readonly state: string;
  readonly body: string;
  readonly attempts: number;
  readonly due_at: number | null;
  readonly created_at: number;
  readonly delivered_at: number | null;
  readonly problem: string | null;
}

/** Everything one commit did to the rows that promises are about. */
export interface Commit {
  readonly now: number;
  readonly requests: readonly Change<RequestRow>[];
  readonly deliveries: readonly Change<DeliveryRow>[];
  readonly events: readonly Change<EventRow>[];
  readonly uploads: readonly Change<UploadRow>[];
  /** Reads one row as it is committed now. */
  one<Row>(sql: string, ...bindings: unknown[]): Row | undefined;
  all<Row>(sql: string, ...bindings: unknown[]): readonly Row[];
}

/** Follows the commits of a disk. */
export interface CommitLog {
  /** What changed since the last call, in these tables. */
  read(now: number, tables: ReadonlySet<string>): Commit;
  readonly rows: {
    readonly requests: ReadonlyMap<string, RequestRow>;
    readonly deliveries: ReadonlyMap<string, DeliveryRow>;
    readonly events: ReadonlyMap<string, EventRow>;
    readonly uploads: ReadonlyMap<string, UploadRow>;
  };
}

/** Opens the log of an empty database. */
export function openCommitLog(sqlite: Sqlite.Database): CommitLog {
  const statements = new Map<string, Sqlite.Statement>();
  const prepare = (sql: string): Sqlite.Statement => {
    const known = statements.get(sql) ?? sqlite.prepare(sql);
    statements.set(sql, known);
    return known;
  };
  const requests = follow<RequestRow>('content_requests');
  const deliveries = follow<DeliveryRow>('deliveries');
  const events = follow<EventRow>('callback_events');
  const uploads = follow<UploadRow>('uploads');

  function follow<Row extends { id: string }>(table: string) {
    const known = new Map<string, Row>();
    return {
      known,
      changes(tables: ReadonlySet<string>): Change<Row>[] {
        if (!tables.has(table)) return [];
        const rows = prepare(`select * from ${table} order by rowid`).all() as Row[];
        const changes: Change<Row>[] = [];
        for (const after of rows) {
          const before = known.get(after.id);
          if (before !== undefined && isSame(before, after)) continue;
          changes.push({ before, after });
          known.set(after.id, after);
        }
        if (known.size === rows.length) return changes;
        const ids = new Set(rows.map(({ id }) => id));
        for (const [id, before] of known) {
          if (ids.has(id)) continue;
          changes.push({ before, after: undefined });
          known.delete(id);
        }
        return changes;
      },
    };
  }

  return {
    rows: { requests: requests.known, deliveries: deliveries.known, events: events.known, uploads: uploads.known },
    read: (now, tables) => ({
      now,
      requests: requests.changes(tables),
      deliveries: deliveries.changes(tables),
      events: events.changes(tables),
      uploads: uploads.changes(tables),
      one: <Row>(sql: string, ...bindings: unknown[]) => prepare(sql).get(...bindings) as Row | undefined,
      all: <Row>(sql: string, ...bindings: unknown[]) => prepare(sql).all(...bindings) as Row[],
    }),
  };
}

function isSame<Row extends object>(one: Row, other: Row): boolean {
  for (const name in one) if (one[name] !== other[name]) return false;
  return true;
}
