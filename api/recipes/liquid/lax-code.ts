/** The reading that Ruby's engine falls back to where code is not of the language (RC-45): it takes what it can make out. */

const fragment = String.raw`"[^"]*"|'[^']*'|(?:[^\s,|'"]|"[^"]*"|'[^']*')+`;
const firstFragment = new RegExp(`(${fragment})([\\s\\S]*)`);
const filterPart = /(?:"[^"]*"|'[^']*'|[^|"'])+/g;
const argument = new RegExp(String.raw`[:,]\s*((?:\w+\s*:\s*)?(?:${fragment}))`, 'g');

/** Returns the variable that a fragment names: words and brackets, whatever stands between them. */
function plainPath(text: string): string {
  if (/^["']/.test(text)) return text;
  const parts = text.match(/\[[^[\]]+\]|[\w-]+/g) ?? [];
  return parts.map((part, at) => (at === 0 || part.startsWith('[') ? part : `.${part}`)).join('');
}

/** Returns an argument, which may have a name. */
function plainArgument(text: string): string {
  const [name = ''] = /^\w+\s*:\s*/.exec(text) ?? [];
  return `${name}${plainPath(text.slice(name.length))}`;
}

/** Returns a value with its filters: the first word, and of each filter its name and what stands behind colons and commas. */
function plainValue(code: string): string {
  const [, first = '', rest = ''] = firstFragment.exec(code) ?? [];
  const [, ...filters] = rest.includes('|') ? (` ${rest}`.match(filterPart) ?? []) : [];
  const piped = filters.flatMap((filter) => {
    const [name] = /\w+/.exec(filter) ?? [];
    if (name === undefined) return [];
    const given = [...filter.matchAll(argument)]
      .map(([, each = '']) => plainArgument(each))
      .filter((each) => each !== '');
    return [` | ${name}${given.length > 0 ? `: ${given.join(', ')}` : ''}`];
  });
  return plainPath(first) + piped.join('');
}

/** Returns an output or an assignment in words that can be read; undefined for anything else. */
export function laxCode(code: string): string | undefined {
  const inside = code.slice(2, -2).replace(/^-/, '').replace(/-$/, '');
  if (code.startsWith('{{')) return `{{ ${plainValue(inside)} }}`;
  const [beginning, name] = /^\s*assign\s+([\w.-]+)\s*=/.exec(inside) ?? [];
  return beginning === undefined ? undefined : `{% assign ${name} = ${plainValue(inside.slice(beginning.length))} %}`;
}
