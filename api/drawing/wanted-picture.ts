/** A picture that delivery wants of a paper, and the result of drawing it. */

import type { Orientation, Panel } from '../../firmware-protocol/panels.ts';
import type { Because, Reason } from '../../reasons/reason.ts';
import type { Sharer } from '../../runtime/fair-shares.ts';
import type { DataSource } from '../devices/data-sources.ts';
import type { ShownItem } from '../devices/shown-item.ts';
import type { WordedLanguage } from '../words/service-words.ts';
import type { UploadedKeys } from './prepare-uploaded.ts';

/**
 * The picture of a paper's present content for one panel: ready to be stored and offered; `remarks` are for `why`,
 * `sources` say how old its data are, `sentPicture` names the picture of an album that it is, and `passed` counts the slides before it that have nothing to show yet.
 */
export type RenderedPicture =
  | {
      readonly ok: true;
      readonly file: Uint8Array;
      readonly remarks?: readonly Reason[] | undefined;
      readonly sources?: readonly DataSource[] | undefined;
      readonly sentPicture?: string | undefined;
      readonly passed?: number | undefined;
    }
  | { readonly ok: false; readonly reason: Because };

/** A picture that is wanted: all frames that need this very one share it. */
export interface WantedPicture {
  /** The sharer who waits for the picture: the organization, then the paper (T-60). */
  readonly sharer: Sharer;
  readonly paperId: string;
  /** The item that the picture shows. */
  readonly shown: ShownItem;
  /** The edition of the paper that the picture is drawn from. */
  readonly edition: number;
  readonly panel: Panel;
  readonly orientation: Orientation;
  /** A frame this picture is for; pages are given its kind and serial. */
  readonly serial: string;
  /** The minute that a picture which changes by itself is for, epoch milliseconds; left out, it is for any time. */
  readonly at?: number;
  /** The number of such pictures made for this device before: slides go on with each (C-50). */
  readonly position?: number;
  /** Whether the frame shows this paper already: a picture that has left its album is not to stay there. */
  readonly isShown?: boolean;
  /** The files of an image of the device's own, drawn in place of the paper. */
  readonly image?: UploadedKeys;
  /** A notice that is drawn instead of the paper, with the reason for its missing picture. */
  readonly notice?: Notice;
}

/** The text of a notice, and its language. */
export interface Notice {
  readonly title: string;
  readonly text: string;
  readonly language: WordedLanguage;
}
