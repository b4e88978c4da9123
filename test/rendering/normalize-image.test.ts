import { deflateSync } from 'node:zlib';
import sharp, { type Color } from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ImageOptions, normalizeImage } from '../../api/images/normalize-image.ts';
import { longTest } from '../some-times.ts';
import { pngChunk, zeroPng } from './hostile-images.ts';
import { computedProfile } from './hostile-notes.ts';

const test = suite('normalize image');

const fill = (width: number, height: number, background: string | Color) =>
  sharp({ create: { width, height, channels: 4, background } });

const ours: ImageOptions = { sharer: ['ours', 'ours'] };

async function outcomeOf(bytes: Uint8Array): Promise<string> {
  const normalized = await normalizeImage(Buffer.from(bytes), ours);
  return normalized.ok ? (await sizeOf(normalized.bytes)).join('x') : normalized.problem;
}

async function sizeOf(png: Buffer): Promise<number[]> {
  const { width, height } = await sharp(png).metadata();
  return [width, height];
}

async function pixelsOf(bytes: Uint8Array): Promise<Buffer> {
  const normalized = await normalizeImage(Buffer.from(bytes), ours);
  if (!normalized.ok) throw new Error(normalized.problem);
  return sharp(normalized.bytes).raw().toBuffer();
}

test('JPEG, PNG and WebP become PNG', async () => {
  const image = fill(40, 30, '#336699');
  for (const bytes of [await image.jpeg().toBuffer(), await image.png().toBuffer(), await image.webp().toBuffer()]) {
    const normalized = await normalizeImage(bytes, ours);
    assert.ok(normalized.ok);
    assert.is((await sharp(normalized.bytes).metadata()).format, 'png');
    assert.equal(await sizeOf(normalized.bytes), [40, 30]);
  }
});

test('FACT-12: 60 megapixels pass, one row more does not', async () => {
  assert.is(await outcomeOf(zeroPng({ width: 10_000, height: 6000 })), '1600x960');
  assert.is(await outcomeOf(zeroPng({ width: 10_000, height: 6001 })), 'too-many-pixels');
  const immense = zeroPng({ width: 60_000, height: 60_000, inflatesTo: 4_000 });
  const started = performance.now();
  assert.is(await outcomeOf(immense), 'too-many-pixels', 'decided by the header');
  assert.ok(performance.now() - started < 5_000);
});

/** A small PNG with a further chunk after its header. */
async function pngWith(name: string, data: Buffer): Promise<Buffer> {
  const png = await fill(20, 20, '#336699').png().toBuffer();
  const afterHeader = 8 + 25;
  return Buffer.concat([png.subarray(0, afterHeader), pngChunk(name, data), png.subarray(afterHeader)]);
}

test('T-32: chunks that inflate to a hundred megabytes cost nothing', async () => {
  const inflated = deflateSync(Buffer.alloc(100_000_000), { level: 1 });
  const [text, profile] = [Buffer.from('Comment\0\0'), Buffer.from('icc\0\0')];
  const bombs = [
    await pngWith('zTXt', Buffer.concat([text, inflated])),
    await pngWith('iCCP', Buffer.concat([profile, inflated])),
    await pngWith('iTXt', Buffer.concat([Buffer.from('Comment\0\x01\0\0\0'), inflated])),
  ];
  const before = process.memoryUsage.rss();
  const started = performance.now();
  for (const bomb of bombs) assert.match(await outcomeOf(bomb), /^(20x20|broken)$/);
  assert.ok(performance.now() - started < 10_000, 'no time');
  assert.ok(process.memoryUsage.rss() - before < 80_000_000, 'no memory');
});

test('T-32: a profile is followed where it has tables and curves, and left out where it computes', async () => {
  const green = await fill(4, 4, '#00ff00').png().toBuffer();
  const wide = sharp(await sharp(green).withIccProfile('p3').png().toBuffer()).keepIccProfile();
  const lossless = [wide.clone().png(), wide.clone().webp({ lossless: true })];
  for (const made of [...lossless, wide.clone().resize(40).jpeg({ quality: 100 })]) {
    const image = await made.toBuffer();
    const { icc, format } = await sharp(image).metadata();
    assert.ok(icc, `${format}: there is a profile`);
    const [r = 255, g = 0, b = 255] = await pixelsOf(image);
    assert.ok(r < 5 && g > 250 && b < 5, `${format}: it says what the pixels mean, ${r} ${g} ${b}`);
    const [strange = 0] = await sharp(image, { ignoreIcc: true }).raw().toBuffer();
    assert.ok(strange > 50, `${format}: without it they would be another green`);
  }
  const computed = Buffer.concat([Buffer.from('icc\0\0'), deflateSync(computedProfile(200_000))]);
  assert.is((await pixelsOf(await pngWith('iCCP', computed))).subarray(0, 3).toString('hex'), '336699');
});

