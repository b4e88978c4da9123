/** The meaning of the numbers of a picture. The wanted numbers are those that Chromium draws, where nothing else is stated. */
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ImageOptions, normalizeImage } from '../../api/images/normalize-image.ts';
import {
  adobeRgb,
  curve,
  deepPng,
  formula,
  gammaChunk,
  grayProfile,
  inkJpeg,
  profileChunk,
  table,
  withChunk,
  withProfile,
} from './colour-files.ts';

const test = suite('colours');

const upload: ImageOptions = { sharer: ['ours', 'ours'], keepsDetail: true };

/** The first pixel, and the notes. */
async function seen(bytes: Buffer, options = upload) {
  const image = await normalizeImage(bytes, options);
  if (!image.ok) throw new Error(image.problem);
  const rgb = await sharp(image.bytes).removeAlpha().toColourspace('srgb').raw().toBuffer();
  return { pixel: [...rgb.subarray(0, 3)], notes: image.notes };
}

function isNear(pixel: readonly number[], wanted: readonly number[], what: string, apart = 1): void {
  const isClose = pixel.length === 3 && pixel.every((value, at) => Math.abs(value - (wanted[at] ?? 999)) <= apart);
  assert.ok(isClose, `${what}: ${pixel} is not ${wanted}`);
}

test('inks without a note and a profile are plain complements, as in Chromium, and this is noted', async () => {
  const drawn = [
    [inkJpeg([0, 128, 128, 255]), [0, 128, 128]],
    [inkJpeg([200, 90, 150, 220]), [172, 77, 129]],
    [inkJpeg([0, 200, 255, 128]), [0, 100, 128]],
    [inkJpeg([255, 255, 255, 0]), [0, 0, 0]],
    [inkJpeg([255, 255, 255, 255]), [255, 255, 255]],
  ] as const;
  for (const [jpeg, wanted] of drawn) {
    const { pixel, notes } = await seen(jpeg);
    isNear(pixel, wanted, 'inks');
    assert.equal(notes, ['inks-guessed']);
  }
  const { pixel, notes } = await seen(withProfile(inkJpeg([200, 90, 150, 220]), Buffer.alloc(90)));
  isNear(pixel, [172, 77, 129], 'a profile that nobody can read');
  assert.equal(notes, ['profile-left-out', 'inks-guessed']);
  const ofScreens = await seen(withProfile(inkJpeg([200, 90, 150, 220]), adobeRgb()));
  isNear(ofScreens.pixel, [172, 77, 129], 'a profile of three colours');
});

test("inks with Adobe's note are those of a press: its black is not a screen's", async () => {
  const black = await seen(inkJpeg([0, 128, 128, 0], true));
  isNear(black.pixel, [20, 5, 0], 'black alone', 3);
  assert.equal(black.notes, []);
  isNear((await seen(inkJpeg([0, 128, 128, 255], true))).pixel, [255, 255, 255], 'paper');
});

/** Colours and gray in 8 bits, each as PNG and as JPEG. */
async function plainFiles() {
  const rgb = sharp({ create: { width: 8, height: 8, channels: 3, background: '#6496c8' } });
  const gray = sharp(Buffer.alloc(64, 100), { raw: { width: 8, height: 8, channels: 1 } }).toColourspace('b-w');
  return {
    rgbPng: await rgb.clone().png().toBuffer(),
    rgbJpeg: await rgb.clone().jpeg({ quality: 100, chromaSubsampling: '4:4:4' }).toBuffer(),
    grayPng: await gray.clone().png().toBuffer(),
    grayJpeg: await gray.clone().jpeg({ quality: 100 }).toBuffer(),
  };
}

/** 16 bits for a number of 8. */
const deep = (number: number): number => number * 257;
const colours = [100, 150, 200];
const deepColours = (): Buffer => deepPng(...colours.map(deep));

test('photographs in Adobe RGB have their colours, also in 16 bits', async () => {
  const { rgbPng, rgbJpeg } = await plainFiles();
  const chunk = profileChunk(adobeRgb());
  for (const bytes of [withChunk(rgbPng, chunk), withProfile(rgbJpeg, adobeRgb()), withChunk(deepColours(), chunk)]) {
    const { pixel, notes } = await seen(bytes);
    isNear(pixel, [66, 151, 203], 'Adobe RGB');
    assert.equal(notes, []);
  }
});

