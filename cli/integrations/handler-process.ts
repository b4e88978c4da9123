/** One process that runs the handlers of an integration, seen from the host. Nothing that it sends can end the host. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { cutFrames, framePieces } from '../../runtime/child-process/framed-messages.ts';
import { startedModule, typescriptArgs } from '../../runtime/typescript.mjs';
import type { AnswerToHandler } from './ask-for-handler.ts';
import type { HandlerAsk, HandlerFailure, HandlerRequest } from './handlers/handler-messages.ts';
import { handlerBounds } from './handlers/handler-messages.ts';
import { readHandlerMessage } from './handlers/read-message.ts';

/** The answer of a handler as JSON, or why there is none. */
export type HandlerAnswer = { readonly json: Buffer } | { readonly failed: HandlerFailure | 'late' | 'ended' };

/** A call of a handler. */
export interface HandlerCall {
  readonly name: string;
  readonly query: unknown;
  readonly request: HandlerRequest;
}

/** A process. */
export interface HandlerProcess {
  call(call: HandlerCall): Promise<HandlerAnswer>;
  isGone(): boolean;
  end(): void;
}

/** How a process is started and bounded. */
export interface HandlerProcessOptions {
  /** The folder of the integration, and that of the checkout: real paths. */
  readonly folder: string;
  readonly root: string;
  /** The variables that handlers see. */
  readonly env: Readonly<Record<string, string>>;
  readonly heapMib: number;
  /** The memory of the whole process at which it is ended, where the system tells it. */
  readonly memoryMib: number;
  readonly callMs: number;
  /** Makes a request that a handler wants made. */
  readonly ask: (ask: HandlerAsk, body: Buffer, signal: AbortSignal) => Promise<AnswerToHandler>;
}

const program = startedModule(new URL('./handlers/handler-program.ts', import.meta.url));
/** The most requests of one process that are under way. */
const maxAsks = 32;
const looksEveryMs = 250;
/** The time in which a process has to be ready. */
const startMs = 30_000;

/** Returns the arguments by which Node holds the process: no files but those of the checkout, no network, no other processes. */
function heldArgs({ root, heapMib }: HandlerProcessOptions): readonly string[] {
  const at = (path: string): string => fileURLToPath(new URL(path, program));
  // What the program itself is made of. A loader of TypeScript, where one is needed, reads packages too.
  const own = [at('.'), at('../../../runtime/child-process/'), at('../../../package.json')];
  const loader = typescriptArgs.length > 0 ? [at('../../../node_modules/'), at('../../../tsconfig.json')] : [];
  const readable = [`${root}/`, ...own, ...loader].map((path) => `--allow-fs-read=${path.replace(/\/$/, '/*')}`);
  const worker = typescriptArgs.length > 0 ? ['--allow-worker'] : [];
  return [
    '--permission',
    ...readable,
    ...worker,
    `--max-old-space-size=${heapMib}`,
    '--no-warnings',
    ...typescriptArgs,
  ];
}

/** Starts a process. */
export function startHandlerProcess(options: HandlerProcessOptions): HandlerProcess {
  const { folder, root, env, callMs } = options;
  const child = spawn(process.execPath, [...heldArgs(options), fileURLToPath(program), folder, root], {
    env,
    cwd: root,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const pipe = child.stdio[3] as Duplex;
  const calls = new Map<number, (answer: HandlerAnswer) => void>();
  let [numbers, isGone] = [0, false];
  // A small machine takes seconds to start a process, which are not those of a call.
  const { promise: begun, resolve: begin } = promised();
  const slow = setTimeout(() => end(), startMs);

  function end(why: 'late' | 'ended' = 'ended'): void {
    if (isGone) return;
    isGone = true;
    looking.end();
    clearTimeout(slow);
    begin();
    child.kill('SIGKILL');
    asks.end();
    for (const answer of calls.values()) answer({ failed: why });
  }

  function send(head: object, bytes?: Uint8Array): void {
    if (!isGone) for (const piece of framePieces(head, bytes)) pipe.write(piece);
  }

  const asks = asksOf(options, send);
  const cut = cutFrames(handlerBounds, ({ head, bytes }) => {
    const message = readHandlerMessage(head);
    if (message === undefined) return end();
    if (message === 'ready') return begin();
    if ('leave' in message) return asks.leave(message.leave);
    if ('ask' in message) {
      asks.answer(message, bytes).catch(end);
      return;
    }
    calls.get(message.call)?.('done' in message ? { json: bytes } : { failed: message });
  });
  listen(pipe, (chunk) => !isGone && cut(chunk), end);
  child.on('error', () => end());
  child.on('exit', () => end());
  const looking = lookAtMemory(child, options.memoryMib, end);

  return {
    async call({ name, query, request }) {
      await begun;
      clearTimeout(slow);
      const number = numbers++;
      return new Promise<HandlerAnswer>((resolve) => {
        if (isGone) return resolve({ failed: 'ended' });
        const late = setTimeout(() => end('late'), callMs);
        calls.set(number, (answer) => {
          clearTimeout(late);
          calls.delete(number);
          resolve(answer);
        });
        send({ call: number, name, query, request });
      });
    },
    isGone: () => isGone,
    end,
  };
}

/** Hands on what comes of a pipe; whatever cannot be read ends the process. */
function listen(pipe: Duplex, take: (chunk: Buffer) => void, end: () => void): void {
  pipe.on('error', () => end());
  pipe.on('data', (chunk: Buffer) => {
    try {
      take(chunk);
    } catch {
      end();
    }
  });
}

/** Returns a promise with what resolves it. */
function promised(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** The requests of a process that are under way. */
function asksOf({ ask: make }: HandlerProcessOptions, send: (head: object, bytes?: Uint8Array) => void) {
  const underWay = new Map<number, AbortController>();
  return {
    async answer(ask: HandlerAsk, body: Buffer): Promise<void> {
      if (underWay.size >= maxAsks || underWay.has(ask.ask)) {
        return send({ ask: ask.ask, failed: `more than ${maxAsks} requests at once` });
      }
      const over = new AbortController();
      underWay.set(ask.ask, over);
      const asked = await make(ask, body, over.signal);
      underWay.delete(ask.ask);
      if (over.signal.aborted) return;
      if ('failed' in asked) return send({ ask: ask.ask, failed: asked.failed });
      const { body: bytes, ...head } = asked;
      send({ ask: ask.ask, ...head }, bytes);
    },
    leave: (ask: number): void => underWay.get(ask)?.abort(),
    end(): void {
      for (const one of underWay.values()) one.abort();
    },
  };
}

/** Ends a process whose buffers, which no bound of Node's counts, take too much. Only Linux tells it this way. */
function lookAtMemory({ pid }: ChildProcess, mostMib: number, end: () => void): { end(): void } {
  const judge = (status: string): void => {
    const [, kib = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? [];
    if (Number(kib) > mostMib * 1024) end();
  };
  const timer = setInterval(() => {
    readFile(`/proc/${pid}/status`, 'utf8').then(judge, () => {});
  }, looksEveryMs);
  timer.unref();
  return { end: () => clearInterval(timer) };
}
