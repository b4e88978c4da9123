/** The pictures of the recipes that the service brings along: each is small, and shows what the recipe draws now. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { longTest } from '../some-times.ts';
import { checkout } from '../sources.ts';
import { ownRecipeNames, recipePictures } from './recipe-pictures.ts';

const test = suite('pictures of recipes');

const maxBytes = 40_000;
/** The part of its pixels by which a picture may differ: browsers draw the edges of letters a little differently. */
const maxDifference = 0.01;

const accepted = (path: string): Buffer => readFileSync(join(checkout, path));
const pixelsOf = (png: Buffer) => sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });

test('each recipe has a picture as OpenPaper 7 shows it, of at most 40 kB', async () => {
  for (const name of ownRecipeNames) {
    const png = accepted(`recipes/${name}/picture.png`);
    const { width, height } = await sharp(png).metadata();
    assert.equal([width, height], [800, 480], name);
    assert.ok(png.length <= maxBytes, `${name} has ${png.length} bytes`);
  }
});

longTest(test)('each picture is what its recipe draws: `node --import tsx test/accept.ts recipes`', async () => {
  const drawn = await recipePictures();
  assert.is(drawn.length, ownRecipeNames.length);
  for (const [path, png] of drawn) {
    const [{ data: now }, { data: before }] = await Promise.all([pixelsOf(png), pixelsOf(accepted(path))]);
    assert.is(now.length, before.length, path);
    const other = now.reduce((sum, value, at) => sum + (Math.abs(value - (before[at] ?? 0)) > 24 ? 1 : 0), 0);
    assert.ok(other <= now.length * maxDifference, `${path}: ${other} of ${now.length} values are other ones`);
  }
});

test.run();