test('gray stands for light as its profile or its gamma says', async () => {
  const { grayPng, grayJpeg } = await plainFiles();
  const linear = profileChunk(grayProfile(curve(1)));
  const files: readonly (readonly [name: string, bytes: Buffer, wanted: number])[] = [
    ['JPEG, linear', withProfile(grayJpeg, grayProfile(curve(1))), 168],
    ['JPEG, 1.8', withProfile(grayJpeg, grayProfile(curve(1.8))), 119],
    ['PNG, linear', withChunk(grayPng, linear), 168],
    ['PNG, linear by gamma', withChunk(grayPng, gammaChunk(100_000)), 168],
    ['PNG, 1.8 by gamma', withChunk(grayPng, gammaChunk(55_556)), 119],
    ['16 bits, linear', withChunk(deepPng(deep(100)), linear), 168],
    ['16 bits, linear by gamma', withChunk(deepPng(deep(100)), gammaChunk(100_000)), 168],
    ['gamma 0', withChunk(grayPng, gammaChunk(0)), 100],
    ['16 bits, gamma 0', withChunk(deepPng(deep(100)), gammaChunk(0)), 100],
  ];
  for (const [name, bytes, wanted] of files) {
    const { pixel, notes } = await seen(bytes);
    isNear(pixel, [wanted, wanted, wanted], name);
    assert.equal(notes, name.endsWith('gamma 0') ? ['gamma-left-out'] : [], name);
  }
});

test('numbers of 16 bits come to their level of 8, with a gamma, too', async () => {
  for (const value of [0, 1, 99, 100, 128, 254, 255]) {
    isNear((await seen(deepPng(deep(value)))).pixel, [value, value, value], 'gray', 0);
    isNear((await seen(deepPng(deep(value), 0, 0xffff))).pixel, [value, 0, 255], 'colours', 0);
  }
  const linear = await seen(withChunk(deepColours(), gammaChunk(100_000)));
  isNear(linear.pixel, [168, 202, 229], 'linear light');
  const none = await seen(withChunk(deepColours(), gammaChunk(0)));
  isNear(none.pixel, colours, 'gamma 0', 0);
  assert.equal(none.notes, ['gamma-left-out']);
});

test('a picture that is reduced when it is accepted has its colours, with any profile', async () => {
  const large = sharp({ create: { width: 1700, height: 20, channels: 3, background: '#6496c8' } });
  const jpeg = await large.clone().jpeg({ quality: 100 }).toBuffer();
  const png = await large.clone().png({ compressionLevel: 1 }).toBuffer();
  const deepened = await large.clone().toColourspace('rgb16').png().toBuffer();
  const files = [
    ['plain', png, colours],
    ['JPEG in Adobe RGB', withProfile(jpeg, adobeRgb()), [66, 151, 203]],
    ['PNG in Adobe RGB', withChunk(png, profileChunk(adobeRgb())), [66, 151, 203]],
    ['linear', withChunk(png, gammaChunk(100_000)), [168, 202, 229]],
    ['16 bits', withChunk(deepened, profileChunk(adobeRgb())), [66, 151, 203]],
    ['inks of white', await large.clone().linear(0, 255).toColourspace('cmyk').jpeg().toBuffer(), [255, 255, 255]],
  ] as const;
  for (const [name, bytes, wanted] of files) {
    isNear((await seen(bytes, { sharer: ['ours', 'ours'] })).pixel, wanted, name, 2);
  }
});

test('a profile whose curve is broken is left out, and this is noted', async () => {
  const { rgbPng, rgbJpeg, grayPng } = await plainFiles();
  const broken: Readonly<Record<string, Buffer>> = {
    'more entries than there are': curve(2.2, 5_000),
    'entries beyond every file': curve(2.2, 0xffffffff),
    'a power of 0': curve(0),
    'a power of 255': curve(255),
    'black alone': table(0, 0, 0, 0),
    'white alone': table(0xffff, 0xffff),
    'from white to black': table(0xffff, 0),
    'a formula that nobody knows': formula(9, 2.2),
    'a power below 0': formula(0, -2.2),
    'a formula of nothing': formula(3, 2.4, 0, 0, 0, 0),
    'another kind': Buffer.from('junk'.padEnd(20, '\0'), 'latin1'),
    'a curve of four bytes': Buffer.from('curv', 'latin1'),
  };
  for (const [name, light] of Object.entries(broken)) {
    const files = [
      [withChunk(rgbPng, profileChunk(adobeRgb(light))), colours],
      [withProfile(rgbJpeg, adobeRgb(light)), colours],
      [withChunk(grayPng, profileChunk(grayProfile(light))), [100, 100, 100]],
    ] as const;
    for (const [bytes, wanted] of files) {
      const { pixel, notes } = await seen(bytes);
      isNear(pixel, wanted, name);
      assert.equal(notes, ['profile-left-out'], name);
    }
  }
  const whole = await seen(withChunk(rgbPng, profileChunk(adobeRgb(formula(0, 563 / 256)))));
  isNear(whole.pixel, [66, 151, 203], 'a formula that is whole');
  assert.equal(whole.notes, []);
});

test.run();
