/** One process that works for the service, seen from the service. Nothing that it sends can end the service. */
import { z } from 'zod';
import { type FramedMessage, framePieces, type MessageBounds } from './framed-messages.ts';
import type { Endable } from './kept-process.ts';
import { keepAlive, listenTo, startProgram } from './started-program.ts';

/** Thrown when the process is gone without an answer. `hadBegun` states whether it could have answered. */
export class ProcessGone extends Error {
  readonly hadBegun: boolean;

  constructor(hadBegun: boolean) {
    super('the process that did this work ended');
    this.hadBegun = hadBegun;
  }
}

/** A process that answers orders. */
export interface WorkingProcess<Order, Answer> extends Endable {
  /**
   * Resolves when the program is loaded.
   * @throws ProcessGone
   */
  begun(): Promise<void>;
  /**
   * Has an order carried out. Several may be under way.
   * @throws ProcessGone; the signal's reason; Error when the program could not begin with the order
   */
  ask(order: Order, bytes?: Buffer, signal?: AbortSignal): Promise<Answer>;
}

/** How a process is started and how its answers are read. Its program serves orders by `serve-orders.ts`. */
export interface WorkingProcessOptions<Order, Answer> {
  /** The module of the program, as its source. */
  readonly program: URL;
  /** The names of the variables of the service that it sees. */
  readonly variables?: readonly string[];
  /** The most that a message of it may have. */
  readonly bounds: MessageBounds;
  /** Reads the outcome of an order; undefined for one that the program of this release never sends. */
  readonly readOutcome: (outcome: unknown, bytes: Buffer, order: Order) => Answer | undefined;
  /** Hears why the process ended, unless `end` was called. */
  readonly told?: (reason: string) => void;
}

interface Pending<Answer> {
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/** The heads of messages; they are read from a process that works for strangers, and not trusted. */
const heads = z.union([
  z.literal('ready'),
  z.strictObject({ number: z.int().nonnegative(), failed: z.string().max(4_096) }),
  z.strictObject({ number: z.int().nonnegative(), outcome: z.unknown() }),
]);

/**
 * Starts a process. It keeps this one alive only while it has work. One that sends something unrequested or unreadable
 * is ended at once.
 */
export function startWorkingProcess<Order, Answer>(
  options: WorkingProcessOptions<Order, Answer>,
): WorkingProcess<Order, Answer> {
  const started = startProgram(options.program, options.variables ?? []);
  const { child, pipe } = started;
  const asked = nothingAsked<Order, Answer>();
  let working = 0;

  function goAway(reason?: string): void {
    if (asked.gone !== undefined) return;
    asked.gone = new ProcessGone(asked.hasBegun);
    if (reason !== undefined) options.told?.(reason);
    asked.beginning.reject(asked.gone);
    for (const { reject } of asked.pending.values()) reject(asked.gone);
    asked.pending.clear();
  }
  const take = (message: FramedMessage): boolean => takeReply(asked, message, options.readOutcome);
  listenTo(started, options.bounds, { isOver: () => asked.gone !== undefined, take, goAway });
  keepAlive(started, false);

  function say(head: object, bytes?: Buffer): void {
    for (const piece of framePieces(head, bytes)) pipe.write(piece);
  }

  async function whileNeeded<Result>(work: () => Promise<Result>): Promise<Result> {
    working++;
    keepAlive(started, true);
    try {
      return await work();
    } finally {
      working--;
      if (working === 0) keepAlive(started, false);
    }
  }

  return {
    begun: () => whileNeeded(() => asked.beginning.promise),
    async ask(order, bytes, signal) {
      signal?.throwIfAborted();
      if (asked.gone !== undefined) throw asked.gone;
      const number = asked.count++;
      return whileNeeded(() => answerTo(asked, number, { order, bytes, signal, say }));
    },
    isGone: () => asked.gone !== undefined,
    end() {
      child.kill('SIGKILL');
      goAway();
    },
  };
}

/** An order with what belongs to it, and how messages are sent to the process. */
interface Asking<Order> {
  readonly order: Order;
  readonly bytes: Buffer | undefined;
  readonly signal: AbortSignal | undefined;
  say(head: object, bytes?: Buffer): void;
}

/** Gives an order to a process when it is ready, and takes it back when the signal says so. */
async function answerTo<Order, Answer>(
  asked: Asked<Order, Answer>,
  number: number,
  { order, bytes, signal, say }: Asking<Order>,
): Promise<Answer> {
  const { pending, sent, beginning } = asked;
  const leave = (): void => {
    if (asked.gone === undefined && sent.has(number)) say({ number });
    pending.get(number)?.reject(signal?.reason);
  };
  const outcome = new Promise<Answer>((resolve, reject) => pending.set(number, { resolve, reject }));
  outcome.catch(() => {});
  signal?.addEventListener('abort', leave, { once: true });
  try {
    await Promise.race([beginning.promise, outcome]);
    if (asked.gone === undefined && signal?.aborted !== true) {
      sent.set(number, order);
      say({ number, order }, bytes);
    }
    return await outcome;
  } finally {
    signal?.removeEventListener('abort', leave);
    pending.delete(number);
  }
}

/** The orders of a process. */
interface Asked<Order, Answer> {
  readonly pending: Map<number, Pending<Answer>>;
  /** Orders that were sent and not answered yet, whether anybody still waits for them or not. */
  readonly sent: Map<number, Order>;
  /** The number of the next order. */
  count: number;
  hasBegun: boolean;
  /** Set when the process is gone. */
  gone: ProcessGone | undefined;
  /** Resolves when the process is ready. */
  readonly beginning: PromiseWithResolvers<void>;
}

function nothingAsked<Order, Answer>(): Asked<Order, Answer> {
  const beginning = Promise.withResolvers<void>();
  beginning.promise.catch(() => {});
  return { pending: new Map(), sent: new Map(), count: 0, hasBegun: false, gone: undefined, beginning };
}

/** @returns false when it is not an answer to what the process was asked */
function takeReply<Order, Answer>(
  asked: Asked<Order, Answer>,
  { head, bytes }: FramedMessage,
  readOutcome: WorkingProcessOptions<Order, Answer>['readOutcome'],
): boolean {
  const { data: reply } = heads.safeParse(head);
  if (reply === undefined || (reply === 'ready') === asked.hasBegun) return false;
  const isWithBytes = bytes.length > 0;
  if (reply === 'ready') {
    if (isWithBytes) return false;
    asked.hasBegun = true;
    asked.beginning.resolve();
    return true;
  }
  const order = asked.sent.get(reply.number);
  if (order === undefined) return false;
  const answer = 'failed' in reply ? undefined : readOutcome(reply.outcome, bytes, order);
  if (answer === undefined && (isWithBytes || !('failed' in reply))) return false;
  asked.sent.delete(reply.number);
  const waiting = asked.pending.get(reply.number);
  if (answer !== undefined) waiting?.resolve(answer);
  else if ('failed' in reply) waiting?.reject(new Error(reply.failed));
  return true;
}
