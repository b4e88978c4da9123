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
  /** What changed since the last call. */
  read(now: number): Commit;
  readonly rows: {
    readonly requests: ReadonlyMap<string, RequestRow>;
    readonly deliveries: ReadonlyMap<string, DeliveryRow>;
    readonly events: ReadonlyMap<string, EventRow>;
    readonly uploads: ReadonlyMap<string, UploadRow>;
  };
}

/** The tables that are followed, by their name in a commit. */
const followed = {
  requests: 'content_requests',
  deliveries: 'deliveries',
  events: 'callback_events',
  uploads: 'uploads',
} as const;

/**
 * Prepares a database for being followed: triggers note which rows a transaction touches, in a table of their own that
 * shares its fate. The service's statements and their counts stay as they are.
 */
export function prepareToFollow(sqlite: Sqlite.Database): void {
  sqlite.exec('create temp table touched (name text not null, id text not null)');
  for (const [name, table] of Object.entries(followed)) {
    for (const [act, row] of [
      ['insert', 'new'],
      ['update', 'new'],
      ['delete', 'old'],
    ] as const) {
      sqlite.exec(
        `create temp trigger touched_${name}_${act} after ${act} on main.${table}
           begin insert into touched values ('${name}', ${row}.id); end`,
      );
    }
  }
}

/** Opens the log of an empty database. */
export function openCommitLog(sqlite: Sqlite.Database): CommitLog {
  const statements = new Map<string, Sqlite.Statement>();
  const prepare = (sql: string): Sqlite.Statement => {
    const known = statements.get(sql) ?? sqlite.prepare(sql);
    statements.set(sql, known);
    return known;
  };
  const follow = <Row>() => ({ known: new Map<string, Row>(), changes: [] as Change<Row>[] });
  const requests = follow<RequestRow>();
  const deliveries = follow<DeliveryRow>();
  const events = follow<EventRow>();
  const uploads = follow<UploadRow>();
  const tables = { requests, deliveries, events, uploads };
  const touched = prepare('select distinct name, id from touched order by rowid');
  const forget = prepare('delete from touched');

  function see<Row>(
    { known, changes }: { known: Map<string, Row>; changes: Change<Row>[] },
    table: string,
    id: string,
  ) {
    const before = known.get(id);
    const after = prepare(`select * from ${table} where id = ?`).get(id) as Row | undefined;
    if (after === undefined) known.delete(id);
    else known.set(id, after);
    if (before !== undefined || after !== undefined) changes.push({ before, after });
  }

  return {
    rows: { requests: requests.known, deliveries: deliveries.known, events: events.known, uploads: uploads.known },
    read(now) {
      for (const table of Object.values(tables)) table.changes = [];
      const rows = touched.all() as { name: keyof typeof followed; id: string }[];
      if (rows.length > 0) forget.run();
      for (const { name, id } of rows) see(tables[name] as ReturnType<typeof follow>, followed[name], id);
      return {
        now,
        requests: requests.changes,
        deliveries: deliveries.changes,
        events: events.changes,
        uploads: uploads.changes,
        one: <Row>(sql: string, ...bindings: unknown[]) => prepare(sql).get(...bindings) as Row | undefined,
        all: <Row>(sql: string, ...bindings: unknown[]) => prepare(sql).all(...bindings) as Row[],
      };
    },
  };
}
