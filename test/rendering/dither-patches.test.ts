import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ditherPicture } from '../../api/inks/dithering/dither.ts';
import { recipeOf } from '../../api/inks/dithering/intents.ts';
import { buildPaletteTables, type PaletteTables } from '../../api/inks/dithering/palette.ts';
import { epd7, type Panel, panels } from '../../firmware-protocol/panels.ts';
import { longTest } from '../some-times.ts';
import { legibility, lightOfInks } from './legibility.ts';
import { measurePicture } from './measure.ts';
import { measureTexture } from './texture.ts';
import { toned } from './toned.ts';

const test = suite('dither patches');

const tables = buildPaletteTables(epd7.colours);
const blackAndWhite = buildPaletteTables((panels.bw7 as Panel).colours);
const bytesOf = (hex: string): number[] => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));

const flat = (hex: string, side: number): Uint8Array => {
  const bytes = bytesOf(hex);
  return Uint8Array.from({ length: side * side * 3 }, (_, at) => bytes[at % 3] as number);
};

longTest(test)('R-36: flat colours have neither stripes nor patches, and keep their colour', () => {
  const side = 112;
  const colours = ['#88aadd', '#6090d0', '#c0c0c0', '#3b6ea5', '#4a9ac8', '#cc8866', '#e0eac8', '#a8c0d8', '#a0a0a0'];
  const mean = { stripes: [0, 0], patches: [0, 0] } as const;
  for (const colour of colours) {
    const rgb = flat(colour, side);
    const [striped, even] = [{ ...tables, noise: 0 }, tables].map((own: PaletteTables) => {
      const indices = ditherPicture({ rgb, width: side, height: side }, own);
      return {
        ...measureTexture(lightOfInks(indices, epd7.colours), side),
        ...measurePicture(rgb, indices, side, side, epd7.colours),
      };
    }) as [Measured, Measured];
    [striped, even].forEach(({ stripes, patches }, at) => {
      (mean.stripes as [number, number])[at as 0 | 1] += stripes / colours.length;
      (mean.patches as [number, number])[at as 0 | 1] += patches / colours.length;
    });
    assert.ok(even.stripes < 0.7, `${colour}: stripes ${even.stripes.toFixed(2)}`);
    assert.ok(even.grain < striped.grain + 0.004, `${colour}: grain ${striped.grain} to ${even.grain}`);
    assert.ok(even.oklab < striped.oklab * 1.25 + 0.1, `${colour}: oklab ${striped.oklab} to ${even.oklab}`);
  }
  assert.ok(mean.stripes[1] < mean.stripes[0] * 0.7, `stripes ${mean.stripes.join(' to ')}`);
  assert.ok(mean.patches[1] < mean.patches[0], `patches ${mean.patches.join(' to ')}`);
});

type Measured = ReturnType<typeof measureTexture> & ReturnType<typeof measurePicture>;

test('R-36: the tone of a pale gradient goes evenly from pixel to pixel, whatever its squares are taken for', () => {
  const [width, height] = [192, 128];
  const most = { auto: 1, lowNoise: 1, natural: 4, vivid: 8, readable: 8 } as const;
  for (const [intent, atMost] of Object.entries(most) as [keyof typeof most, number][]) {
    for (const [across, down] of [
      [0.1, 0.02],
      [0.25, 0.1],
      [0.12, 0.3],
      [0.4, 0.2],
    ] as const) {
      const rgb = Uint8Array.from({ length: width * height * 3 }, (_, at) => {
        const [x, y] = [Math.floor(at / 3) % width, Math.floor(at / 3 / width)];
        return Math.max(0, Math.round(255 - (x * across + y * down) * (1 - (at % 3) * 0.08)));
      });
      const out = toned({ rgb, width, height }, recipeOf({ intent }), tables);
      const change = (at: number): number => (out[at] as number) - (rgb[at] as number);
      let jump = 0;
      for (let at = 0; at < (width * height - width) * 3; at++) {
        if (at % (width * 3) < (width - 1) * 3) jump = Math.max(jump, Math.abs(change(at) - change(at + 3)));
        jump = Math.max(jump, Math.abs(change(at) - change(at + width * 3)));
      }
      assert.ok(jump <= atMost, `${intent}, ${across} across and ${down} down: a jump of ${jump}`);
    }
  }
});

test('R-36: `readable` clears a pale gradient evenly: a colour becomes the same one wherever it lies', () => {
  const [width, height] = [320, 240];
  const directions = [
    [0.05, 0.01],
    [0.1, 0.02],
    [0.15, 0.08],
    [0.04, 0.16],
    [0.2, 0.05],
  ] as const;
  for (const [across, down] of directions) {
    // A tint, and the noise of one byte by which browsers dither.
    for (const tint of [0, 0.3]) {
      const rgb = Uint8Array.from({ length: width * height * 3 }, (_, at) => {
        const [x, y] = [Math.floor(at / 3) % width, Math.floor(at / 3 / width)];
        return Math.round(254 - (x * across + y * down) * (1 + (at % 3) * tint) + (((x * 5 + y * 3) % 8) - 3.5) / 16);
      });
      const out = toned({ rgb, width, height }, recipeOf({ intent: 'readable' }), tables);
      const least = new Map<number, number>();
      const most = new Map<number, number>();
      for (let at = 0; at < rgb.length; at += 3) {
        const colour = ((rgb[at] as number) << 16) | ((rgb[at + 1] as number) << 8) | (rgb[at + 2] as number);
        const green = out[at + 1] as number;
        least.set(colour, Math.min(least.get(colour) ?? 255, green));
        most.set(colour, Math.max(most.get(colour) ?? 0, green));
      }
      const spread = Math.max(...[...most].map(([colour, green]) => green - (least.get(colour) as number)));
      assert.ok(
        spread <= 6,
        `${across} across, ${down} down, tint ${tint}: a colour differs by ${spread} from place to place`,
      );
    }
  }
});

