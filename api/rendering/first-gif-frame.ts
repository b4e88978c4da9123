/** The first frame of a GIF, alone: what comes after it is never given to the image library (T-32). */

const trailer = 0x3b;
const [extension, image] = [0x21, 0x2c];
const graphicControl = 0xf9;

/**
 * A GIF of nothing but the canvas, the first frame and how that is laid on it. The library walks through every frame of a
 * file before it decodes one, and a file may have millions.
 * @returns undefined for bytes that end before the first frame does
 */
export function firstGifFrame(bytes: Uint8Array): Uint8Array | undefined {
  if (bytes.length < 13) return undefined;
  const head = bytes.subarray(0, 13 + colourTableBytes(bytes[10] as number));
  let control = bytes.subarray(0, 0);
  let at = head.length;
  while (at < bytes.length) {
    const start = at;
    if (bytes[at] === image) {
      const data = start + 10 + colourTableBytes(bytes[start + 9] ?? 0) + 1;
      const end = endOfBlocks(bytes, data);
      if (end === undefined) return undefined;
      return Buffer.concat([head, control, bytes.subarray(start, end), Buffer.of(trailer)]);
    }
    const end = bytes[at] === extension ? endOfBlocks(bytes, at + 2) : undefined;
    if (end === undefined) return undefined;
    if (bytes[at + 1] === graphicControl) control = bytes.subarray(start, end);
    at = end;
  }
  return undefined;
}

/** Bytes of the table of colours that a field of flags announces. */
function colourTableBytes(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 << ((flags & 7) + 1);
}

/** Where the blocks that begin here have ended: each says how long it is, and an empty one is the last. */
function endOfBlocks(bytes: Uint8Array, start: number): number | undefined {
  let at = start;
  while (at < bytes.length) {
    const length = bytes[at] as number;
    at += length + 1;
    if (length === 0) return at;
  }
  return undefined;
}
