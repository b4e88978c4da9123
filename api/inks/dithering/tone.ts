/**
 * Prepares a picture for paper: tone, colourfulness, edges and thin strokes, by how far it is a drawing or a
 * photograph.
 */
import { type Drawn, findDrawn, tile } from './find-drawn.ts';
import type { DitherRecipe } from './intents.ts';
import { tileBits } from './loops/places.ts';
import { firstOf, type Marks, markSheet, toneSheet } from './mark-sheet.ts';
import type { PaletteTables } from './palette.ts';
import type { Pixels, Sheet } from './sheet.ts';
import { drawStroke, exact, isInPattern, minOff, openStrokes, type StrokePage, strokeInksOf } from './stroke-inks.ts';
import { sideOfStroke } from './strokes.ts';
import { between, colourAway, isAsItIs, mixedColour, type Plan, planOf, tonedColour } from './tone-curve.ts';

/** Returns the colour 0xrrggbb of the pixel that begins at a byte. */
const colourAt = (rgb: Uint8Array, at: number): number =>
  ((rgb[at] as number) << 16) | ((rgb[at + 1] as number) << 8) | (rgb[at + 2] as number);

/** The parts of a tone that make its curve. */
const curveParts = ['black', 'white', 'reach', 'contrast', 'saturation'] as const;

/** A picture, what it becomes, the findings in it, and the plans for photographs and for drawings. */
interface Source extends Pixels, Marks {
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
  /** Whether all pixels have the levels of that curve by now: only edges are left. */
  readonly isToned: boolean;
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

/**
 * Prepares a sheet that holds a copy of a picture. Most pixels are neither changed nor at an edge: they are passed over
 * eight at once, by the marks of the compiled loops.
 */
export function prepareTone(
  { rgb, width, height }: Pixels,
  sheet: Sheet,
  { photo, drawn }: DitherRecipe,
  tables: Pick<PaletteTables, 'nominal' | 'neutral'>,
): void {
  if (isAsItIs(photo) && isAsItIs(drawn)) return;
  const [ofPhoto, ofDrawn] = [planOf(photo), planOf(drawn)];
  const found = findDrawn(sheet, photo.white !== drawn.white);
  const inks = strokeInksOf(tables);
  const hasOneCurve = curveParts.every((part) => photo[part] === drawn[part]);
  const hasSharpness = photo.sharpness + drawn.sharpness > 0;
  const source: Source = {
    rgb,
    width,
    height,
    out: sheet.rgb,
    ...markSheet(sheet, [ofPhoto, ofDrawn], hasSharpness ? 0 : minOff),
    drawn: found,
    ofPhoto,
    ofDrawn,
    photoStrokes: photo.strokes,
    drawnStrokes: drawn.strokes,
    photoSharpness: photo.sharpness,
    drawnSharpness: drawn.sharpness,
    hasSharpness,
    hasOneCurve,
    isToned: hasOneCurve && photo.saturation === 0,
    strokePage: inks === undefined ? undefined : openStrokes({ rgb, width, height }, found, inks),
  };
  if (source.isToned) toneSheet(sheet, ofPhoto);
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
}

/** Prepares the pixels of a run that is drawn with one share. */
function evenRun(source: Source, run: Run): void {
  if (run.left > 0 || source.ofPhoto.hasEdges) mixRun(source, run);
  else if (!source.isToned && !source.ofPhoto.isIdle) toneRun(source, run);
}

/** Prepares the pixels of a run as a photograph. A run begins at a byte of marks, as all do. */
function toneRun({ rgb, out, width, changed, marksPerRow, ofPhoto }: Source, { y, from, end }: Run): void {
  for (let x = from, mark = y * marksPerRow + (from >> 3); x < end; x += 8, mark++) {
    for (let marks = changed[mark] as number; marks !== 0; marks &= marks - 1) {
      const at = (y * width + x + firstOf(marks)) * 3;
      if (x + firstOf(marks) < end) write(out, at, tonedColour(colourAt(rgb, at), ofPhoto));
    }
  }
}

/** Prepares the pixels of a run as a mixture; where the share changes, it does so over a square. */
function mixRun(source: Source, run: Run): void {
  const { rgb, out, width, height, changed, edges, marksPerRow, ofPhoto, ofDrawn, hasOneCurve, isToned } = source;
  const { y, from, end, left, right } = run;
  const isInside = y >= margin && y < height - margin;
  const insideTo = width - margin;
  const isSame = left === right || hasOneCurve;
  let mark = y * marksPerRow + (from >> 3);
  let last = -1;
  let toned = 0;
  for (let start = from; start < end; start += 8, mark++) {
    let marks = (edges[mark] as number) | (isToned ? 0 : (changed[mark] as number));
    for (; marks !== 0; marks &= marks - 1) {
      const x = start + firstOf(marks);
      if (x >= end) return;
      const at = (y * width + x) * 3;
      const own = colourAt(rgb, at);
      const weight = left === right ? left : between(left, right, (x - from + 0.5) / tile);
      let colour = own;
      if (isInside && x >= margin && x < insideTo && ((edges[mark] as number) & marks & -marks) !== 0) {
        colour = edged(source, x, y, weight);
      }
      // Drawings repeat themselves: a pixel like the one before becomes the same.
      if (colour !== last || !isSame) {
        last = colour;
        if (colour >= exact) toned = colour - exact;
        else {
          toned = tonedColour(colour, ofDrawn);
          if (weight < 1 && !hasOneCurve) toned = mixedColour(tonedColour(colour, ofPhoto), toned, weight);
        }
      }
      if (toned !== own || colour !== own) write(out, at, toned);
    }
  }
}

/** The pixels that strokes need all around. */
const margin = 3;

/** The least share by which a place is drawn that has its thin strokes in one ink each. */
const minWeight = 0.4;

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
  if (side >= 0) return colourAway(colour, colourAt(rgb, side * 3), strokes, edge);
  return edge === 0 ? colour : colourAway(colour, colour, 0, edge);
}

function write(out: Uint8Array, at: number, colour: number): void {
  out[at] = colour >> 16;
  out[at + 1] = colour >> 8;
  out[at + 2] = colour;
}

// No function is made inside the loops: the TypeScript loader names each one again, which costs more than the pixel.
const greenAt = (rgb: Uint8Array, pixel: number): number => rgb[pixel * 3 + 1] as number;
