/** The first frame of a GIF, alone. */

import type { BareImage } from './image-notes.ts';
import { maxParts } from './kept-parts.ts';

const trailer = 0x3b;
const [extension, image] = [0x21, 0x2c];
const graphicControl = 0xf9;

/**
 * Returns a GIF with only the canvas, the first frame and the position of that frame. The library walks through every
 * frame of a file before it decodes one, and a file may have millions.
 * @returns undefined for bytes that end before the first frame does
 */
export function bareGif(bytes: Buffer): BareImage | undefined {
  if (bytes.length < 13) return undefined;
  const head = bytes.subarray(0, 13 + colourTableBytes(bytes[10] as number));
  let control = bytes.subarray(0, 0);
  let at = head.length;
  for (let met = 0; met < maxParts && at < bytes.length; met++) {
    const start = at;
    if (bytes[at] === image) {
      const data = start + 10 + colourTableBytes(bytes[start + 9] ?? 0) + 1;
      const end = endOfBlocks(bytes, data);
      if (end === undefined) return undefined;
      return { bytes: Buffer.concat([head, control, bytes.subarray(start, end), Buffer.of(trailer)]), notes: [] };
    }
    const end = bytes[at] === extension ? endOfBlocks(bytes, at + 2) : undefined;
    if (end === undefined) return undefined;
    if (bytes[at + 1] === graphicControl) control = bytes.subarray(start, end);
    at = end;
  }
  return undefined;
}

/** Returns the bytes of the colour table that a field of flags announces. */
function colourTableBytes(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 << ((flags & 7) + 1);
}

/** Returns the end of the blocks that begin here: each block begins with its length, and an empty one is the last. */
function endOfBlocks(bytes: Uint8Array, start: number): number | undefined {
  let at = start;
  while (at < bytes.length) {
    const length = bytes[at] as number;
    at += length + 1;
    if (length === 0) return at;
  }
  return undefined;
}
