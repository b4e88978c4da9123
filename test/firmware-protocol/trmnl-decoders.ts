/**
 * Decoders of TRMNL's firmware for PNG, written from its sources (usetrmnl/trmnl-firmware, `src/display.cpp` up to the
 * branch that became 1.8.16; usetrmnl/trmnl-spec, `spec/support/devices.rb` and the boards' specs) and from nothing of the
 * service.
 */
import { inflateSync } from 'node:zlib';

/** The values of pixels on the glass: the light of a gray, from 0 to 255, or the number of a colour. */
export const seen = { black: 0, red: 1, yellow: 2, blue: 3, green: 4, white: 255 } as const;
const { black, red, yellow, white } = seen;

/** The picture on the glass, a byte a pixel, row by row as the panel is made; undefined where the picture never shows. */
export type Drawn = Uint8Array | undefined;

/** How a board's firmware draws. */
export type Decoder = 'gray' | 'two bits' | 'one bit' | 'red kit' | 'bwry' | 'spectra6' | 'parallel' | 'eips';

/** A board: its raster, and the most bytes of which its firmware draws a picture. */
export interface Board {
  readonly model: string;
  readonly size: readonly [width: number, height: number];
  readonly decoder: Decoder;
  readonly maxBytes: number;
}

interface Png {
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  readonly isIndexed: boolean;
  readonly palette: readonly (readonly [number, number, number])[];
  /** One sample a pixel. */
  readonly samples: Uint8Array;
}

/** Draws a file on a board. */
export function drawOn({ size: [width, height], decoder, maxBytes }: Board, file: Uint8Array): Drawn {
  if (file.length >= maxBytes) return undefined;
  const png = readSamples(Buffer.from(file));
  // Smaller pictures leave what was there, larger ones are cut or run into other rows, portrait ones are scrambled.
  if (png.width !== width || png.height !== height) return undefined;
  if (decoder === 'eips') return png.depth === 8 && !png.isIndexed ? png.samples : undefined;
  if (decoder === 'bwry') return inInks(png, bwryInk);
  if (decoder === 'spectra6') return inInks(png, spectraInk);
  if (decoder === 'parallel') return onParallel(png);
  return onSpi(png, decoder);
}

/** `png_to_epd` and `png_draw` for panels in black and white or four grays. */
function onSpi(png: Png, decoder: Decoder): Drawn {
  if (png.isIndexed && png.depth === 1) {
    // The plane is turned around where the first colour is the darker one: black first comes out negative.
    const isTurned = luma(png.palette[0]) < luma(png.palette[1]);
    return decoder === 'two bits' ? undefined : png.samples.map((bit) => ((bit === 1) !== isTurned ? white : black));
  }
  const isOneBit = png.depth === 1 || (png.depth === 2 && countedColours(png) === 2);
  if (isOneBit) {
    // A product number is taken for a type of panel: such a picture never shows (crowpanel42, m5_paper_mono).
    if (decoder === 'two bits') return undefined;
    if (png.depth === 1) return png.samples.map((bit) => (bit === 1 ? white : black));
    // All but white is black; on the kit with red the second plane comes out red.
    return png.samples.map((level) => (level === 3 ? white : decoder === 'red kit' ? red : black));
  }
  if (!png.isIndexed && png.depth === 4) return png.samples.map(() => black);
  // The two planes of four grays are not grays there: white comes out black and black red, or all is turned around.
  if (decoder === 'red kit') return levels(png).map((level) => [red, red, white, black][level] ?? red);
  if (decoder === 'one bit') return levels(png).map((level) => (level > 1 ? black : white));
  return levels(png).map((level) => level * 85);
}

/** Every pixel by its sample, each sample looked at once. */
function bySample({ samples }: Png, see: (sample: number) => number): Uint8Array {
  const looks = Uint8Array.from({ length: 256 }, (_, sample) => see(sample));
  return samples.map((sample) => looks[sample] as number);
}

