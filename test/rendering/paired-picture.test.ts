/** Two pictures on one panel. */
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fitsInPair, halvesOf, pairedPicture, shareSeen } from '../../api/inks/paired-picture.ts';

const test = suite('paired picture');

const lying = { width: 800, height: 480 };
const standing = { width: 480, height: 800 };
const portrait = { width: 3024, height: 4032 };
const landscape = { width: 4032, height: 3024 };

const plain = (width: number, height: number, background: string) =>
  sharp({ create: { width, height, channels: 3, background } });

/** Returns the pixel of a picture. */
async function pixelsOf(image: Buffer) {
  const { data, info } = await sharp(image).raw().toBuffer({ resolveWithObject: true });
  const at = (x: number, y: number) => [...data.subarray((y * info.width + x) * 3, (y * info.width + x) * 3 + 3)];
  return { at, size: [info.width, info.height], data };
}

test('two portraits fit on a panel that lies, and two landscapes on one that stands', () => {
  assert.ok(fitsInPair(portrait, portrait, lying));
  assert.ok(fitsInPair(landscape, landscape, standing));
  assert.ok(fitsInPair({ width: 1080, height: 1920 }, portrait, { width: 1600, height: 1200 }));
  assert.not.ok(fitsInPair(landscape, landscape, lying));
  assert.not.ok(fitsInPair(portrait, landscape, lying), 'one of the two would lose');
  assert.not.ok(fitsInPair(portrait, portrait, standing));
  assert.not.ok(fitsInPair({ width: 5000, height: 3000 }, { width: 5000, height: 3000 }, lying));
});

test('the share that stays visible is that of the cut', () => {
  assert.is(shareSeen(lying, lying), 1);
  assert.is(shareSeen({ width: 800, height: 960 }, lying), 0.5);
  assert.is(shareSeen({ width: 1600, height: 480 }, lying), 0.5);
});

test('halves are of one size and fill the panel, whatever its pixels', () => {
  for (const width of [400, 401, 799, 800, 1200, 1600]) {
    const { half, seam } = halvesOf({ width, height: 300 });
    assert.is(2 * half.width + seam, width);
    assert.ok(seam >= 4 && seam <= 12 && Number.isInteger(half.width), `${width}: ${seam}`);
  }
});

test('each half shows its picture around a white seam', async () => {
  const red = await plain(600, 800, '#c02020').jpeg().toBuffer();
  const blue = await plain(90, 120, '#2020c0').png().toBuffer();
  for (const panel of [lying, standing]) {
    const { at, size } = await pixelsOf(await pairedPicture(red, blue, panel));
    assert.equal(size, [panel.width, panel.height]);
    const [right, below] = panel === lying ? [700, 240] : [240, 700];
    assert.ok((at(20, 20)[0] ?? 0) > 180 && (at(20, 20)[2] ?? 0) < 60);
    assert.equal(at(right, below), [32, 32, 192]);
    assert.equal(at(panel.width / 2, panel.height / 2), [255, 255, 255]);
  }
});

test('the subject of each stays in its half', async () => {
  const thing = await plain(150, 150, '#e04030').png().toBuffer();
  const wide = await plain(1600, 800, '#285a32')
    .composite([{ input: thing, left: 1400, top: 300 }])
    .png()
    .toBuffer();
  const { data } = await pixelsOf(await pairedPicture(wide, wide, lying));
  let red = 0;
  for (let at = 0; at < data.length; at += 3) if ((data[at] ?? 0) > 150 && (data[at + 1] ?? 0) < 110) red++;
  assert.ok(red > 2 * 80 * 80, `${red} pixels of the subject`);
});

test('a strip and a single pixel are laid as well', async () => {
  const strip = await plain(16_000, 1, '#336699').png().toBuffer();
  const dot = await plain(1, 1, '#2020c0').png().toBuffer();
  const { at, size } = await pixelsOf(await pairedPicture(strip, dot, lying));
  assert.equal(
    [size, at(5, 5), at(700, 240)],
    [
      [800, 480],
      [51, 102, 153],
      [32, 32, 192],
    ],
  );
});

test.run();
