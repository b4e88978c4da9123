/**
 * Prepares a picture for paper: tone, colourfulness, edges and thin strokes, by how far it is a drawing or a
 * photograph.
 */
import { type Drawn, findDrawn, tile, tileBits } from './find-drawn.ts';
import type { Recipe } from './intents.ts';
import type { PaletteTables } from './palette.ts';
import { drawStroke, exact, minOff, type StrokeInks, strokeInksOf } from './stroke-inks.ts';
import { sideOfStroke } from './strokes.ts';
import { between, clampByte, isAsItIs, type Plan, planOf, tonedColour } from './tone-curve.ts';

/** Returns the colour 0xrrggbb of the pixel that begins at a byte. */
const colourAt = (rgb: Uint8Array, at: number): number =>
  ((rgb[at] as number) << 16) | ((rgb[at + 1] as number) << 8) | (rgb[at + 2] as number);

/** The parts of a tone that make its curve. */
const curveParts = ['black', 'white', 'reach', 'contrast', 'saturation'] as const;

/** A picture, the findings in it, and the plans for photographs and for drawings. */
interface Source {
  readonly rgb: Uint8Array;
  readonly width: number;
  readonly height: number;
  readonly drawn: Drawn;
  readonly ofPhoto: Plan;
  readonly ofDrawn: Plan;
  readonly photoStrokes: number;
  readonly drawnStrokes: number;
  readonly photoSharpness: number;
  readonly drawnSharpness: number;
  readonly hasSharpness: boolean;
  /** Tells whether the plans differ in their edges alone. */
  readonly hasOneCurve: boolean;
  /** The inks that thin strokes are drawn in, where the panel has too few for their grays. */
  readonly inks: StrokeInks | undefined;
}

/** Prepares a picture for a palette; without anything to do it returns the same array. */
export function prepareTone(
  rgb: Uint8Array,
  width: number,
  height: number,
  { photo, drawn }: Recipe,
  tables: Pick<PaletteTables, 'nominal' | 'neutral'>,
): Uint8Array {
  if (isAsItIs(photo) && isAsItIs(drawn)) return rgb;
  const [ofPhoto, ofDrawn] = [planOf(photo), planOf(drawn)];
  const hasOneCurve = curveParts.every((part) => photo[part] === drawn[part]);
  const found = findDrawn(rgb, width, height, photo.white !== drawn.white);
  const source: Source = {
    rgb,
    width,
    height,
    drawn: found,
    ofPhoto,
    ofDrawn,
    photoStrokes: photo.strokes,
    drawnStrokes: drawn.strokes,
    photoSharpness: photo.sharpness,
    drawnSharpness: drawn.sharpness,
    hasSharpness: photo.sharpness + drawn.sharpness > 0,
    hasOneCurve,
    inks: strokeInksOf(tables),
  };
  const { columns, rows, weights } = found;
  const out = rgb.slice();
  for (let y = 0; y < height; y++) {
    // Between the middles of four squares the drawn share goes evenly from one to the next.
    const down = (y + 0.5) / tile - 0.5;
    const above = Math.max(Math.floor(down), 0) * columns;
    const below = Math.min(Math.floor(down) + 1, rows - 1) * columns;
    const share = down - Math.floor(down);
    let left = between(weights[above] as number, weights[below] as number, share);
    // Where the share stays, squares are one run.
    let run = 0;
    for (let column = 1; column < columns; column++) {
      const right = between(weights[above + column] as number, weights[below + column] as number, share);
      if (left === right) continue;
      const from = column * tile - tile / 2;
      evenRun(source, out, y, run, from, left);
      run = Math.min(from + tile, width);
      mixRun(source, out, y, from, run, left, right);
      left = right;
    }
    evenRun(source, out, y, run, width, left);
  }
  return out;
}

/** Prepares the pixels of row `y` from `from` up to `end`, drawn with one share. */
function evenRun(source: Source, out: Uint8Array, y: number, from: number, end: number, weight: number): void {
  if (weight === 0 && !source.ofPhoto.hasEdges) toneRun(source, out, y, from, end);
  else mixRun(source, out, y, from, end, weight, weight);
}

/** Prepares the same pixels as a photograph. */
function toneRun({ rgb, width, ofPhoto: plan }: Source, out: Uint8Array, y: number, from: number, end: number): void {
  if (plan.isIdle) return;
  const { changes } = plan;
  const last = (y * width + end) * 3;
  for (let at = (y * width + from) * 3; at < last; at += 3) {
    const red = rgb[at] as number;
    const green = rgb[at + 1] as number;
    const blue = rgb[at + 2] as number;
    if (((changes[red] as number) | (changes[green] as number) | (changes[blue] as number)) === 0) continue;
    write(out, at, tonedColour((red << 16) | (green << 8) | blue, plan));
  }
}

