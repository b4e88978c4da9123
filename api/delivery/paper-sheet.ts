/** A paper that is to become a picture: its row, its meta, and which picture is wanted of it. */
import type { PaperRow } from '../papers/store.ts';
import type { WantedPicture } from './line-edges.ts';

/** One paper to be drawn. For a slide `wanted` still names the slides it stands in. */
export interface PaperSheet {
  readonly paper: PaperRow;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly wanted: WantedPicture;
  /** The moment that the picture is for, epoch milliseconds. */
  readonly at: number;
}
