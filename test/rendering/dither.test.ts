import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ditherPicture } from '../../api/inks/dithering/dither.ts';
import { buildPaletteTables } from '../../api/inks/dithering/palette.ts';
import type { Pixels } from '../../api/inks/dithering/sheet.ts';
import { epd7, type Panel, panels } from '../../firmware-protocol/panels.ts';
import { measurePicture } from './measure.ts';

const test = suite('dither');

const tables = buildPaletteTables(epd7.colours);
const side = 64;

const bytesOf = (hex: string): number[] => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));

/** A square picture, `colourAt` as `#rrggbb`. */
function picture(colourAt: (x: number, y: number) => string): Pixels {
  const rgb = Uint8Array.from(
    Array.from({ length: side * side }, (_, at) => bytesOf(colourAt(at % side, Math.floor(at / side)))).flat(),
  );
  return { rgb, width: side, height: side };
}

const indexOf = (name: string): number => epd7.colours.findIndex((colour) => colour.name === name);

const plane = (ink: (x: number, y: number) => string): Uint8Array =>
  Uint8Array.from({ length: side * side }, (_, at) => indexOf(ink(at % side, Math.floor(at / side))));

test("the measure gives its definition's check values", () => {
  const checks: [source: string, ink: (x: number, y: number) => string, oklab: number][] = [
    ['#bcbcbc', (x, y) => ((x + y) % 2 === 0 ? 'black' : 'white'), 0.152],
    ['#bcbcbc', () => 'white', 20.478],
    ['#808080', () => 'black', 59.987],
    ['#ff0000', () => 'red', 14.635],
    ['#0000ff', () => 'blue', 12.184],
    ['#00ff00', () => 'green', 36.673],
    ['#ffff00', () => 'yellow', 2.864],
  ];
  for (const [source, ink, expected] of checks) {
    const { oklab } = measurePicture(picture(() => source).rgb, plane(ink), side, side, epd7.colours);
    assert.is(oklab.toFixed(3), expected.toFixed(3), `${source} against ${ink(0, 0)}`);
  }
});

test('the same picture gives the same pixels', () => {
  const mixed = picture(
    (x, y) => `#${[x * 4, y * 4, (x + y) * 2].map((v) => v.toString(16).padStart(2, '0')).join('')}`,
  );
  const first = ditherPicture(mixed, tables);
  assert.equal(first, ditherPicture(mixed, buildPaletteTables(epd7.colours)));
  assert.ok(new Set(first).size === epd7.colours.length, 'a picture of many colours uses every ink');
});

test('R-31: panel colours stay clean, alone and next to others', () => {
  for (const { name, nominal, measured } of epd7.colours) {
    assert.equal(
      ditherPicture(
        picture(() => nominal),
        tables,
      ),
      plane(() => name),
      `${nominal} alone`,
    );
    assert.equal(
      ditherPicture(
        picture(() => measured),
        tables,
      ),
      plane(() => name),
      `${measured} alone`,
    );
    const beside = ditherPicture(
      picture((x) => (x < 32 ? '#7a8b9c' : nominal)),
      tables,
    );
    const clean = plane(() => name);
    for (let at = 0; at < beside.length; at++) {
      if (at % side >= 32) assert.is(beside[at], clean[at], `${name} beside a gray-blue, pixel ${at}`);
    }
    assert.ok(new Set(beside.filter((_, at) => at % side < 32)).size > 1, 'the other half is mixed');
  }
});

test('a pattern of two grays stays as it is on a panel that has them, next to letters too', () => {
  const { colours } = panels.trmnl4 as Panel;
  const [dark, light] = [...colours].sort((one, other) => (one.nominal < other.nominal ? -1 : 1)).slice(1, 3);
  if (dark === undefined || light === undefined) throw new Error('there are no two grays');
  for (const [dot, ground] of [
    [dark, light],
    [light, dark],
  ] as const) {
    for (const isDot of [
      (x: number, y: number) => x % 2 === 0 && y % 2 === 0,
      (x: number, y: number) => (x + y) % 2 === 0,
      (x: number, y: number) => x % 4 === 0 && y % 4 === 0,
    ]) {
      // White paper around it, and a smooth edge, which has the picture dithered.
      const within = (x: number, y: number): boolean => x >= 8 && x < 56 && y >= 8 && y < 56;
      const drawn = ditherPicture(
        picture((x, y) => {
          if (within(x, y)) return isDot(x, y) ? dot.nominal : ground.nominal;
          return y === 60 ? '#7b7b7b' : '#ffffff';
        }),
        buildPaletteTables(colours),
        { intent: 'auto' },
      );
      for (let y = 10; y < 54; y++) {
        for (let x = 10; x < 54; x++) {
          assert.is(colours[drawn[y * side + x] ?? -1]?.name, (isDot(x, y) ? dot : ground).name, `${x}, ${y}`);
        }
      }
    }
  }
});

test('R-30: every gray is mixed to its own lightness, and colours come as near as the inks allow', () => {
  const nearest: [source: string, atMost: number][] = [
    ['#202020', 4.5],
    ['#404040', 2.5],
    ['#808080', 1.5],
    ['#bcbcbc', 1],
    ['#e0e0e0', 1],
    ['#6d4c2f', 2],
    ['#e08030', 5],
    ['#8090c0', 1.5],
    ['#00c8ff', 13],
  ];
  for (const [source, atMost] of nearest) {
    const even = picture(() => source);
    const { oklab } = measurePicture(even.rgb, ditherPicture(even, tables), side, side, epd7.colours);
    assert.ok(oklab <= atMost, `${source}: ${oklab.toFixed(2)} is more than ${atMost}`);
  }
});

test('without diffusion every pixel of a colour takes the same ink, the nearest', () => {
  const flat = ditherPicture(
    picture((x) => (x < 32 ? '#181818' : '#d03018')),
    tables,
    { method: 'none' },
  );
  assert.equal(
    flat,
    plane((x) => (x < 32 ? 'black' : 'red')),
  );
});

test('the search for mixtures ends where light is not a number', () => {
  const seen = ['#100000', '#10ffff', '#00f000', '#00f0ff', '#f00000', '#f0f000'];
  const flat = epd7.colours.map((colour, at) => ({ ...colour, measured: seen[at] ?? '' }));
  assert.is(
    ditherPicture(
      picture(() => '#336699'),
      buildPaletteTables(flat),
    ).length,
    side * side,
  );
});

test('a picture of another size than announced is a bug', () => {
  assert.throws(
    () => ditherPicture({ rgb: new Uint8Array(10), width: 2, height: 2 }, tables),
    /picture has 10 bytes, not 2x2x3/,
  );
});

test.run();
