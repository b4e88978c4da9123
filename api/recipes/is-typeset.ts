/** Which recipes are drawn without a browser. */
import type { SourceKind } from './known-recipe.ts';
import { layouts, type Recipe, viewOf } from './package/recipe.ts';

/** The elements that a typeset page knows, and those of its drawings. */
const elements = new Set(
  'div p span style table thead tbody tr th td svg g path circle ellipse rect line polyline polygon'.split(' '),
);

/** Attributes and CSS by which a page loads or runs something, or is fitted by the script of a browser's page. */
const ofBrowsers = /\s(?:src|srcset|href|on[a-z]+)\s*=|\sdata-(?!clamp\s*=)[\w-]|url\s*\(|@import|@font-face/i;
/** Filters that make elements of data. */
const makers = /\|\s*(?:markdown_to_html|qr_code)\b/;

/**
 * Returns whether a recipe is drawn without a browser: one that the service brings along, whose markup needs nothing that
 * only a browser has. All others are drawn by the browser.
 */
export const isTypeset = (kind: SourceKind, recipe: Recipe): boolean =>
  kind === 'own' && layouts.every((layout) => needsNoBrowser(viewOf(recipe, layout)));

function needsNoBrowser(markup: string): boolean {
  const html = withoutLiquid(markup);
  const names = [...html.matchAll(/<([a-z][\w:-]*)/gi)].map(([, name = '']) => name);
  return names.every((name) => elements.has(name)) && !ofBrowsers.test(html) && !makers.test(markup);
}

/** Leaves out the tags and the outputs of Liquid, whose words are not markup. */
function withoutLiquid(markup: string): string {
  const [first = '', ...others] = markup.split(/\{[{%]/);
  return [first, ...others.map((part) => part.slice(part.search(/[%}]\}/) + 2))].join('');
}
