/** Photographs that nobody has cropped: cut where their subject is, or whole with a border in their own colour. */
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { prepareSource } from '../../api/drawing/prepare-uploaded.ts';
import { createDitherWorkers } from '../../api/inks/dithering/workers.ts';
import { type FitOptions, fitImage, preparePicture } from '../../api/inks/prepare-picture.ts';
import { type Panel, panels, viewSize } from '../../firmware-protocol/panels.ts';
import { systemClock } from '../../runtime/clock.ts';
import { sharer } from './render-world.ts';

const test = suite('crops');

const panel = panels.epd7 as Panel;
const green = [40, 90, 50] as const;

/** A green picture with a red thing, whose box is given in pixels. */
async function withThing(width: number, height: number, [left, top]: readonly [number, number]): Promise<Buffer> {
  const thing = { create: { width: 120, height: 120, channels: 3, background: '#e04030' } } as const;
  const input = await sharp(thing).png().toBuffer();
  const background = { r: green[0], g: green[1], b: green[2] };
  return sharp({ create: { width, height, channels: 3, background } })
    .composite([{ input, left, top }])
    .png()
    .toBuffer();
}

/** Counts the pixels that are red. */
function redPixels(rgb: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < rgb.length; at += 3) if ((rgb[at] ?? 0) > 150 && (rgb[at + 1] ?? 0) < 110) count++;
  return count;
}

const fitted = (image: Buffer, options: Pick<FitOptions, 'orientation' | 'fit' | 'isPhotograph'>) =>
  fitImage(image, { panel, ...options });

test('a photograph is cut where its subject is, always in the same way, and anything else in its middle', async () => {
  const high = await withThing(800, 1200, [340, 60]);
  const right = await withThing(1600, 900, [1400, 400]);
  for (const [image, orientation] of [
    [high, 'landscape'],
    [right, 'portrait'],
  ] as const) {
    const photograph = { orientation, fit: 'cover', isPhotograph: true } as const;
    const once = await fitted(image, photograph);
    assert.ok(redPixels(once) > 100 * 60, `${orientation}: ${redPixels(once)} pixels of the subject`);
    assert.equal(once, await fitted(image, photograph));
    assert.is(redPixels(await fitted(image, { orientation, fit: 'cover' })), 0, 'in the middle there is nothing');
  }
});

test('a photograph of almost the shape of the panel is cut in its middle', async () => {
  const image = await withThing(820, 480, [690, 40]);
  const options = { orientation: 'landscape', fit: 'cover' } as const;
  assert.equal(await fitted(image, { ...options, isPhotograph: true }), await fitted(image, options));
});

test('a strip that would be gigabytes in the size it is cut from is cut in its middle', async () => {
  const strip = { create: { width: 16_000, height: 1, channels: 3, background: '#336699' } } as const;
  const image = await sharp(strip).png().toBuffer();
  const rgb = await fitted(image, { orientation: 'portrait', fit: 'cover', isPhotograph: true });
  assert.equal([...rgb.subarray(0, 3)], [0x33, 0x66, 0x99]);
});

test('a whole photograph has a border in the mean light of its edge', async () => {
  const image = await withThing(600, 600, [0, 200]);
  for (const orientation of ['landscape', 'portrait'] as const) {
    const { width, height } = viewSize(panel, orientation);
    const rgb = await fitted(image, { orientation, fit: 'contain', isPhotograph: true });
    assert.is(rgb.length, width * height * 3);
    const expected = 96 * 96;
    assert.ok(Math.abs(redPixels(rgb) - expected) < 0.05 * expected, `all of the thing: ${redPixels(rgb)}`);
    const corner = [...rgb.subarray(0, 3)];
    assert.equal([...rgb.subarray(-3)], corner, 'both borders');
    const reds = 120 / 2400;
    const light = ((224 / 255 + 0.055) / 1.055) ** 2.4 * reds + ((40 / 255 + 0.055) / 1.055) ** 2.4 * (1 - reds);
    const red = 255 * (1.055 * light ** (1 / 2.4) - 0.055);
    assert.ok(Math.abs((corner[0] ?? 0) - red) < 4, `${corner[0]} is not ${red}`);
  }
});

test("a paper's fit decides about its picture", async () => {
  const workers = createDitherWorkers(systemClock, 2);
  try {
    const rendering = {
      preparePicture: (image, options) => preparePicture(image, options, workers),
    } as const satisfies Parameters<typeof prepareSource>[0];
    const source = await withThing(600, 600, [0, 200]);
    const made = async (meta: object) =>
      (
        await prepareSource(
          rendering,
          { source, meta: JSON.stringify(meta) },
          { sharer, panel, orientation: 'landscape' },
        )
      ).sha256;
    const [cover, contain] = [await made({ fit: 'cover' }), await made({ fit: 'contain' })];
    assert.is(await made({}), cover);
    assert.is.not(contain, cover);
  } finally {
    await workers.stop();
  }
});

test.run();
