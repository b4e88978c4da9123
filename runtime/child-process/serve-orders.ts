/**
 * Serves the orders of the service in a process of its own: `working-process.ts` sends them over the pipe, and this process
 * ends with it. A process that ends gives all its memory back, and one that a library ends takes nothing else with it. It
 * also ends with every error that is not an answer: a stack or a memory that was too small leaves libraries in any state.
 */
import { writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { cutFrames, framePieces } from './framed-messages.ts';

/** The outcome of an order, which is sent as JSON, with bytes. */
export interface ServedOutcome {
  readonly outcome: object;
  readonly bytes?: Uint8Array;
}

/** A message of the service; without an order, it no longer waits for the one of that number. */
interface OrderMessage<Order> {
  readonly number: number;
  readonly order?: Order;
}

/** The length of an error that is sent or logged. */
const maxWords = 1_000;

/**
 * Serves orders from now on, several at a time.
 * @param work carries out an order; an error that it throws ends the process
 * @param isHarmless whether an error proves nothing about the state of this process: it is answered, and the process goes on
 */
export function serveOrders<Order>(
  work: (order: Order, bytes: Buffer, signal: AbortSignal) => Promise<ServedOutcome>,
  isHarmless: (error: unknown) => boolean = () => false,
): void {
  const service = new Socket({ fd: 3, readable: true, writable: true });
  /** The orders under way, by their numbers. */
  const underWay = new Map<number, AbortController>();

  function say(head: unknown, bytes?: Uint8Array): void {
    for (const piece of framePieces(head, bytes)) service.write(piece);
  }

  async function serve(number: number, order: Order, bytes: Buffer): Promise<void> {
    const over = new AbortController();
    underWay.set(number, over);
    try {
      const { outcome, bytes: answered } = await work(order, bytes, over.signal);
      say({ number, outcome }, answered);
    } catch (error) {
      if (!over.signal.aborted && !isHarmless(error)) throw error;
      say({ number, failed: String(error).slice(0, maxWords) });
    } finally {
      underWay.delete(number);
    }
  }

  // The service is trusted: the limits on what it accepts bound what it sends.
  const unbounded = { headBytes: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY };
  service.on(
    'data',
    cutFrames(unbounded, ({ head, bytes }) => {
      const { number, order } = head as OrderMessage<Order>;
      if (order === undefined) underWay.get(number)?.abort();
      else serve(number, order, bytes).catch(endWith);
    }),
  );
  service.on('error', () => process.exit(1));
  service.on('close', () => process.exit());
  say('ready');
}

/** Ends this process, and reports why to the service's log. */
function endWith(error: unknown): never {
  writeSync(2, String((error instanceof Error ? error.stack : undefined) ?? error).slice(0, maxWords));
  process.exit(1);
}
