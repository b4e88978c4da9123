/** A change of the tables, and on which of the two databases it is made. */
import type { Knex } from 'knex';

/**
 * Whether a release of the schema before can go on working beside a change: `expand` adds what it does not look at,
 * `contract` takes what it works with, or relies on something that it does not keep.
 */
export type MigrationKind = 'expand' | 'contract';

/** The creation or a change of one subject's tables. The names order the migrations of a schema and are never reused. */
export interface Migration {
  readonly name: string;
  /** `expand` where it is not said. */
  readonly kind?: MigrationKind;
  /** The number of the schema that it belongs to, 1 where it is not said. Each release with migrations makes the next one. */
  readonly schema?: number;
  /**
   * Has PostgreSQL run it outside of a transaction, for indexes that are made beside the work and for long backfills. It
   * must be possible to run it again when it was killed in between.
   */
  readonly outsideTransaction?: boolean;
  up(db: Knex): Promise<void>;
}

/** Tells whether rows can be locked one by one. SQLite locks the whole database for one writer instead. */
export function isPostgres(db: Knex): boolean {
  return db.client.driverName === 'pg';
}
