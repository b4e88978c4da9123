/** Starts processes that read folders, and ends those that hang. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { giveWay } from '../../../runtime/give-way.ts';
import { limitTime, timedOut } from '../../../runtime/limit-time.ts';
import { startedModule, typescriptArgs } from '../../../runtime/typescript.mjs';
import type { SourceDeps } from '../source.ts';
import { type FileJob, failedExit, type JobLine, jobLine } from './file-job.ts';

/** Thrown when a folder was not read; `code` is of the operating system, `OUTSIDE`, `LATE` or `UNKNOWN`. */
export class FolderFailure extends Error {
  readonly code: string;
  constructor(code: string) {
    super(`a folder was not read: ${code}`);
    this.code = code;
  }
}

/** How long a process may say nothing, and how long it may take in all; a small machine loads it in some seconds. */
const limits = { silentMs: 60_000, wholeMs: 900_000 } as const;
const maxLineBytes = 16 * 1024 * 1024;

const program = fileURLToPath(startedModule(new URL('./read-files.ts', import.meta.url)));

type FileDeps = Pick<SourceDeps, 'clock' | 'signal'>;

/**
 * Does a piece of work in a process of its own, and hands on what it writes, piece by piece.
 * @throws FolderFailure, and the reason of the signal
 */
export async function* runFileJob({ clock, signal }: FileDeps, job: FileJob): AsyncGenerator<Buffer, void, void> {
  signal.throwIfAborted();
  const child = spawn(process.execPath, [...typescriptArgs, program, JSON.stringify(job)], {
    env: {},
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // A session of its own, which gives way to the service's.
  });
  giveWay(child.pid);
  const ended = endOf(child);
  const end = (error: unknown): void => {
    // One that waits for a share that is gone does not even end now; nobody waits for it.
    child.kill('SIGKILL');
    child.stdout.destroy(error instanceof Error ? error : new FolderFailure('UNKNOWN'));
  };
  const leave = (): void => end(signal.reason);
  signal.addEventListener('abort', leave, { once: true });
  const whole = clock.after(limits.wholeMs, () => end(new FolderFailure('LATE')));
  let silent = clock.after(limits.silentMs, () => end(new FolderFailure('LATE')));
  try {
    for await (const piece of child.stdout) {
      silent.cancel();
      yield piece as Buffer;
      silent = clock.after(limits.silentMs, () => end(new FolderFailure('LATE')));
    }
    const code = await limitTime(clock, limits.silentMs, ended);
    if (code !== undefined) throw new FolderFailure(code === timedOut ? 'LATE' : code);
  } finally {
    whole.cancel();
    silent.cancel();
    signal.removeEventListener('abort', leave);
    child.kill('SIGKILL');
    for (const stream of [child.stdout, child.stderr]) stream.destroy();
    child.unref();
  }
}

/** Resolves when a process has ended: with why it failed, or undefined. */
async function endOf(child: ChildProcess): Promise<string | undefined> {
  let words = '';
  child.stderr?.on('data', (piece: Buffer) => {
    words = (words + piece.toString('latin1')).slice(0, 32);
  });
  child.stdout?.on('error', () => {});
  const [code] = (await once(child, 'close').catch(() => [1])) as [number | null];
  if (code === 0) return undefined;
  return code === failedExit && /^[A-Z]+$/.test(words) ? words : 'UNKNOWN';
}

/** Does a piece of work whose answer is lines. */
export async function* linesOfJob(deps: FileDeps, job: FileJob): AsyncGenerator<JobLine, void, void> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const piece of runFileJob(deps, job)) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > maxLineBytes) throw new FolderFailure('UNKNOWN');
    for (const line of lines) yield jobLine.parse(JSON.parse(line));
  }
}
