/** Which callbacks are due, connection by connection: what one has waiting is not read to find the others (INV-62). */
import type { Database } from '../../gateway/runtime/database.ts';
import { allRows } from '../../gateway/runtime/plain-sql.ts';

/** A row of `callback_events`. While it is claimed, `due_at` is the end of the lease. */
export interface WaitingEvent {
  readonly id: string;
  readonly connection_id: string;
  readonly generation: number;
  readonly body: string;
  readonly attempts: number;
  readonly due_at: number;
  readonly created_at: number;
}

/** Events of one connection that were never tried, or only retries. */
export interface DueTurn {
  readonly connectionId: string;
  readonly isRetry: boolean;
  readonly dueAt: number;
}

/** As the index says it: 0 for what was never tried. */
const tried = 'case when attempts = 0 then 0 else 1 end';

/** The column list of the index that both questions go by. */
export const turnsColumns = `connection_id, (${tried}), due_at, id`;

const firstOf = (retry: 0 | 1): string =>
  `(select min(due_at) from callback_events where due_at is not null and connection_id = waiting.connection_id
     and (${tried}) = ${retry})`;

/** Steps from one connection to the next in the index, whatever each has waiting. */
export const turnsSql = `with recursive waiting (connection_id) as (
    select min(connection_id) from callback_events where due_at is not null
    union all
    select (select min(connection_id) from callback_events
      where due_at is not null and connection_id > waiting.connection_id)
    from waiting where waiting.connection_id is not null
  )
  select connection_id, ${firstOf(0)} as first_at, ${firstOf(1)} as retry_at from waiting
  where connection_id is not null`;

/** Every connection with something due, first attempts before retries, each by its oldest. */
export async function dueTurns(db: Database, now: number): Promise<DueTurn[]> {
  type Row = { connection_id: string; first_at: number | null; retry_at: number | null };
  const rows = await allRows<Row>(db, turnsSql, []);
  const turns = rows.flatMap(({ connection_id: connectionId, first_at, retry_at }) => [
    { connectionId, isRetry: false, dueAt: first_at ?? Number.POSITIVE_INFINITY },
    { connectionId, isRetry: true, dueAt: retry_at ?? Number.POSITIVE_INFINITY },
  ]);
  return turns
    .filter(({ dueAt }) => dueAt <= now)
    .sort((one, other) => Number(one.isRetry) - Number(other.isRetry) || one.dueAt - other.dueAt);
}

export const eventsSql = `select * from callback_events where due_at is not null and connection_id = ? and (${tried}) = ?
  and due_at <= ? order by due_at, id limit ?`;

/** The oldest events of a turn. */
export function eventsOf(db: Database, turn: DueTurn, now: number, limit: number): Promise<readonly WaitingEvent[]> {
  return allRows(db, eventsSql, [turn.connectionId, turn.isRetry ? 1 : 0, now, limit]);
}
