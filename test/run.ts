/**
 * Runs the test files, several in a process, and puts uvu's teeth back: a throwing hook, a forgotten
 * `.run()`, a stray `.only` and a handle left open all end with exit code 0, or never. Here they fail.
 *
 * `node --import tsx test/run.ts [--long] [--postgres] [word ...]` runs the files whose path contains one of the words,
 * whole. Without words it runs all of them but what takes long, and says at its end what that was; `--long` runs what it
 * left. `--postgres` runs those that exercise SQL on PostgreSQL afterwards, after `--long` without what takes long: on the
 * server that `DATABASE_URL` names, else on one that is started for this run. `--changed` runs what concerns the changes of
 * this checkout at first sight.
 *
 * What tests write goes to memory where there is enough of it, unless `TMPDIR` names a folder.
 *
 * A test that this machine cannot run counts as skipped, with its reason. Where `MAY_SKIP` is set (words separated by
 * commas; CI sets it empty) one that it does not name fails.
 */

import './runner/own-node.ts';
import { postgresPrograms, startPostgres } from './postgres-server.ts';
import { buildWhenOld } from './runner/built.ts';
import { changedPaths, isConcerned } from './runner/changed-files.ts';
import {
  forOneProcess,
  hasLongTests,
  inOrder,
  isOnBothDatabases,
  nameOf,
  needsMachine,
  testFiles,
  withLongAlone,
} from './runner/choose-files.ts';
import { useFastFolder } from './runner/fast-folder.ts';
import { type FileOutcome, killAll, playFiles } from './runner/start-process.ts';

const isLong = process.argv.includes('--long');
/** The longest that a file may take, on a machine that plays several at once. */
const limitMs = 600_000;
/**
 * More than twice the cores it is made for: what starts browsers and services waits for most of its time. Long tests keep the
 * cores busy, and some of them measure.
 */
const processesAtOnce = { short: 5, long: 3 } as const;

/** Runs files, in several processes at once, and reports the outcome of each. */
async function runAll(files: readonly string[], env: NodeJS.ProcessEnv, database: string): Promise<FileOutcome[]> {
  const outcomes: FileOutcome[] = [];
  const alone = files.filter(needsMachine);
  const ended = (outcome: FileOutcome): void => {
    outcomes.push({ ...outcome, file: `${nameOf(outcome.file)}${database}` });
    printOutcome({ ...outcome, file: `${nameOf(outcome.file)}${database}` });
  };
  const work = async (queue: string[]): Promise<void> => {
    while (queue.length > 0) await playFiles(forOneProcess(queue), { timeoutMs: limitMs, env, ended });
  };
  const queue = inOrder(files.filter((file) => !alone.includes(file)));
  const length = processesAtOnce[isLong && env.LEAVE_LONG !== '1' ? 'long' : 'short'];
  await Promise.all(Array.from({ length }, () => work(queue)));
  await work(alone);
  return outcomes;
}

function printOutcome({ file, total, passed, problems, output, seconds, after }: FileOutcome): void {
  const mark = problems.length === 0 ? 'ok  ' : 'FAIL';
  console.log(`${mark} ${file}  ${passed}/${total}  ${seconds.toFixed(1)} s`);
  if (problems.length === 0) return;
  console.log(`${output.trimEnd()}\n     ${problems.join('\n     ')}`);
  if (after.length > 0) console.log(`     in one process after ${after.map(nameOf).join(', ')}`);
}

/** The same files on PostgreSQL; undefined when there is none. */
async function runOnPostgres(files: readonly string[], env: NodeJS.ProcessEnv): Promise<FileOutcome[] | undefined> {
  const given = process.env.DATABASE_URL ?? '';
  const programs = postgresPrograms();
  if (given === '' && programs === undefined) return undefined;
  const server = given === '' && programs !== undefined ? startPostgres(programs) : { url: given, stop: () => {} };
  process.prependOnceListener('exit', () => server.stop());
  const outcomes = await runAll(
    files,
    { ...env, DATABASE_URL: server.url, TEST_RUN: String(process.pid) },
    ' (PostgreSQL)',
  );
  if (given !== '') await (await import('./database.ts')).dropDatabases(given);
  return outcomes;
}

