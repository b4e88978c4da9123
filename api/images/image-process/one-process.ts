/** One process that normalizes images, seen from the service. Nothing that it sends can end the service. */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Duplex, Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { giveWay } from '../../../runtime/give-way.ts';
import { startedModule, typescriptArgs } from '../../../runtime/typescript.mjs';
import type { FileContent } from '../../http/uploaded-file.ts';
import type { ImageOptions, NormalizedImage } from '../normalize-image.ts';
import { cutFrames, type FramedMessage, framePieces } from './framed-messages.ts';
import { readReply, replyBounds } from './read-reply.ts';

/** Thrown when the process is gone without an answer. `hadBegun` states whether it could have answered. */
export class ProcessGone extends Error {
  readonly hadBegun: boolean;

  constructor(hadBegun: boolean) {
    super('the process that decodes images ended');
    this.hadBegun = hadBegun;
  }
}

/** A process. `end` ends it with whatever it is doing. */
export interface ImageProcess {
  /**
   * Normalizes an image.
   * @throws ProcessGone; the signal's reason
   */
  normalize(image: FileContent, options: ImageOptions): Promise<NormalizedImage>;
  isGone(): boolean;
  end(): void;
}

interface Pending {
  resolve(normalized: NormalizedImage): void;
  reject(error: unknown): void;
}

/**
 * The environment of the process holds nothing of the service's, where its secrets are. The C library gives memory back
 * as soon as it is free, and keeps no heap for each thread.
 */
const environment = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
};

const normalizer = fileURLToPath(startedModule(new URL('./normalizer.ts', import.meta.url)));
/** The length of its complaints that is logged when it ends by itself. */
const maxComplaint = 2_000;

/** Both ends of the pipe and of the output are streams of sockets, which may keep this process alive. */
type Piped<Stream> = Stream & { ref(): void; unref(): void };

/** A started process with the streams that are read from it. */
interface Started {
  readonly child: ChildProcess;
  readonly pipe: Piped<Duplex>;
  readonly complaints: Piped<Readable>;
}

function startProgram(program: string): Started {
  const child = spawn(process.execPath, [...typescriptArgs, program], {
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    detached: true, // A session of its own, which gives way to the service's.
  });
  giveWay(child.pid);
  const [, , complaints, pipe] = child.stdio as unknown as [null, null, Piped<Readable>, Piped<Duplex>];
  return { child, pipe, complaints };
}

/** How a process is started. */
export interface ImageProcessOptions {
  /** Hears why the process ended, unless `end` was called. */
  readonly told?: (reason: string) => void;
  readonly program?: string;
}

/**
 * Starts a process. It keeps this one alive only while it has work. One that sends something unrequested or unreadable
 * is ended at once.
 */
export function startImageProcess({ told = () => {}, program = normalizer }: ImageProcessOptions = {}): ImageProcess {
  const started = startProgram(program);
  const { child, pipe } = started;
  const asked = nothingAsked();
  const { pending, sent, begun } = asked;
  let numbers = 0;
  let gone: ProcessGone | undefined;

  function goAway(reason?: string): void {
    if (gone !== undefined) return;
    gone = new ProcessGone(asked.hasBegun);
    if (reason !== undefined) told(reason);
    for (const { reject } of pending.values()) reject(gone);
    pending.clear();
  }
  listen(started, asked, { isOver: () => gone !== undefined, goAway });
  keepAlive(started, false);

  async function ask(number: number, image: FileContent, options: ImageOptions): Promise<NormalizedImage> {
    const { signal } = options;
    const leave = (): void => {
      if (gone === undefined && sent.has(number)) say(pipe, { number });
      pending.get(number)?.reject(signal?.reason);
    };
    const outcome = new Promise<NormalizedImage>((resolve, reject) => pending.set(number, { resolve, reject }));
    outcome.catch(() => {});
    signal?.addEventListener('abort', leave, { once: true });
    try {
      await Promise.race([begun, outcome]);
      if (gone === undefined && signal?.aborted !== true) {
        sent.add(number);
        sayImage(pipe, number, image, options);
      }
      return await outcome;
    } finally {
      signal?.removeEventListener('abort', leave);
    }
  }

  return {
    async normalize(image, options) {
      options.signal?.throwIfAborted();
      if (gone !== undefined) throw gone;
      const number = numbers++;
      keepAlive(started, true);
      try {
        return await ask(number, image, options);
      } finally {
        pending.delete(number);
        if (pending.size === 0) keepAlive(started, false);
      }
    },
    isGone: () => gone !== undefined,
    end() {
      child.kill('SIGKILL');
      goAway();
    },
  };
}

/** The question to a process. */
interface Asked {
  readonly pending: Map<number, Pending>;
  /** Images that were sent and not answered yet, whether anybody still waits for them or not. */
  readonly sent: Set<number>;
  hasBegun: boolean;
  /** Resolves when the process is ready. */
  readonly begun: Promise<void>;
  readonly begin: () => void;
}

function nothingAsked(): Asked {
  let begin = (): void => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  return { pending: new Map(), sent: new Set(), hasBegun: false, begun, begin };
}

/** @returns false when it is not an answer to what the process was asked */
function takeReply(asked: Asked, message: FramedMessage): boolean {
  const reply = readReply(message);
  if (reply === undefined || (reply === 'ready') === asked.hasBegun) return false;
  if (reply === 'ready') {
    asked.hasBegun = true;
    asked.begin();
    return true;
  }
  if (!asked.sent.delete(reply.number)) return false;
  const waiting = asked.pending.get(reply.number);
  if ('normalized' in reply) waiting?.resolve(reply.normalized);
  else waiting?.reject(new Error(reply.failed));
  return true;
}

function say(pipe: Duplex, head: object, bytes?: Buffer): void {
  for (const piece of framePieces(head, bytes)) pipe.write(piece);
}

/** Sends an image; of a file only its path. */
function sayImage(pipe: Duplex, number: number, image: FileContent, options: ImageOptions): void {
  const { sharer, formats, keepsDetail, maxSide } = options;
  const order = { number, options: { sharer, formats, keepsDetail, maxSide } };
  if (Buffer.isBuffer(image)) say(pipe, order, image);
  else say(pipe, { ...order, path: image.path });
}

/** Whether a process is over, and the callback for its end. */
interface Listener {
  isOver(): boolean;
  goAway(reason: string): void;
}

/** Listens to everything that comes of a process. None of it throws any further. */
function listen({ child, pipe, complaints }: Started, asked: Asked, { isOver, goAway }: Listener): void {
  const distrust = (reason: string): void => {
    child.kill('SIGKILL');
    goAway(reason);
  };
  const cut = cutFrames(replyBounds, (message) => {
    if (!isOver() && !takeReply(asked, message)) distrust('it said what it was not asked');
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
function keepAlive({ child, pipe, complaints }: Started, isNeeded: boolean): void {
  for (const handle of [child, pipe, complaints]) {
    if (isNeeded) handle.ref();
    else handle.unref();
  }
}
