/** Picture bytes: published digests, turns, and both orientations (PANEL-03 to PANEL-06). */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  fileBytes,
  packPicture,
  rotateRaster,
  rotateToView,
  unpackPicture,
} from '../../firmware-protocol/framebuffer.ts';
import { epd7, epd13, type Orientation, type Panel, viewSize } from '../../firmware-protocol/panels.ts';
import { panelNamed, pictures } from './read-vectors.ts';

const test = suite('picture bytes');
const both = [epd7, epd13] as const;
const orientations = ['portrait', 'landscape'] as const;
const white = 1;

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const same = (one: Uint8Array, two: Uint8Array): boolean => Buffer.compare(one, two) === 0;

/** Stored palette indices of a file that must be readable. */
function stored(panel: Panel, file: Uint8Array): Uint8Array {
  const indices = unpackPicture(panel, file);
  if (!(indices instanceof Uint8Array)) throw new Error(indices.problem);
  return indices;
}

function indexOfCode(panel: Panel, code: number): number {
  const index = panel.colours.findIndex((colour) => colour.code === code);
  if (index < 0) throw new Error(`no code ${code}`);
  return index;
}

/** Palette indices that look like noise and come from a seed. */
function noise(pixels: number, seed: number): Uint8Array {
  const out = new Uint8Array(pixels);
  let state = seed >>> 0 || 1;
  for (let at = 0; at < pixels; at++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    out[at] = (state >>> 0) % 6;
  }
  return out;
}

const diagonalCodes = [0, 1, 2, 3, 5, 6];
for (const vector of pictures.pictures) {
  test(`PANEL-05, ${vector.panel}, ${vector.pattern}: ${vector.why}`, () => {
    const panel = panelNamed(vector.panel);
    const codeAt = (x: number, y: number) => (vector.pattern === 'white' ? 6 : (diagonalCodes[(x + y) % 6] ?? 6));
    const raster = Uint8Array.from({ length: panel.width * panel.height }, (_, at) =>
      indexOfCode(panel, codeAt(at % panel.width, Math.floor(at / panel.width))),
    );
    for (const orientation of orientations) {
      const file = packPicture(panel, orientation, rotateToView(panel, orientation, raster));
      assert.is(file.length, vector.bytes);
      assert.is(Buffer.from(file.subarray(0, 8)).toString('hex'), vector.firstBytes);
      const row = 4 + panel.width / 2;
      assert.is(Buffer.from(file.subarray(row, row + 4)).toString('hex'), vector.secondRow);
      assert.is(sha256(file), vector.sha256);
    }
  });
}

test('PANEL-05: the digests are those published for these panels', () => {
  assert.equal(
    pictures.pictures.map((vector) => [vector.panel, vector.pattern, vector.sha256]),
    [
      ['epd7', 'white', '81b198038150e964d51b7bd0ab541429bb95c9cf60a6cdf78683243def762acd'],
      ['epd7', 'diagonal', '66cf44e762258933872b4e81f071fd057e3b7c55c4b5079dddaa8bbe3ba914a8'],
      ['openpaper13', 'white', '58366649d60a43b22faf68a6ca6b8d29c3a551e8e1f240aa60509bba076a7752'],
      ['openpaper13', 'diagonal', '3e94afb54f3cef2ea491038087a458ded8da3a94313d14f2bcea17ed1e476b64'],
    ],
  );
});

for (const vector of pictures.corners) {
  test(`PANEL-06, ${vector.panel}, ${vector.orientation}: ${vector.why}`, () => {
    const panel = panelNamed(vector.panel);
    const { width, height } = viewSize(panel, vector.orientation);
    assert.equal({ width, height }, vector.seen);
    const seen = new Uint8Array(width * height).fill(white);
    for (const pixel of vector.pixels) {
      const index = indexOfCode(panel, pixel.nibble);
      assert.is(panel.colours[index]?.name, pixel.colour);
      seen[pixel.seen.y * width + pixel.seen.x] = index;
    }
    const file = packPicture(panel, vector.orientation, seen);
    for (const pixel of vector.pixels) {
      const { x, y } = pixel.stored;
      assert.is(pixel.offset, 4 + Math.floor((y * panel.width + x) / 2), pixel.corner);
      assert.is(file[pixel.offset], Number.parseInt(pixel.byte, 16), pixel.corner);
      assert.is(x % 2 === 0 ? Number(file[pixel.offset]) >> 4 : Number(file[pixel.offset]) & 15, pixel.nibble);
    }
    assert.is(sha256(file), vector.sha256);
    assert.ok(same(rotateToView(panel, vector.orientation, stored(panel, file)), seen));
  });
}

