/**
 * Prints how sharp pictures are, whole and blurred: `node --import tsx test/bench/blur.ts`. Twenty drawn pictures, four more of night,
 * fog, a portrait in front of a soft background and leaves; PICTURES, where it is given, is a folder of photographs. Each is
 * taken as it is, out of focus by Gaussian radii of a picture of 800 pixels, and shaken sideways. The last lines count those
 * that are taken for blurred.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { blurredBelow, isBelowSharp, measureSharpness } from '../../api/images/blur.ts';
import { drawnSubjects } from './drawn-subjects.ts';
import { hardToJudge } from './hard-pictures.ts';

const side = 800;
const radii = [1, 2, 3, 4] as const;
const shakes = [9, 21] as const;

async function photographs(folder: string | undefined): Promise<readonly (readonly [string, Buffer])[]> {
  if (folder === undefined) return [];
  const names = (await readdir(folder)).filter((name) => /\.(jpe?g|png)$/i.test(name)).sort();
  return Promise.all(names.map(async (name) => [name, await readFile(join(folder, name))] as const));
}

/** Returns the picture as it is, out of focus, and shaken. */
async function versions(image: Buffer): Promise<ReadonlyMap<string, Buffer>> {
  const small = await sharp(image).resize(side, side, { fit: 'inside' }).removeAlpha().png().toBuffer();
  const made = new Map<string, Buffer>([['whole', small]]);
  for (const radius of radii) made.set(`focus ${radius}`, await sharp(small).blur(radius).jpeg().toBuffer());
  for (const width of shakes) {
    const row = Array.from({ length: width * width }, (_, at) => (Math.floor(at / width) === (width - 1) / 2 ? 1 : 0));
    made.set(`shaken ${width}`, await sharp(small).convolve({ width, height: width, kernel: row }).jpeg().toBuffer());
  }
  return made;
}

const drawn = (await drawnSubjects()).map(({ name, image }) => [name, image] as const);
const counts = new Map<string, number>();
let pictures = 0;
for (const [name, image] of [...(await photographs(process.env.PICTURES)), ...drawn, ...(await hardToJudge())]) {
  const cells: string[] = [];
  for (const [version, bytes] of await versions(image)) {
    const sharpness = await measureSharpness(bytes);
    if (pictures === 0) counts.set(version, 0);
    if (isBelowSharp(sharpness)) counts.set(version, (counts.get(version) ?? 0) + 1);
    cells.push(sharpness?.toFixed(3) ?? '-');
  }
  if (pictures === 0)
    console.log(`| picture | ${[...counts.keys()].join(' | ')} |\n|${'---|'.repeat(counts.size + 1)}`);
  console.log(`| ${name} | ${cells.join(' | ')} |`);
  pictures++;
}
for (const [version, count] of counts) console.log(`${version}: ${count} of ${pictures} below ${blurredBelow}`);
