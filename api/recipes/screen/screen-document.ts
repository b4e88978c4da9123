/** The document of a recipe's screen, for recipes that are drawn without a browser. */
import { directionOf, type PageDocument } from '../../pages/document.ts';
import type { PageElement } from '../../pages/element.ts';
import { classRules } from './class-rules.ts';
import { mixPaints } from './paints.ts';
import type { ReadMarkup } from './read-markup.ts';
import { mashups, type ScreenOptions, screenClasses, screenNames } from './screen-page.ts';
import { screenShape } from './screen-shape.ts';
import { typesetStylesheet } from './stylesheet.ts';
import { typesetCss } from './typeset-css.ts';

/** The size of letters that have none of their own, in pixels of a recipe. */
const letterSize = 16;

/**
 * Puts a document together. Its lengths are pixels of the panel.
 * @param read the markup, read with the density of the screen's shape
 * @param ownCss further rules, the strongest
 */
export function screenDocument(options: ScreenOptions, { children, css }: ReadMarkup, ownCss = ''): PageDocument {
  const { markup, layout, language, isDark, colours, width, height } = options;
  const shape = screenShape(options);
  const paints = mixPaints(colours, isDark);
  const view: PageElement = { tag: 'div', class: `view view--${layout}`, children };
  const isPart = layout !== 'full';
  const screen: PageElement = {
    tag: 'div',
    class: `${screenClasses(shape, options)}${isPart ? ' screen--part' : ''}`,
    children: [isPart ? { tag: 'div', class: `mashup mashup--${mashups[layout]}`, children: [view] } : view],
  };
  const rules = [
    typesetStylesheet(),
    screenNames(shape, colours, paints),
    // Patterns have their size in pixels of the panel.
    ':root{--density:1}',
    classRules(markup, { shape, isDark, paints }),
    css,
    ownCss,
  ];
  return {
    root: { tag: 'html', dir: directionOf(language), children: [screen] },
    css: typesetCss(rules.join('\n'), shape.density),
    language,
    width,
    height,
    rootSize: letterSize * shape.density,
  };
}
