/**
 * Prints how much of a known subject stays visible where a picture is cut: `node --import tsx test/bench/crops.ts`. Twenty drawn
 * pictures; PICTURES, where it is given, is a folder with `canyon.jpg`, `pier.jpg`, `coffee.png` and `dashboard.png`, whose
 * subjects are named below. Each is cut to 800x480 and 480x800 in linear light, in the middle and as sharp's strategies do,
 * and where that cuts more than a twentieth away it counts. The last lines are means, the cases that are worse than the
 * middle, and the time.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { cutSubject } from './cut-subject.ts';
import { type DrawnSubject, drawnSubjects, type SubjectBox } from './drawn-subjects.ts';

const shapes = [
  [800, 480],
  [480, 800],
] as const;

const positions: Readonly<Record<string, string | number>> = {
  middle: 'centre',
  attention: sharp.strategy.attention,
  entropy: sharp.strategy.entropy,
};

/** The subjects of real photographs, marked by eye. */
const marked: Readonly<Record<string, SubjectBox>> = {
  'canyon.jpg': { left: 0.3, top: 0.19, width: 0.58, height: 0.6 },
  'pier.jpg': { left: 0.35, top: 0.45, width: 0.3, height: 0.3 },
  'coffee.png': { left: 0.28, top: 0.04, width: 0.41, height: 0.67 },
  'dashboard.png': { left: 0, top: 0, width: 1, height: 1 },
};

async function readMarked(folder: string | undefined): Promise<readonly DrawnSubject[]> {
  if (folder === undefined) return [];
  const named = Object.entries(marked);
  return Promise.all(
    named.map(async ([name, subject]) => ({ name, subject, image: await readFile(join(folder, name)) })),
  );
}

const names = Object.keys(positions);
const sums = Object.fromEntries(names.map((name) => [name, { seen: 0, ms: 0, worse: 0, better: 0 }]));
let cases = 0;
console.log(`| picture | cut to | ${names.join(' | ')} |\n|---|---|${names.map(() => '---|').join('')}`);
for (const drawn of [...(await readMarked(process.env.PICTURES)), ...(await drawnSubjects())]) {
  const { autoOrient } = await sharp(drawn.image).metadata();
  for (const shape of shapes) {
    const ratio = (autoOrient.width * shape[1]) / (autoOrient.height * shape[0]);
    if (Math.min(ratio, 1 / ratio) > 0.95) continue;
    cases++;
    const cuts = new Map<string, { seen: number; ms: number }>();
    for (const name of names) cuts.set(name, await cutSubject(drawn, shape, positions[name] ?? 'centre'));
    const middle = cuts.get('middle')?.seen ?? 0;
    for (const [name, { seen, ms }] of cuts) {
      const sum = sums[name];
      if (sum === undefined) continue;
      sum.seen += seen;
      sum.ms += ms;
      if (seen < middle - 0.01) sum.worse++;
      if (seen > middle + 0.01) sum.better++;
    }
    console.log(
      `| ${drawn.name} | ${shape.join('x')} | ${[...cuts.values()].map(({ seen }) => seen.toFixed(2)).join(' | ')} |`,
    );
  }
}
for (const name of names) {
  const { seen, ms, worse, better } = sums[name] ?? { seen: 0, ms: 0, worse: 0, better: 0 };
  const mean = `mean ${(seen / cases).toFixed(3)}, better in ${better} and worse in ${worse} of ${cases}`;
  console.log(`${name}: ${mean}, ${(ms / cases).toFixed(0)} ms`);
}
