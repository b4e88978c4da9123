/**
 * Normalizes images in a process of its own: `one-process.ts` asks over the pipe, and this process ends with it. A process
 * that ends gives all its memory back, and one that the image library ends takes nothing else with it. It also ends with
 * every error that is no answer of a decoder: a stack or a memory that was too small leaves one behind in any state.
 */
import { writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { readTypeScript } from '../../../runtime/typescript.mjs';

await readTypeScript();
const { normalizeImage } = await import('../normalize-image.ts');
const { cutFrames, framePieces } = await import('./framed-messages.ts');

const service = new Socket({ fd: 3, readable: true, writable: true });

/** The images under way, by the number they were asked under. */
const asked = new Map();

function tell(head, bytes) {
  for (const piece of framePieces(head, bytes)) service.write(piece);
}

async function normalize({ number, path, options }, bytes) {
  const over = new AbortController();
  asked.set(number, over);
  try {
    const image = path === undefined ? bytes : { path };
    const normalized = await normalizeImage(image, { ...options, signal: over.signal });
    if (!normalized.ok) return tell({ number, outcome: normalized });
    const { ok, notes } = normalized;
    tell({ number, outcome: { ok, notes } }, normalized.bytes);
  } catch (error) {
    if (!over.signal.aborted && !isOfFile(error)) throw error;
    tell({ number, failed: String(error).slice(0, 1_000) });
  } finally {
    asked.delete(number);
  }
}

/** Tells whether the file of an image could not be read, which says nothing of decoders. */
const isOfFile = (error) => typeof error?.syscall === 'string';

/** Ends this process, and says why to the service's log. */
function endWith(error) {
  writeSync(2, String(error?.stack ?? error).slice(0, 1_000));
  process.exit(1);
}

// The service is believed: it bounds what it sends by what it takes.
const unbounded = { headBytes: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY };
service.on(
  'data',
  cutFrames(unbounded, ({ head, bytes }) => {
    if (head.options === undefined) asked.get(head.number)?.abort();
    else normalize(head, bytes).catch(endWith);
  }),
);
service.on('error', () => process.exit(1));
service.on('close', () => process.exit());
tell('ready');
