/**
 * Prints how good and how fast dithering is: `PICTURES=folder node --import tsx test/bench/dither.ts`.
 *
 * Quality: `oklab` (lower is better) and `ssim` (higher is better) after the eye's low-pass, and the share of letters at
 * 14 pixels that are still read. Time: the least of alternating rounds, strip by strip, as a ratio to plain Floyd-Steinberg of the same
 * run, because absolute times belong to a machine. image-q takes part where it is installed. A word after the command
 * keeps the methods that have it in their name.
 */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { diffuse } from '../../api/inks/dithering/diffuse.ts';
import { ditherPicture } from '../../api/inks/dithering/dither.ts';
import { type DitherOptions, recipeOf } from '../../api/inks/dithering/intents.ts';
import { buildPaletteTables } from '../../api/inks/dithering/palette.ts';
import { settle } from '../../api/inks/dithering/settle.ts';
import { openSheet, takeInks } from '../../api/inks/dithering/sheet.ts';
import { prepareTone } from '../../api/inks/dithering/tone.ts';
import { createDitherWorkers, type DitherWorkers } from '../../api/inks/dithering/workers.ts';
import { packPicture } from '../../firmware-protocol/framebuffer.ts';
import { epd7, epd13, type Panel, panels } from '../../firmware-protocol/panels.ts';
import { systemClock } from '../../runtime/clock.ts';
import { legibility, lightOfInks } from '../rendering/legibility.ts';
import { measurePicture } from '../rendering/measure.ts';
import { ditherPlainly } from './dither-plainly.ts';
import { ditherWithImageQ } from './dither-with-image-q.ts';
import { drawLetters } from './legible-text.ts';

const folder = process.env.PICTURES;
if (folder === undefined) {
  console.error('Set PICTURES to a folder of pictures, for example PICTURES=./pictures');
  process.exit(2);
}
const [width, height, colours] = [800, 480, epd7.colours];
const tables = buildPaletteTables(colours);

type Method = (rgb: Uint8Array) => Uint8Array | undefined | Promise<Uint8Array | undefined>;
const ours =
  (options: DitherOptions): Method =>
  (rgb) =>
    ditherPicture({ rgb, width, height }, tables, options);
const methods: readonly (readonly [name: string, method: Method])[] = [
  ['ours, auto', ours({})],
  ['ours, photo', ours({ intent: 'photo' })],
  ['ours, readable', ours({ intent: 'readable' })],
  ['ours, Floyd-Steinberg', ours({ intent: 'photo', kernel: 'floydSteinberg' })],
  ['ours, Atkinson', ours({ intent: 'photo', kernel: 'atkinson' })],
  ['ours, blue noise', ours({ intent: 'photo', method: 'ordered' })],
  ['plain Floyd-Steinberg', (rgb) => ditherPlainly(rgb, width, height, colours)],
  ['image-q, Euclidean', (rgb) => ditherWithImageQ(rgb, width, height, colours)],
];

async function pictureOf(file: string, w: number, h: number): Promise<Uint8Array> {
  const image = sharp(file).autoOrient().flatten({ background: '#ffffff' }).toColourspace('srgb');
  return new Uint8Array(await image.resize(w, h, { fit: 'cover' }).raw().toBuffer());
}

