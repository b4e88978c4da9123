/**
 * Prepares a picture for paper: tone, colourfulness, edges and thin strokes, by how far it is a drawing or a
 * photograph.
 */
import { type Drawn, findDrawn, tile } from './find-drawn.ts';
import type { Recipe } from './intents.ts';
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
  /** Tells whether the plans differ in their edges alone. */
  readonly hasOneCurve: boolean;
}

/** Prepares a picture; without anything to do it returns the same array. */
export function prepareTone(rgb: Uint8Array, width: number, height: number, { photo, drawn }: Recipe): Uint8Array {
  if (isAsItIs(photo) && isAsItIs(drawn)) return rgb;
  const [ofPhoto, ofDrawn] = [planOf(photo), planOf(drawn)];
  const hasOneCurve = curveParts.every((part) => photo[part] === drawn[part]);
  const found = findDrawn(rgb, width, height);
  const source = { rgb, width, height, drawn: found, ofPhoto, ofDrawn, hasOneCurve };
  const { columns, rows, weights } = found;
  const out = rgb.slice();
  for (let y = 0; y < height; y++) {
    // Between the middles of four squares the drawn share goes evenly from one to the next.
    const down = (y + 0.5) / tile - 0.5;
    const above = Math.max(Math.floor(down), 0) * columns;
    const below = Math.min(Math.floor(down) + 1, rows - 1) * columns;
    const share = down - Math.floor(down);
    let left = between(weights[above] as number, weights[below] as number, share);
    for (let column = 0; column <= columns; column++) {
      const next = Math.min(column, columns - 1);
      const right = between(weights[above + next] as number, weights[below + next] as number, share);
      const from = column * tile - tile / 2;
      if (left === 0 && right === 0 && !ofPhoto.hasEdges) toneRun(source, out, y, from);
      else mixRun(source, out, y, from, left, right);
      left = right;
    }
  }
  return out;
}

/** Prepares the pixels of row `y` from `from` on, as far as a square reaches, as a photograph. */
function toneRun({ rgb, width, ofPhoto: plan }: Source, out: Uint8Array, y: number, from: number): void {
  if (plan.isIdle) return;
  const { changes } = plan;
  const end = (y * width + Math.min(from + tile, width)) * 3;
  for (let at = (y * width + Math.max(from, 0)) * 3; at < end; at += 3) {
    const red = rgb[at] as number;
    const green = rgb[at + 1] as number;
    const blue = rgb[at + 2] as number;
    if (((changes[red] as number) | (changes[green] as number) | (changes[blue] as number)) === 0) continue;
    write(out, at, tonedColour((red << 16) | (green << 8) | blue, plan));
  }
}

/** Prepares the same pixels, drawn with a share that goes from `left` to `right`. */
function mixRun(source: Source, out: Uint8Array, y: number, from: number, left: number, right: number): void {
  const { rgb, width, height, ofPhoto, ofDrawn, hasOneCurve } = source;
  const isInside = y >= 2 && y < height - 2;
  const end = Math.min(from + tile, width);
  let weight = left;
  let last = -1;
  let toned = 0;
  for (let x = Math.max(from, 0), at = (y * width + x) * 3; x < end; x++, at += 3) {
    const own = colourAt(rgb, at);
    if (left !== right) weight = between(left, right, (x - from + 0.5) / tile);
    let colour = own;
    if (isInside && x >= 2 && x < width - 2 && !isFlat(rgb, at, width * 3)) colour = edged(source, own, x, y, weight);
    // Drawings repeat themselves: a pixel like the one before becomes the same.
    if (colour !== last || left !== right) {
      toned = tonedColour(colour, ofDrawn);
      if (weight < 1 && !hasOneCurve) toned = mixed(tonedColour(colour, ofPhoto), toned, weight);
    }
    last = colour;
    if (toned !== own) write(out, at, toned);
  }
}

/** Tells whether the pixel that begins at a byte is as green as its four neighbours. */
function isFlat(rgb: Uint8Array, at: number, row: number): boolean {
  const green = rgb[at + 1];
  return rgb[at - 2] === green && rgb[at + 4] === green && rgb[at + 1 - row] === green && rgb[at + 1 + row] === green;
}

/**
 * Returns a colour 0xrrggbb that differs more from the surroundings of its pixel, by how much of the picture is drawn
 * there.
 */
function edged(source: Source, colour: number, x: number, y: number, weight: number): number {
  const { rgb, width, drawn, ofPhoto, ofDrawn } = source;
  const strokes = between(ofPhoto.tone.strokes, ofDrawn.tone.strokes, weight);
  const sharpness = between(ofPhoto.tone.sharpness, ofDrawn.tone.sharpness, weight);
  const pixel = y * width + x;
  let edge = 0;
  if (sharpness !== 0) {
    const around =
      greenAt(rgb, pixel - 1) + greenAt(rgb, pixel + 1) + greenAt(rgb, pixel - width) + greenAt(rgb, pixel + width);
    edge = sharpness * (greenAt(rgb, pixel) - around / 4);
  }
  const paper = drawn.papers[Math.floor(y / tile) * drawn.columns + Math.floor(x / tile)] as number;
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
