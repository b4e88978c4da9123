/** Photographs as phones, cameras and programs make them: taken when a viewer shows them, with the right light. */
import { deflateSync } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ImageOptions, normalizeImage } from '../../api/images/normalize-image.ts';
import { createDitherWorkers } from '../../api/inks/dithering/workers.ts';
import { preparePicture } from '../../api/inks/prepare-picture.ts';
import { type Orientation, type Panel, panels, viewSize } from '../../firmware-protocol/panels.ts';
import { systemClock } from '../../runtime/clock.ts';
import { longTest } from '../some-times.ts';
import { pngChunk } from './hostile-images.ts';
import { sharer } from './render-world.ts';

const test = suite('photographs');

const upload: ImageOptions = { sharer: ['ours', 'ours'], formats: ['jpeg', 'png', 'webp', 'gif'], keepsDetail: true };

async function taken(bytes: Buffer, options = upload) {
  const image = await normalizeImage(bytes, options);
  if (!image.ok) throw new Error(`${image.problem} ${'share' in image ? image.share : ''}`);
  const { data, info } = await sharp(image.bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return { ...image, data, ...info };
}

/** A photograph with a soft pattern all over, so that every part of it differs from gray. */
function waves(width: number, height: number): Sharp {
  const rgb = Buffer.alloc(width * height * 3);
  for (let at = 0; at < rgb.length; at++) {
    const [x, y] = [Math.floor(at / 3) % width, Math.floor(at / 3 / width)];
    rgb[at] = 128 + 60 * Math.sin(x / 7 + at) + 60 * Math.cos(y / 5);
  }
  return sharp(rgb, { raw: { width, height, channels: 3 } });
}

const end = (jpeg: Buffer): Buffer => jpeg.subarray(0, -2);
const scanAt = (jpeg: Buffer): number => jpeg.indexOf(Buffer.from([0xff, 0xda]));
const insert = (bytes: Buffer, at: number, more: Buffer): Buffer =>
  Buffer.concat([bytes.subarray(0, at), more, bytes.subarray(at)]);

test('a JPEG with odd bytes between its parts is the same picture', async () => {
  const plain = await waves(320, 240).jpeg().toBuffer();
  const { data } = await taken(plain);
  const samsung = Buffer.from(plain);
  // The last three bytes before the pixels: Samsung's phones write 0, 0, 0 in place of 0, 63, 0.
  samsung[scanAt(plain) + 2 + plain.readUInt16BE(scanAt(plain) + 2) - 2] = 0;
  const odd: readonly (readonly [name: string, bytes: Buffer, notes: readonly string[]])[] = [
    ['parameters of Samsung', samsung, ['parts-overlooked']],
    ['loose bytes before the scan', insert(plain, scanAt(plain), Buffer.from([1, 2, 3])), []],
    ['fill bytes', insert(plain, scanAt(plain), Buffer.alloc(40, 0xff)), []],
    ['a loose marker', insert(plain, scanAt(plain), Buffer.from([0xff, 0xd3])), []],
    ['a second beginning', Buffer.concat([Buffer.from([0xff, 0xd8]), plain]), []],
    ['bytes after its end', Buffer.concat([plain, Buffer.alloc(5_000, 'film')]), []],
    ['no end', end(plain), ['end-missing']],
    ['no end and bytes after it', Buffer.concat([end(plain), Buffer.alloc(500, 7)]), ['end-missing']],
  ];
  for (const [name, bytes, notes] of odd) {
    const { data: same, notes: said } = await taken(bytes);
    assert.ok(same.equals(data), `${name}: other pixels`);
    // A warning of the decoder's own may come in addition.
    for (const note of notes) assert.ok(said.includes(note as never), `${name}: ${said}`);
  }
  const behind = Buffer.concat([end(plain), await waves(64, 64).png().toBuffer()]);
  assert.ok((await taken(behind)).data.equals(data), 'a file of another kind behind it');
});

test('a picture whose lower part is missing is refused with the share that is there', async () => {
  const sharpest = waves(900, 600);
  const files = {
    jpeg: await sharpest.clone().jpeg({ quality: 95 }).toBuffer(),
    png: await sharpest.clone().png().toBuffer(),
    webp: await sharpest.clone().webp({ lossless: true }).toBuffer(),
  };
  for (const [format, whole] of Object.entries(files)) {
    for (const share of [0.25, 0.5, 0.9]) {
      const image = await normalizeImage(whole.subarray(0, whole.length * share), upload);
      if (image.ok || image.problem !== 'cut')
        throw new Error(`${format} ${share}: ${JSON.stringify(image).slice(0, 90)}`);
      assert.ok(Math.abs(image.share - share) < 0.07, `${format}: ${image.share} of ${share}`);
    }
  }
  const another = Buffer.concat([files.jpeg.subarray(0, files.jpeg.length / 2), await waves(64, 64).jpeg().toBuffer()]);
  const image = await normalizeImage(another, upload);
  assert.is(image.ok ? 'taken' : image.problem, 'cut', 'the beginning of one and the whole of another');
});

test('a progressive JPEG that lacks its last scans is the whole picture, less sharp', async () => {
  const whole = await waves(900, 600).jpeg({ progressive: true, quality: 95 }).toBuffer();
  const { notes, width, height } = await taken(whole.subarray(0, whole.length * 0.7));
  assert.equal([width, height], [900, 600]);
  assert.ok(notes.includes('end-missing'));
  const second = whole.indexOf(Buffer.from([0xff, 0xda]), scanAt(whole) + 2);
  const early = await normalizeImage(whole.subarray(0, (scanAt(whole) + second) / 2), upload);
  assert.is(early.ok, false, 'without a whole first scan the lower part is missing');
});

/** A PNG of two halves, with more chunks before its pixels. */
async function halves(left: number, right: number, ...chunks: Buffer[]): Promise<Buffer> {
  const rgb = Buffer.alloc(40 * 10 * 3);
  for (let at = 0; at < rgb.length; at++) rgb[at] = Math.floor(at / 3) % 40 < 20 ? left : right;
  const png = await sharp(rgb, { raw: { width: 40, height: 10, channels: 3 } })
    .png()
    .toBuffer();
  return insert(png, 33, Buffer.concat(chunks));
}

const gamma = (value: number): Buffer => {
  const data = Buffer.alloc(4);
  data.writeUInt32BE(value);
  return pngChunk('gAMA', data);
};

test('numbers stand for light as the file says: gamma of a PNG', async () => {
  const seen = async (png: Buffer) => {
    const { data, notes } = await taken(png);
    return [data[0], data[39 * 3], ...notes];
  };
  assert.equal(await seen(await halves(55, 128, gamma(100_000))), [128, 188], 'linear light');
  assert.equal(await seen(await halves(55, 128, gamma(45_455))), [55, 128], 'that of screens');
  assert.equal(
    await seen(await halves(55, 128, gamma(100_000), pngChunk('sRGB', Buffer.of(0)))),
    [55, 128],
    'sRGB says more',
  );
  assert.equal(await seen(await halves(55, 128, gamma(0))), [55, 128, 'gamma-left-out'], 'none at all');
  const [dark = 0] = await seen(await halves(128, 255, gamma(55_556)));
  assert.ok(Number(dark) > 150 - 12 && Number(dark) < 165, `the one of old Macs, 1.8: ${dark}`);
});

test('wide colours are those that the profile says, and an unreadable profile is reported', async () => {
  const red = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#c83232' } })
    .png()
    .toBuffer();
  for (const profile of ['p3', 'srgb'] as const) {
    const png = await sharp(red).withIccProfile(profile).png().toBuffer();
    const { data, notes } = await taken(png);
    assert.equal(notes, [], profile);
    assert.ok(
      Math.abs((data[0] ?? 0) - 0xc8) <= 1 && Math.abs((data[1] ?? 0) - 0x32) <= 1,
      `${profile}: ${data.subarray(0, 3).join()}`,
    );
  }
  const broken = await halves(
    10,
    20,
    pngChunk('iCCP', Buffer.concat([Buffer.from('icc\0\0'), deflateSync(Buffer.alloc(90))])),
  );
  assert.equal((await taken(broken)).notes, ['profile-left-out']);
});

test('a picture that has a brighter version for screens gives the usual one, and says so', async () => {
  const jpeg = await waves(64, 48).jpeg().toBuffer();
  const xmp = Buffer.from('http://ns.adobe.com/xap/1.0/\0<x:xmpmeta hdrgm:Version="1.0"/>');
  const head = Buffer.from([0xff, 0xe1, 0, 0]);
  head.writeUInt16BE(xmp.length + 2, 2);
  const { data, notes } = await taken(Buffer.concat([insert(jpeg, 2, Buffer.concat([head, xmp])), jpeg]));
  assert.equal(notes, ['gain-map-left-out']);
  assert.ok(data.equals((await taken(jpeg)).data));
});

test('an upload keeps every pixel, pushed content 1600 a side', async () => {
  const large = await sharp({ create: { width: 4032, height: 3024, channels: 3, background: '#808080' } })
    .jpeg()
    .toBuffer();
  const kept = await taken(large);
  assert.equal([kept.width, kept.height], [4032, 3024]);
  assert.is((await sharp(kept.bytes).metadata()).format, 'jpeg', 'larger than every panel: as JPEG');
  const { format, width } = await sharp(
    (await taken(await sharp(large).resize(1872).png().toBuffer())).bytes,
  ).metadata();
  assert.equal([format, width], ['png', 1872], 'it may be ready for a panel: to the pixel');
  const pushed = await taken(large, { sharer: ['ours', 'ours'] });
  assert.equal([pushed.width, pushed.height], [1600, 1200]);
});

/** The view of a prepared picture, in measured colours. */
async function viewOf(source: Buffer, panel: Panel, orientation: Orientation) {
  const workers = createDitherWorkers(systemClock, 2);
  try {
    const image = await normalizeImage(source, upload);
    if (!image.ok) throw new Error(image.problem);
    const options = { sharer, panel, orientation, fit: 'cover', optimize: { enabled: true, intent: 'photo' } } as const;
    const made = await preparePicture(image.bytes, options, workers);
    return await sharp(await made.preview())
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
  } finally {
    await workers.stop();
  }
}

const light = (value: number): number =>
  value <= 10.31 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4;
const number = (share: number): number =>
  255 * (share <= 0.0031308 ? 12.92 * share : 1.055 * share ** (1 / 2.4) - 0.055);

longTest(test)('half of the pixels white is half of the light, on every shape of panel', async () => {
  const [width, height] = [3200, 1920];
  const pixels = Buffer.from(
    Array.from({ length: width * height }, (_, at) => ((at + Math.floor(at / width)) % 2) * 255),
  );
  const checkers = await sharp(pixels, { raw: { width, height, channels: 1 } })
    .png()
    .toBuffer();
  const panel = panels.gray10 as Panel;
  for (const orientation of ['landscape', 'portrait'] as const) {
    const { data } = await viewOf(checkers, panel, orientation);
    const mean = number(data.reduce((sum, value) => sum + light(value), 0) / data.length);
    assert.ok(mean > 186 && mean < 190, `${orientation}: ${mean}`);
  }
});

/** The standard deviation of the means of the middle columns. */
function contrast(
  data: Uint8Array,
  { width, height, channels }: { width: number; height: number; channels: number },
): number {
  const means = Array.from({ length: Math.floor(width * 0.6) }, (_, index) => {
    const x = Math.floor(width * 0.2) + index;
    let sum = 0;
    for (let y = 0; y < height; y++) sum += data[(y * width + x) * channels] as number;
    return sum / height;
  });
  const mean = means.reduce((sum, value) => sum + value) / means.length;
  return Math.sqrt(means.reduce((sum, value) => sum + (value - mean) ** 2, 0) / means.length);
}

longTest(test)('fine stripes keep nine tenths of the contrast of one reduction from the original', async () => {
  const shapes = [
    [4032, 3024, 8, 'gray10'],
    [3024, 4032, 8, 'gray10'],
    [9000, 900, 9, 'trmnl4'],
    [12_000, 3000, 24, 'gray10'],
  ] as const;
  for (const [width, height, period, kind] of shapes) {
    const row = Uint8Array.from({ length: width }, (_, x) => (x % period < period / 2 ? 255 : 0));
    const pixels = Buffer.concat(Array.from({ length: height }, () => row));
    const stripes = await sharp(pixels, { raw: { width, height, channels: 1 } })
      .png()
      .toBuffer();
    const panel = panels[kind] as Panel;
    const view = viewSize(panel, 'landscape');
    const seen = await viewOf(stripes, panel, 'landscape');
    const direct = await sharp(stripes)
      .resize(view.width, view.height, { fit: 'cover' })
      .raw()
      .toBuffer({ resolveWithObject: true });
    const [ours, wanted] = [contrast(seen.data, seen.info), contrast(direct.data, direct.info)];
    assert.ok(ours >= 0.9 * wanted, `${width}x${height} on ${kind}: ${ours} of ${wanted}`);
  }
});

test.run();
