/**
 * How well letters survive a panel: every letter of a line, blurred as the eye at reading distance blurs it, is
 * compared with the blurred letters of the alphabet; it is read when its own is the likest. Likeness is the correlation
 * of luminance, so neither paper nor ink colour counts.
 */
import type { PanelColour } from '../../firmware-protocol/panels.ts';

/** A picture of letters: luminance by row, and where each letter lies. */
export interface Letters {
  readonly light: Float64Array;
  readonly width: number;
  readonly height: number;
  readonly cells: readonly { readonly letter: string; readonly x: number; readonly y: number }[];
  readonly cellWidth: number;
  readonly cellHeight: number;
}

const eye = [0.06, 0.24, 0.4, 0.24, 0.06];

function blur({ light, width, height }: Letters): Float64Array {
  const once = (from: Float64Array, step: number): Float64Array =>
    from.map((_, at) =>
      eye.reduce((sum, weight, k) => sum + weight * (from[at + (k - 2) * step] ?? (from[at] as number)), 0),
    );
  if (light.length !== width * height) throw new Error('letters of another size');
  return once(once(light, 1), width);
}

function cut(plane: Float64Array, { width, cellWidth, cellHeight }: Letters, x: number, y: number): Float64Array {
  const out = new Float64Array(cellWidth * cellHeight);
  let sum = 0;
  for (let row = 0; row < cellHeight; row++) {
    for (let column = 0; column < cellWidth; column++) {
      const value = plane[(y + row) * width + x + column] as number;
      out[row * cellWidth + column] = value;
      sum += value;
    }
  }
  const mean = sum / out.length;
  const norm = Math.sqrt(out.reduce((total, value) => total + (value - mean) ** 2, 0)) || 1;
  return out.map((value) => (value - mean) / norm);
}

/**
 * The share of letters that are read, and by how much their own letter is likelier than the likest other, on average:
 * all may be read and still be hard to read. `shown` holds the same letters as `wished`, on the panel.
 */
export function legibility(wished: Letters, shown: Float64Array): { readonly read: number; readonly margin: number } {
  const [ideal, seen] = [blur(wished), blur({ ...wished, light: shown })];
  const alphabet = new Map(wished.cells.map(({ letter, x, y }) => [letter, cut(ideal, wished, x, y)]));
  const margins = wished.cells.map(({ letter, x, y }) => {
    const likeness = new Map<string, number>();
    const cell = cut(seen, wished, x, y);
    for (const [name, shape] of alphabet) {
      likeness.set(
        name,
        cell.reduce((sum, value, at) => sum + value * (shape[at] as number), 0),
      );
    }
    const own = likeness.get(letter) as number;
    likeness.delete(letter);
    return own - Math.max(...likeness.values());
  });
  return {
    read: margins.filter((margin) => margin > 0).length / margins.length,
    margin: margins.reduce((sum, margin) => sum + margin, 0) / margins.length,
  };
}

/** Luminance of a panel picture, from its measured colours. */
export function lightOfInks(indices: Uint8Array, colours: readonly PanelColour[]): Float64Array {
  const inks = colours.map(({ measured }) =>
    [0.2126, 0.7152, 0.0722].reduce(
      (sum, weight, at) => sum + weight * (Number.parseInt(measured.slice(1 + 2 * at, 3 + 2 * at), 16) / 255) ** 2.2,
      0,
    ),
  );
  return Float64Array.from(indices, (ink) => inks[ink] as number);
}