longTest(test)(
  'T-60: a caller who pushes thirty costly images waits for them alone, and one that is taken back is not decoded',
  async () => {
    const costly = zeroPng({ width: 8000, height: 5000 });
    const done: string[] = [];
    const push = async (organization: string, connection: string, signal?: AbortSignal): Promise<void> => {
      const options = { sharer: [organization, connection], ...(signal && { signal }) };
      assert.ok((await normalizeImage(costly, options)).ok);
      done.push(connection);
    };
    const callers = Array.from({ length: 30 }, () => new AbortController());
    const flood = callers.map(({ signal }) => push('theirs', 'loud', signal));
    const quiet = push('theirs', 'quiet');
    const left = Promise.allSettled(flood);
    await push('ours', 'ours');
    assert.ok(done.length <= 5, `another organization waits for what had begun: ${done}`);
    await quiet;
    assert.ok(done.length <= 9, `another connection, too: ${done}`);
    for (const caller of callers) caller.abort(new Error('he left'));
    const ends = await left;
    const rejected = ends.filter((end) => end.status === 'rejected' && end.reason.message === 'he left');
    assert.ok(rejected.length >= 20, `${rejected.length} were not decoded`);
    assert.is(done.length, 2 + 30 - rejected.length);
  },
);

test('images are fitted into 1600x1600 and never enlarged', async () => {
  assert.is(await outcomeOf(await fill(3200, 1000, '#fff').png().toBuffer()), '1600x500');
  assert.is(await outcomeOf(await fill(10, 3, '#fff').png().toBuffer()), '10x3');
  assert.is(await outcomeOf(zeroPng({ width: 16_000, height: 1 })), '1600x1', 'extreme proportions');
});

test('the orientation is applied and metadata is gone, GPS included', async () => {
  const red = await fill(20, 10, '#ff0000').png().toBuffer();
  const turned = await sharp(red)
    .extend({ right: 20, background: '#0000ff' })
    .withExif({ IFD0: { Orientation: '6', Copyright: 'somebody' }, IFD3: { GPSLatitude: '52/1 31/1 0/1' } })
    .jpeg({ quality: 100, chromaSubsampling: '4:4:4' })
    .withMetadata({ orientation: 6 })
    .toBuffer();
  assert.is((await sharp(turned).metadata()).orientation, 6, 'the upload says so');
  const normalized = await normalizeImage(turned, ours);
  assert.ok(normalized.ok);
  assert.equal(await sizeOf(normalized.bytes), [10, 40], 'upright');
  const pixels = await sharp(normalized.bytes).raw().toBuffer();
  assert.ok((pixels[0] as number) > 200 && (pixels[2] as number) < 60, 'what was left is on top');
  const { exif, icc, xmp, orientation } = await sharp(normalized.bytes).metadata();
  assert.equal([exif, icc, xmp, orientation], [undefined, undefined, undefined, undefined]);
});

test('transparency is laid on white, 16 bits and CMYK become sRGB', async () => {
  const half = await fill(4, 4, { r: 0, g: 0, b: 0, alpha: 0 }).png().toBuffer();
  assert.is((await pixelsOf(half)).subarray(0, 3).toString('hex'), 'ffffff');
  const deep = await fill(4, 4, '#336699').toColourspace('rgb16').png().toBuffer();
  assert.is((await sharp(deep).metadata()).depth, 'ushort');
  const shallow = await normalizeImage(deep, ours);
  assert.ok(shallow.ok);
  assert.is((await sharp(shallow.bytes).metadata()).depth, 'uchar');
  const cmyk = await fill(4, 4, '#ff0000').toColourspace('cmyk').jpeg().toBuffer();
  assert.is((await sharp(cmyk).metadata()).space, 'cmyk');
  assert.is((await pixelsOf(cmyk)).length, 4 * 4 * 3);
});

test('of an animation the first frame is taken', async () => {
  const frames = await Promise.all(
    ['#ff0000', '#0000ff'].map((background) => fill(8, 8, background).removeAlpha().raw().toBuffer()),
  );
  const animation = await sharp(Buffer.concat(frames), { raw: { width: 8, height: 16, channels: 3, pageHeight: 8 } })
    .webp({ loop: 0, lossless: true })
    .toBuffer();
  assert.is((await sharp(animation).metadata()).pages, 2);
  assert.is(await outcomeOf(animation), '8x8');
  assert.is((await pixelsOf(animation)).subarray(0, 3).toString('hex'), 'ff0000');
});

test.run();
