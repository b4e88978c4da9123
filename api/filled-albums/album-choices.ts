/** The choices of an album about what it shows, as they stand in its settings. */
import { isTimezone } from '../http/field-shapes.ts';

/** The orders in which a filled album shows its pictures. */
export const albumOrders = ['turn', 'captured', 'random', 'newest', 'onThisDay'] as const;

/** The sorts of pictures that a person may have shown although they are left out unless they say so (FI-7). */
export const leftOutByChoice = ['screenshots', 'messages', 'small', 'shapes', 'blurred'] as const;

export interface AlbumChoices {
  readonly order: (typeof albumOrders)[number];
  /** Favourites come twice in a round. */
  readonly favourites: boolean;
  /** Pictures of the frame's own shape alone. */
  readonly fitting: boolean;
  /** Two portraits hang next to each other on a landscape panel. */
  readonly pairs: boolean;
  /** The sorts that are left out. */
  readonly leavesOut: readonly (typeof leftOutByChoice)[number][];
  readonly timeZone: string;
}

const defaultLeftOut = ['screenshots', 'messages', 'small', 'shapes'] as const;

/** Reads the choices; anything unknown counts as not chosen. */
export function albumChoices(meta: Readonly<Record<string, unknown>>): AlbumChoices {
  const { order, leavesOut, timezone } = meta;
  return {
    order: albumOrders.find((known) => known === order) ?? 'turn',
    favourites: meta.favourites === true,
    fitting: meta.fitting === true,
    pairs: meta.pairs === true,
    leavesOut: Array.isArray(leavesOut) ? leftOutByChoice.filter((one) => leavesOut.includes(one)) : defaultLeftOut,
    timeZone: typeof timezone === 'string' && isTimezone(timezone) ? timezone : 'UTC',
  };
}
