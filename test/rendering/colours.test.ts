/** What the numbers of a picture stand for. The wanted numbers are those that Chromium draws, where nothing else is said. */
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ImageOptions, normalizeImage } from '../../api/rendering/normalize-image.ts';
import { inkJpeg, withProfile } from './colour-files.ts';

const test = suite('colours');

const upload: ImageOptions = { sharer: ['ours', 'ours'], keepsDetail: true };

/** The first pixel, and the notes. */
async function seen(bytes: Buffer) {
  const image = await normalizeImage(bytes, upload);
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
});

test("inks with Adobe's note are those of a press: its black is no screen's", async () => {
  const black = await seen(inkJpeg([0, 128, 128, 0], true));
  isNear(black.pixel, [20, 5, 0], 'black alone', 3);
  assert.equal(black.notes, []);
  isNear((await seen(inkJpeg([0, 128, 128, 255], true))).pixel, [255, 255, 255], 'paper');
});

test.run();