test('PANEL-06: both panels have corners in both orientations', () => {
  const found = pictures.corners.map(({ panel, orientation }) => `${panel} ${orientation}`).sort();
  assert.equal(found, both.flatMap(({ name }) => orientations.map((orientation) => `${name} ${orientation}`)).sort());
});

/** Where the stored pixel (x, y) comes from, as published: D(x, y) = S(...). */
const published: readonly [Panel, Orientation, (x: number, y: number) => readonly [x: number, y: number]][] = [
  [epd7, 'portrait', (x, y) => [y, 799 - x]],
  [epd7, 'landscape', (x, y) => [799 - x, 479 - y]],
  [epd13, 'portrait', (x, y) => [x, y]],
  [epd13, 'landscape', (x, y) => [1599 - y, x]],
];
for (const [panel, orientation, source] of published) {
  test(`PANEL-06: every pixel of ${panel.name} in ${orientation} is where the published formula puts it`, () => {
    const { width, height } = viewSize(panel, orientation);
    const seen = noise(width * height, 6);
    const raster = stored(panel, packPicture(panel, orientation, seen));
    let wrong = 0;
    for (let y = 0; y < panel.height; y++) {
      for (let x = 0; x < panel.width; x++) {
        const [fromX, fromY] = source(x, y);
        if (raster[y * panel.width + x] !== seen[fromY * width + fromX]) wrong++;
      }
    }
    assert.is(wrong, 0);
  });
}

test('PANEL-06: the four turns are clockwise', () => {
  const seen = Uint8Array.of(1, 2, 3, 4, 5, 6); // 1 2 3 over 4 5 6
  assert.equal([...rotateRaster(seen, 3, 2, 0)], [1, 2, 3, 4, 5, 6]);
  assert.equal([...rotateRaster(seen, 3, 2, 90)], [4, 1, 5, 2, 6, 3]);
  assert.equal([...rotateRaster(seen, 3, 2, 180)], [6, 5, 4, 3, 2, 1]);
  assert.equal([...rotateRaster(seen, 3, 2, 270)], [3, 6, 2, 5, 1, 4]);
  assert.throws(() => rotateRaster(seen, 2, 2, 90), /6 pixels, not 2x2/);
});

for (const panel of both) {
  for (const orientation of orientations) {
    test(`PANEL-04: pack and unpack are inverse on ${panel.name} in ${orientation}`, () => {
      fc.assert(
        fc.property(fc.integer({ min: 1 }), (seed) => {
          const seen = noise(panel.width * panel.height, seed);
          const file = packPicture(panel, orientation, seen);
          assert.is(file.length, fileBytes(panel));
          assert.ok(same(rotateToView(panel, orientation, stored(panel, file)), seen));
        }),
        { numRuns: 5 },
      );
    });
  }
}

test('PANEL-04: pack and unpack are inverse for panels of other sizes and every turn', () => {
  const small = fc
    .record({ halfWidth: fc.integer({ min: 1, max: 8 }), height: fc.integer({ min: 1, max: 12 }) })
    .chain(({ halfWidth, height }) =>
      fc.record({
        width: fc.constant(halfWidth * 2),
        height: fc.constant(height),
        rotation: fc.constantFrom<0 | 90 | 180 | 270>(0, 90, 180, 270),
        seen: fc.uint8Array({ minLength: halfWidth * 2 * height, maxLength: halfWidth * 2 * height, max: 5 }),
      }),
    );
  fc.assert(
    fc.property(small, ({ width, height, rotation, seen }) => {
      const panel: Panel = { ...epd7, width, height, rotation: { portrait: rotation, landscape: rotation } };
      const file = packPicture(panel, 'portrait', seen);
      assert.equal([...rotateToView(panel, 'portrait', stored(panel, file))], [...seen]);
    }),
    { numRuns: 500 },
  );
});

test('PANEL-03: what the panel has no colour for cannot be packed, nor can a raster of another size', () => {
  const seen = new Uint8Array(800 * 480).fill(white);
  assert.throws(() => packPicture(epd7, 'landscape', seen.subarray(1)), /raster has 383999 pixels/);
  assert.throws(() => packPicture(epd13, 'landscape', seen), /raster has 384000 pixels/);
  seen[0] = 6;
  assert.throws(() => packPicture(epd7, 'landscape', seen), /no such colour on epd7/);
});

test('a raster that is a view into a larger buffer is packed from where the view begins', () => {
  const seen = noise(800 * 480, 9);
  const buffer = new Uint8Array(seen.length + 20).fill(5);
  buffer.set(seen, 7);
  const view = buffer.subarray(7, 7 + seen.length);
  assert.ok(same(packPicture(epd7, 'portrait', view), packPicture(epd7, 'portrait', seen)));
});

test.run();
