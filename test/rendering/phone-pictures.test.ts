/** HEIC and AVIF: the primary picture, upright, in the right colours, and hostile files in bounded memory and time. */
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ImageFormat } from '../../api/images/bare-image/bare-image.ts';
import { codedProfile, gammaProfile } from '../../api/images/bare-image/coded-profile.ts';
import { type ImageOptions, normalizeImage } from '../../api/images/normalize-image.ts';
import {
  auxiliary,
  box,
  coded,
  crop,
  grid,
  type HeifItem,
  heifFile,
  largeTile,
  maskOf,
  mirror,
  overlay,
  profiled,
  quarterTurns,
  sameAs,
  size,
  tile,
} from './heif-files.ts';

const test = suite('phone pictures');

const formats: readonly ImageFormat[] = ['jpeg', 'png', 'webp', 'gif', 'heic', 'avif'];
const upload: ImageOptions = { sharer: ['ours', 'ours'], formats, keepsDetail: true };

/** Returns the accepted picture: its size, the colours in the middle of its left and right halves, and the notes. */
async function seen(bytes: Buffer, options = upload) {
  const image = await normalizeImage(bytes, options);
  if (!image.ok) return { problem: image.problem };
  const { data, info } = await sharp(image.bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const at = (x: number, y: number) => [...data.subarray((y * info.width + x) * 3, (y * info.width + x) * 3 + 3)];
  const [middle, quarter] = [info.height >> 1, info.width >> 2];
  return {
    size: [info.width, info.height],
    left: at(quarter, middle),
    right: at(info.width - quarter, middle),
    top: at(info.width >> 1, info.height >> 2),
    notes: image.notes,
  };
}

const red = [200, 50, 50];
const blue = [40, 90, 200];
const near = (one: readonly number[] | undefined, other: readonly number[], apart = 6): boolean =>
  one?.every((value, channel) => Math.abs(value - (other[channel] ?? 999)) <= apart) === true;
const isNear = (one: readonly number[] | undefined, other: readonly number[], what: string, apart?: number): void =>
  assert.ok(near(one, other, apart), `${what}: ${one} is not ${other}`);

test('a HEIC is taken where people upload, and pushed content names what to do', async () => {
  const { size, left, right, notes } = await seen(heifFile([tile(1)]));
  assert.equal([size, notes], [[64, 64], []]);
  isNear(left, red, 'left');
  isNear(right, blue, 'right');
  const pushed = await normalizeImage(heifFile([tile(1)]), { sharer: ['ours', 'ours'] });
  assert.equal(pushed, { ok: false, problem: 'unsupported', announced: 'heic' });
});

test('turns of the container are applied, and tiles are put together', async () => {
  const side = await seen(heifFile([tile(1, quarterTurns(1))]));
  isNear(side.top, blue, 'a quarter against the clock: what was right is on top');
  const tiles = [2, 3, 4, 5, 6, 7].map((id) => tile(id));
  const whole = grid(1, { rows: 2, columns: 3, of: [2, 3, 4, 5, 6, 7], shape: [180, 120] });
  assert.equal((await seen(heifFile([whole, ...tiles]))).size, [180, 120]);
});

test('a crop of the container is applied, in its turn among turns and mirrors', async () => {
  const left = await seen(heifFile([tile(1, crop(32, 40, -16, 0))]));
  assert.equal(left.size, [32, 40]);
  isNear(left.right, red, 'the left half alone');
  const [before, after] = [
    await seen(heifFile([tile(1, crop(20, 64, 22, 0), quarterTurns(1))])),
    await seen(heifFile([tile(1, quarterTurns(1), crop(64, 20, 0, -22))])),
  ];
  assert.equal(
    [before.size, after.size],
    [
      [64, 20],
      [64, 20],
    ],
  );
  isNear(before.left, blue, 'cropped, then turned');
  isNear(after.left, blue, 'turned, then cropped');
  isNear((await seen(heifFile([tile(1, mirror(1))]))).left, blue, 'left and right change places');
  isNear((await seen(heifFile([tile(1, quarterTurns(1), mirror(0))]))).top, red, 'top and bottom do');
  const beyond = await seen(heifFile([tile(1, crop(640, 480, 900, 0))]));
  assert.ok('problem' in beyond || (beyond.size?.[0] ?? 0) <= 64, 'a crop beyond the picture');
  assert.equal(await seen(heifFile([tile(1, box('clap', Buffer.alloc(32)))])), { problem: 'broken' });
});

test('what is transparent is white, turned as its picture is', async () => {
  const plain = await seen(heifFile([tile(1), maskOf(2, 1)]));
  isNear(plain.top, [255, 255, 255], 'the upper half');
  const turned = await seen(heifFile([tile(1, mirror(0)), maskOf(2, 1, mirror(0))]));
  assert.not(near(turned.top, [255, 255, 255]), 'upside down: the upper half is seen');
  const side = await seen(heifFile([tile(1, quarterTurns(1)), maskOf(2, 1)]));
  isNear(side.left, [255, 255, 255], 'a mask without a turn of its own');
  const avif = await sharp({ create: { width: 64, height: 64, channels: 4, background: '#00000000' } })
    .avif()
    .toBuffer();
  isNear((await seen(avif)).left, [255, 255, 255], 'an AVIF');
});

test('an item that is another one, and two on a canvas, are decoded', async () => {
  isNear((await seen(heifFile([sameAs(1, 2), tile(2)]))).left, red, 'the same');
  assert.equal((await seen(heifFile([overlay(1, [2, 3], [128, 96]), tile(2), tile(3)]))).size, [128, 96]);
});

test('FACT-12: 48 megapixels of a phone are halved while they are decoded, turned and cropped as the file says', async () => {
  const of = Array.from({ length: 192 }, (_, at) => at + 2);
  const picture = { rows: 12, columns: 16, of, shape: [8064, 6048] as const };
  const whole = await seen(heifFile([grid(1, picture, quarterTurns(3)), ...of.map(largeTile)]));
  assert.equal(whole.size, [3024, 4032]);
  const part = await seen(heifFile([grid(1, picture, crop(4000, 3000)), ...of.map(largeTile)]));
  assert.equal(part.size, [2000, 1500]);
});

test('of a burst, a thumbnail, a depth map and a gain map the primary picture is taken', async () => {
  const goesWith = (id: number, kind: string, as: string): HeifItem => ({
    ...tile(id, auxiliary(kind)),
    refersTo: [{ as, ids: [1] }],
  });
  const file = heifFile([
    tile(1, quarterTurns(2)),
    tile(2),
    { ...tile(3), refersTo: [{ as: 'thmb', ids: [1] }] },
    goesWith(4, 'urn:mpeg:hevc:2015:auxid:2', 'auxl'),
    goesWith(5, 'urn:com:apple:photo:2020:aux:hdrgainmap', 'auxl'),
  ]);
  const { left, notes } = await seen(file);
  isNear(left, blue, 'the first one, upside down');
  assert.equal(notes, ['gain-map-left-out']);
  isNear((await seen(heifFile([tile(1, quarterTurns(2)), tile(2)], { primary: 2 }))).left, red, 'the file says which');
});

test('colours are those that a profile or codes say, also in ten bits and for bright screens', async () => {
  const p3 = codedProfile({ primaries: 12, transfer: 13 }) as Buffer;
  const [byProfile, byCodes] = [
    await seen(heifFile([tile(1, profiled(p3))])),
    await seen(heifFile([tile(1, coded(12, 13))])),
  ];
  // #c83232 of Display P3, by the matrices of both colour spaces.
  isNear(byProfile.left, [218, 24, 40], 'by profile');
  isNear(byCodes.left, byProfile.left as number[], 'by codes', 1);
  isNear((await seen(heifFile([tile(1, coded(1, 13))]))).left, red, 'those of sRGB');
  const bright = await seen(heifFile([tile(1, coded(9, 16))]));
  assert.equal(bright.notes, ['brightness-reduced']);
  const linear = await seen(heifFile([tile(1, profiled(gammaProfile(1)))]));
  isNear(linear.left, [229, 122, 122], 'linear light');
  const broken = await seen(heifFile([tile(1, profiled(Buffer.alloc(90)))]));
  assert.equal(broken.notes, ['profile-left-out']);
  isNear(broken.left, red, 'a profile that cannot be read');
});

test('an AVIF is taken, with the colours that its codes say', async () => {
  const image = sharp({ create: { width: 80, height: 60, channels: 3, background: '#c83232' } });
  const avif = await image.avif({ quality: 90, chromaSubsampling: '4:4:4' }).toBuffer();
  const { size, left } = await seen(avif);
  assert.equal(size, [80, 60]);
  isNear(left, red, 'plain');
  const cut = await seen(avif.subarray(0, avif.length - 20));
  assert.equal(cut, { problem: 'broken' });
  assert.equal(await seen(avif, { sharer: ['ours', 'ours'] }), { problem: 'unsupported' });
});

test('T-32: hostile files of phones are refused, quickly and without much memory', async () => {
  const shape = [64, 64] as const;
  const of = (count: number, id: number) => Array.from({ length: count }, () => id);
  const many = 255 * 255;
  const plain = heifFile([tile(1)]);
  const large = (width: number, height: number): HeifItem => ({
    ...tile(1),
    properties: [...tile(1).properties.slice(0, 1), size(width, height)],
  });
  const hundred = Array.from({ length: 100 }, (_, at) => sameAs(at + 1, at + 2));
  const fan = Array.from({ length: 7 }, (_, at) => overlay(at + 1, of(60, at + 2), shape));
  const chain = Array.from({ length: 900 }, (_, at) => grid(at + 1, { rows: 1, columns: 1, of: [at + 2], shape }));
  const files: readonly (readonly [name: string, bytes: Buffer, problems: readonly string[]])[] = [
    [
      '65,025 tiles that are one',
      heifFile([grid(1, { rows: 255, columns: 255, of: of(many, 2), shape: [16_320, 16_320] }), tile(2)]),
      ['too-many-pixels', 'broken'],
    ],
    ['a grid of itself', heifFile([grid(1, { rows: 1, columns: 1, of: [1], shape })]), ['broken']],
    [
      'grids of each other',
      heifFile([grid(1, { rows: 1, columns: 1, of: [2], shape }), grid(2, { rows: 1, columns: 1, of: [1], shape })]),
      ['broken'],
    ],
    ['a hundred items that are the next one', heifFile([...hundred, tile(101)]), ['broken']],
    ['the same behind a picture', heifFile([...hundred, tile(101)], { primary: 101 }), ['broken']],
    ['items that are each other', heifFile([sameAs(1, 2), sameAs(2, 1)]), ['broken']],
    ['sixty times sixty, seven times', heifFile([...fan, tile(8)]), ['too-many-pixels']],
    ['nine hundred grids deep', heifFile([...chain, tile(901)]), ['broken', 'too-many-pixels']],
    ['a length beyond the file', heifFile([{ ...tile(1), claims: 0x7fffffff }]), ['broken']],
    ['a size that is not its own', heifFile([large(6_000, 6_000)]), ['broken', 'too-many-pixels']],
    ['more than 60 megapixels', heifFile([large(60_000, 60_000)]), ['too-many-pixels']],
    [
      'a profile of ten megabytes',
      heifFile([tile(1, profiled(Buffer.alloc(10_000_000)))]),
      ['broken', 'too-many-pixels'],
    ],
    [
      'tiles that are missing',
      heifFile([grid(1, { rows: 1, columns: 3, of: [2, 3, 9], shape: [192, 64] }), tile(2), tile(3)]),
      ['broken'],
    ],
    ['half of it', plain.subarray(0, plain.length / 2), ['broken']],
    ['all but the last bytes', plain.subarray(0, -30), ['broken']],
    ['a brand alone', plain.subarray(0, 28), ['broken']],
    [
      'an AVIF sequence without a picture',
      Buffer.concat([Buffer.from('\0\0\0\x1cftypavis\0\0\0\0avismsf1miaf', 'latin1'), Buffer.alloc(500)]),
      ['broken'],
    ],
    [
      'a film',
      Buffer.concat([Buffer.from('\0\0\0\x18ftypisom\0\0\0\0isommp42', 'latin1'), Buffer.alloc(500)]),
      ['unsupported'],
    ],
  ];
  const before = process.memoryUsage.rss();
  for (const [name, bytes, problems] of files) {
    const started = performance.now();
    const outcome = await seen(bytes);
    const ms = performance.now() - started;
    assert.ok(
      'problem' in outcome && problems.includes(outcome.problem as string),
      `${name}: ${JSON.stringify(outcome)}`,
    );
    assert.ok(ms < 10_000, `${name}: ${ms} ms`);
  }
  assert.ok(process.memoryUsage.rss() - before < 400e6, 'no memory');
});

test.run();
