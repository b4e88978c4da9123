/** The log of what each commit changed, read from the database by code that is not the service's. */
import type Sqlite from 'better-sqlite3';
import type { callbacksTables } from '../../../api/callbacks/tables.ts';
import type { OccurrenceRow } from '../../../api/deadlines/deadline-rows.ts';
import type { RequestRow } from '../../../api/delivery-state/requests.ts';
import type { DeliveryRow } from '../../../api/delivery-state/states.ts';
import type { UploadRow } from '../../../gateway/pictures/upload-row.ts';
import type { RowIn } from '../../../runtime/database/table.ts';

/** A row before and after a commit. A created row has no `before`, a deleted one no `after`. */
export interface Change<Row> {
  readonly before: Row | undefined;
  readonly after: Row | undefined;
  /** Every change of its state on the way, in order: one commit may hold the work of several callers. */
  readonly moves: readonly { readonly from: string | null; readonly to: string }[];
}

/** A row of `callback_events`. */
export type EventRow = Omit<RowIn<typeof callbacksTables, 'callback_events'>, 'tried' | 'claimed_by' | 'tried_at'>;

/** Everything that one commit did to the rows that promises are about. */
export interface Commit {
  readonly now: number;
  readonly requests: readonly Change<RequestRow>[];
  readonly deliveries: readonly Change<DeliveryRow>[];
  readonly events: readonly Change<EventRow>[];
  readonly uploads: readonly Change<UploadRow>[];
  /** Days of deadlines on frames. */
  readonly occurrences: readonly Change<OccurrenceRow>[];
  /** Returns whether this commit changed a row: its later work may have ended what its earlier work rested on. */
  hasTouched(table: 'content_requests' | 'devices' | 'papers' | 'connections' | 'users', id: string | null): boolean;
  /** Reads one row as it is committed now. */
  one<Row>(sql: string, ...bindings: unknown[]): Row | undefined;
  /** Reads rows as they are committed now. */
  all<Row>(sql: string, ...bindings: unknown[]): readonly Row[];
}

/** Follows the commits of a disk. */
export interface CommitLog {
  /** Returns what changed since the last call. */
  read(now: number): Commit;
  /** Forgets the rows so far: everything is now as in the restored database. */
  reload(): void;
  /** Returns when a commit last changed a row; undefined for a row that no commit changed. */
  changedAt(table: 'papers' | 'users' | 'connections', id: string): number | undefined;
  /** Reads one row as it is now. */
  readonly one: Commit['one'];
  readonly rows: {
    readonly requests: ReadonlyMap<string, RequestRow>;
    readonly deliveries: ReadonlyMap<string, DeliveryRow>;
    readonly events: ReadonlyMap<string, EventRow>;
    readonly uploads: ReadonlyMap<string, UploadRow>;
    readonly occurrences: ReadonlyMap<string, OccurrenceRow>;
  };
}

/** The tables whose rows are followed, by their name in a commit. */
const followed = {
  requests: 'content_requests',
  deliveries: 'deliveries',
  events: 'callback_events',
  uploads: 'uploads',
  occurrences: 'deadline_occurrences',
} as const;

/** The tables of which the log only keeps that a row changed. */
const noted = ['devices', 'papers', 'connections', 'users'] as const;

/**
 * Prepares a database for being followed: triggers write which rows a transaction touches into a table of their own,
 * which is committed or rolled back with it. The service's statements and their counts stay as they are.
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

type FollowedName = keyof typeof followed;

/** The rows of one followed table as the last commit left them, and what that commit changed. */
interface FollowedTable<Row> {
  readonly known: Map<string, Row>;
  changes: Change<Row>[];
}

/** A row of the table that the triggers write. */
interface TouchedRow {
  readonly name: FollowedName | (typeof noted)[number];
  readonly id: string;
  readonly was: string | null;
  readonly becomes: string | null;
}

/** A row of a followed table that a commit touched, once however often it did. */
interface TouchedOnce {
  readonly name: FollowedName;
  readonly id: string;
  readonly moves: { from: string | null; to: string }[];
}

type Prepare = (sql: string) => Sqlite.Statement;

/** Everything that a log keeps. */
interface LogState {
  readonly prepare: Prepare;
  readonly tables: {
    readonly requests: FollowedTable<RequestRow>;
    readonly deliveries: FollowedTable<DeliveryRow>;
    readonly events: FollowedTable<EventRow>;
    readonly uploads: FollowedTable<UploadRow>;
    readonly occurrences: FollowedTable<OccurrenceRow>;
  };
  /** The rows that the last commit changed, as `devices 1234`. */
  changed: Set<string>;
  /** The time at which each row was changed last. */
  readonly changedAt: Map<string, number>;
}

