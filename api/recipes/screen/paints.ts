/**
 * The paints of a page: grays, hues and their shades, made of the panel's inks alone. A shade that is not an ink is a
 * pattern of two inks in pixels of the panel, by the names that recipes use (RC-52).
 */
import { crc32, deflateSync } from 'node:zlib';
import type { PanelColour } from '../../../firmware-protocol/palettes.ts';
import { isNeutral } from './screen-shape.ts';

/** A paint: for areas, a CSS background; for letters, one colour; for lines, the style and the colour of a border. */
export interface Paint {
  readonly fill: string;
  readonly colour: string;
  readonly line: string;
}

/** The paints of a page by their names, such as `gray-30`, `red` and `blue-55`; undefined for other names. */
export type Paints = (name: string) => Paint | undefined;

/** The shades between black and white, in fifteenths of white. */
const shadesOf: ReadonlyMap<string, number> = new Map([
  ...Array.from({ length: 14 }, (_, at): [string, number] => [String(10 + at * 5), at + 1]),
  // The names of older recipes.
  ...Array.from({ length: 7 }, (_, at): [string, number] => [String(at + 1), at * 2 + 1]),
]);
const steps = 15;
/** Lines that differ so much from the paper are whole. */
const strong = 0.65;

/** Hues in degrees, with the gray that stands for each of them where there are no colours, in fifteenths of white. */
const hues: Readonly<Record<string, readonly [degrees: number, gray: number]>> = {
  red: [0, 5],
  orange: [33, 9],
  yellow: [60, 13],
  lime: [90, 12],
  green: [120, 7],
  cyan: [175, 11],
  blue: [240, 4],
  violet: [265, 5],
  purple: [290, 6],
  pink: [330, 8],
};

/** The colours that recipes call by their meaning. */
const meanings: Readonly<Record<string, string>> = {
  primary: 'blue',
  success: 'green',
  error: 'red',
  warning: 'orange',
  canvas: 'white',
  surface: 'white',
  backdrop: 'gray-55',
};

/** Mixes the paints of a panel. In the dark, black and white change places, and so do all shades. */
export function mixPaints(colours: readonly PanelColour[], isDark: boolean): Paints {
  const grays = colours.map(({ nominal }) => nominal).filter(isNeutral);
  const levels = grays.map((hex) => Number.parseInt(hex.slice(1, 3), 16) / 255).sort((one, other) => one - other);
  const chromatic = colours.filter(({ nominal }) => !isNeutral(nominal)).map(({ nominal }) => nominal);
  const paper = isDark ? 0 : 1;
  const seen = (step: number): number => (isDark ? steps - step : step);

  function gray(step: number): Paint {
    const level = seen(step) / steps;
    const darker = levels.findLast((each) => each <= level + 1e-6) ?? 0;
    const lighter = levels.find((each) => each >= level - 1e-6) ?? 1;
    const share = lighter === darker ? 0 : (level - darker) / (lighter - darker);
    return { fill: pattern(grayHex(darker), grayHex(lighter), share), colour: grayHex(level), line: grayLine(level) };
  }

  /** A line has pixels for no pattern: it takes the nearest gray, or without any is whole or dotted. */
  function grayLine(level: number): string {
    const nearest = [...levels].sort((one, other) => Math.abs(one - level) - Math.abs(other - level))[0] ?? 0;
    const strength = Math.abs(level - paper);
    if (levels.length > 2 || strength > strong || strength === 0) return `solid ${grayHex(nearest)}`;
    return `dotted ${grayHex(1 - paper)}`;
  }

  function hued(degrees: number, instead: number, step: number | undefined): Paint {
    const ink = nearestInk(chromatic, degrees);
    if (ink === undefined) return gray(step ?? instead);
    const flat = { fill: ink, colour: ink, line: `solid ${ink}` };
    if (step === undefined) return flat;
    const middle = (steps + 1) / 2;
    const level = seen(step);
    const fill =
      level < middle ? pattern('#000000', ink, level / middle) : pattern(ink, '#ffffff', (level + 1 - middle) / middle);
    return { ...flat, fill };
  }

  return (name) => {
    const meant = meanings[name] ?? name;
    if (meant === 'black') return gray(0);
    if (meant === 'white') return gray(steps);
    const [, family = '', shade] = /^([a-z]+)(?:-(\d+))?$/.exec(meant) ?? [];
    const step = shade === undefined ? undefined : shadesOf.get(shade);
    if (shade !== undefined && step === undefined) return undefined;
    if (family === 'gray') return step === undefined ? undefined : gray(step);
    const hue = Object.hasOwn(hues, family) ? hues[family] : undefined;
    return hue && hued(...hue, step);
  };
}

const grayHex = (level: number): string => {
  const byte = Math.round(level * 255)
    .toString(16)
    .padStart(2, '0');
  return `#${byte}${byte}${byte}`;
};

function nearestInk(inks: readonly string[], degrees: number): string | undefined {
  const away = (ink: string): number => {
    const angle = Math.abs(hueOf(ink) - degrees) % 360;
    return Math.min(angle, 360 - angle);
  };
  return [...inks].sort((one, other) => away(one) - away(other))[0];
}

/** Returns the hue of a colour in degrees. */
function hueOf(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
  const degrees = (Math.atan2(Math.sqrt(3) * (green - blue), 2 * red - green - blue) * 180) / Math.PI;
  return (degrees + 360) % 360;
}

/** The pixels of a side of the square that a pattern repeats. */
const side = 4;
/** The order in which the pixels of a square of four become light: neighbours as late as can be. */
const order = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5] as const;

/** Returns a background of two inks, of which the second has a share between 0 and 1. */
function pattern(dark: string, light: string, share: number): string {
  const count = Math.round(share * order.length);
  if (count === 0) return dark;
  if (count === order.length) return light;
  const square = pngOf(order.map((place) => (place < count ? light : dark)));
  return `url("data:image/png;base64,${square}") 0 0/calc(4px/var(--density))`;
}

/** Writes a square of four by four colours as a PNG. */
function pngOf(pixels: readonly string[]): string {
  const header = Buffer.from([0, 0, 0, side, 0, 0, 0, side, 8, 2, 0, 0, 0]);
  // Each row begins with the name of its filter, which is none.
  const rows = pixels.map((hex, at) => `${at % side === 0 ? '00' : ''}${hex.slice(1)}`).join('');
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  const chunks = [chunk('IHDR', header), chunk('IDAT', deflateSync(Buffer.from(rows, 'hex'))), chunk('IEND')];
  return Buffer.concat([signature, ...chunks]).toString('base64');
}

function chunk(name: string, content: Uint8Array = new Uint8Array()): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), content]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  checksum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, checksum]);
}