const files = (await readdir(folder)).filter((file) => /\.(jpg|png|webp)$/.test(file)).sort();
const pictures = await Promise.all(files.map((file) => pictureOf(path.join(folder, file), width, height)));
const texts = await Promise.all(
  [
    ['#000000', '#ffffff'],
    ['#555555', '#f4f4f4'],
    ['#c62828', '#ffffff'],
    ['#ffffff', '#1565c0'],
  ].map(([ink, paper]) => drawLetters(ink as string, paper as string)),
);
console.log(`method; oklab/ssim of ${files.join(', ')}; their means; letters read: black, gray, red, white on blue`);
for (const [name, method] of methods) {
  if (!name.includes(process.argv[2] ?? '')) continue;
  const results: string[] = [];
  let oklab = 0;
  let ssim = 0;
  for (const rgb of pictures) {
    const indices = await method(rgb);
    if (indices === undefined) break;
    const measured = measurePicture(rgb, indices, width, height, colours);
    oklab += measured.oklab / pictures.length;
    ssim += measured.ssim / pictures.length;
    results.push(`${measured.oklab.toFixed(2)}/${measured.ssim.toFixed(3)}`);
  }
  if (results.length === 0) {
    console.log(`${name}: not installed`);
    continue;
  }
  const read: string[] = [];
  for (const { rgb, letters } of texts) {
    const indices = (await method(rgb)) as Uint8Array;
    const { read: share, margin } = legibility(letters, lightOfInks(indices, colours));
    read.push(`${(100 * share).toFixed(0)} % by ${margin.toFixed(2)}`);
  }
  console.log(`${name}; ${results.join(' ')}; ${oklab.toFixed(2)}/${ssim.toFixed(3)}; ${read.join(' ')}`);
}

const palettes = new Map(
  Object.values(panels)
    .reverse()
    .map((panel) => [panel.colours.map(({ measured }) => measured).join(), panel]),
);
for (const { name, colours } of [...palettes.values()].reverse()) {
  const own = buildPaletteTables(colours);
  const measured = pictures.map((rgb) =>
    measurePicture(rgb, ditherPicture({ rgb, width, height }, own, { intent: 'photo' }), width, height, colours),
  );
  const mean = (of: 'oklab' | 'ssim'): number => measured.reduce((sum, each) => sum + each[of], 0) / measured.length;
  const each = measured.map(({ oklab, ssim }) => `${oklab.toFixed(2)}/${ssim.toFixed(3)}`).join(' ');
  console.log(`inks of ${name}, photo; ${each}; ${mean('oklab').toFixed(2)}/${mean('ssim').toFixed(3)}`);
}

/** The least time of each, in milliseconds: what others do on the machine only ever adds. */
function minMs(works: readonly (() => unknown)[], rounds = 30): number[] {
  const least = works.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < rounds; round++) {
    works.forEach((work, at) => {
      const start = performance.now();
      work();
      least[at] = Math.min(least[at] as number, performance.now() - start);
    });
  }
  return least;
}

/** A page of our own, in inks alone: every third line of sixteen pixels has strokes in one of them. */
function pageOfInks({ colours: inks }: Panel, w: number, h: number): Uint8Array {
  return Uint8Array.from({ length: w * h * 3 }, (_, at) => {
    const [x, y] = [Math.floor(at / 3) % w, Math.floor(at / 3 / w)];
    const isInk = (y >> 4) % 3 === 0 && x % 9 < 3;
    const nominal = isInk ? (inks[(y >> 4) % inks.length] as Panel['colours'][number]).nominal : '#ffffff';
    return Number.parseInt(nominal.slice(1 + 2 * (at % 3), 3 + 2 * (at % 3)), 16);
  });
}

const times = (ms: number, peer: number): string => `${ms.toFixed(1)} ms = ${(ms / peer).toFixed(2)}`;

/** The rows of a strip. It takes less than a turn on a busy processor, so that its least time is what the work takes. */
const stripRows = 32;

/** The least times of works on a picture's strips, added up. */
function minOfStrips(rgb: Uint8Array, w: number, works: readonly ((strip: Uint8Array) => unknown)[]): number[] {
  const bytes = stripRows * w * 3;
  const strips = Array.from({ length: rgb.length / bytes }, (_, at) => rgb.slice(at * bytes, (at + 1) * bytes));
  // All strips by one work after another: each finds its own tables in the cache.
  const least = minMs(works.flatMap((work) => strips.map((strip) => () => work(strip))));
  const sum = (from: number): number => least.slice(from, from + strips.length).reduce((all, ms) => all + ms, 0);
  return works.map((_, at) => sum(at * strips.length));
}

