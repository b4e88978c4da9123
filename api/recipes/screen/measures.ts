/** The declarations of class names with a measure, a number or a colour in them. */
import type { Paints } from './paints.ts';

/** The properties of names with a length, such as `mt--2` and `w--[40px]`. */
const lengthNames: Readonly<Record<string, readonly string[]>> = {
  w: ['width'],
  h: ['height'],
  'w--min': ['min-width'],
  'w--max': ['max-width'],
  'h--min': ['min-height'],
  'h--max': ['max-height'],
  m: ['margin'],
  mx: ['margin-left', 'margin-right'],
  my: ['margin-top', 'margin-bottom'],
  mt: ['margin-top'],
  mr: ['margin-right'],
  mb: ['margin-bottom'],
  ml: ['margin-left'],
  p: ['padding'],
  px: ['padding-left', 'padding-right'],
  py: ['padding-top', 'padding-bottom'],
  pt: ['padding-top'],
  pr: ['padding-right'],
  pb: ['padding-bottom'],
  pl: ['padding-left'],
  gap: ['gap'],
  rounded: ['border-radius'],
  basis: ['flex-basis'],
  inset: ['inset'],
  t: ['top'],
  r: ['right'],
  b: ['bottom'],
  l: ['left'],
  top: ['top'],
  right: ['right'],
  bottom: ['bottom'],
  left: ['left'],
  'grid--min': ['--least-column'],
};
/** Of these only lengths in brackets are measures; `gap--small` and the like are in the stylesheet. */
const onlyBracketed = new Set(['gap', 'rounded']);

/** The unit of lengths without one, in pixels. */
const unitPx = 4;

/** Returns what a name declares, or undefined for one without a measure or a colour. */
export function measureOf(name: string, paints: Paints): string | undefined {
  const plain = name.replace(shortName, '$1--$2');
  return lengthsIn(plain) ?? countsIn(plain) ?? coloursIn(plain, paints);
}

/** Names that recipes also write with one dash. */
const shortName = /^(w|h|bg|text)-(full|auto|black|white)$/;

function lengthsIn(name: string): string | undefined {
  const [, kind = '', least, measure = ''] = /^([a-z]+)--(?:(min|max)-)?(.+)$/.exec(name) ?? [];
  const key = least === undefined ? kind : `${kind}--${least}`;
  const properties = Object.hasOwn(lengthNames, key) ? lengthNames[key] : undefined;
  const length = properties && lengthOf(measure, key);
  return length === undefined ? undefined : properties?.map((property) => `${property}:${length}`).join(';');
}

function lengthOf(measure: string, key: string): string | undefined {
  const [, bracketed] = /^\[(-?[\d.]+(?:px|%|em|rem|lh|cqw|cqh|cqmin|cqmax|vw|vh))\]$/.exec(measure) ?? [];
  if (bracketed !== undefined) return bracketed;
  if (onlyBracketed.has(key)) return undefined;
  if (/^\d+(?:\.\d+)?$/.test(measure)) return `${Number(measure) * unitPx}px`;
  if (measure === 'full') return '100%';
  if (measure === 'half') return '50%';
  if (measure === 'auto') return key.endsWith('--max') ? 'none' : 'auto';
  return undefined;
}

const counts: readonly (readonly [name: RegExp, declare: (count: string) => string])[] = [
  [/^grid--cols-(\d+)$/, (count) => `grid-template-columns:repeat(${count},minmax(0,1fr))`],
  [/^col--span-(\d+)$/, (count) => `grid-column:span ${count}`],
  [/^row--span-(\d+)$/, (count) => `grid-row:span ${count}`],
  [/^order--(-?\d+)$/, (count) => `order:${count}`],
  [/^z--(\d+)$/, (count) => `z-index:${count}`],
  [/^aspect--(\d+\/\d+)$/, (ratio) => `aspect-ratio:${ratio}`],
];

function countsIn(name: string): string | undefined {
  for (const [pattern, declare] of counts) {
    const count = pattern.exec(name)?.[1];
    if (count !== undefined) return declare(count);
  }
  return undefined;
}

/** Names with a colour: what they are for, then a shade. */
const coloured = /^(bg-|text-|label-|border--h|border--v|text-stroke-|image-stroke-)-([a-z]+(?:-\d+)?|\d+)$/;

function coloursIn(name: string, paints: Paints): string | undefined {
  const [, kind, shade = ''] = coloured.exec(name) ?? [];
  const paint = kind === undefined ? undefined : paints(/^\d/.test(shade) ? `gray-${shade}` : shade);
  if (paint === undefined) return undefined;
  switch (kind) {
    case 'bg-':
      return `background:${paint.fill}`;
    case 'text-':
      return `color:${paint.colour}`;
    case 'label-':
      return shade.startsWith('gray-') ? `color:${paint.colour}` : undefined;
    case 'border--h':
      return `flex:none;border-top:1px ${paint.line}`;
    case 'border--v':
      return `flex:none;border-left:1px ${paint.line}`;
    default:
      return `--stroke-colour:${paint.colour}`;
  }
}
