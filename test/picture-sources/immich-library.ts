/** The library of the Immich server that tests change, and what can go wrong there. */
import type { ServerResponse } from 'node:http';
import type { Received } from '../callbacks/receiver.ts';

/** A picture of the library. */
export interface FakeImmichPicture {
  readonly id: string;
  name: string;
  type: 'IMAGE' | 'VIDEO';
  visibility: 'timeline' | 'archive' | 'hidden' | 'locked';
  /** The wall time of the capture, without a zone, and how far the camera's zone is from UTC. */
  taken: string;
  offsetHours: number;
  arrivedAt: number;
  isFavourite: boolean;
  isTrashed: boolean;
  isOffline: boolean;
  /** Counts edits of the pixels. */
  edits: number;
  /** The size of the file, before its orientation. */
  width: number;
  height: number;
  orientation: number;
  make: string | null;
  place: { readonly city?: string; readonly state?: string; readonly country?: string };
  caption: string;
  readonly albums: Set<string>;
  readonly people: Set<string>;
}

/** A shared link of an album, or of single pictures. */
export interface FakeImmichLink {
  readonly key: string;
  readonly slug?: string;
  album?: string;
  pictures?: readonly string[];
  password?: string;
  expiresAt?: number;
  showMetadata: boolean;
}

/** The faults of a server, each switched by itself. */
export interface ImmichFaults {
  /** Every page is the first one, which names a next one. */
  pagesRepeat?: boolean;
  /** No page names a next one. */
  pagesEndEarly?: boolean;
  /** Searches answer 200 and no pictures. */
  nothingListed?: boolean;
  /** Searches leave the album and the person out of account. */
  everythingListed?: boolean;
  /** The version that the server has from the second page of a search on. */
  versionBetweenPages?: string;
  /** A picture arrives between two pages, in front of all. */
  arrivesBetweenPages?: boolean;
  /** Answers begin and never end. */
  isSlow?: boolean;
  /** Every answer has this status, and these headers. */
  status?: number;
  headers?: Readonly<Record<string, string>>;
  /** The body of every answer but the version's. */
  body?: (path: string) => string | Buffer | undefined;
  hasNoSmartSearch?: boolean;
  hasNoFullsize?: boolean;
  hasNoLinkLogin?: boolean;
}

/** The state of the server; everything in it may be changed between two requests. */
export interface FakeImmichState {
  version: string;
  readonly apiKey: string;
  readonly rights: Set<string>;
  readonly pictures: Map<string, FakeImmichPicture>;
  readonly albums: Map<string, { name: string; updatedAt: number; readonly isShared: boolean }>;
  readonly people: Map<string, { name: string; isHidden: boolean }>;
  readonly links: FakeImmichLink[];
  readonly faults: ImmichFaults;
  now(): number;
}

export interface FakeImmich extends FakeImmichState {
  /** Answers a request, as the receiver of a test does. */
  answer(request: Received, response: ServerResponse): void;
  addAlbum(name: string, isShared?: boolean): string;
  addPerson(name: string, isHidden?: boolean): string;
  /** Adds a picture, or as many as a number says, and returns the id of the last. */
  add(
    more?: Partial<FakeImmichPicture> & { readonly album?: string; readonly person?: string },
    times?: number,
  ): string;
  remove(id: string): void;
  change(id: string, more: Partial<FakeImmichPicture>): void;
  favourite(id: string, isFavourite?: boolean): void;
  /** Shares an album or pictures, and returns the link. */
  share(link: Partial<FakeImmichLink>): FakeImmichLink;
  jpegOf(id: string, size: 'preview' | 'fullsize' | 'thumbnail'): Promise<Buffer>;
}
