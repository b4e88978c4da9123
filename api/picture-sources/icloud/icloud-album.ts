/** An iCloud shared album, as both of Apple's wires present it. */

/** One of the sizes in which a picture is kept. */
export interface ICloudRendition {
  readonly checksum: string;
  readonly width: number;
  readonly height: number;
  readonly bytes?: number | undefined;
  /** Where it is for some minutes; left out where it is asked for by itself. */
  readonly url?: string | undefined;
}

/** A picture or a video of an album. */
export interface ICloudPicture {
  readonly key: string;
  readonly name: string;
  readonly isVideo: boolean;
  /** When it was taken, as it is written; its digits count. */
  readonly taken?: string | undefined;
  readonly arrivedAt?: number | undefined;
  readonly caption?: string | undefined;
  readonly renditions: readonly ICloudRendition[];
}

/** The facts that a listing ends with. */
export interface ICloudListed {
  readonly title: string;
  /** Changes with the album; undefined where the wire has no such mark. */
  readonly mark?: string | undefined;
}

export interface ICloudAlbum {
  /** Lists everything, page by page. */
  pages(): AsyncGenerator<readonly ICloudPicture[], ICloudListed, void>;
  /** Resolves where a size of a picture is; undefined when it is no longer in the album. */
  urlOf(picture: ICloudPicture, rendition: ICloudRendition): Promise<URL | undefined>;
}

/** Returns the sizes of a picture, the largest first. */
export const largestFirst = ({ renditions }: ICloudPicture): readonly ICloudRendition[] =>
  renditions.toSorted((a, b) => b.width * b.height - a.width * a.height);
