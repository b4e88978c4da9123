/**
 * The rules that only one page needs: for class names that hold a measure or a colour (`w--[64cqw]`, `bg--red-40`), and
 * for those with conditions (`lg:value--large`, `portrait:hidden`), whose answers are known before the page is.
 */
import { measureOf } from './measures.ts';
import type { Paints } from './paints.ts';
import type { ScreenShape } from './screen-shape.ts';
import { inLayer, recipeStylesheet } from './stylesheet.ts';

/** The screen of a page, with what its class names may ask about it. */
export interface ClassSurroundings {
  readonly shape: ScreenShape;
  readonly isDark: boolean;
  readonly paints: Paints;
}

/** Longer words are data, such as pictures. */
const maxLength = 60;
/** A page has some hundred. */
const maxWords = 3_000;

const sizes = ['sm', 'md', 'lg'] as const;
/** From the weakest to the strongest; of names with as many conditions, the one with the stronger last wins. */
const conditions = [...sizes, 'landscape', 'portrait', '1bit', '2bit', '4bit', 'dark'] as const;
type Condition = (typeof conditions)[number];

const isCondition = (word: string): word is Condition => (conditions as readonly string[]).includes(word);

/** Returns the rules of the class names in a page. Names that its scripts put together are not seen. */
export function classRules(markup: string, surroundings: ClassSurroundings): string {
  const found = new Set(markup.match(/[^\s"'`<>=;{}()]+/g)?.filter((word) => word.length <= maxLength));
  const words = [...found].filter((word) => word.includes('--') || word.includes(':')).slice(0, maxWords);
  const measures: string[] = [];
  const conditional: { readonly weight: number; readonly css: string }[] = [];
  for (const word of words) {
    const parts = word.split(':');
    const name = parts.pop() ?? '';
    if (parts.length === 0) {
      const declared = measureOf(name, surroundings.paints);
      if (declared !== undefined) measures.push(`.${escapeName(name)}{${declared}}`);
    } else if (parts.every(isCondition) && parts.every((part) => holds(part, surroundings))) {
      const weight = parts.reduce((sum, part) => sum + 10 + conditions.indexOf(part), 0);
      conditional.push({ weight, css: rulesFor(name, word, surroundings.paints) });
    }
  }
  const ordered = conditional.sort((one, other) => one.weight - other.weight).map(({ css }) => css);
  return `${inLayer('measures', measures.join(''))}${inLayer('conditions', ordered.join(''))}`;
}

function holds(condition: Condition, { shape, isDark }: ClassSurroundings): boolean {
  switch (condition) {
    case 'portrait':
      return shape.isPortrait;
    case 'landscape':
      return !shape.isPortrait;
    case 'dark':
      return isDark;
    case '1bit':
    case '2bit':
    case '4bit':
      return condition === `${shape.depth}bit`;
    default:
      return sizes.indexOf(condition) <= sizes.indexOf(shape.size);
  }
}

/** Returns the rules of a plain name for one that stands for it under conditions. */
function rulesFor(name: string, word: string, paints: Paints): string {
  const measured = measureOf(name, paints);
  if (measured !== undefined) return `.${escapeName(word)}{${measured}}`;
  const plain = new RegExp(`\\.${name.replaceAll(/[^\w-]/g, '\\$&')}(?![\\w-])`, 'g');
  return recipeStylesheet()
    .rules.flatMap(({ selectors, declared }) => {
      const meant = selectors.filter((selector) => selector.search(plain) >= 0);
      if (meant.length === 0) return [];
      return [
        `${meant.map((selector) => selector.replace(plain, () => `.${escapeName(word)}`)).join(',')}{${declared}}`,
      ];
    })
    .join('');
}

/** Writes a class name as selectors have it. */
const escapeName = (name: string): string =>
  name.replaceAll(/[^\w-]/g, '\\$&').replace(/^\d/, (digit) => `\\3${digit} `);