/** Four levels of gray, as `ReduceBpp` makes them of what is not two bits of gray. */
function levels(png: Png): Uint8Array {
  if (!png.isIndexed && png.depth === 2) return png.samples;
  return bySample(png, (sample) => (png.isIndexed ? luma(png.palette[sample]) : sample) >> 6);
}

/** `png_draw` of FastEPD: up to four bits of gray as they are, palettes by their light. */
function onParallel(png: Png): Drawn {
  if (png.isIndexed && png.depth < 4) return undefined;
  const most = 2 ** Math.min(png.depth, 4) - 1;
  return bySample(png, (sample) => {
    if (png.isIndexed) return (luma(png.palette[sample]) >> 4) * 17;
    return Math.round(((png.depth === 8 ? sample >> 4 : sample) * 255) / most);
  });
}

/** `png_draw_4clr` and `png_draw_6clr`: a gray sample of few bits counts with its raw bits. */
function inInks(png: Png, ink: (r: number, g: number, b: number) => number): Drawn {
  return bySample(png, (sample) => {
    if (png.isIndexed) return ink(...(png.palette[sample] ?? [0, 0, 0]));
    const raw = png.depth === 4 ? sample * 17 : (sample << (8 - png.depth)) & 255;
    return ink(raw, raw, raw);
  });
}

/** `GetBWYRPixel`. */
function bwryInk(r: number, g: number, b: number): number {
  const gray = (b + r + g * 2) >> 2;
  if (r <= b && g <= b) return gray >= 100 ? white : black;
  if (gray < 90 && r < 80 && g < 80) return black;
  if (r - b > 32 && r - g > r / 2) return red;
  return r - b > 32 && g - b > 32 ? yellow : white;
}

const spectra = [
  [seen.black, 0, 0, 0],
  [seen.white, 192, 192, 192],
  [seen.yellow, 192, 192, 0],
  [seen.red, 192, 0, 0],
  [seen.blue, 0, 0, 192],
  [seen.green, 0, 192, 0],
] as const;

/** `CreateSpectra6Pal`: the nearest of six, of three bits a channel. */
function spectraInk(...given: readonly [number, number, number]): number {
  const [r, g, b] = given.map((channel) => (channel >> 5) * 36) as [number, number, number];
  const far = ([, red, green, blue]: (typeof spectra)[number]): number =>
    (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2;
  return spectra.reduce((nearest, one) => (far(one) < far(nearest) ? one : nearest))[0];
}

/** `png_count_colors` looks at the rows up to 430. */
function countedColours({ samples, width }: Png): number {
  return new Set(samples.subarray(0, 431 * width)).size;
}

function luma([r, g, b]: readonly [number, number, number] = [0, 0, 0]): number {
  return Math.floor((r + g * 2 + b) / 4);
}

/** Reads a PNG without filters, whose rows lie in one piece. */
function readSamples(file: Buffer): Png {
  const [width, height, depth, type] = [file.readUInt32BE(16), file.readUInt32BE(20), file[24] as number, file[25]];
  const part = (name: string): Buffer => {
    const at = file.indexOf(name, 8, 'latin1');
    return at < 0 ? Buffer.alloc(0) : file.subarray(at + 4, at + 4 + file.readUInt32BE(at - 4));
  };
  const rows = inflateSync(part('IDAT'));
  const colours = part('PLTE');
  const bytes = Math.ceil((width * depth) / 8);
  const samples = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    if (rows[y * (bytes + 1)] !== 0) throw new Error('this reads rows without filters');
    for (let x = 0; x < width; x++) {
      const byte = rows[y * (bytes + 1) + 1 + Math.floor((x * depth) / 8)] as number;
      samples[y * width + x] = (byte >> (8 - depth - ((x * depth) % 8))) & (2 ** depth - 1);
    }
  }
  const palette = Array.from(
    { length: colours.length / 3 },
    (_, at) => [...colours.subarray(at * 3, at * 3 + 3)] as unknown as [number, number, number],
  );
  return { width, height, depth, isIndexed: type === 3, palette, samples };
}
