/** CSS of recipes as the typesetter understands it: in pixels of the panel. */

const lengths = /(?<![\w.-])(-?(?:\d{1,5}(?:\.\d{1,6})?|\.\d{1,6}))px\b/g;
/** Lines of a part of a pixel would be gray. */
const lines = /^(?:border(?!-[a-z-]{0,20}radius)|--line)/;

/**
 * Returns CSS whose lengths in `px` are pixels of the panel. Lines have whole ones, and at least one.
 * @param density the panel's pixels for each of the recipe
 */
export function typesetCss(css: string, density: number): string {
  const parts = css.split(/([;{}])/);
  // What stands in front of a brace is a selector.
  return parts.map((part, at) => (parts[at + 1] === '{' ? part : declaration(part, density))).join('');
}

function declaration(part: string, density: number): string {
  const colon = part.indexOf(':');
  const name = part.slice(0, Math.max(0, colon)).trim();
  // The typesetter lets parts shrink that have this word.
  if (name === 'flex' && part.slice(colon + 1).trim() === 'none') return `${part.slice(0, colon)}:0 0 auto`;
  // A picture in letters is kept as it is: what looks like a length in it is not one.
  if (density === 1 || !part.includes('px') || part.includes('base64,')) return part;
  const isLine = lines.test(name);
  return part.replaceAll(lengths, (_, written: string) => {
    const length = Number(written) * density;
    return `${isLine && length > 0 ? Math.max(1, Math.floor(length)) : Number(length.toFixed(3))}px`;
  });
}
