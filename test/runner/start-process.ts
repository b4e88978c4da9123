/** Runs test files in a process beside this one, and says of each what became of it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, fstatSync, mkdtempSync, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Counted, problemsInOutput, problemsInText } from './judge.ts';

/** What became of one file. */
export interface FileOutcome extends Counted {
  readonly file: string;
  readonly problems: readonly string[];
  readonly output: string;
  readonly seconds: number;
  /** Files that ran before it in the same process. */
  readonly after: readonly string[];
  /** What it said when it failed, where it was played again and passed. */
  readonly before?: readonly string[];
}

/** What a process tells when a file's tests have ended. */
export interface FileEnded {
  readonly ended: string;
  /** Exit code of its tests. */
  readonly code: number;
  /** What they left open, by kind. */
  readonly left: readonly string[];
  /** Bytes of output until then: what follows is the next file's, even where this process reads it late. */
  readonly written: number;
}

type Told = { readonly begun: string } | FileEnded;

/** How files are run. */
export interface Playing {
  /** The longest that one file may take. */
  readonly timeoutMs: number;
  readonly env: NodeJS.ProcessEnv;
  /** Hears of each file as soon as it has ended. */
  readonly ended: (outcome: FileOutcome) => void;
}

/** How long a process may take to end by itself after its last file. */
const endingMs = 10_000;

const running = new Set<ChildProcess>();

/** Kills every process that runs tests, with all that they started. */
export function killAll(): void {
  for (const child of running) killGroup(child);
}

/** The whole group: tests start services and browsers. */
function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has just ended by itself.
  }
}

/** Runs files in one process, in this order. A file that ends the process or has to be ended gets the next ones another. */
export async function playFiles(files: readonly string[], playing: Playing): Promise<void> {
  let waiting = files;
  while (waiting.length > 0) waiting = await playUntilBroken(waiting, playing);
}

/** What both streams of a process say, in the order in which it was said; taken up to a number of bytes, or all of it. */
function openOutput(): { readonly descriptor: number; take(until?: number): string } {
  const folder = mkdtempSync(join(tmpdir(), 'papergate-output-'));
  const descriptor = openSync(join(folder, 'output'), 'w+');
  rmSync(folder, { recursive: true });
  let read = 0;
  return {
    descriptor,
    take(until = fstatSync(descriptor).size) {
      const rest = Buffer.alloc(until - read);
      read += readSync(descriptor, rest, 0, rest.length, read);
      return rest.toString();
    },
  };
}

/** Returns the files that were not begun. */
function playUntilBroken(files: readonly string[], { timeoutMs, env, ended }: Playing): Promise<readonly string[]> {
  const output = openOutput();
  const program = join(import.meta.dirname, 'play-files.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', program, ...files], {
    detached: true,
    env,
    stdio: ['ignore', output.descriptor, output.descriptor, 'ipc'],
  });
  running.add(child);
  let [at, startedAt] = [0, Date.now()];
  let told: FileEnded | undefined;
  let timedOut: string | undefined;
  const within = (ms: number, sentence: string): NodeJS.Timeout =>
    setTimeout(() => {
      timedOut = sentence;
      killGroup(child);
    }, ms);
  const withinLimit = () => within(timeoutMs, `was not done after ${timeoutMs / 1000} s (an open handle?)`);
  let timer = withinLimit();
  /** `code` is that of the process where it ended before the file did. */
  const settle = (code: number | null): void => {
    const [file = '', said] = [files[at], output.take(code === null ? told?.written : undefined)];
    const { problems, ...counted } = problemsInOutput(said, told?.code ?? code);
    if (timedOut !== undefined) problems.unshift(timedOut);
    else if (told === undefined && code === 0) problems.unshift('ended its process before its tests had ended');
    if (told !== undefined && told.left.length > 0) problems.push(`left open: ${told.left.join(', ')}`);
    problems.push(...problemsInText(readFileSync(file, 'utf8')));
    const seconds = (Date.now() - startedAt) / 1000;
    ended({ ...counted, file, problems, output: said, seconds, after: files.slice(0, at) });
    at += 1;
    told = undefined;
    startedAt = Date.now();
  };
  child.on('message', (message: Told) => {
    if ('begun' in message) {
      clearTimeout(timer);
      timer = withinLimit();
      return;
    }
    told = message;
    if (at < files.length - 1) {
      settle(null);
      return;
    }
    clearTimeout(timer);
    timer = within(endingMs, `kept its process alive for ${endingMs / 1000} s after its tests (an open handle?)`);
  });
  return new Promise((resolve) => {
    child.once('close', (code) => {
      running.delete(child);
      clearTimeout(timer);
      if (at < files.length) settle(code);
      closeSync(output.descriptor);
      resolve(files.slice(at));
    });
  });
}
