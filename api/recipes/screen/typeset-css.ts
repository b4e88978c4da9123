/** CSS of recipes as the typesetter understands it: in pixels of the panel. */

const declarations = /([\w-]+)(\s*:)([^;{}]*)/g;
const lengths = /(?<![\w#.-])(-?(?:\d+\.?\d*|\.\d+))px\b/g;
/** Lines of a part of a pixel would be gray. */
const lines = /^(?:border(?!-[a-z-]*radius)|--line)/;

/**
 * Returns CSS whose lengths in `px` are pixels of the panel. Lines have whole ones, and at least one.
 * @param density the panel's pixels for each of the recipe
 */
export function typesetCss(css: string, density: number): string {
  return css.replaceAll(declarations, (whole, name: string, colon: string, value: string) => {
    // The typesetter lets parts shrink that have this word.
    if (name === 'flex' && value.trim() === 'none') return `${name}${colon}0 0 auto`;
    if (density === 1 || !value.includes('px')) return whole;
    const isLine = lines.test(name);
    return `${name}${colon}${value.replaceAll(lengths, (_, written: string) => {
      const length = Number(written) * density;
      return `${isLine && length > 0 ? Math.max(1, Math.floor(length)) : Number(length.toFixed(3))}px`;
    })}`;
  });
}
