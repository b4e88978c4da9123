/** Runs test files in a process alongside this one, and reports the outcome of each. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, fstatSync, mkdtempSync, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { typescriptArgs } from '../../runtime/typescript.mjs';
import { type Counted, problemsInOutput, problemsInText } from './judge.ts';

export interface FileOutcome extends Counted {
  readonly file: string;
  readonly problems: readonly string[];
  readonly output: string;
  readonly seconds: number;
  /** Files that ran before it in the same process. */
  readonly after: readonly string[];
}

/** The message of a process when a file's tests have ended. */
export interface FileEnded {
  /** Exit code of its tests. */
  readonly code: number;
  /** The resources that they left open, by kind. */
  readonly left: readonly string[];
}

/** Takes the file that a process is to play next; undefined when it has to end. */
export type NextFile = () => string | undefined;

/** How files are run. */
export interface Playing {
  /** The longest that one file may take. */
  readonly timeoutMs: number;
  readonly env: NodeJS.ProcessEnv;
  /** Hears of each file as soon as it has ended. */
  readonly ended: (outcome: FileOutcome) => void;
}

/** How long a process may take to end by itself after its last file. */
const endingMs = 30_000;

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

/** Runs files in one process, one after the other. A file that ends the process or has to be ended gets the next ones another. */
export async function playFiles(next: NextFile, playing: Playing): Promise<void> {
  for (let file = next(); file !== undefined; ) file = await playUntilBroken(file, next, playing);
}

/** Opens a file for both streams of a process, in their common order; `take` returns what has come since the last call. */
function openOutput(): { readonly descriptor: number; take(): string } {
  const folder = mkdtempSync(join(tmpdir(), 'papergate-output-'));
  const descriptor = openSync(join(folder, 'output'), 'w+');
  rmSync(folder, { recursive: true });
  let read = 0;
  return {
    descriptor,
    take() {
      const rest = Buffer.alloc(fstatSync(descriptor).size - read);
      read += readSync(descriptor, rest, 0, rest.length, read);
      return rest.toString();
    },
  };
}

/** Returns the file that another process is to go on with. */
function playUntilBroken(first: string, next: NextFile, playing: Playing): Promise<string | undefined> {
  const output = openOutput();
  const child = spawn(process.execPath, [...typescriptArgs, join(import.meta.dirname, 'play-files.ts')], {
    detached: true,
    env: playing.env,
    stdio: ['ignore', output.descriptor, output.descriptor, 'ipc'],
  });
  running.add(child);
  let file = first;
  const after: string[] = [];
  let startedAt = Date.now();
  let told: FileEnded | undefined;
  let timedOut: string | undefined;
  const within = (ms: number, sentence: string): NodeJS.Timeout =>
    setTimeout(() => {
      timedOut = sentence;
      killGroup(child);
    }, ms);
  const begin = (): NodeJS.Timeout => {
    startedAt = Date.now();
    // A process that has just died reports that by its exit.
    child.send(file, () => {});
    return within(playing.timeoutMs, `was not done after ${playing.timeoutMs / 1000} s (an open handle?)`);
  };
  let timer = begin();
  /** `code` is that of the process where it ended before the file did. */
  const settle = (code: number | null): void => {
    const said = output.take();
    const { problems, ...counted } = problemsInOutput(said, told?.code ?? code);
    if (timedOut !== undefined) problems.unshift(timedOut);
    else if (told === undefined && code === 0) problems.unshift('ended its process before its tests had ended');
    if (told !== undefined && told.left.length > 0) problems.push(`left open: ${told.left.join(', ')}`);
    problems.push(...problemsInText(readFileSync(file, 'utf8')));
    const seconds = (Date.now() - startedAt) / 1000;
    playing.ended({ ...counted, file, problems, output: said, seconds, after: [...after] });
  };
  child.on('message', (message: FileEnded) => {
    clearTimeout(timer);
    told = message;
    const following = next();
    if (following === undefined) {
      child.disconnect();
      timer = within(endingMs, `kept its process alive for ${endingMs / 1000} s after its tests (an open handle?)`);
      return;
    }
    settle(null);
    after.push(file);
    file = following;
    told = undefined;
    timer = begin();
  });
  return new Promise((resolve) => {
    child.once('exit', (code) => {
      running.delete(child);
      clearTimeout(timer);
      settle(code);
      closeSync(output.descriptor);
      resolve(told === undefined ? next() : undefined);
    });
  });
}
