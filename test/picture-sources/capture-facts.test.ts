/** When, by what and how large a picture was taken, read from the beginning of its file. */
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { captureFacts } from '../../api/images/capture-facts.ts';
import { crop, heifFile, quarterTurns, tile } from '../rendering/heif-files.ts';
import { heicWith, jpegWith, madeExif, photographTags, pngWith } from './exif-files.ts';

const test = suite('capture facts');

const facts = { taken: '2024-05-12T14:30:07', camera: 'Apple', model: 'iPhone 15', orientation: 1 };
const create = { width: 60, height: 40, channels: 3, background: '#336699' } as const;

/** Returns the facts, without what is undefined. */
const seen = (bytes: Buffer) => JSON.parse(JSON.stringify(captureFacts(bytes)));
const takenOf = (text: string) => captureFacts(jpegWith(madeExif({ details: { 36867: text } }))).taken;

test('both byte orders are read, from every container', async () => {
  const png = await sharp({ create }).png().toBuffer();
  for (const order of ['MM', 'II'] as const) {
    const exif = madeExif({ ...photographTags, order });
    assert.equal(seen(jpegWith(exif)), { ...facts, width: 4032, height: 3024 });
    assert.equal(seen(pngWith(png, exif)), { ...facts, width: 60, height: 40 });
    assert.equal(seen(heicWith(exif)), { ...facts, width: 64, height: 64 });
  }
});

test('files that a library wrote are read', async () => {
  const exif = { IFD0: { Make: 'Canon', Model: 'EOS R5' }, IFD2: { DateTimeOriginal: '2019:12:31 23:59:58' } };
  const written = {
    taken: '2019-12-31T23:59:58',
    camera: 'Canon',
    model: 'EOS R5',
    orientation: 1,
    width: 60,
    height: 40,
  };
  const made = () => sharp({ create }).withExif(exif);
  for (const one of [
    made().jpeg(),
    made().webp(),
    made().webp({ lossless: true }),
    made().png(),
    made().avif({ effort: 0 }),
  ]) {
    assert.equal(seen(await one.toBuffer()), written);
  }
});

test('a size is that of the upright picture', () => {
  const sideways = madeExif({ ...photographTags, main: { ...photographTags.main, 274: { short: 6 } } });
  assert.equal(seen(jpegWith(sideways)), { ...facts, orientation: 6, width: 3024, height: 4032 });
  // The container of a phone's picture turns it: EXIF only repeats that.
  assert.equal(seen(heicWith(sideways, crop(40, 20), quarterTurns(1))), { ...facts, width: 20, height: 40 });
});

test('the beginning of a file is enough, and what lies behind it is not guessed', async () => {
  const jpeg = jpegWith(madeExif(photographTags));
  assert.equal(seen(jpeg.subarray(0, jpeg.length - 15)), { ...facts });
  assert.equal(seen(jpeg.subarray(0, 60)), { orientation: 1 });
  const heic = heicWith(madeExif(photographTags));
  assert.equal(seen(heic.subarray(0, heic.length - 20)), { orientation: 1, width: 64, height: 64 });
  const webp = await sharp({ create })
    .withExif({ IFD0: { Make: 'Canon' } })
    .webp()
    .toBuffer();
  assert.equal(seen(webp.subarray(0, 60)), { orientation: 1, width: 60, height: 40 });
});

test('a file without a camera is known to have none', async () => {
  const none = { camera: '', orientation: 1, width: 60, height: 40 };
  const plain = sharp({ create });
  for (const one of [
    plain.clone().jpeg(),
    plain.clone().png(),
    plain.clone().webp(),
    plain.clone().avif({ effort: 0 }),
  ]) {
    assert.equal(seen(await one.toBuffer()), none);
  }
  assert.equal(seen(heifFile([tile(1)])), { camera: '', orientation: 1, width: 64, height: 64 });
});

