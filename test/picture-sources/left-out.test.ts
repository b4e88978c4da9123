/** Pictures that an album leaves out by rule, and blurred ones. */
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isBlurred, measureSharpness } from '../../api/images/blur.ts';
import { normalizeImage } from '../../api/images/normalize-image.ts';
import { type JudgedPicture, type LeftOut, leftOut } from '../../api/picture-sources/left-out.ts';
import { hardToJudge } from '../bench/hard-pictures.ts';

const test = suite('left out');

/** Drawn before the service's settings are in force, which read no drawings. */
const hard = await hardToJudge();

const photograph: JudgedPicture = {
  name: 'IMG_1234.JPG',
  width: 4032,
  height: 3024,
  camera: 'Apple',
  bytes: 2_000_000,
};
type Changed = { readonly [Key in keyof JudgedPicture]?: JudgedPicture[Key] | undefined };
const of = (facts: Changed): JudgedPicture => ({ ...photograph, ...facts }) as JudgedPicture;

const cases: readonly (readonly [Changed, LeftOut | undefined])[] = [
  [{}, undefined],
  [{ sort: 'video' }, 'video'],
  [{ name: 'clip.MOV' }, 'video'],
  [{ name: 'clip.mp4', sort: 'picture' }, undefined],
  [{ name: 'letter.pdf' }, 'document'],
  [{ sort: 'document' }, 'document'],
  [{ width: 599, height: 3000 }, 'small'],
  [{ width: 3000, height: 599 }, 'small'],
  [{ width: 600, height: 600 }, undefined],
  [{ width: 3000, height: 1000 }, undefined],
  [{ width: 3001, height: 1000 }, 'shape'],
  [{ width: 1000, height: 3001 }, 'shape'],
  [{ width: undefined, height: undefined }, undefined],
  [{ width: undefined, height: undefined, bytes: 3_000 }, 'small'],
  [{ bytes: 3_000 }, undefined],
  [{ name: 'Screenshot_20240512-143000.png' }, 'screenshot'],
  [{ name: 'albums/Bildschirmfoto 2024-05-12 um 14.30.00.png' }, 'screenshot'],
  [{ name: "Capture d'e\u0301cran 2024-05-12.png" }, 'screenshot'],
  [{ name: 'My Screenshot of the year.jpg' }, undefined],
  [{ name: 'IMG-20240512-WA0001.jpg' }, undefined],
  [{ name: 'drawing.png', camera: '' }, 'screenshot-guess'],
  [{ name: 'drawing.png', camera: undefined }, undefined],
  [{ name: 'photo.png' }, undefined],
  [{ name: 'photo.jpg', camera: '' }, undefined],
  [{ sharpness: 0.001 }, undefined],
];

test('each rule leaves out what it names, and nothing is left out for what is unknown', () => {
  for (const [facts, kind] of cases) assert.is(leftOut(of(facts)), kind, JSON.stringify(facts));
});

test('an album switches each rule', () => {
  const names = [
    'IMG-20240512-WA0001.jpg',
    'WhatsApp Image 2024-05-12 at 14.30.00.jpeg',
    'signal-2024-05-12-143000.jpg',
  ];
  for (const name of names) assert.is(leftOut(of({ name }), { message: true }), 'message');
  assert.is(leftOut(of({ name: 'Screenshot_1.png' }), { screenshot: false }), undefined);
  assert.is(leftOut(of({ width: 100, height: 100 }), { small: false }), undefined);
  assert.is(leftOut(of({ width: 9000, height: 1000 }), { shape: false }), undefined);
  assert.is(leftOut(of({ name: 'a.png', camera: '' }), { 'screenshot-guess': false }), undefined);
  assert.is(leftOut(of({ sharpness: 0.001 }), { blurred: true }), 'blurred');
  assert.is(leftOut(of({ sharpness: 1 }), { blurred: true }), undefined);
});

test('night, fog, a soft background and an even sky are not blurred, and out of focus what has edges is', async () => {
  const out: string[] = [];
  for (const [name, image] of hard) {
    assert.is(await isBlurred(image), false, name);
    const soft = await sharp(image).resize(800, 800, { fit: 'inside' }).blur(5).jpeg().toBuffer();
    if (await isBlurred(soft)) out.push(name);
  }
  assert.equal(out, ['night', 'portrait, soft ground', 'sky and sea']);
});

test('a picture without edges, and one of a single pixel, have no sharpness', async () => {
  for (const side of [1, 20, 700]) {
    const even = await sharp({ create: { width: side, height: side, channels: 3, background: '#888' } })
      .png()
      .toBuffer();
    assert.is(await measureSharpness(even), undefined);
  }
});

test('sharpness is measured where a picture is decoded, if that is asked for', async () => {
  const [, image] = hard[3] ?? ['', Buffer.alloc(0)];
  const options = { sharer: ['ours', 'ours'] } as const;
  const measured = await normalizeImage(image, { ...options, measuresSharpness: true });
  assert.ok(measured.ok && (measured.sharpness ?? 0) > 0.2);
  const plain = await normalizeImage(image, options);
  assert.ok(plain.ok && !('sharpness' in plain));
});

test.run();
