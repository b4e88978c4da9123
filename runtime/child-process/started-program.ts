/** A program of ours in a process of its own: how it is started, and all that comes of it. None of it throws here. */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Duplex, Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { giveWay } from '../give-way.ts';
import { startedModule, typescriptArgs } from '../typescript.mjs';
import { cutFrames, type FramedMessage, type MessageBounds } from './framed-messages.ts';

/** Both ends of the pipe and of the output are streams of sockets, which may keep this process alive. */
type Piped<Stream> = Stream & { ref(): void; unref(): void };

/** A started process with the streams that are read from it. */
export interface StartedProgram {
  readonly child: ChildProcess;
  readonly pipe: Piped<Duplex>;
  readonly complaints: Piped<Readable>;
}

/**
 * The environment of the process holds nothing of the service's, where its secrets are, but the variables that are
 * named. The C library gives memory back as soon as it is free, and keeps no heap for each thread.
 */
function environmentWith(names: readonly string[]): NodeJS.ProcessEnv {
  const passed = names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]] as const]));
  return {
    ...Object.fromEntries(passed),
    MALLOC_ARENA_MAX: '2',
    MALLOC_MMAP_THRESHOLD_: '131072',
    MALLOC_TRIM_THRESHOLD_: '131072',
  };
}

/**
 * Starts a program with a pipe as its fourth stream.
 * @param program its module, as its source
 * @param variables the names of the variables of the service that it sees, too
 */
export function startProgram(program: URL, variables: readonly string[]): StartedProgram {
  const child = spawn(process.execPath, [...typescriptArgs, fileURLToPath(startedModule(program))], {
    env: environmentWith(variables),
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    detached: true, // A session of its own, which gives way to the service's.
  });
  giveWay(child.pid);
  const [, , complaints, pipe] = child.stdio as unknown as [null, null, Piped<Readable>, Piped<Duplex>];
  return { child, pipe, complaints };
}

/** The callbacks for what comes of a process. */
export interface ProgramListener {
  isOver(): boolean;
  /** @returns false for a message that ends the process */
  take(message: FramedMessage): boolean;
  goAway(reason: string): void;
}

/** The length of its complaints that is logged when it ends by itself. */
const maxComplaint = 2_000;

/** Listens to everything that comes of a process. One that sends something unreadable or unrequested is ended at once. */
export function listenTo(
  { child, pipe, complaints }: StartedProgram,
  bounds: MessageBounds,
  { isOver, take, goAway }: ProgramListener,
): void {
  const distrust = (reason: string): void => {
    child.kill('SIGKILL');
    goAway(reason);
  };
  const cut = cutFrames(bounds, (message) => {
    if (!isOver() && !take(message)) distrust('it said what it was not asked');
  });
  pipe.on('data', (chunk: Buffer) => {
    if (isOver()) return;
    try {
      cut(chunk);
    } catch (error) {
      distrust(error instanceof Error ? error.message : 'it said what nobody can read');
    }
  });
  let complaint = '';
  complaints.on('data', (chunk: Buffer) => {
    complaint = `${complaint}${chunk.toString('latin1')}`.slice(0, maxComplaint);
  });
  // Any of these events may come first; a message to a process that just ended raises a separate error.
  for (const stream of [pipe, complaints]) stream.on('error', () => {});
  child.on('error', (error) => goAway(error.message));
  child.on('close', (code, signal) => goAway(`it ended with ${signal ?? code}: ${complaint}`.trim()));
  pipe.on('close', () => child.kill('SIGKILL'));
}

/** Keeps this process alive while the other one works. */
export function keepAlive({ child, pipe, complaints }: StartedProgram, isNeeded: boolean): void {
  for (const handle of [child, pipe, complaints]) {
    if (isNeeded) handle.ref();
    else handle.unref();
  }
}