/** Prepares the same pixels, drawn with a share that goes from `left` to `right` where they differ: over a square. */
function mixRun(
  source: Source,
  out: Uint8Array,
  y: number,
  from: number,
  end: number,
  left: number,
  right: number,
): void {
  const { rgb, width, height, ofPhoto, ofDrawn, hasOneCurve } = source;
  const row = width * 3;
  const isInside = y >= margin && y < height - margin;
  const insideTo = width - margin;
  // Drawings repeat themselves: a pixel like the one before becomes the same.
  const isSame = left === right || hasOneCurve;
  let last = -1;
  let toned = 0;
  for (let x = from, at = (y * width + x) * 3; x < end; x++, at += 3) {
    const green = rgb[at + 1] as number;
    const own = ((rgb[at] as number) << 16) | (green << 8) | (rgb[at + 2] as number);
    let colour = own;
    if (isInside && x >= margin && x < insideTo && !isFlat(rgb, at, row, green)) {
      colour = edged(source, own, x, y, left === right ? left : between(left, right, (x - from + 0.5) / tile));
    }
    if (colour !== last || !isSame) {
      last = colour;
      if (colour >= exact) toned = colour - exact;
      else {
        toned = tonedColour(colour, ofDrawn);
        const weight = left === right ? left : between(left, right, (x - from + 0.5) / tile);
        if (weight < 1 && !hasOneCurve) toned = mixed(tonedColour(colour, ofPhoto), toned, weight);
      }
    }
    if (toned !== own) write(out, at, toned);
  }
}

/** The pixels that strokes need all around. */
const margin = 3;

/** The least share by which a place is drawn that has its thin strokes in one ink each. */
const minWeight = 0.4;

/** Tells whether the pixel that begins at a byte is as green as its four neighbours. */
function isFlat(rgb: Uint8Array, at: number, row: number, green: number): boolean {
  return rgb[at - 2] === green && rgb[at + 4] === green && rgb[at + 1 - row] === green && rgb[at + 1 + row] === green;
}

/**
 * Returns a colour 0xrrggbb that differs more from the surroundings of its pixel, by how much of the picture is drawn
 * there; or the ink, marked as `exact`, that a thin stroke is drawn in.
 */
function edged(source: Source, colour: number, x: number, y: number, weight: number): number {
  const { rgb, width, drawn, inks } = source;
  const square = (y >> tileBits) * drawn.columns + (x >> tileBits);
  const paper = ((drawn.papers[square] as number) >> 8) & 0xff;
  const off = paper - ((colour >> 8) & 0xff);
  const isPaper = off < minOff && off > -minOff;
  if (isPaper && !source.hasSharpness) return colour;
  const strokes = isPaper ? 0 : between(source.photoStrokes, source.drawnStrokes, weight);
  if (strokes > 0 && inks !== undefined && weight >= minWeight && drawn.hasInk[square] !== 2) {
    const stroke = drawStroke(source, inks, (y * width + x) * 3 + 1, square, strokes);
    if (stroke >= 0) return stroke;
  }
  const pixel = y * width + x;
  let edge = 0;
  if (source.hasSharpness) {
    const around =
      greenAt(rgb, pixel - 1) + greenAt(rgb, pixel + 1) + greenAt(rgb, pixel - width) + greenAt(rgb, pixel + width);
    const sharpness = between(source.photoSharpness, source.drawnSharpness, weight);
    edge = sharpness * (greenAt(rgb, pixel) - around / 4);
  }
  const side = strokes === 0 ? -1 : sideOfStroke(rgb, pixel, width, paper);
  if (side >= 0) return away(colour, colourAt(rgb, side * 3), strokes, edge);
  return edge === 0 ? colour : away(colour, colour, 0, edge);
}

/** Returns a colour 0xrrggbb with `share` of its difference from another added once more, and `more` to every byte. */
function away(colour: number, from: number, share: number, more: number): number {
  const red = colour >> 16;
  const green = (colour >> 8) & 0xff;
  const blue = colour & 0xff;
  return (
    (clampByte(red + share * (red - (from >> 16)) + more) << 16) |
    (clampByte(green + share * (green - ((from >> 8) & 0xff)) + more) << 8) |
    clampByte(blue + share * (blue - (from & 0xff)) + more)
  );
}

/** Returns the colour at a share of the way between two colours 0xrrggbb. */
function mixed(one: number, other: number, share: number): number {
  if (one === other) return one;
  return (
    (Math.round(between(one >> 16, other >> 16, share)) << 16) |
    (Math.round(between((one >> 8) & 0xff, (other >> 8) & 0xff, share)) << 8) |
    Math.round(between(one & 0xff, other & 0xff, share))
  );
}

function write(out: Uint8Array, at: number, colour: number): void {
  out[at] = colour >> 16;
  out[at + 1] = colour >> 8;
  out[at + 2] = colour;
}

// No function is made inside the loops: the TypeScript loader names each one anew, which costs more than the pixel.
const greenAt = (rgb: Uint8Array, pixel: number): number => rgb[pixel * 3 + 1] as number;
