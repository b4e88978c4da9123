/** Delta debugging: leaves items out as long as what is left still fails. */

/** How a list is minimized. */
export interface Minimizing<Item> {
  /** Tries these items; returns those of them that mattered when they still fail, undefined when they do not. */
  readonly fails: (items: readonly Item[]) => Promise<readonly Item[] | undefined>;
  /** Returns whether time is left for another try. */
  readonly goesOn: () => boolean;
}

/**
 * Leaves out halves, quarters and so on down to single items, and begins again with the single ones until none can be left out.
 * No try is made twice.
 * @returns a list that fails, of which no single item can be left out unless time was up
 */
export async function minimize<Item>(
  items: readonly Item[],
  { fails, goesOn }: Minimizing<Item>,
): Promise<readonly Item[]> {
  const numbers = new Map(items.map((item, at) => [item, at]));
  const tried = new Set<string>();
  let left = items;
  const tryWithout = async (from: number, size: number): Promise<boolean> => {
    const candidate = [...left.slice(0, from), ...left.slice(from + size)];
    const name = candidate.map((item) => numbers.get(item)).join();
    if (tried.has(name)) return false;
    tried.add(name);
    const mattered = await fails(candidate);
    if (mattered === undefined) return false;
    left = mattered;
    return true;
  };
  for (let size = Math.ceil(left.length / 2); size >= 1; ) {
    let hasChanged = false;
    for (let from = 0; from < left.length && goesOn(); ) {
      if (await tryWithout(from, size)) hasChanged = true;
      else from += size;
    }
    if (!goesOn() || (size === 1 && !hasChanged)) break;
    size = size === 1 ? 1 : Math.ceil(size / 2);
  }
  return left;
}