test('a date that no calendar has is not a date', () => {
  for (const text of [
    '0000:00:00 00:00:00',
    '    :  :     :  :  ',
    '2024:13:01 10:00:00',
    '2023:02:29 10:00:00',
    '2024:04:31 10:00:00',
    '2024:05:12 25:00:00',
    '2024:05:12 10:61:00',
    '1970:01:01 00:00:00',
    '0001:01:01 00:00:00',
    'yesterday',
    '',
  ]) {
    assert.is(takenOf(text), undefined, text);
  }
  assert.is(takenOf('2024:02:29 00:00:00'), '2024-02-29T00:00:00');
  assert.is(takenOf('2024-05-12T10:11:12'), '2024-05-12T10:11:12');
  assert.is(takenOf('2024:05:12 24:11:12'), '2024-05-12T00:11:12');
});

test('the date of digitizing stands in for a missing one, and that of a change never does', () => {
  const digitized = { 36868: '2001:02:03 04:05:06' };
  const of = (details: Readonly<Record<number, string>>) =>
    captureFacts(jpegWith(madeExif({ main: { 306: '2020:01:02 03:04:05' }, details }))).taken;
  assert.is(of(digitized), '2001-02-03T04:05:06');
  assert.is(of({ ...digitized, 36867: '0000:00:00 00:00:00' }), '2001-02-03T04:05:06');
  assert.is(of({}), undefined);
});

test('a zone shifts nothing', () => {
  const details = { ...photographTags.details, 36881: '-11:00', 36880: '+14:00' };
  assert.is(captureFacts(jpegWith(madeExif({ ...photographTags, details }))).taken, facts.taken);
});

test('offsets out of range, loops and endless counts end at once', () => {
  const far = madeExif({ main: { 271: 'Apple', 34665: { long: 0xffff_fff0 } } });
  assert.equal(seen(jpegWith(far)), { camera: 'Apple', orientation: 1, width: 4032, height: 3024 });
  const loop = madeExif({ main: { 271: 'Apple', 34665: { long: 8 } } });
  assert.is(captureFacts(jpegWith(loop)).camera, 'Apple');
  const endless = madeExif(photographTags);
  endless.writeUInt16BE(0xffff, 8);
  assert.is(captureFacts(jpegWith(endless)).camera, 'Apple');
  const name = madeExif(photographTags);
  name.writeUInt32BE(0xffff_ffff, 8 + 2 + 4);
  assert.is(captureFacts(jpegWith(name)).camera, 'Apple');
  const elsewhere = madeExif(photographTags);
  elsewhere.writeUInt32BE(0x7fff_ffff, 8 + 2 + 8);
  assert.is(captureFacts(jpegWith(elsewhere)).camera, '');
});

test('no byte and no cut brings it to throw', async () => {
  const exif = madeExif(photographTags);
  const png = pngWith(await sharp({ create }).png().toBuffer(), exif);
  const webp = await sharp({ create })
    .withExif({ IFD0: { Make: 'Canon' } })
    .webp()
    .toBuffer();
  for (const whole of [jpegWith(exif), png, webp, heicWith(exif, quarterTurns(1), crop(40, 20))]) {
    for (let at = 0; at < whole.length; at++) {
      captureFacts(whole.subarray(0, at));
      for (const value of [0, 0xff]) {
        const changed = Buffer.from(whole);
        changed[at] = value;
        captureFacts(changed);
        if (at + 4 <= changed.length) captureFacts(changed.fill(value, at, at + 4));
      }
    }
  }
});

test('a maker is a short line of printable characters', () => {
  const of = (make: string) => captureFacts(jpegWith(madeExif({ main: { 271: make } }))).camera;
  assert.is(of('NIKON CORPORATION   '), 'NIKON CORPORATION');
  assert.is(of(`A\u001b[31m${'x'.repeat(500)}`)?.length, 63);
  assert.is(of('   '), '');
});

test.run();
