/**
 * Normalizes images in a process of its own: `one-process.ts` asks over the pipe, and this process ends with it. A process
 * that ends gives all its memory back, and one that the image library ends takes nothing else with it. It also ends with
 * every error that is not an answer of a decoder: a stack or a memory that was too small leaves one behind in any state.
 */
import { writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { type ImageOptions, normalizeImage } from '../normalize-image.ts';
import { cutFrames, framePieces } from './framed-messages.ts';

/** An image that the service asks for, by its path or with its bytes; without options, one that it no longer waits for. */
interface Order {
  readonly number: number;
  readonly path?: string;
  readonly options?: ImageOptions;
}

const service = new Socket({ fd: 3, readable: true, writable: true });

/** The images under way, by the number they were asked under. */
const asked = new Map<number, AbortController>();

function tell(head: unknown, bytes?: Uint8Array): void {
  for (const piece of framePieces(head, bytes)) service.write(piece);
}

async function normalize({ number, path }: Order, options: ImageOptions, bytes: Buffer): Promise<void> {
  const over = new AbortController();
  asked.set(number, over);
  try {
    const image = path === undefined ? bytes : { path };
    const normalized = await normalizeImage(image, { ...options, signal: over.signal });
    if (!normalized.ok) return tell({ number, outcome: normalized });
    const { ok, notes, sharpness } = normalized;
    tell({ number, outcome: { ok, notes, sharpness } }, normalized.bytes);
  } catch (error) {
    if (!over.signal.aborted && !isOfFile(error)) throw error;
    tell({ number, failed: String(error).slice(0, 1_000) });
  } finally {
    asked.delete(number);
  }
}

/** Returns whether the file of an image could not be read, which proves nothing about the decoders. */
const isOfFile = (error: unknown): boolean => error instanceof Error && 'syscall' in error;

/** Ends this process, and reports why to the service's log. */
function endWith(error: unknown): never {
  writeSync(2, String((error instanceof Error ? error.stack : undefined) ?? error).slice(0, 1_000));
  process.exit(1);
}

// The service is trusted: the limits on what it accepts bound what it sends.
const unbounded = { headBytes: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY };
service.on(
  'data',
  cutFrames(unbounded, ({ head, bytes }) => {
    const order = head as Order;
    if (order.options === undefined) asked.get(order.number)?.abort();
    else normalize(order, order.options, bytes).catch(endWith);
  }),
);
service.on('error', () => process.exit(1));
service.on('close', () => process.exit());
tell('ready');
