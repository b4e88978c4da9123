/**
 * Pictures with a known subject, to judge where photographs are cut. They are drawn, not photographed: shapes, gradients
 * and grain with the colours of skin, leaves, sky and buildings, always the same.
 */
import sharp from 'sharp';

// The service's settings may be in force, and they read no drawings.
sharp.unblock({ operation: ['VipsForeignLoadSvg'] });

/** A part of a picture, as shares of its width and height. */
export interface SubjectBox {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** A picture, and the part that nobody would want to miss. */
export interface DrawnSubject {
  readonly name: string;
  readonly image: Buffer;
  readonly subject: SubjectBox;
}

type Shape = readonly [width: number, height: number];
const tall: Shape = [900, 1200];
const wide: Shape = [1600, 900];

interface Sketch {
  readonly shape: Shape;
  readonly ground: string;
  readonly subject: SubjectBox;
  readonly drawing: string;
}

const meadow =
  '<stop stop-color="#8fb7df"/><stop offset=".5" stop-color="#d8e4ea"/><stop offset=".5" stop-color="#6c8f4a"/><stop offset="1" stop-color="#3f5f2c"/>';
const room =
  '<stop stop-color="#b9aa98"/><stop offset=".7" stop-color="#a08e7a"/><stop offset="1" stop-color="#5d4a3a"/>';
const night = '<stop stop-color="#05070f"/><stop offset="1" stop-color="#1a2338"/>';
const evening =
  '<stop stop-color="#27406f"/><stop offset=".55" stop-color="#e79a5b"/><stop offset="1" stop-color="#14202e"/>';

/** A head with hair, eyes and mouth on shoulders, in a box of the given middle and height. */
function person(x: number, y: number, high: number, [skin, hair, cloth]: readonly [string, string, string]): string {
  const r = high * 0.3;
  const eye = (side: number) => `<circle cx="${x + side * r * 0.35}" cy="${y - r * 0.1}" r="${r * 0.09}" fill="#222"/>`;
  return `<path d="M${x - r * 1.6} ${y + high} Q${x - r * 1.5} ${y + r} ${x} ${y + r} T${x + r * 1.6} ${y + high}Z" fill="${cloth}"/>
    <ellipse cx="${x}" cy="${y - r * 0.2}" rx="${r * 0.95}" ry="${r * 1.15}" fill="${hair}"/>
    <ellipse cx="${x}" cy="${y}" rx="${r * 0.78}" ry="${r}" fill="${skin}"/>${eye(-1)}${eye(1)}
    <path d="M${x - r * 0.3} ${y + r * 0.45} Q${x} ${y + r * 0.65} ${x + r * 0.3} ${y + r * 0.45}" stroke="#8a3b3b" stroke-width="${r * 0.1}" fill="none"/>`;
}

/** The box of a head, whose middle and height are shares of the picture's height. */
function headBox(shape: Shape, x: number, y: number, high: number): SubjectBox {
  const [r, aspect] = [high * 0.3, shape[1] / shape[0]];
  return { left: x - r * aspect, top: y - 1.35 * r, width: 2 * r * aspect, height: 2.4 * r };
}

const people: readonly (readonly [string, string, string])[] = [
  ['#e2b08f', '#3b2618', '#33507a'],
  ['#8d5a3b', '#17110d', '#b23a3a'],
  ['#f1c9ae', '#b98a4a', '#3d6b4a'],
  ['#c68e66', '#2a1c14', '#d0b04a'],
];

/** One person. */
function portrait(shape: Shape, ground: string, [x, y, high]: readonly [number, number, number], who: number): Sketch {
  const drawing = person(x * shape[0], y * shape[1], high * shape[1], people[who] ?? ['', '', '']);
  return { shape, ground, drawing, subject: headBox(shape, x, y, high) };
}

/** Four heads in a row. */
function group(shape: Shape, ground: string, left: number, y: number, high: number): Sketch {
  const step = (high * 0.62 * shape[1]) / shape[0];
  const heads = people.map((colours, at) =>
    person((left + at * step) * shape[0], y * shape[1], high * shape[1], colours),
  );
  const box = headBox(shape, left, y, high);
  return { shape, ground, drawing: heads.join(''), subject: { ...box, width: box.width + 3 * step } };
}

/** A thing in its box, drawn in a square of 100. */
function thing(shape: Shape, ground: string, subject: SubjectBox, drawing: string): Sketch {
  const [x, y] = [subject.left * shape[0], subject.top * shape[1]];
  const scale = `scale(${(subject.width * shape[0]) / 100} ${(subject.height * shape[1]) / 100})`;
  return { shape, ground, subject, drawing: `<g transform="translate(${x} ${y}) ${scale}">${drawing}</g>` };
}

const box = (left: number, top: number, width: number, height: number): SubjectBox => ({ left, top, width, height });
const moon = '<circle cx="50" cy="50" r="48" fill="#f4f0d8"/><circle cx="36" cy="40" r="9" fill="#d8d2b4"/>';
const sign =
  '<rect width="100" height="100" fill="#f7f7f2" stroke="#222" stroke-width="3"/><text x="50" y="46" font-size="30" text-anchor="middle" font-family="sans-serif">OPEN</text><text x="50" y="84" font-size="26" text-anchor="middle" font-family="sans-serif">9–18</text>';
const dog =
  '<ellipse cx="55" cy="65" rx="42" ry="26" fill="#8a5a2c"/><circle cx="20" cy="32" r="20" fill="#9a6835"/><circle cx="14" cy="28" r="4" fill="#111"/><path d="M30 80V100M75 80V100" stroke="#6b431f" stroke-width="9"/>';
const flower =
  '<g fill="#d0304a"><circle cx="50" cy="22" r="22"/><circle cx="22" cy="50" r="22"/><circle cx="78" cy="50" r="22"/><circle cx="50" cy="78" r="22"/></g><circle cx="50" cy="50" r="17" fill="#f2c230"/>';
const house =
  '<path d="M50 0L100 40H0Z" fill="#7d2f22"/><rect x="8" y="40" width="84" height="60" fill="#e8dcc4"/><path d="M22 55H40V75H22ZM60 55H78V75H60Z" fill="#35495e"/><rect x="44" y="70" width="13" height="30" fill="#54331f"/>';
const boat = '<path d="M48 0V68L5 68ZM54 12L95 68H54Z" fill="#fbfbf4"/><path d="M0 72H100L84 100H16Z" fill="#8b2e2e"/>';
const skyline =
  '<path d="M0 100V60H9V30H20V70H30V10H38V55H50V40H62V75H70V20H80V62H92V45H100V100Z" fill="#0d131d"/><circle cx="55" cy="22" r="9" fill="#ffd98a"/>';

const sketches: Readonly<Record<string, Sketch>> = {
  'face high, garden': portrait(tall, meadow, [0.5, 0.22, 0.3], 0),
  'face high, room': portrait(tall, room, [0.45, 0.18, 0.28], 1),
  'face high, large': portrait(tall, room, [0.55, 0.3, 0.5], 2),
  'face in the middle': portrait(tall, meadow, [0.5, 0.48, 0.35], 3),
  'child low in a garden': portrait(tall, meadow, [0.4, 0.76, 0.25], 2),
  'face left, room': portrait(wide, room, [0.15, 0.4, 0.6], 0),
  'face right, garden': portrait(wide, meadow, [0.86, 0.42, 0.55], 1),
  'face, evening': portrait(wide, evening, [0.3, 0.5, 0.6], 3),
  'group high, tall': group(tall, room, 0.22, 0.25, 0.24),
  'group low, tall': group(tall, meadow, 0.2, 0.7, 0.24),
  'group left, wide': group(wide, meadow, 0.12, 0.45, 0.32),
  'group in the middle, wide': group(wide, room, 0.36, 0.45, 0.3),
  'moon high': thing(tall, night, box(0.6, 0.08, 0.16, 0.12), moon),
  'moon left': thing(wide, night, box(0.1, 0.2, 0.09, 0.16), moon),
  'horizon with a sun': thing(tall, evening, box(0, 0.5, 1, 0.16), skyline),
  'sign low': thing(tall, room, box(0.25, 0.72, 0.5, 0.2), sign),
  'dog right': thing(wide, meadow, box(0.68, 0.55, 0.24, 0.32), dog),
  'flower high': thing(
    tall,
    '<stop stop-color="#4a6a38"/><stop offset="1" stop-color="#26401c"/>',
    box(0.3, 0.1, 0.4, 0.3),
    flower,
  ),
  'house left': thing(wide, meadow, box(0.06, 0.25, 0.26, 0.45), house),
  'boat right': thing(wide, evening, box(0.7, 0.35, 0.2, 0.42), boat),
};

/** Draws a sketch with the grain of a camera, whose seed is its place in the list. */
async function drawn({ shape: [width, height], ground, drawing }: Sketch, seed: number): Promise<Buffer> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    <defs><linearGradient id="ground" x2="0" y2="1">${ground}</linearGradient>
    <filter id="grain"><feTurbulence baseFrequency=".6" numOctaves="2" seed="${seed}"/><feColorMatrix type="saturate" values="0"/></filter></defs>
    <rect width="100%" height="100%" fill="url(#ground)"/>${drawing}
    <rect width="100%" height="100%" filter="url(#grain)" opacity=".12"/></svg>`;
  return sharp(Buffer.from(svg)).flatten().jpeg({ quality: 92 }).toBuffer();
}

/** Draws the twenty pictures. */
export function drawnSubjects(): Promise<readonly DrawnSubject[]> {
  const named = Object.entries(sketches);
  return Promise.all(
    named.map(async ([name, sketch], seed) => ({ name, subject: sketch.subject, image: await drawn(sketch, seed) })),
  );
}
