/**
 * Runs every test file in a process of its own and puts uvu's teeth back: a throwing hook, a forgotten `.run()`, a
 * stray `.only` and a handle left open all end with exit code 0, or never. Here they fail.
 *
 * `node --import tsx test/run.ts [--postgres] [word ...]` runs the files whose path contains one of the words: all of
 * them on SQLite, then those that exercise SQL on PostgreSQL. The server is the one `DATABASE_URL` names, else one that
 * is started for this run. Without Debian's programs that part is left out, with a line that says so; `--postgres` makes
 * it a failure.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { postgresPrograms, startPostgres } from './postgres-server.ts';

/** What became of one file. */
export interface Outcome {
  readonly file: string;
  readonly total: number;
  readonly passed: number;
  readonly problems: readonly string[];
  readonly output: string;
  readonly seconds: number;
}

const limitMs = 180_000;
const atOnce = 3;

/** What exercises SQL is run again on PostgreSQL: what opens a world in these rooms, from its first day. */
const onBothDatabases = (path: string): boolean =>
  (/^(journeys|delivery|integration|http|callbacks|devices|directory|papers|retention|storage)\//.test(path) ||
    /^gateway\/(battery|classic|commands|credentials|downloads|native|one-id|pending|presence|settings|watch)/.test(
      path,
    )) &&
  /\bwith(World|Line|Http|Gateway|Service|Folder)\(/.test(readFileSync(join(here, path), 'utf8'));

const running = new Set<ChildProcess>();

/** Test files below a folder, in order. */
export function testFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** What a test file's text gives away before it runs. */
export function problemsInText(text: string): string[] {
  const problems: string[] = [];
  const suites = text.match(/(?<![\w.])suite(<[^>]*>)?\(/g)?.length ?? 0;
  const runs = text.match(/\.run\(\);/g)?.length ?? 0;
  if (suites === 0) problems.push('has no suite');
  if (runs !== suites) problems.push(`has ${suites} suites but ${runs} calls of .run()`);
  if (/\.only\(/.test(text)) problems.push('has a stray .only');
  if (/\.(before|after)(\.each)?\(/.test(text)) problems.push('uses hooks; open a world inside the test');
  return problems;
}

/** What a finished process gives away: uvu prints its counts even when it exits 0 for the wrong reason. */
export function problemsInOutput(
  output: string,
  code: number | null,
): { total: number; passed: number; problems: string[] } {
  const count = (word: string) => {
    const all = [...output.matchAll(new RegExp(`^\\s*${word}:\\s+(\\d+)`, 'gm'))];
    return all.reduce((sum, match) => sum + Number(match[1]), 0);
  };
  const total = count('Total');
  const passed = count('Passed');
  const problems: string[] = [];
  if (code !== 0) problems.push(code === null ? 'was killed' : `ended with exit code ${code}`);
  if (total === 0) problems.push('ran no test');
  if (passed !== total) problems.push(`${total - passed} of ${total} did not pass`);
  if (count('Skipped') > 0) problems.push('skipped tests');
  return { total, passed, problems };
}

/** Runs one file in a process of its own, for at most `timeoutMs`. */
export function runFile(file: string, timeoutMs: number, env: NodeJS.ProcessEnv): Promise<Outcome> {
  const startedAt = Date.now();
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--import', 'tsx', file], { detached: true, env });
    running.add(child);
    let output = '';
    let timedOut = false;
    const collect = (chunk: Buffer) => {
      output += chunk;
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    const timer = setTimeout(() => {
      timedOut = true;
      // The whole group: tests start services and browsers.
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    }, timeoutMs);
    child.on('close', (code) => {
      running.delete(child);
      clearTimeout(timer);
      const { total, passed, problems } = problemsInOutput(output, code);
      if (timedOut) problems.unshift(`was not done after ${timeoutMs / 1000} s (an open handle?)`);
      problems.push(...problemsInText(readFileSync(file, 'utf8')));
      resolve({ file, total, passed, problems, output, seconds: (Date.now() - startedAt) / 1000 });
    });
  });
}

const here = import.meta.dirname;

/** Runs files, two at once, and says how each went. */
async function runAll(files: readonly string[], env: NodeJS.ProcessEnv, database: string): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const queue = [...files];
  const worker = async () => {
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
      const outcome = await runFile(file, limitMs, env);
      const name = `${relative(here, file)}${database}`;
      outcomes.push({ ...outcome, file: name });
      const mark = outcome.problems.length === 0 ? 'ok  ' : 'FAIL';
      console.log(`${mark} ${name}  ${outcome.passed}/${outcome.total}  ${outcome.seconds.toFixed(1)} s`);
      if (outcome.problems.length > 0)
        console.log(`${outcome.output.trimEnd()}\n     ${outcome.problems.join('\n     ')}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return outcomes;
}

/** The same files on PostgreSQL; undefined when there is none. */
async function runOnPostgres(files: readonly string[]): Promise<Outcome[] | undefined> {
  const given = process.env.DATABASE_URL ?? '';
  const programs = postgresPrograms();
  if (given === '' && programs === undefined) return undefined;
  const server = given === '' && programs !== undefined ? startPostgres(programs) : { url: given, stop: () => {} };
  const stop = (signal: NodeJS.Signals): void => {
    for (const { pid } of running) if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    server.stop();
    process.kill(process.pid, signal);
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    return await runAll(files, { ...process.env, DATABASE_URL: server.url }, ' (PostgreSQL)');
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
    server.stop();
  }
}

async function main(args: readonly string[]): Promise<void> {
  const words = args.filter((arg) => arg !== '--postgres');
  const files = testFiles(here).filter((file) => words.length === 0 || words.some((word) => file.includes(word)));
  const outcomes = await runAll(files, { ...process.env, DATABASE_URL: '' }, '');
  const isAsked = args.includes('--postgres') || (process.env.DATABASE_URL ?? '') !== '';
  const again = isAsked ? files.filter((file) => onBothDatabases(relative(here, file))) : [];
  const onPostgres = again.length === 0 ? [] : await runOnPostgres(again);
  outcomes.push(...(onPostgres ?? []));
  const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0);
  // A file with a problem counts as at least one failure, also when each of its tests passed.
  const failed = outcomes.reduce(
    (sum, { total, passed: good, problems }) => sum + Math.max(total - good, problems.length > 0 ? 1 : 0),
    0,
  );
  for (const { file, problems, output } of outcomes.filter(({ problems }) => problems.length > 0)) {
    // Once more at the end, where a log that is cut short still shows it.
    const named = [...output.matchAll(/^ +FAIL .*$/gm)].map(([line]) => line.trim());
    console.log(`\n${file}: ${[...named, ...problems].join('\n  ')}`);
  }
  const isMissing = onPostgres === undefined;
  if (!isAsked) console.log('\nNot tested on PostgreSQL: make test POSTGRES=--postgres does.');
  if (isMissing) console.log('\nNot tested on PostgreSQL: its programs are not here (apt-get install postgresql).');
  console.log(`\n${passed} passed, ${failed} failed`);
  const lacks = isMissing && args.includes('--postgres');
  process.exitCode = failed > 0 || passed === 0 || lacks ? 1 : 0;
}

if (process.argv[1] === import.meta.filename) await main(process.argv.slice(2));