/** Skipped tests that have to run here. */
function forbiddenSkips(outcomes: readonly FileOutcome[]): string[] {
  const allowed = process.env.MAY_SKIP;
  if (allowed === undefined) return [];
  const words = allowed.split(',').filter((word) => word.trim() !== '');
  return outcomes
    .flatMap(({ file, skipped }) => skipped.map((test) => `${file}: ${test}`))
    .filter((test) => !words.some((word) => test.includes(word.trim())));
}

/** Prints lines under a heading, unless there are none. */
function printList(heading: string, lines: readonly string[]): void {
  if (lines.length > 0) console.log(`\n${heading}\n  ${lines.join('\n  ')}`);
}

/** Prints what became of all, and returns how many failed. */
function summarize(outcomes: readonly FileOutcome[]): number {
  const each = (pick: (outcome: FileOutcome) => readonly string[]): string[] =>
    outcomes.flatMap((outcome) => pick(outcome).map((line) => `${outcome.file}: ${line}`));
  const skipped = each((outcome) => outcome.skipped);
  printList(
    'Left to CI (make test-long):',
    each((outcome) => outcome.left),
  );
  printList('Skipped:', skipped);
  const forbidden = forbiddenSkips(outcomes);
  printList('Must run here, and was skipped:', forbidden);
  for (const { file, problems, output } of outcomes.filter(({ problems }) => problems.length > 0)) {
    // Once more, with its output, and at the end, where a log that is cut short still shows it.
    const named = [...output.matchAll(/^ +FAIL .*(?:\n(?! +at ).*){0,8}/gm)]
      .flatMap(([said]) => said.split('\n'))
      .filter((line) => line.trim() !== '');
    printList(`${file}:`, [...named, ...problems, `again: node --import tsx test/run.ts ${file.split(' ')[0]}`]);
  }
  const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0);
  // A file with a problem counts as at least one failure, also when each of its tests passed.
  const failed = outcomes.reduce(
    (sum, { total, passed: good, problems }) => sum + Math.max(total - good, problems.length > 0 ? 1 : 0),
    forbidden.length,
  );
  console.log(`\n${passed} passed, ${failed} failed, ${skipped.length} skipped`);
  return passed === 0 ? Math.max(1, failed) : failed;
}

async function main(args: readonly string[]): Promise<void> {
  const words = args.filter((arg) => !arg.startsWith('--'));
  const changed = args.includes('--changed') ? changedPaths() : undefined;
  const files = testFiles().filter((file) => {
    if (changed !== undefined) return isConcerned(nameOf(file), changed);
    if (words.length > 0) return words.some((word) => nameOf(file).includes(word));
    return !isLong || hasLongTests(file);
  });
  const leaves = words.length === 0 && !isLong;
  const env = { ...process.env, LEAVE_LONG: leaves ? '1' : '' };
  // What a run without words has played is not played again.
  const isRest = isLong && words.length === 0;
  const outcomes = await runAll(files, { ...env, ...withLongAlone(isRest), DATABASE_URL: '' }, '');
  const isAsked = args.includes('--postgres') || (process.env.DATABASE_URL ?? '') !== '';
  const again = (words.length > 0 ? files : testFiles()).filter(isOnBothDatabases);
  const envAgain = isRest ? { ...env, LEAVE_LONG: '1' } : env;
  const onPostgres = isAsked && again.length > 0 ? await runOnPostgres(again, envAgain) : [];
  const failed = summarize([...outcomes, ...(onPostgres ?? [])]);
  if (!isAsked && changed === undefined) console.log('Not tested on PostgreSQL: make test POSTGRES=--postgres does.');
  if (onPostgres === undefined) console.log('Not tested on PostgreSQL: apt-get install postgresql.');
  process.exitCode = failed > 0 || onPostgres === undefined ? 1 : 0;
}

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.once(signal, () => {
    killAll();
    process.exit(code);
  });
}
useFastFolder();
buildWhenOld();
await main(process.argv.slice(2));
