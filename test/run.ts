/**
 * Runs every test file in a process of its own and puts uvu's teeth back: a throwing hook, a forgotten `.run()`, a
 * stray `.only` and a handle left open all end with exit code 0, or never. Here they fail.
 *
 * `node --import tsx test/run.ts [word ...]` runs the files whose path contains one of the words.
 */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

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
const atOnce = 2;

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
export function runFile(file: string, timeoutMs: number): Promise<Outcome> {
  const startedAt = Date.now();
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--import', 'tsx', file], { detached: true });
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
      clearTimeout(timer);
      const { total, passed, problems } = problemsInOutput(output, code);
      if (timedOut) problems.unshift(`was not done after ${timeoutMs / 1000} s (an open handle?)`);
      problems.push(...problemsInText(readFileSync(file, 'utf8')));
      resolve({ file, total, passed, problems, output, seconds: (Date.now() - startedAt) / 1000 });
    });
  });
}

async function main(words: readonly string[]): Promise<void> {
  const here = import.meta.dirname;
  const files = testFiles(here).filter((file) => words.length === 0 || words.some((word) => file.includes(word)));
  const outcomes: Outcome[] = [];
  const queue = [...files];
  const worker = async () => {
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
      const outcome = await runFile(file, limitMs);
      outcomes.push(outcome);
      const mark = outcome.problems.length === 0 ? 'ok  ' : 'FAIL';
      console.log(
        `${mark} ${relative(here, file)}  ${outcome.passed}/${outcome.total}  ${outcome.seconds.toFixed(1)} s`,
      );
      if (outcome.problems.length > 0)
        console.log(`${outcome.output.trimEnd()}\n     ${outcome.problems.join('\n     ')}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0);
  // A file with a problem counts as at least one failure, also when each of its tests passed.
  const failed = outcomes.reduce(
    (sum, { total, passed: good, problems }) => sum + Math.max(total - good, problems.length > 0 ? 1 : 0),
    0,
  );
  for (const { file, problems, output } of outcomes.filter(({ problems }) => problems.length > 0)) {
    // Once more at the end, where a log that is cut short still shows it.
    const named = [...output.matchAll(/^ +FAIL .*$/gm)].map(([line]) => line.trim());
    console.log(`\n${relative(here, file)}: ${[...named, ...problems].join('\n  ')}`);
  }
  console.log(`\n${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
}

if (process.argv[1] === import.meta.filename) await main(process.argv.slice(2));
