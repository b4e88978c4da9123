/** How many connections a process has to PostgreSQL, and for how long each of its works may go on there. */

/** Limits of one pool. 0 ms means no limit. */
export interface DatabaseLimits {
  /** The most connections. */
  readonly connections: number;
  /** How long work waits for a connection. */
  readonly waitMs: number;
  /** How long one statement runs. */
  readonly statementMs: number;
  /** How long a statement waits for a lock. */
  readonly lockMs: number;
  /** How long a transaction may be without a statement: a process that was paused must not keep its locks. */
  readonly idleMs: number;
}

/** The default limits. Waiting for a lock outlasts a paused process that has it, so that those who wait get it. */
export const defaultDatabaseLimits: DatabaseLimits = {
  connections: 10,
  waitMs: 10_000,
  statementMs: 30_000,
  lockMs: 12_000,
  idleMs: 10_000,
};

/** For work that nobody waits for and that may take long: changes of tables, moves, the nightly clean-up. */
export const patientLimits: DatabaseLimits = {
  connections: 4,
  waitMs: 60_000,
  statementMs: 0,
  lockMs: 0,
  idleMs: 0,
};
