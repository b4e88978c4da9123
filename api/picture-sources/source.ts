/** A source of pictures: an album, a folder or a feed elsewhere, as every adapter presents it. */
import type { Reason } from '../../reasons/reason.ts';
import { ReasonedError } from '../../reasons/reasoned-error.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Sharer } from '../../runtime/fair-shares.ts';
import type { FollowDeps } from '../outgoing/follow-redirects.ts';

/** The surroundings of one use of a source. */
export interface SourceDeps {
  readonly follow: FollowDeps;
  readonly clock: Clock;
  /** The organization first. */
  readonly sharer: Sharer;
  readonly signal: AbortSignal;
}

/** A picture as its source lists it. Everything but `key`, `name` and `mark` is known to some sources alone. */
export interface ListedPicture {
  /** Names the picture within its source, for as long as it is there. */
  readonly key: string;
  /** The file name, or the title of a work. */
  readonly name: string;
  /** Changes when the picture's pixels do; compared for equality alone. */
  readonly mark: string;
  /** A file of another sort is listed, so that it can be counted, and is never fetched. */
  readonly sort?: 'picture' | 'video' | 'document';
  /** The capture's own local time, `YYYY-MM-DDTHH:MM:SS` without a zone (FI-12). */
  readonly taken?: string;
  /** When it came to the source, epoch milliseconds. */
  readonly arrivedAt?: number;
  /** The pixels as a person sees them, upright. */
  readonly width?: number;
  readonly height?: number;
  readonly bytes?: number;
  /** The maker of the camera, where the source knows it; empty where it knows that there is none. */
  readonly camera?: string;
  readonly isFavourite?: boolean;
}

/** A picture that was fetched, with what is written next to it. */
export interface FetchedPicture {
  readonly content: Buffer;
  /** The name of the place, such as `Lisbon, Portugal`; never coordinates. */
  readonly place?: string | undefined;
  readonly caption?: string | undefined;
  /** Whom the licence names. */
  readonly credit?: string | undefined;
}

/** The size of the panel that a picture is fetched for. */
export interface FetchWish {
  /** The longer side in pixels. */
  readonly longSide: number;
}

/** An album, a person or a folder that can be chosen in a source. */
export interface SourceChoice {
  readonly id: string;
  readonly sort: 'album' | 'person' | 'folder';
  readonly name: string;
  readonly count?: number | undefined;
  /** A key for `cover`; left out where there is no picture of it. */
  readonly cover?: string | undefined;
}

/** The summary of a source, for the person who enters its address. */
export interface SourceSummary {
  /** The name of the album, folder or feed; the server's where nothing is chosen yet. */
  readonly title: string;
  /** The number of pictures; undefined where it would take a whole listing to know. */
  readonly count?: number | undefined;
  /** When the newest came, epoch milliseconds. */
  readonly newestAt?: number | undefined;
  /** The program of the server and its version, such as `Immich 3.2.1`. */
  readonly server?: string | undefined;
}

/** A source that was opened with its settings and its login. Every method throws `SourceFault` and nothing else. */
export interface PictureSource {
  /** True for one that lists other pictures each day: those of yesterday are not missed. */
  readonly isOfDay?: boolean;
  /** Asks as little as shows that the address and the login are right. */
  summarize(): Promise<SourceSummary>;
  /** Lists what can be chosen; left out where the address names it all. */
  choices?(): Promise<readonly SourceChoice[]>;
  /** Fetches the small picture of a choice; undefined when it is not there. */
  cover?(cover: string): Promise<Buffer | undefined>;
  /**
   * Lists every picture, page by page. A page that was given before is given once; a listing that ends early or does not
   * agree with the count that its source states is a fault.
   * @param before the mark of the last complete listing; a source that finds nothing changed lists nothing and returns `unchanged`
   * @returns the mark of this listing, for the next one
   */
  list(before: string | undefined): AsyncGenerator<readonly ListedPicture[], ListingEnd, void>;
  /** Fetches one picture; undefined when it is no longer in the source. */
  fetchPicture(key: string, wish: FetchWish): Promise<FetchedPicture | undefined>;
  /** Reads the beginning of a picture, for its capture date; left out where the listing has all that there is. */
  fetchHead?(key: string): Promise<Buffer | undefined>;
}

/** The end of a listing. */
export type ListingEnd = 'unchanged' | { readonly mark?: string | undefined };

/**
 * A source that does not answer as it should.
 * `away`: asked again soon (network, 5xx, too many requests). `denied`: the login or the key is refused; asking again makes
 * it worse. `gone`: the address, album or link is no longer there. `unusable`: it answers, but not what an adapter reads.
 */
export type FaultKind = 'away' | 'denied' | 'gone' | 'unusable';

export class SourceFault extends ReasonedError {
  readonly kind: FaultKind;
  /** The seconds that the source asks to wait. */
  readonly waitSeconds: number | undefined;

  constructor(kind: FaultKind, reason: Reason, waitSeconds?: number) {
    super(reason);
    this.kind = kind;
    this.waitSeconds = waitSeconds;
  }
}
