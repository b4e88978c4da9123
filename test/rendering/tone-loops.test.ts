/** The loops that tone is found by, on pictures of any size: what they mark, count and change is what is said of them. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findDrawn } from '../../api/inks/dithering/find-drawn.ts';
import { intents } from '../../api/inks/dithering/intents.ts';
import { loadLevels, loops } from '../../api/inks/dithering/loops.ts';
import { buildPaletteTables } from '../../api/inks/dithering/palette.ts';
import { openSheet } from '../../api/inks/dithering/sheet.ts';
import { planOf, tonedColour } from '../../api/inks/dithering/tone-curve.ts';
import { epd7 } from '../../firmware-protocol/panels.ts';

const test = suite('tone loops');
const tables = buildPaletteTables(epd7.colours);

const bytes = fc.oneof(
  fc.integer({ min: 0, max: 255 }),
  fc.constantFrom(0, 1, 2, 100, 108, 109, 245, 246, 250, 254, 255),
);
/** Pictures of few colours, so that neighbours are often alike; widths are rarely those of whole vectors. */
const picture = fc
  .tuple(
    fc.integer({ min: 1, max: 40 }),
    fc.integer({ min: 1, max: 36 }),
    fc.array(bytes, { minLength: 1, maxLength: 9 }),
  )
  .chain(([width, height, few]) =>
    fc
      .array(fc.constantFrom(...few), { minLength: width * height * 3, maxLength: width * height * 3 })
      .map((rgb) => ({ rgb: Uint8Array.from(rgb), width, height })),
  );

const bytesAt = (at: number, count: number): Uint8Array => new Uint8Array(loops.memory.buffer, at, count);

test('marks are of all pixels that change, and of all at an edge apart from the paper', () => {
  const range = fc.tuple(bytes, bytes, fc.constantFrom(0, 8));
  fc.assert(
    fc.property(picture, range, ({ rgb, width, height }, [least, most, off]) => {
      const sheet = openSheet({ rgb, width, height }, tables);
      const { papers } = findDrawn(sheet, false);
      const { places } = sheet;
      const green = (x: number, y: number): number => rgb[(y * width + x) * 3 + 1] as number;
      for (let y = 0; y < height; y++) {
        const papersOfRow = places.papers + (y >> 4) * places.marksPerRow * 2;
        loops.markRow(
          places.rgb + y * width * 3,
          width * 3,
          papersOfRow,
          places.changed,
          places.edges,
          least,
          most,
          off,
        );
        const [changed, edges] = [places.changed, places.edges].map((at) => bytesAt(at, places.marksPerRow));
        const isMarked = (marks: Uint8Array | undefined, x: number): boolean =>
          (((marks?.[x >> 3] as number) >> (x & 7)) & 1) === 1;
        for (let x = 0; x < width; x++) {
          const own = [...rgb.subarray((y * width + x) * 3, (y * width + x) * 3 + 3)];
          const changes = own.some((byte) => (byte < least || byte > most) && byte !== 0 && byte !== 255);
          assert.is(isMarked(changed, x), changes, `${x}, ${y} changes`);
          if (x === 0 || y === 0 || x === width - 1 || y === height - 1) continue;
          const paper = ((papers[(y >> 4) * (places.marksPerRow / 2) + (x >> 4)] as number) >> 8) & 0xff;
          const beside = [green(x - 1, y), green(x + 1, y), green(x, y - 1), green(x, y + 1)];
          const isEdge = beside.some((other) => other !== green(x, y)) && Math.abs(green(x, y) - paper) >= off;
          assert.is(isMarked(edges, x), isEdge, `${x}, ${y} is at an edge`);
        }
      }
    }),
    { numRuns: 200 },
  );
});

test('the paper of a square is the colour that is first to be counted most', () => {
  fc.assert(
    fc.property(picture, ({ rgb, width, height }) => {
      const { papers, columns } = findDrawn(openSheet({ rgb, width, height }, tables), false);
      papers.forEach((paper, square) => {
        const [left, top] = [(square % columns) * 16, Math.floor(square / columns) * 16];
        const counts = new Map<number, number>();
        let [most, found] = [0, -1];
        for (let y = top; y < Math.min(top + 16, height); y += 4) {
          for (let x = left; x < Math.min(left + 16, width); x++) {
            const [r = 0, g = 0, b = 0] = rgb.subarray((y * width + x) * 3);
            const colour = (r << 16) | (g << 8) | b;
            const bucket = Math.imul(colour, 0x9e3779b1) >>> 22;
            counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
            if ((counts.get(bucket) as number) <= most) continue;
            most = counts.get(bucket) as number;
            found = colour;
          }
        }
        assert.is(paper, found, `square ${square}`);
      });
    }),
    { numRuns: 100 },
  );
});

test('levels are given to marked pixels alone, and are those of the tone', () => {
  const plan = planOf(intents.text.drawn);
  fc.assert(
    fc.property(
      picture,
      fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 6, maxLength: 6 }),
      (pixels, marks) => {
        const { rgb, width, height } = pixels;
        const { places, rgb: out } = openSheet(pixels, tables);
        loadLevels(plan.bytes);
        bytesAt(places.changed, places.marksPerRow).set(marks.slice(0, places.marksPerRow));
        loops.toneRow(places.rgb, width * 3, places.changed);
        const wanted = rgb.slice();
        for (let x = 0; x < width; x++) {
          if ((((marks[x >> 3] as number) >> (x & 7)) & 1) === 0) continue;
          const [r = 0, g = 0, b = 0] = rgb.subarray(x * 3);
          const colour = tonedColour((r << 16) | (g << 8) | b, plan);
          wanted.set([colour >> 16, (colour >> 8) & 0xff, colour & 0xff], x * 3);
        }
        assert.equal(out, wanted, `${width}x${height}`);
      },
    ),
    { numRuns: 100 },
  );
});

test('a tone leaves every colour as it is whose bytes are calm, or the ends', () => {
  for (const { photo, drawn } of Object.values(intents)) {
    for (const plan of [planOf(photo), planOf(drawn)]) {
      const [least, most] = plan.calm;
      const calm = [0, 255, ...[least, least + 1, 128, most - 1, most].filter((byte) => byte >= least && byte <= most)];
      for (const red of calm) {
        for (const green of calm) {
          for (const blue of calm) {
            const colour = (red << 16) | (green << 8) | blue;
            assert.is(tonedColour(colour, plan), colour, `${red}, ${green}, ${blue}`);
          }
        }
      }
    }
  }
  assert.equal(planOf(intents.auto.photo).calm, [0, 246], 'most colours of a photograph are calm');
});

test.run();
