/**
 * An Immich server with a small library that tests change, as each of its versions answers: what a version does not know it
 * leaves out of account, and what it refuses it refuses with its own words.
 */
import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Received } from '../callbacks/receiver.ts';
import { answerImmich } from './immich-wire.ts';
import { smallJpeg } from './small-jpeg.ts';

export const immichVersions = ['1.132.3', '2.0.0', '2.7.5', '3.0.1', '3.0.3', '3.2.2'] as const;

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

/** What goes wrong, each switched by itself. */
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

const allRights = ['asset.read', 'asset.view', 'asset.statistics', 'album.read', 'memory.read', 'person.read'];

/** An id that looks like Immich's, the same for the same text. */
export function immichId(seed: string): string {
  const hex = createHash('sha1').update(seed).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}

/** Makes a server. */
export function fakeImmich(version = '3.2.2', now: () => number = () => Date.UTC(2026, 0, 10, 8)): FakeImmich {
  let count = 0;
  const state: FakeImmichState = {
    version,
    apiKey: 'key-of-the-house',
    rights: new Set(allRights),
    pictures: new Map(),
    albums: new Map(),
    people: new Map(),
    links: [],
    faults: {},
    now,
  };
  const touch = (albums: Iterable<string>): void => {
    for (const id of albums) {
      const album = state.albums.get(id);
      if (album !== undefined) album.updatedAt += 1;
    }
  };

  function addOne({ album, person, ...more }: NonNullable<Parameters<FakeImmich['add']>[0]>): string {
    count += 1;
    const id = more.id ?? immichId(`picture ${count}`);
    state.pictures.set(id, {
      name: `IMG_${String(count).padStart(4, '0')}.jpg`,
      type: 'IMAGE',
      visibility: 'timeline',
      taken: new Date(Date.UTC(2020, 0, 1, 12) + count * 3_600_000).toISOString().slice(0, 19),
      offsetHours: 1,
      arrivedAt: Date.UTC(2025, 0, 1) + count * 1_000,
      isFavourite: false,
      isTrashed: false,
      isOffline: false,
      edits: 0,
      width: 40,
      height: 30,
      orientation: 1,
      make: 'Canon',
      place: {},
      caption: '',
      albums: new Set(album === undefined ? [] : [album]),
      people: new Set(person === undefined ? [] : [person]),
      ...more,
      id,
    });
    touch(album === undefined ? [] : [album]);
    return id;
  }

  const fake: FakeImmich = Object.assign(state, {
    answer: (request: Received, response: ServerResponse) => void answerImmich(fake, request, response),
    addAlbum(name: string, isShared = false) {
      const id = immichId(`album ${state.albums.size} ${name}`);
      state.albums.set(id, { name, updatedAt: Date.UTC(2025, 0, 1), isShared });
      return id;
    },
    addPerson(name: string, isHidden = false) {
      const id = immichId(`person ${state.people.size} ${name}`);
      state.people.set(id, { name, isHidden });
      return id;
    },
    add(more: Parameters<FakeImmich['add']>[0] = {}, times = 1) {
      let last = '';
      for (let one = 0; one < times; one++) last = addOne(more);
      return last;
    },
    remove(id: string) {
      touch(state.pictures.get(id)?.albums ?? []);
      state.pictures.delete(id);
    },
    change(id: string, more: Partial<FakeImmichPicture>) {
      const picture = state.pictures.get(id);
      if (picture === undefined) throw new Error(`there is no picture ${id}`);
      Object.assign(picture, more);
      touch(picture.albums);
    },
    favourite: (id: string, isFavourite = true) => fake.change(id, { isFavourite }),
    share(link: Partial<FakeImmichLink>) {
      const made = { key: `key-of-a-shared-link-${state.links.length}`, showMetadata: true, ...link };
      state.links.push(made);
      return made;
    },
    jpegOf(id: string, size: 'preview' | 'fullsize' | 'thumbnail') {
      const { edits, width, height, orientation } = state.pictures.get(id) as FakeImmichPicture;
      const [across, down] = orientation >= 5 ? [height, width] : [width, height];
      const scale = { thumbnail: 0.5, preview: 1, fullsize: 2 }[size];
      return smallJpeg(`${id} ${edits}`, Math.ceil(across * scale), Math.ceil(down * scale));
    },
  });
  return fake;
}
