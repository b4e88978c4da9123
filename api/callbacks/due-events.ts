/**
 * Finds the callbacks that are due, connection by connection: one connection's backlog is not read to find the others.
 */
import { type Database, isPostgres } from '../../runtime/database/database.ts';
import { allRows } from '../../runtime/database/plain-sql.ts';

/** A row of `callback_events`. While it is claimed, `due_at` is the end of the lease. */
export interface WaitingEvent {
  readonly id: string;
  readonly connection_id: string;
  readonly generation: number;
  readonly body: string;
  readonly attempts: number;
  /** The attempts that were made, as `tried-attempts.ts` writes them. */
  readonly tried: string;
  readonly due_at: number;
  readonly created_at: number;
  /** The node that sends it; null where the service is one process. */
  readonly claimed_by: string | null;
}

/** The events of one connection that were never tried, or only its retries. */
export interface DueConnection {
  readonly connectionId: string;
  readonly isRetry: boolean;
  readonly dueAt: number;
}

/** The expression must be the index's own: 0 for an event that was never tried, else 1. */
const tried = 'case when attempts = 0 then 0 else 1 end';

/** The columns of the index that both queries use. */
export const dueColumns = `connection_id, (${tried}), due_at, id`;

const firstOf = (retry: 0 | 1): string =>
  `(select min(due_at) from callback_events where due_at is not null and connection_id = waiting.connection_id
     and (${tried}) = ${retry})`;

/** Steps from one connection to the next in the index, however many events each has waiting. */
export const dueConnectionsSql = `with recursive waiting (connection_id) as (
    select min(connection_id) from callback_events where due_at is not null
    union all
    select (select min(connection_id) from callback_events
      where due_at is not null and connection_id > waiting.connection_id)
    from waiting where waiting.connection_id is not null
  )
  select connection_id, ${firstOf(0)} as first_at, ${firstOf(1)} as retry_at from waiting
  where connection_id is not null`;

/** Finds every connection that has something due: first attempts before retries, each group by its oldest event. */
export async function dueConnections(db: Database, now: number): Promise<DueConnection[]> {
  type Row = { connection_id: string; first_at: number | null; retry_at: number | null };
  const rows = await allRows<Row>(db, dueConnectionsSql, []);
  const due = rows.flatMap(({ connection_id: connectionId, first_at, retry_at }) => [
    { connectionId, isRetry: false, dueAt: first_at ?? Number.POSITIVE_INFINITY },
    { connectionId, isRetry: true, dueAt: retry_at ?? Number.POSITIVE_INFINITY },
  ]);
  return due
    .filter(({ dueAt }) => dueAt <= now)
    .sort((one, other) => Number(one.isRetry) - Number(other.isRetry) || one.dueAt - other.dueAt);
}

/**
 * The oldest due events of a connection. The number of them is written out: SQLite plans a statement again at each binding
 * of a limit, which costs eight times what the statement does.
 */
export const eventsSql = (limit: number): string => `select id from callback_events where due_at is not null
  and connection_id = ? and (${tried}) = ? and due_at <= ? order by due_at, id limit ${Math.trunc(limit)}`;

/** A claim: the values that it writes into the rows, and the most events that it takes. */
export interface EventClaim {
  readonly now: number;
  readonly until: number;
  /** The node that claims; null where the service is one process. */
  readonly by: string | null;
  readonly limit: number;
}

/** The columns of a waiting event, by name: PostgreSQL's `returning *` would add those of the rows that were looked for. */
const eventColumns = 'id, connection_id, generation, body, attempts, tried, due_at, created_at, claimed_by';

/**
 * Claims the oldest events of a connection's first attempts, or of its retries: never more than its limit, and no event that
 * another claim has; among nodes each passes over what another one has just locked, and nobody waits (INV-83). What is due is
 * looked for once, before anything changes: PostgreSQL may run a select below `in (...)` again for every row, and each run
 * would find the next ones.
 */
export async function claimEvents(
  db: Database,
  { connectionId, isRetry }: DueConnection,
  { now, until, by, limit }: EventClaim,
): Promise<readonly WaitingEvent[]> {
  const skips = by !== null && isPostgres(db) ? ' for update skip locked' : '';
  const claimed = await allRows<WaitingEvent>(
    db,
    `with due (due_id) as materialized (${eventsSql(limit)}${skips})
     update callback_events set due_at = ?, claimed_by = ? from due where id = due_id and due_at <= ? returning ${eventColumns}`,
    [connectionId, isRetry ? 1 : 0, now, until, by, now],
  );
  return [...claimed].sort((one, other) => one.created_at - other.created_at || (one.id < other.id ? -1 : 1));
}

/** Asks whether a claim is still held: a node that was paused may have lost it. */
export async function holdsClaim(db: Database, { id, due_at, claimed_by }: WaitingEvent): Promise<boolean> {
  return (await db('callback_events').where({ id, due_at, claimed_by }).first('id')) !== undefined;
}
