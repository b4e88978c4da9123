/** The stylesheet of recipes: files by subject, each in a cascade layer. */
import { readFileSync } from 'node:fs';

/** The layers from the weakest to the strongest. Whatever a recipe brings itself is stronger than all of them. */
const files = {
  ground: [new URL('./css/ground.css', import.meta.url)],
  pieces: ['./css/words.css', './css/pieces.css', './css/lines.css'].map((path) => new URL(path, import.meta.url)),
  uses: ['./css/arrange.css', './css/looks.css', './css/uses.css'].map((path) => new URL(path, import.meta.url)),
} as const;

/** The layers of what is made for one page: measures and colours in its class names, and names with conditions. */
export type PageLayer = 'measures' | 'conditions';

const prefix = 'recipe-screen';
const layers = [...Object.keys(files), 'measures', 'conditions'].map((name) => `${prefix}.${name}`);

/** Puts rules into a layer. */
export const inLayer = (layer: keyof typeof files | PageLayer, rules: string): string =>
  `@layer ${prefix}.${layer}{${rules}}`;

/** A rule of the stylesheet: its selectors, and what it declares. */
export interface StyleRule {
  readonly selectors: readonly string[];
  readonly declared: string;
}

let read: { readonly text: string; readonly rules: readonly StyleRule[] } | undefined;

/** Returns the stylesheet that every page of a recipe has, with the rules it consists of. */
export function recipeStylesheet(): { readonly text: string; readonly rules: readonly StyleRule[] } {
  read ??= readStylesheet();
  return read;
}

let typeset: string | undefined;

/**
 * Returns the stylesheet of screens that are typeset: below that of all pages what a browser knows by itself, and above it
 * what stands in for its looks.
 */
export function typesetStylesheet(): string {
  typeset ??= `@layer ${prefix}-elements{${rulesIn('elements')}}${recipeStylesheet().text}${rulesIn('typeset')}`;
  return typeset;
}

const rulesIn = (name: string): string =>
  withoutComments(readFileSync(new URL(`./css/${name}.css`, import.meta.url), 'utf8'));

function readStylesheet() {
  const parts = Object.entries(files).map(([layer, paths]) => ({
    layer: layer as keyof typeof files,
    css: paths.map((path) => withoutComments(readFileSync(path, 'utf8'))).join(''),
  }));
  const text = [`@layer ${layers.join(',')};`, ...parts.map(({ layer, css }) => inLayer(layer, css))].join('\n');
  return { text, rules: parts.flatMap(({ css }) => rulesOf(css)) };
}

const withoutComments = (css: string): string => css.replaceAll(/\/\*[\s\S]*?\*\/\s*/g, '');

/** The files hold plain rules, none in another. */
function rulesOf(css: string): StyleRule[] {
  return css
    .split('}')
    .map((rule) => rule.split('{'))
    .filter(({ length }) => length === 2)
    .map(([selectors = '', declared = '']) => ({
      // Commas within brackets do not part selectors.
      selectors: (selectors.match(/(?:[^,()]|\((?:[^()]|\([^()]*\))*\))+/g) ?? []).map((each) => each.trim()),
      declared: declared.trim(),
    }));
}
