/** Tests that do not run everywhere, or not every time. None of them passes by saying nothing. */
import type { Callback, Test } from 'uvu';
import { isOnPostgres } from './database.ts';
import { playsLongAlone } from './runner/choose-files.ts';
import { marks } from './runner/judge.ts';

type Register = (name: string, run: Callback) => void;

/**
 * Registers tests that some machines cannot run. With a reason each of them counts as skipped, and the runner prints it
 * in its summary; where `MAY_SKIP` is set, as in CI, it fails.
 */
export function unlessUnable(test: Test, unable: string | undefined): Register {
  if (unable === undefined) return test;
  return (name) => {
    test.skip(name);
    console.log(`${marks.skipped}"${name}": ${unable}`);
  };
}

/** Whether what takes long is left to CI in this run: `make test` does so, and says at its end what it left. */
const leavesLong = process.env.LEAVE_LONG === '1';

/**
 * Registers tests that take long. Where `make test` has played the others just before, as in CI, they are played alone: a
 * suite that has any of them leaves the others out.
 */
export function longTest(test: Register & Partial<Pick<Test, 'only'>>): Register {
  if (leavesLong) return (name) => console.log(`${marks.left}"${name}"`);
  if (test.only === undefined || !playsLongAlone()) return test;
  console.log(`${marks.before}the other tests of this suite`);
  return test.only;
}

/** Registers tests of what only PostgreSQL does: a run on SQLite leaves them to CI, which plays both. */
export function onPostgres(test: Register): Register {
  if (isOnPostgres) return test;
  return (name) => console.log(`${marks.left}"${name}"`);
}

/** How often something is tried: the second number where what takes long is left to CI. */
export function manyTimes(what: string, whole: number, part: number): number {
  if (!leavesLong) return whole;
  console.log(`${marks.left}${whole - part} of ${whole} ${what}`);
  return part;
}
