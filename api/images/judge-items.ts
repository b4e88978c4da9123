/**
 * Bounds what the items of a HEIC or AVIF may ask of a decoder, before it sees them: pictures that are made of others are
 * decoded by functions that call themselves, and a file of 6 kB can ask for a chain that no stack holds (T-32).
 */
import { maxImagePixels } from './configure-sharp.ts';
import type { HeifItems } from './heif-items.ts';

/** Cameras and editors make pictures of tiles, or a picture next to another of them: two or three, one in the other. */
const maxDepth = 8;
/** The pixels of a picture and of its tiles, which may overlap its edge, or of two pictures and of the one made of them. */
const maxDecoded = 3 * maxImagePixels;

/** The needs of an item with all that it is made of. */
interface Asked {
  readonly depth: number;
  /** The pixels that are decoded, and those that are put together of them. */
  readonly pixels: number;
}

/**
 * Judges the items of a file.
 * @returns `broken` for an item that is made of itself, or of too many one in the other; `too-many-pixels` for more of them
 *   than a photograph has
 */
export function judgeItems({
  primary,
  items,
  parts,
  auxiliaries,
}: HeifItems): 'broken' | 'too-many-pixels' | undefined {
  const known = new Map<number, Asked | 'asked'>();
  const ask = (id: number, above: number): Asked | undefined => {
    const before = known.get(id);
    if (before === 'asked' || above > maxDepth) return undefined;
    if (before !== undefined) return before;
    known.set(id, 'asked');
    // An item that announces no size is as large as one may be.
    let asked: Asked = { depth: 1, pixels: items.get(id)?.pixels ?? maxImagePixels };
    for (const part of parts.get(id) ?? []) {
      const of = ask(part, above + 1);
      if (of === undefined) return undefined;
      asked = { depth: Math.max(asked.depth, of.depth + 1), pixels: asked.pixels + of.pixels };
    }
    known.set(id, asked);
    return asked.depth > maxDepth ? undefined : asked;
  };
  // Decoders look at every item as soon as they read the file; what they decode is the first one with its transparency.
  if (![...parts.keys()].every((id) => ask(id, 1) !== undefined)) return 'broken';
  if ((items.get(primary ?? 0)?.pixels ?? 0) > maxImagePixels) return 'too-many-pixels';
  const decoded = primary === undefined ? [] : [primary, ...(auxiliaries.get(primary) ?? [])];
  const asks = decoded.map((id) => ask(id, 1)?.pixels ?? Number.POSITIVE_INFINITY);
  return asks.some((pixels) => pixels > maxDecoded) ? 'too-many-pixels' : undefined;
}
