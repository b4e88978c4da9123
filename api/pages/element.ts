/** The elements that our own pages are made of: a small tree, whatever draws it. Its look is CSS. */

/** The side on which a text begins. */
export type Direction = 'ltr' | 'rtl';

/** Declarations by their names in CSS, written as in scripts (`fontSize`). */
export type PageStyle = Readonly<Record<string, string | number>>;

/** The way in which an element is fitted to its page before it is drawn. */
export type ElementFit =
  /** Letters of `size` rem, made smaller by a quarter at most while one of their words is longer than its line. */
  | { readonly kind: 'words'; readonly size: number }
  /** Letters as large as they fit, in rem; the content is the only child. */
  | { readonly kind: 'text'; readonly most: number; readonly least: number }
  /** The first children that fit; `more` follows the list where some are left out, with their number for `countMark`. */
  | { readonly kind: 'list'; readonly more: PageElement };

/** An element of a page. Without a tag it is a group: its children lie where it stands. */
export interface PageElement {
  /** The tag and the classes that CSS finds it by. */
  readonly tag?: string;
  readonly class?: string;
  readonly dir?: Direction;
  readonly style?: PageStyle;
  readonly fit?: ElementFit;
  /** The part of a list that it is. A head stands above items, and goes with the last of them. */
  readonly part?: 'head' | 'item';
  /** A drawing in SVG, in place of children. */
  readonly svg?: string;
  readonly children: readonly PageChild[];
}

/** Words of an element, or an element in it. */
export type PageChild = PageElement | string;

/** Stands for the number of the parts of a list that are left out. */
export const countMark = '{count}';

type Given = Omit<PageElement, 'tag' | 'children'>;

/**
 * Makes an element.
 * @param name its tag and classes, as `div.month.wide`
 */
export function el(name: string, given: Given, ...children: readonly PageChild[]): PageElement {
  const [tag = 'div', ...classes] = name.split('.');
  return { tag, ...(classes.length > 0 && { class: classes.join(' ') }), ...given, children };
}

/** Makes a group of elements, which has no box of its own. */
export const group = (given: Pick<PageElement, 'part'>, ...children: readonly PageChild[]): PageElement => ({
  ...given,
  children,
});

/** Returns the direction of a text by its first letter that has one; undefined where none has. */
export function directionOfText(text: string): Direction | undefined {
  const [letter] = /\p{L}/u.exec(text) ?? [];
  if (letter === undefined) return undefined;
  return /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u.test(
    letter,
  )
    ? 'rtl'
    : 'ltr';
}

/** Returns a text as a part of another one in a direction, whose order it leaves as it is. */
export const isolated = (text: string, within: Direction): string =>
  directionOfText(text) === within ? text : `\u2068${text}\u2069`;
