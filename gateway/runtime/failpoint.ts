/**
 * Named lines at which a test holds a work or kills its process, so that races and crashes are certain (FI-01, F14).
 * A room calls `at?.('intake.receiving')` where a crash would matter; the service hands in none, and the line does
 * nothing. `test/durability` knows every name and visits each.
 */
export type Failpoint = (name: string) => void | Promise<void>;