/** Opens the log of an empty database. */
export function openCommitLog(sqlite: Sqlite.Database): CommitLog {
  const prepare = statementCache(sqlite);
  const tables = {
    requests: emptyTable<RequestRow>(),
    deliveries: emptyTable<DeliveryRow>(),
    events: emptyTable<EventRow>(),
    uploads: emptyTable<UploadRow>(),
    occurrences: emptyTable<OccurrenceRow>(),
  };
  const { requests, deliveries, events, uploads, occurrences } = tables;
  const one = <Row>(sql: string, ...bindings: unknown[]) => prepare(sql).get(...bindings) as Row | undefined;
  const log: LogState = { prepare, tables, changed: new Set(), changedAt: new Map() };
  return {
    rows: {
      requests: requests.known,
      deliveries: deliveries.known,
      events: events.known,
      uploads: uploads.known,
      occurrences: occurrences.known,
    },
    one,
    changedAt: (table, id) => log.changedAt.get(`${table} ${id}`),
    reload() {
      prepare('delete from touched').run();
      for (const [name, table] of Object.entries(followed)) {
        const known = tables[name as FollowedName].known as Map<string, { id: string }>;
        known.clear();
        for (const row of prepare(`select * from ${table}`).all() as { id: string }[]) known.set(row.id, row);
      }
    },
    read(now) {
      readTouched(log, now);
      const { changed } = log;
      return {
        now,
        requests: requests.changes,
        deliveries: deliveries.changes,
        events: events.changes,
        uploads: uploads.changes,
        occurrences: occurrences.changes,
        hasTouched: (table, id) => changed.has(`${table} ${id}`),
        one,
        all: <Row>(sql: string, ...bindings: unknown[]) => prepare(sql).all(...bindings) as Row[],
      };
    },
  };
}

function emptyTable<Row>(): FollowedTable<Row> {
  return { known: new Map(), changes: [] };
}

/** Prepares each statement once. */
function statementCache(sqlite: Sqlite.Database): Prepare {
  const statements = new Map<string, Sqlite.Statement>();
  return (sql) => {
    const known = statements.get(sql) ?? sqlite.prepare(sql);
    statements.set(sql, known);
    return known;
  };
}

/** Takes over what the triggers wrote since the last call. */
function readTouched(log: LogState, now: number): void {
  const { prepare, tables } = log;
  for (const table of Object.values(tables)) table.changes = [];
  log.changed = new Set();
  const rows = prepare('select name, id, was, becomes from touched order by rowid').all() as TouchedRow[];
  if (rows.length === 0) return;
  prepare('delete from touched').run();
  for (const { name, id } of rows) log.changed.add(`${isFollowed(name) ? followed[name] : name} ${id}`);
  for (const row of log.changed) log.changedAt.set(row, now);
  for (const row of gatherByRow(rows)) readRow(prepare, tables[row.name] as FollowedTable<{ id: string }>, row);
}

/** Gathers what happened to each followed row, in the order in which the rows were first touched. */
function gatherByRow(rows: readonly TouchedRow[]): Iterable<TouchedOnce> {
  const touched = new Map<string, TouchedOnce>();
  for (const { name, id, was, becomes } of rows) {
    if (!isFollowed(name)) continue;
    const row = touched.get(`${name} ${id}`) ?? { name, id, moves: [] };
    touched.set(`${name} ${id}`, row);
    if (becomes !== null && was !== becomes) row.moves.push({ from: was, to: becomes });
  }
  return touched.values();
}

/** Reads a touched row as it is committed now. A row that came and went within the commit is not a change. */
function readRow<Row>(prepare: Prepare, table: FollowedTable<Row>, { name, id, moves }: TouchedOnce): void {
  const before = table.known.get(id);
  const after = prepare(`select * from ${followed[name]} where id = ?`).get(id) as Row | undefined;
  if (after === undefined) table.known.delete(id);
  else table.known.set(id, after);
  if (before !== undefined || after !== undefined) table.changes.push({ before, after, moves });
}

function isFollowed(name: string): name is FollowedName {
  return Object.hasOwn(followed, name);
}

/** Writes into the trace which requests and deliveries changed their state. */
export function noteMoves(note: (what: string) => void, commit: Commit): void {
  for (const { before, after } of commit.requests) {
    if (before?.state !== after?.state) note(`request ${after?.id ?? before?.id} ${after?.state ?? 'forgotten'}`);
  }
  for (const { before, after } of commit.deliveries) {
    if (before?.state !== after?.state) note(`delivery ${after?.serial} ${after?.request_id} ${after?.state}`);
  }
}
