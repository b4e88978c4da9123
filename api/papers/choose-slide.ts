/** Chooses the slide to show: one after the other, or shuffled. Pure. */
import { createHash } from 'node:crypto';
import { isId } from '../../runtime/random.ts';

const maxSlides = 200;

/** Returns the papers that slides name: `selectedPapers` as `{id: true}`, or a list of ids. */
export function selectedPapers(meta: Readonly<Record<string, unknown>>): string[] {
  const { selectedPapers: selected } = meta;
  const ids: unknown[] = Array.isArray(selected)
    ? selected
    : Object.entries(typeof selected === 'object' && selected !== null ? selected : {}).flatMap(([id, isIn]) =>
        isIn === true ? [id] : [],
      );
  return [...new Set(ids.filter((id): id is string => typeof id === 'string' && isId(id)))].slice(0, maxSlides);
}

/**
 * Chooses the slide at a position. `order: "random"` deals all slides again each round, and never shows one twice in a
 * row.
 * @param ids slides that can be shown, in their order; not empty
 * @param position how often the picture was made before
 */
export function slideOf(
  ids: readonly string[],
  meta: Readonly<Record<string, unknown>>,
  seed: string,
  position: number,
): string {
  const count = ids.length;
  // With two slides, any other order than one after the other would repeat one.
  if (meta.order !== 'random' || count < 3) {
    const { currentSlide } = meta;
    const isPlace = typeof currentSlide === 'number' && Number.isInteger(currentSlide) && currentSlide >= 0;
    const first = isPlace && currentSlide < count ? currentSlide : 0;
    return ids[(first + position) % count] as string;
  }
  const round = Math.floor(position / count);
  const dealt = shuffled(ids, `${seed} ${round}`);
  if (round > 0 && shuffled(ids, `${seed} ${round - 1}`).at(-1) === dealt[0]) {
    [dealt[0], dealt[1]] = [dealt[1] as string, dealt[0] as string];
  }
  return dealt[position % count] as string;
}

function shuffled(ids: readonly string[], seed: string): string[] {
  const rank = (id: string): string => createHash('sha256').update(`${seed} ${id}`).digest('hex');
  return [...ids].sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
}
