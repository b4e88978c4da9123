/** The bound on the work of a page. It counts work, not time: a busy machine draws the same pages as an idle one. */
import type { Context } from 'liquidjs';

/** The most work of a page. A unit is a tag, or an item that a filter looks at; recipes of the public catalogue need 5,000. */
const maxWork = 200_000;
/** Letters that a filter looks at in the time of one item. */
const lettersOfUnit = 16;

type Limit = Context['renderLimit'];

/** Returns the work of one rendering so far. The engine checks it at each tag, with the time that it is. */
export function workLimit(): Limit {
  let used = 0;
  const use = (units: number): void => {
    used += units;
    if (used > maxWork) throw new Error('template render limit exceeded');
  };
  return { use, check: () => use(1) } as unknown as Limit;
}

/** Returns the work of a filter on a value. */
export function workOf(value: unknown): number {
  if (typeof value === 'string') return 1 + value.length / lettersOfUnit;
  return Array.isArray(value) ? 1 + value.length : 1;
}
