/** What each commit changed, read from the database by eyes that are not the service's. */
import type Sqlite from 'better-sqlite3';
import type { UploadRow } from '../../gateway/pictures/upload-log.ts';
import type { DeliveryRow } from '../delivery/states.ts';
import type { RequestRow } from '../integration/requests.ts';

/** A row as it was and as it is. One of them is missing for what came or went. */
export interface Change<Row> {
  readonly before: Row | undefined;
  readonly after: Row | undefined;
  /** Every move of its state on the way, in order: one commit may hold the works of several. */
  readonly moves: readonly { readonly from: string | null; readonly to: string }[];
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
  /** Whether this commit changed a row, as `devices 1234`: a later work of it may have ended what an earlier one rested on. */
  hasTouched(table: 'content_requests' | 'devices' | 'papers' | 'connections' | 'users', id: string | null): boolean;
  /** Reads one row as it is committed now. */
  one<Row>(sql: string, ...bindings: unknown[]): Row | undefined;
  all<Row>(sql: string, ...bindings: unknown[]): readonly Row[];
}

/** Follows the commits of a disk. */
export interface CommitLog {
  /** What changed since the last call. */
  read(now: number): Commit;
  /** When a row was changed last by a commit; undefined for one that never was. */
  changedAt(table: 'papers' | 'users', id: string): number | undefined;
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

/** Tables of which it is only noted that a row changed. */
const noted = ['devices', 'papers', 'connections', 'users'] as const;

/**
 * Prepares a database for being followed: triggers note which rows a transaction touches, in a table of their own that
 * shares its fate. The service's statements and their counts stay as they are.
 */
export function prepareToFollow(sqlite: Sqlite.Database): void {
  sqlite.exec('create temp table touched (name text not null, id text not null, was text, becomes text)');
  const tables = [...Object.entries(followed), ...noted.map((table) => [table, table] as const)];
  for (const [name, table] of tables) {
    const state = name === 'requests' || name === 'deliveries' ? 'state' : 'id';
    for (const [act, id, was, becomes] of [
      ['insert', 'new.id', 'null', `new.${state}`],
      ['update', 'new.id', `old.${state}`, `new.${state}`],
      ['delete', 'old.id', `old.${state}`, 'null'],
    ]) {
      sqlite.exec(
        `create temp trigger touched_${name}_${act} after ${act} on main.${table}
           begin insert into touched values ('${name}', ${id}, ${was}, ${becomes}); end`,
      );
    }
  }
}

const isFollowed = (name: string): name is keyof typeof followed => Object.hasOwn(followed, name);

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
  let changed = new Set<string>();
  const changes = new Map<string, number>();
  const touched = prepare('select name, id, was, becomes from touched order by rowid');
  const forget = prepare('delete from touched');

  type Followed<Row> = { known: Map<string, Row>; changes: Change<Row>[] };

  function see<Row>({ known, changes }: Followed<Row>, table: string, id: string, moves: Change<Row>['moves']): void {
    const before = known.get(id);
    const after = prepare(`select * from ${table} where id = ?`).get(id) as Row | undefined;
    if (after === undefined) known.delete(id);
    else known.set(id, after);
    if (before !== undefined || after !== undefined) changes.push({ before, after, moves });
  }

  function seeAll(now: number): void {
    for (const table of Object.values(tables)) table.changes = [];
    changed = new Set();
    const rows = touched.all() as {
      name: keyof typeof followed | (typeof noted)[number];
      id: string;
      was: string | null;
      becomes: string | null;
    }[];
    if (rows.length === 0) return;
    forget.run();
    const moved = new Map<
      string,
      { name: keyof typeof followed; id: string; moves: { from: string | null; to: string }[] }
    >();
    for (const { name, id, was, becomes } of rows) {
      changed.add(`${isFollowed(name) ? followed[name] : name} ${id}`);
      if (!isFollowed(name)) continue;
      const one = moved.get(`${name} ${id}`) ?? { name, id, moves: [] };
      moved.set(`${name} ${id}`, one);
      if (becomes !== null && was !== becomes) one.moves.push({ from: was, to: becomes });
    }
    for (const row of changed) changes.set(row, now);
    for (const { name, id, moves } of moved.values())
      see(tables[name] as Followed<{ id: string }>, followed[name], id, moves);
  }

  return {
    rows: { requests: requests.known, deliveries: deliveries.known, events: events.known, uploads: uploads.known },
    changedAt: (table, id) => changes.get(`${table} ${id}`),
    read(now) {
      seeAll(now);
      return {
        now,
        requests: requests.changes,
        deliveries: deliveries.changes,
        events: events.changes,
        uploads: uploads.changes,
        hasTouched: (table, id) => changed.has(`${table} ${id}`),
        one: <Row>(sql: string, ...bindings: unknown[]) => prepare(sql).get(...bindings) as Row | undefined,
        all: <Row>(sql: string, ...bindings: unknown[]) => prepare(sql).all(...bindings) as Row[],
      };
    },
  };
}