const shapes = ['|', '-', '+', 'o', 'x', 'L', 'T', 'H', 'N'];
const [cell, columns, rows] = [14, 24, 8];

/** Whether a stroke of one pixel goes through a point of a letter, its middle at none. */
function isInk(shape: string, half: number, x: number, y: number): boolean {
  if (Math.abs(x) > half || Math.abs(y) > half) return false;
  const near = (distance: number): boolean => Math.abs(distance) <= 0.5;
  const [left, right, foot, head] = [
    near(x + half - 0.5),
    near(x - half + 0.5),
    near(y - half + 0.5),
    near(y + half - 0.5),
  ];
  const tests: Readonly<Record<string, boolean>> = {
    '|': near(x),
    '-': near(y),
    '+': near(x) || near(y),
    o: near(Math.hypot(x, y) - half + 0.5),
    x: near((x - y) / Math.SQRT2) || near((x + y) / Math.SQRT2),
    L: left || foot,
    T: near(x) || head,
    H: left || right || near(y),
    N: left || right || near((x - y) / Math.SQRT2),
  };
  return tests[shape] as boolean;
}

/** Letters of one size, as a browser would draw them: each begins at another quarter of a pixel. */
function drawLetters(pixels: number, ink: string, paper: string) {
  const [width, height] = [cell * columns, cell * rows];
  const cells = Array.from({ length: columns * rows }, (_, at) => ({
    letter: shapes[(at * 4) % shapes.length] as string,
    x: (at % columns) * cell,
    y: Math.floor(at / columns) * cell,
  }));
  const share = new Float64Array(width * height);
  cells.forEach(({ letter, x, y }, place) => {
    const [shiftX, shiftY] = [(place % 4) / 4, (Math.floor(place / 4) % 2) / 2];
    for (let at = 0; at < cell * cell * 16; at++) {
      const [px, py] = [Math.floor(at / 4) % cell, Math.floor(at / 16 / cell)];
      const sub = [(at & 3) + 0.5, (Math.floor(at / 4 / cell) & 3) + 0.5] as const;
      const [dx, dy] = [px + sub[0] / 4 - cell / 2 - shiftX, py + sub[1] / 4 - cell / 2 - shiftY];
      if (isInk(letter, pixels * 0.36, dx, dy))
        share[(y + py) * width + x + px] = (share[(y + py) * width + x + px] as number) + 1 / 16;
    }
  });
  const [from, to] = [bytesOf(paper), bytesOf(ink)];
  const rgb = Uint8Array.from({ length: width * height * 3 }, (_, at) => {
    const [low = 0, high = 0] = [from[at % 3], to[at % 3]];
    return Math.round(low + (high - low) * (share[Math.floor(at / 3)] as number));
  });
  const light = Float64Array.from({ length: width * height }, (_, at) => ((rgb[at * 3 + 1] as number) / 255) ** 2.2);
  return { rgb, width, height, share, letters: { light, width, height, cells, cellWidth: cell, cellHeight: cell } };
}

longTest(test)('R-36: stems of small gray letters stay connected, and are read as well as before or better', () => {
  const sum = { before: 0, after: 0, gapsBefore: 0, gapsAfter: 0 };
  for (const pixels of [7, 8, 9, 12]) {
    for (const [ink, paper] of [
      ['#666666', '#ffffff'],
      ['#888888', '#ffffff'],
      ['#999999', '#ffffff'],
      ['#777777', '#fff6e5'],
      ['#2e7d32', '#f1f8e9'],
      ['#e0e0e0', '#303030'],
    ] as const) {
      const { rgb, width, height, share, letters } = drawLetters(pixels, ink, paper);
      for (const { colours } of [epd7, panels.bw7] as Panel[]) {
        const own = colours === epd7.colours ? tables : blackAndWhite;
        const look = (intent: 'photo' | 'auto') => {
          const light = lightOfInks(ditherPicture({ rgb, width, height }, own, { intent }), colours);
          const middle = (Math.max(...light) + Math.min(...light)) / 2;
          const stems = [...share.keys()].filter((at) => (share[at] as number) >= 0.6);
          const isDark = Number.parseInt(ink.slice(1, 3), 16) < Number.parseInt(paper.slice(1, 3), 16);
          const drawn = stems.filter((at) => (light[at] as number) < middle === isDark).length / stems.length;
          return { drawn, ...legibility(letters, light) };
        };
        const [before, after] = [look('photo'), look('auto')];
        sum.before += before.read;
        sum.after += after.read;
        sum.gapsBefore += 1 - before.drawn;
        sum.gapsAfter += 1 - after.drawn;
        const what = `${pixels} pixels, ${ink} on ${paper}, ${colours.length} inks`;
        assert.ok(after.drawn > 0.68, `${what}: ${before.drawn.toFixed(2)} to ${after.drawn.toFixed(2)} of the stems`);
        assert.ok(
          1 - after.drawn < (1 - before.drawn) * 0.9,
          `${what}: gaps, ${1 - before.drawn} to ${1 - after.drawn}`,
        );
      }
    }
  }
  assert.ok(sum.gapsAfter < sum.gapsBefore * 0.75, `gaps ${sum.gapsBefore} to ${sum.gapsAfter}`);
  assert.ok(sum.after >= sum.before, `read ${sum.before} to ${sum.after}`);
});

test.run();