// Everything switched on: what a photograph gets by default, from pixels to the panel's file.
for (const [panel, orientation, w, h] of [
  [epd7, 'landscape', 800, 480],
  [epd13, 'portrait', 1200, 1600],
] as const) {
  const own = buildPaletteTables(panel.colours);
  const ofStrip = { ...panel, width: w, height: stripRows };
  const fileOf = (rgb: Uint8Array, options: DitherOptions = {}): Uint8Array =>
    packPicture(ofStrip, orientation, ditherPicture({ rgb, width: w, height: stripRows }, own, options));
  const plainly = (rgb: Uint8Array) => ditherPlainly(rgb, w, stripRows, panel.colours);
  const [page = 0, ofPage = 0] = minOfStrips(pageOfInks(panel, w, h), w, [
    (strip) => fileOf(strip, { method: 'named' }),
    plainly,
  ]);
  console.log(`${w}x${h}, a page of inks alone: ${times(page, ofPage)} x plain Floyd-Steinberg`);
  for (const file of files) {
    const rgb = await pictureOf(path.join(folder, file), w, h);
    const [picture = 0, plain = 0] = minOfStrips(rgb, w, [(strip) => fileOf(strip), plainly]);
    console.log(
      `${w}x${h} ${file}, everything switched on: ${times(picture, plain)} x plain Floyd-Steinberg (${plain.toFixed(1)} ms)`,
    );
  }
}

/** The steps of a picture, each alone. */
function stagesOf(rgb: Uint8Array): string {
  const recipe = recipeOf({});
  const pixels = { rgb, width, height };
  let sheet = openSheet(pixels, tables);
  let indices: Uint8Array = new Uint8Array();
  const stages: Readonly<Record<string, () => void>> = {
    open: () => {
      sheet = openSheet(pixels, tables);
    },
    tone: () => prepareTone(pixels, sheet, recipe, tables),
    diffuse: () => diffuse(sheet, tables),
    settle: () => settle(sheet, recipe.settling),
    take: () => {
      indices = takeInks(sheet);
    },
    pack: () => void packPicture(epd7, 'landscape', indices),
  };
  const least = minMs(Object.values(stages), 40);
  return Object.keys(stages)
    .map((stage, at) => `${stage} ${least[at]?.toFixed(1)}`)
    .join(', ');
}

files.forEach((file, at) => {
  console.log(`800x480 ${file}, ms: ${stagesOf(pictures[at] as Uint8Array)}`);
});

const large = await pictureOf(path.join(folder, files[0] as string), 1200, 1600);

/** Pictures a second of 1200x1600, so many at once; each has its thread. */
async function picturesPerSecond(workers: DitherWorkers, atOnce: number): Promise<number> {
  const each = 12 / atOnce;
  const draw = async (): Promise<void> => {
    for (let turn = 0; turn < each; turn++) {
      const job = {
        rgb: large.slice(),
        width: 1200,
        height: 1600,
        panel: epd13,
        orientation: 'portrait',
        options: {},
      } as const;
      await workers.dither(['bench'], job);
    }
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: atOnce }, draw));
  return 12_000 / (performance.now() - start);
}

const workers = createDitherWorkers(systemClock, 2);
const rates = { one: 0, two: 0 };
// The first round starts the threads and builds their tables.
for (let round = 0; round < 6; round++) {
  const [two, one] = [await picturesPerSecond(workers, 2), await picturesPerSecond(workers, 1)];
  if (round > 0) Object.assign(rates, { one: Math.max(rates.one, one), two: Math.max(rates.two, two) });
}
await workers.stop();
console.log(
  `1200x1600 in threads, pictures a second: one at once ${rates.one.toFixed(1)}, two ${rates.two.toFixed(1)} = ${(rates.two / rates.one).toFixed(2)} x`,
);
