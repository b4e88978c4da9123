/** Rows that a database must never hold, each kind as one query that finds them. */

/** A condition that holds after every commit, so that it may be asked alongside a running service. */
export interface Invariant {
  /** A name that stays, for programs. */
  readonly name: string;
  /** The rule in docs/rules.md. */
  readonly rule: string;
  /** The mistake that each row found represents. */
  readonly means: string;
  /** Says what to do next. */
  readonly next: string;
  /** The query, for both databases: one column `id`. `now` is the database's time, epoch milliseconds. */
  readonly find: (now: number) => string;
}

/** Reads rows, and cannot change any. */
export interface RowReader {
  /** Runs one query, in its own snapshot. */
  all<Row>(sql: string): Promise<readonly Row[]>;
  /** The time of the service's rows. */
  now(): Promise<number>;
  close(): Promise<void>;
}

/** States as SQL lists them. */
export const sqlList = (names: readonly string[]): string => `(${names.map((name) => `'${name}'`).join(', ')})`;

/** The remedy where rows disagree in a way that no operator can bring about by use. */
export const askForHelp =
  'keep a backup of the database as it is, look whether somebody or a restored backup changed rows by hand, and report it';
