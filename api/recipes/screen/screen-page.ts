/** The page around a recipe's markup: a whole document whose stylesheet and script exist in the browser alone. */
import { blackAndWhite, type PanelColour } from '../../../firmware-protocol/palettes.ts';
import { escapeHtml } from '../../../runtime/escape-html.ts';
import { directionOf } from '../../pages/document.ts';
import type { Layout } from '../package/recipe.ts';
import { classRules } from './class-rules.ts';
import { mixPaints, type Paints } from './paints.ts';
import { isNeutral, type ScreenPicture, type ScreenShape, screenShape } from './screen-shape.ts';

/** The origin of recipes' pages. No host has the name; what the pages ask for there is answered in the browser. */
export const screenOrigin = 'https://recipe.papergate.invalid';
/** The address of a recipe's page. */
export const screenAddress = `${screenOrigin}/`;

/** The ingredients of a page. The picture is the whole screen's, or that of the part that the layout is for. */
export interface ScreenOptions extends ScreenPicture {
  /** HTML that the recipe's template made. */
  readonly markup: string;
  /** BCP 47 tag. */
  readonly language: string;
  readonly isDark: boolean;
  readonly isWithoutPadding: boolean;
}

/** The arrangements of a screen in which views of a part stand. */
export const mashups: Readonly<Record<Exclude<Layout, 'full'>, string>> = {
  half_horizontal: '1Tx1B',
  half_vertical: '1Lx1R',
  quadrant: '2x2',
};

/** Puts a page together (RC-50, RC-52). Markup with a view or a screen of its own is put into no second one (RC-4). */
export function screenPage(options: ScreenOptions): string {
  const { markup, layout, language, isDark, colours } = options;
  const shape = screenShape(options);
  const paints = mixPaints(colours, isDark);
  const view = hasElement(markup, 'view') ? markup : `<div class="view view--${layout}">${markup}</div>`;
  const arranged = layout === 'full' || hasElement(markup, 'mashup') ? view : mashup(layout, view);
  const classes = `class="${screenClasses(shape, options)}"`;
  const body = hasElement(markup, 'screen') ? withScreen(markup, classes) : `<div ${classes}>${arranged}</div>`;
  const names = screenNames(shape, colours, paints);
  return `<!doctype html><html lang="${escapeHtml(language)}" dir="${directionOf(language)}"><head><meta charset="utf-8">
<link rel="stylesheet" href="/screen.css"><style>${names}${classRules(markup, { shape, isDark, paints })}</style>
<script src="/screen.js"></script></head><body class="environment trmnl">
<div id="website-has-loading-element" hidden></div>
${body}</body></html>`;
}

const mashup = (layout: Exclude<Layout, 'full'>, view: string): string =>
  `<div class="mashup mashup--${mashups[layout]}">${view}</div>`;

const classLists = /(<\w+\b[^<>]*?\s)class\s*=\s*(["'])([^"'<>]*)\2/gi;

/** Finds the first element with a class. */
const elementWith = (markup: string, name: string): RegExpExecArray | undefined =>
  [...markup.matchAll(classLists)].find(([, , , names = '']) => names.split(/\s+/).includes(name));

const hasElement = (markup: string, name: string): boolean => elementWith(markup, name) !== undefined;

/** Gives a screen that the markup brings along the classes of the panel. */
function withScreen(markup: string, classes: string): string {
  const found = elementWith(markup, 'screen');
  if (found === undefined) return markup;
  const [whole, before] = found;
  return `${markup.slice(0, found.index)}${before}${classes}${markup.slice(found.index + whole.length)}`;
}

/** Returns the class names of a screen. */
export const screenClasses = ({ classes }: ScreenShape, { isDark, isWithoutPadding }: ScreenOptions): string =>
  [...classes, ...(isDark ? ['screen--dark-mode'] : []), ...(isWithoutPadding ? ['screen--no-bleed'] : [])].join(' ');

/** Returns the rule of the measures and the colours of a screen, by the names that stylesheets read. */
export const screenNames = (shape: ScreenShape, colours: readonly PanelColour[], paints: Paints): string =>
  `:root{${measuresOf(shape)};${namesOf(colours, paints)}}`;

/** Returns the measures of a screen by the names that stylesheets read. */
function measuresOf({ width, height, density }: ScreenShape): string {
  const px = (length: number): string => `${Number(length.toFixed(3))}px`;
  return `--screen-w:${px(width)};--screen-h:${px(height)};--density:${Number(density.toFixed(6))}`;
}

const shades = Array.from({ length: 14 }, (_, at) => `gray-${10 + at * 5}`);
const marks = { primary: 'primary', success: 'success', error: 'error', warning: 'yellow' } as const;

/** Returns the colours of a page by the names that stylesheets read. */
function namesOf(colours: readonly PanelColour[], paints: Paints): string {
  const named: [name: string, value: string | undefined][] = [
    ...['black', 'white', ...shades].map((name): [string, string | undefined] => [name, paints(name)?.colour]),
    ...shades.map((name): [string, string | undefined] => [`paint-${name}`, paints(name)?.fill]),
    ['line-strong', `1px ${paints('gray-40')?.line}`],
    ['line-soft', `1px ${paints('gray-60')?.line}`],
  ];
  if (colours.some(({ nominal }) => !isNeutral(nominal))) {
    for (const [name, paint] of Object.entries(marks)) {
      const ink = paints(paint)?.colour;
      named.push([`ink-${name}`, ink], [`on-${name}`, ink && lettersOn(colours, ink)]);
    }
  }
  return named.map(([name, value]) => `--${name}:${value}`).join(';');
}

/** Returns black or white, whichever is further from the looks of an ink. */
function lettersOn(colours: readonly PanelColour[], ink: string): string {
  const looks = colours.find(({ nominal }) => nominal === ink)?.measured ?? ink;
  const [black, white] = blackAndWhite(colours).map((place) => lightnessOf(colours[place]?.measured ?? ink));
  const lightness = lightnessOf(looks);
  return lightness - (black ?? 0) < (white ?? 1) - lightness ? '#ffffff' : '#000000';
}

function lightnessOf(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255);
  return 0.3 * red + 0.59 * green + 0.11 * blue;
}
