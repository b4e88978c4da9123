/** The choices of an album about what it shows, as they stand in its settings. */
import { isTimezone } from '../http/field-shapes.ts';
import { type LeftOutChoices, leftOutByDefault } from '../picture-sources/left-out.ts';

/** The orders in which a filled album shows its pictures. */
export const albumOrders = ['turn', 'captured', 'random', 'newest', 'onThisDay'] as const;

export interface AlbumChoices {
  readonly order: (typeof albumOrders)[number];
  /** Favourites come twice in a round. */
  readonly favourites: boolean;
  /** Pictures of the frame's own shape alone. */
  readonly fitting: boolean;
  /** Two portraits hang next to each other on a landscape panel. */
  readonly pairs: boolean;
  readonly leavesOut: Required<LeftOutChoices>;
  readonly timeZone: string;
}

/** Reads the choices; anything unknown counts as not chosen. */
export function albumChoices(meta: Readonly<Record<string, unknown>>): AlbumChoices {
  const { order, leavesOut, timezone } = meta;
  return {
    order: albumOrders.find((known) => known === order) ?? 'turn',
    favourites: meta.favourites === true,
    fitting: meta.fitting === true,
    pairs: meta.pairs === true,
    leavesOut: readLeavesOut(leavesOut),
    timeZone: typeof timezone === 'string' && isTimezone(timezone) ? timezone : 'UTC',
  };
}

/** Reads which rules leave pictures out: those that are switched, the others as they are unless somebody chooses. */
function readLeavesOut(given: unknown): Required<LeftOutChoices> {
  const switched = typeof given === 'object' && given !== null ? Object.entries(given) : [];
  const known = switched.filter(([rule, is]) => Object.hasOwn(leftOutByDefault, rule) && typeof is === 'boolean');
  return { ...leftOutByDefault, ...Object.fromEntries(known) };
}
