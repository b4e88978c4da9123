/**
 * Prints what stays visible of two pictures side by side, against one on the whole panel: `node --import tsx test/bench/pairs.ts`. The
 * twenty drawn pictures of `crops.ts`, for two panels that lie: the share of each picture's area, and that of its subject,
 * alone and in a half, cut by `attention`. Then the judgement of the rule for the picture next to one of its own shape, and the
 * means of those that it puts side by side and of those that it leaves alone.
 */
import sharp from 'sharp';
import { fitsInPair, halvesOf, shareSeen, type ViewPixels } from '../../api/inks/paired-picture.ts';
import { cutSubject } from './cut-subject.ts';
import { drawnSubjects } from './drawn-subjects.ts';

const panels: readonly ViewPixels[] = [
  { width: 800, height: 480 },
  { width: 1600, height: 1200 },
];

type Shares = readonly [alone: number, half: number, subjectAlone: number, subjectInHalf: number];
const found: Readonly<Record<'pair' | 'alone', Shares[]>> = { pair: [], alone: [] };
const { attention } = sharp.strategy;

console.log(
  '| picture | panel | area alone | in a half | subject alone | in a half | rule |\n|---|---|---|---|---|---|---|',
);
for (const drawn of await drawnSubjects()) {
  const { autoOrient } = await sharp(drawn.image).metadata();
  for (const panel of panels) {
    const { half } = halvesOf(panel);
    const seen = async ({ width, height }: ViewPixels) => (await cutSubject(drawn, [width, height], attention)).seen;
    const shares = [
      shareSeen(autoOrient, panel),
      shareSeen(autoOrient, half),
      await seen(panel),
      await seen(half),
    ] as const;
    const rule = fitsInPair(autoOrient, autoOrient, panel) ? 'pair' : 'alone';
    found[rule].push(shares);
    const cells = shares.map((share) => share.toFixed(2)).join(' | ');
    console.log(`| ${drawn.name} | ${panel.width}x${panel.height} | ${cells} | ${rule} |`);
  }
}
for (const [rule, all] of Object.entries(found)) {
  const means = [0, 1, 2, 3].map((at) => all.reduce((sum, shares) => sum + (shares[at] ?? 0), 0) / all.length);
  const worse = all.filter(([, , alone, half]) => half < alone - 0.01).length;
  console.log(
    `${rule}: ${all.length} cases, means ${means.map((mean) => mean.toFixed(3)).join(' | ')}, subject worse in a half in ${worse}`,
  );
}
