/** A paper that is to become a picture: its row, its meta, and the picture that is wanted of it. */
import type { PaperRow } from '../papers/store.ts';
import type { Layout } from '../recipes/package/recipe.ts';
import type { WantedPicture } from './wanted-picture.ts';

/** A paper to be drawn. For a slide `wanted` still names the slides that it stands in. */
export interface PaperSheet {
  readonly paper: PaperRow;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly wanted: WantedPicture;
  /** The part of a screen that it is drawn for; left out, the whole one. */
  readonly layout?: Layout;
  /** The moment that the picture is for, epoch milliseconds. */
  readonly at: number;
}
