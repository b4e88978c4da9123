import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ditherPicture } from '../../api/inks/dithering/dither.ts';
import { buildPaletteTables } from '../../api/inks/dithering/palette.ts';
import { epd7 } from '../../firmware-protocol/panels.ts';

const test = suite('read inks');
const tables = buildPaletteTables(epd7.colours);
const bytesOf = (colour: number): number[] => [colour >> 16, (colour >> 8) & 0xff, colour & 0xff];

/** Runs of inks by name and as they look; an ink's number and its colour 0xrrggbb, a pixel each. */
const runs = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 40 }), fc.nat({ max: epd7.colours.length - 1 }), fc.boolean()), {
    minLength: 1,
    maxLength: 20,
  })
  .map((each) =>
    each.flatMap(([length, ink, isNamed]) =>
      Array.from({ length }, () => [ink, (isNamed ? tables.nominal : tables.measured)[ink] as number] as const),
    ),
  );

test('R-31: pictures of inks alone are those inks, whatever their size is and wherever they lie in memory', () => {
  fc.assert(
    fc.property(runs, fc.nat({ max: 3 }), (pixels, offset) => {
      const rgb = new Uint8Array(pixels.length * 3 + offset).subarray(offset);
      rgb.set(pixels.flatMap(([, colour]) => bytesOf(colour)));
      const inks = Uint8Array.from(pixels, ([ink]) => ink);
      for (const part of [rgb, Buffer.from(rgb.buffer, offset, rgb.length)]) {
        assert.equal(ditherPicture({ rgb: part, width: pixels.length, height: 1 }, tables), inks);
      }
    }),
    { numRuns: 200 },
  );
});

test('on a page of our own a pixel between two inks is one of them, the same in a run as alone', () => {
  const gray = fc.integer({ min: 0, max: 255 });
  const edges = fc.array(fc.tuple(fc.integer({ min: 1, max: 11 }), gray), { minLength: 1, maxLength: 30 });
  const [black, white] = ['#000000', '#ffffff'].map((name) =>
    epd7.colours.findIndex(({ nominal }) => nominal === name),
  );
  fc.assert(
    fc.property(edges, (each) => {
      const grays = each.flatMap(([length, byte]) => Array.from({ length }, () => byte));
      const rgb = Uint8Array.from(grays.flatMap((byte) => [byte, byte, byte]));
      const drawn = ditherPicture({ rgb, width: grays.length, height: 1 }, tables, { method: 'named' });
      assert.equal(
        [...drawn],
        grays.map((byte) => (byte < 128 ? black : white)),
      );
    }),
    { numRuns: 200 },
  );
});

test.run();
