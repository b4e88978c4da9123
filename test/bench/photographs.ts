/**
 * Prints what becomes of photographs: `node --import tsx test/bench/photographs.ts [folder]`; without a folder, of pictures that it
 * makes. For each picture and two panels it prints the distance of the panel's light from one direct reduction in linear
 * light by ImageMagick (Debian's `imagemagick`; without it the columns are empty): the mean difference of the means of
 * squares of 16 pixels, in thousandths of white's light, as it is now and in the gamma-encoded way before (in numbers, to 1600 a
 * side when it was accepted, then to the panel). Then the time of accepting and fitting, with a fit in numbers, and in the way
 * before; all in the same run. Limit: 1.3 of the time before over all pictures.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import sharp, { type Sharp } from 'sharp';
import { openImage } from '../../api/images/configure-sharp.ts';
import { type ImageOptions, normalizeImage } from '../../api/images/normalize-image.ts';
import { fitImage } from '../../api/inks/prepare-picture.ts';
import { type Panel, panels, viewSize } from '../../firmware-protocol/panels.ts';
import { madePhotographs } from './made-photographs.ts';

const run = promisify(execFile);
const timeLimit = 1.3;
const rounds = 3;
const squareSide = 16;
const formats = ['jpeg', 'png', 'webp', 'gif', 'heic', 'avif'] as const;
const upload: ImageOptions = { sharer: ['bench', 'bench'], formats, keepsDetail: true };
const bothPanels: readonly Panel[] = [panels.epd7, panels.gray10].flatMap((panel) => panel ?? []);

interface Size {
  readonly width: number;
  readonly height: number;
}

async function readPictures(folder: string | undefined): Promise<ReadonlyMap<string, Buffer>> {
  if (folder === undefined) return madePhotographs();
  const names = (await readdir(folder)).filter((name) => /\.(jpe?g|png|webp|gif|hei[cf]|avif)$/i.test(name)).sort();
  return new Map(await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name))] as const)));
}

const fitInNumbers = (image: Sharp, { width, height }: Size): Promise<Buffer> =>
  image
    .autoOrient()
    .flatten({ background: '#ffffff' })
    .resize(width, height, { fit: 'cover' })
    .toColourspace('srgb')
    .removeAlpha()
    .raw()
    .toBuffer();

/** Keeps a picture in the way before: no more than 1600 a side, reduced in numbers before a panel is known. */
const keepLess = (image: Sharp): Promise<Buffer> =>
  image
    .autoOrient()
    .flatten({ background: '#ffffff' })
    .resize(1600, 1600, { fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .png({ compressionLevel: 6 })
    .toBuffer();

/** The direct reduction by ImageMagick, cut as here where half a pixel has to go somewhere; undefined where it cannot read the file. */
async function fitElsewhere(file: string, view: Size, profile: string): Promise<Buffer | undefined> {
  const header = await sharp(file)
    .metadata()
    .catch(() => undefined);
  if (header === undefined) return undefined;
  const scale = Math.max(view.width / header.autoOrient.width, view.height / header.autoOrient.height);
  const [width, height] = [Math.round(header.autoOrient.width * scale), Math.round(header.autoOrient.height * scale)];
  const [left, top] = [Math.ceil((width - view.width) / 2), Math.ceil((height - view.height) / 2)];
  const steps = ['-auto-orient', ...(header.hasProfile ? ['-profile', profile] : []), '-colorspace', 'RGB'];
  const cut = ['-resize', `${width}x${height}!`, '-crop', `${view.width}x${view.height}+${left}+${top}`, '+repage'];
  const out = ['-colorspace', 'sRGB', '-depth', '8', 'rgb:-'];
  const options = { encoding: 'buffer', maxBuffer: 64 * 1024 * 1024 } as const;
  const made = await run('convert', [`${file}[0]`, ...steps, ...cut, ...out], options).catch(() => undefined);
  return made?.stdout.length === view.width * view.height * 3 ? made.stdout : undefined;
}

const lightOf = Float64Array.from({ length: 256 }, (_, value) =>
  value <= 10 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4,
);

/** Returns the mean light of each square, channel by channel. */
function squares(rgb: Uint8Array, { width, height }: Size): Float64Array {
  const across = Math.ceil(width / squareSide);
  const sums = new Float64Array(across * Math.ceil(height / squareSide) * 3);
  const counts = new Float64Array(sums.length);
  for (let at = 0; at < rgb.length; at++) {
    const pixel = Math.floor(at / 3);
    const [x, y] = [pixel % width, Math.floor(pixel / width)];
    const square = (Math.floor(y / squareSide) * across + Math.floor(x / squareSide)) * 3 + (at % 3);
    sums[square] = (sums[square] as number) + (lightOf[rgb[at] as number] as number);
    counts[square] = (counts[square] as number) + 1;
  }
  return sums.map((sum, square) => sum / (counts[square] as number));
}

/** Thousandths of white's light. */
function distance(one: Uint8Array, other: Uint8Array | undefined, view: Size): string {
  if (other === undefined) return '';
  const [ours, theirs] = [squares(one, view), squares(other, view)];
  const sum = ours.reduce((total, value, at) => total + Math.abs(value - (theirs[at] as number)), 0);
  return ((1000 * sum) / ours.length).toFixed(2);
}

/** The shortest of some rounds, in milliseconds, and the last result. */
async function timed<Result>(work: () => Promise<Result>): Promise<{ ms: number; result: Result }> {
  let ms = Number.POSITIVE_INFINITY;
  let result: Result | undefined;
  for (let round = 0; round < rounds; round++) {
    const began = performance.now();
    result = await work();
    ms = Math.min(ms, performance.now() - began);
  }
  return { ms, result: result as Result };
}

const row = (...cells: readonly (string | number)[]): void =>
  console.log(`| ${cells.map((cell) => (typeof cell === 'number' ? cell.toFixed(0) : cell)).join(' | ')} |`);

/** Milliseconds of accepting and fitting: as it is, with a fit in numbers, and in the way before. */
interface Times {
  readonly byLight: number;
  readonly inNumbers: number;
  readonly before: number;
}

const add = (one: Times, other: Times): Times => ({
  byLight: one.byLight + other.byLight,
  inNumbers: one.inNumbers + other.inNumbers,
  before: one.before + other.before,
});

const ratios = ({ byLight, inNumbers, before }: Times): readonly [string, string] => [
  (byLight / inNumbers).toFixed(2),
  (byLight / before).toFixed(2),
];

/** Measures one picture. Returns undefined if it is refused. */
async function measure(name: string, bytes: Buffer, folder: string): Promise<Times | undefined> {
  const accept = await timed(() => normalizeImage(bytes, upload));
  const image = accept.result;
  if (!image.ok) {
    const share = image.problem === 'cut' ? `, ${(image.share * 100).toFixed(0)} % are there` : '';
    console.log(`| ${name} | refused: ${image.problem}${share} |`);
    return undefined;
  }
  const file = join(folder, name);
  await writeFile(file, bytes);
  // What could not be read before, such as HEIC, is kept from what is kept now.
  const before = await timed(() => keepLess(openImage(bytes)).catch(() => keepLess(openImage(image.bytes))));
  let times: Times = { byLight: 0, inNumbers: 0, before: 0 };
  for (const panel of bothPanels) {
    const view = viewSize(panel, 'landscape');
    const now = await timed(() => fitImage(image.bytes, { panel, orientation: 'landscape', fit: 'cover' }));
    const plain = await timed(() => fitInNumbers(openImage(image.bytes), view));
    const direct = await fitElsewhere(file, view, join(folder, 'srgb.icc'));
    const twice = await timed(() => fitInNumbers(openImage(before.result), view));
    const took = { byLight: accept.ms + now.ms, inNumbers: accept.ms + plain.ms, before: before.ms + twice.ms };
    const distances = [distance(now.result, direct, view), distance(twice.result, direct, view)];
    row(name, panel.name, ...distances, accept.ms, now.ms, plain.ms, before.ms, twice.ms, ...ratios(took));
    times = add(times, took);
  }
  return times;
}

async function main(folder: string): Promise<void> {
  const given = await readPictures(process.argv[2]);
  const blank = sharp({ create: { width: 1, height: 1, channels: 3, background: '#ffffff' } }).withIccProfile('srgb');
  const { icc } = await sharp(await blank.png().toBuffer()).metadata();
  await writeFile(join(folder, 'srgb.icc'), icc ?? '');
  const hasOther = await run('convert', ['-version']).then(
    () => true,
    () => false,
  );
  if (!hasOther) console.log("ImageMagick's `convert` is missing, so nothing is compared with it.");
  row('', '', 'distance', '', 'now, ms', '', '', 'before, ms', '', 'time', '');
  console.log('|---|---|---|---|---|---|---|---|---|---|---|');
  row(
    'picture',
    'panel',
    'now',
    'before',
    'accept',
    'fit',
    'in numbers',
    'accept',
    'fit',
    'to in numbers',
    'to before',
  );
  let accepted = 0;
  let times: Times = { byLight: 0, inNumbers: 0, before: 0 };
  for (const [name, bytes] of given) {
    const measured = await measure(name, bytes, folder);
    if (measured === undefined) continue;
    accepted++;
    times = add(times, measured);
  }
  const [toNumbers, toBefore] = ratios(times);
  console.log(`${accepted} of ${given.size} accepted; time ${toBefore} of before, ${toNumbers} of a fit in numbers`);
  console.log(`limit ${timeLimit} of before`);
  process.exitCode = times.byLight <= timeLimit * times.before ? 0 : 1;
}

const scratch = await mkdtemp(join(tmpdir(), 'papergate-photographs-'));
try {
  await main(scratch);
} finally {
  await rm(scratch, { recursive: true, force: true });
}
