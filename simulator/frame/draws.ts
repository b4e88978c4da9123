/** Random draws of one subject of a live fleet. */
import { createHash } from 'node:crypto';

/** Returns a function whose numbers, in [0, 1), depend on the seed alone. */
export function drawsOf(seed: string): () => number {
  let block = createHash('sha256').update(seed).digest();
  let at = 0;
  return () => {
    if (at === block.length) {
      block = createHash('sha256').update(block).digest();
      at = 0;
    }
    const drawn = block.readUInt32LE(at) / 2 ** 32;
    at += 4;
    return drawn;
  };
}
