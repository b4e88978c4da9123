/**
 * Prepares a picture for paper: tone, colourfulness, edges and thin strokes, by how far it is a drawing or a
 * photograph.
 */
import { type Drawn, findDrawn, tile, tileBits } from './find-drawn.ts';
import type { DitherRecipe } from './intents.ts';
import type { PaletteTables } from './palette.ts';
import type { Pixels } from './sheet.ts';
import { drawStroke, exact, isInPattern, minOff, openStrokes, type StrokePage, strokeInksOf } from './stroke-inks.ts';
import { sideOfStroke } from './strokes.ts';
import { between, clampByte, isAsItIs, type Plan, planOf, tonedColour } from './tone-curve.ts';

/** Returns the colour 0xrrggbb of the pixel that begins at a byte. */
const colourAt = (rgb: Uint8Array, at: number): number =>
  ((rgb[at] as number) << 16) | ((rgb[at + 1] as number) << 8) | (rgb[at + 2] as number);

/** The parts of a tone that make its curve. */
const curveParts = ['black', 'white', 'reach', 'contrast', 'saturation'] as const;

/** A picture, what it becomes, the findings in it, and the plans for photographs and for drawings. */
interface Source extends Pixels {
  readonly out: Uint8Array;
  readonly drawn: Drawn;
  readonly ofPhoto: Plan;
  readonly ofDrawn: Plan;
  readonly photoStrokes: number;
  readonly drawnStrokes: number;
  readonly photoSharpness: number;
  readonly drawnSharpness: number;
  readonly hasSharpness: boolean;
  /** Whether the plans differ in their edges alone. */
  readonly hasOneCurve: boolean;
  /** The picture whose thin strokes are drawn in inks, where the panel has too few for their grays. */
  readonly strokePage: StrokePage | undefined;
}

/** Pixels of row `y` from `from` up to `end`, drawn with a share that goes from `left` to `right`. */
interface Run {
  readonly y: number;
  readonly from: number;
  readonly end: number;
  readonly left: number;
  readonly right: number;
}

/** Prepares a picture for a palette; without anything to do it returns the same array. */
export function prepareTone(
  pixels: Pixels,
  { photo, drawn }: DitherRecipe,
  tables: Pick<PaletteTables, 'nominal' | 'neutral'>,
): Uint8Array {
  const { rgb, width, height } = pixels;
  if (isAsItIs(photo) && isAsItIs(drawn)) return rgb;
  const [ofPhoto, ofDrawn] = [planOf(photo), planOf(drawn)];
  const hasOneCurve = curveParts.every((part) => photo[part] === drawn[part]);
  const found = findDrawn(pixels, photo.white !== drawn.white);
  const inks = strokeInksOf(tables);
  const out = rgb.slice();
  const source: Source = {
    rgb,
    width,
    height,
    out,
    drawn: found,
    ofPhoto,
    ofDrawn,
    photoStrokes: photo.strokes,
    drawnStrokes: drawn.strokes,
    photoSharpness: photo.sharpness,
    drawnSharpness: drawn.sharpness,
    hasSharpness: photo.sharpness + drawn.sharpness > 0,
    hasOneCurve,
    strokePage: inks === undefined ? undefined : openStrokes(pixels, found, inks),
  };
  const { columns, rows, weights } = found;
  for (let y = 0; y < height; y++) {
    // Between the middles of four squares the drawn share goes evenly from one to the next.
    const down = (y + 0.5) / tile - 0.5;
    const above = Math.max(Math.floor(down), 0) * columns;
    const below = Math.min(Math.floor(down) + 1, rows - 1) * columns;
    const share = down - Math.floor(down);
    let left = between(weights[above] as number, weights[below] as number, share);
    // Where the share stays, squares are one run.
    let start = 0;
    for (let column = 1; column < columns; column++) {
      const right = between(weights[above + column] as number, weights[below + column] as number, share);
      if (left === right) continue;
      const from = column * tile - tile / 2;
      const end = Math.min(from + tile, width);
      evenRun(source, { y, from: start, end: from, left, right: left });
      mixRun(source, { y, from, end, left, right });
      start = end;
      left = right;
    }
    evenRun(source, { y, from: start, end: width, left, right: left });
  }
  return out;
}

/** Prepares the pixels of a run that is drawn with one share. */
function evenRun(source: Source, run: Run): void {
  if (run.left === 0 && !source.ofPhoto.hasEdges) toneRun(source, run);
  else mixRun(source, run);
}

/** Prepares the pixels of a run as a photograph. */
function toneRun({ rgb, out, width, ofPhoto: plan }: Source, { y, from, end }: Run): void {
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

/** Prepares the pixels of a run as a mixture; where the share changes, it does so over a square. */
function mixRun(source: Source, { y, from, end, left, right }: Run): void {
  const { rgb, out, width, height, ofPhoto, ofDrawn, hasOneCurve } = source;
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
      colour = edged(source, x, y, left === right ? left : between(left, right, (x - from + 0.5) / tile));
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

/** Returns whether the pixel that begins at a byte is as green as its four neighbours. */
function isFlat(rgb: Uint8Array, at: number, row: number, green: number): boolean {
  return rgb[at - 2] === green && rgb[at + 4] === green && rgb[at + 1 - row] === green && rgb[at + 1 + row] === green;
}

/**
 * Returns the colour 0xrrggbb by which a pixel differs more from its surroundings, by how much of the picture is drawn
 * there; or the ink, marked as `exact`, that a thin stroke is drawn in.
 */
function edged(source: Source, x: number, y: number, weight: number): number {
  const { rgb, width, drawn, strokePage } = source;
  const pixel = y * width + x;
  const colour = colourAt(rgb, pixel * 3);
  const square = (y >> tileBits) * drawn.columns + (x >> tileBits);
  const paper = ((drawn.papers[square] as number) >> 8) & 0xff;
  const off = paper - ((colour >> 8) & 0xff);
  const isPaper = off < minOff && off > -minOff;
  if (isPaper && !source.hasSharpness) return colour;
  const strokes = isPaper ? 0 : between(source.photoStrokes, source.drawnStrokes, weight);
  if (strokes > 0 && strokePage !== undefined && weight >= minWeight && drawn.hasInk[square] !== 2) {
    if (isInPattern(strokePage, pixel * 3 + 1)) return colour | exact;
    const stroke = drawStroke(strokePage, pixel * 3 + 1, square, strokes);
    if (stroke >= 0) return stroke;
  }
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

// No function is made inside the loops: the TypeScript loader names each one again, which costs more than the pixel.
const greenAt = (rgb: Uint8Array, pixel: number): number => rgb[pixel * 3 + 1] as number;
