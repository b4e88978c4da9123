/** The failure of a database that a node cannot reach. */

/** The error of a database that cannot be reached, which the service may write into its log. */
export class DatabaseAway extends Error {
  constructor() {
    super('connect ECONNREFUSED: the database is away');
  }
}

/** Returns whether an error came of a database that could not be reached. */
export function isDatabaseAway(error: unknown): boolean {
  for (let one = error; one instanceof Error; one = one.cause) if (one instanceof DatabaseAway) return true;
  return false;
}
