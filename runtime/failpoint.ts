/**
 * Named lines at which a test stops work or kills its process, so that races and crashes are certain. A module calls
 * `at?.('intake.receiving')` where a crash would matter; the service hands in no failpoint, and the line does nothing.
 * `test/durability` knows every name and visits each.
 */
export type Failpoint = (name: string) => void | Promise<void> | undefined;
