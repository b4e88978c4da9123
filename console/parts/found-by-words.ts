/** The search among things that have a text. Pure. */

const numberWord = /^\d+$/;

/** The words that were typed, as they are compared. */
const wordsOf = (typed: string): string[] => typed.toLocaleLowerCase().split(/\s+/).filter(Boolean);

/** The words and numbers of a text; letters and digits that stand together are one. */
const piecesOf = (text: string): string[] => text.split(/[^\p{L}\p{N}]+/u).filter(Boolean);

/**
 * How exactly a text has what was typed, by its numbers: 0 with all of it side by side, 1 with the very numbers, 2 with
 * numbers that begin so, 3 with them somewhere, as within a serial, which only anyone who types nothing else looks for.
 */
function distanceOf(text: string, wanted: readonly string[]): number {
  const [pieces, numbers] = [piecesOf(text), wanted.filter((word) => numberWord.test(word))];
  const isThere = (at: number): boolean => wanted.every((word, place) => pieces[at + place] === word);
  if (wanted.length > 1 && pieces.some((_, at) => isThere(at))) return 0;
  if (numbers.every((number) => pieces.includes(number))) return 1;
  if (numbers.every((number) => pieces.some((piece) => piece.startsWith(number)))) return 2;
  return numbers.length === wanted.length ? 3 : Number.POSITIVE_INFINITY;
}

/**
 * Returns what has every word that was typed, in its order; all of it while nothing was typed. Where a number was typed,
 * "Room 2" finds neither "Room 12" nor every frame with a 2 in its serial, as long as there is a "Room 2".
 */
export function foundByWords<Item>(
  items: readonly Item[],
  typed: string,
  textOf: (item: Item) => string,
): readonly Item[] {
  const wanted = wordsOf(typed);
  if (wanted.length === 0) return items;
  const texts = new Map(items.map((item) => [item, textOf(item).toLocaleLowerCase()]));
  const found = items.filter((item) => wanted.every((word) => texts.get(item)?.includes(word)));
  if (!wanted.some((word) => numberWord.test(word))) return found;
  const distances = new Map(found.map((item) => [item, distanceOf(texts.get(item) ?? '', wanted)]));
  const nearest = Math.min(...distances.values());
  return found.filter((item) => Number.isFinite(nearest) && distances.get(item) === nearest);
}
