/**
 * An iCloud shared album by its public link as a source of pictures. Apple documents neither wire and has changed them three
 * times in four years: it may stop any day (IC-6).
 */
import { z } from 'zod';
import { reasonOf } from '../../../reasons/reason.ts';
import { BoundedMap } from '../../../runtime/bounded-map.ts';
import { askSourceServer, faultOfRefusal, isGiven, type SourceAnswer, unreadableAnswer } from '../ask-source-server.ts';
import { seenKeys } from '../seen-keys.ts';
import {
  type FetchedPicture,
  type FetchWish,
  type ListedPicture,
  type ListingEnd,
  type PictureSource,
  type SourceDeps,
  SourceFault,
  type SourceSummary,
} from '../source.ts';
import { wallTimeOf } from '../wall-time.ts';
import { cloudKitAlbum } from './cloudkit-album.ts';
import { type ICloudAlbum, type ICloudPicture, largestFirst } from './icloud-album.ts';
import { readICloudLink, readICloudRedirect } from './read-icloud-link.ts';
import { sharedStream } from './shared-stream.ts';

/** The login of an album is its link. */
export const iCloudLogin = z.strictObject({ link: z.string().min(1).max(2_000) });

export type ICloudLogin = z.output<typeof iCloudLogin>;

const pictureLimitBytes = 64 * 1024 * 1024;
/** The most pictures whose sizes are kept for fetching, and for how long: their addresses end after a quarter of an hour. */
const kept = { pictures: 1_000, forMs: 10 * 60_000 } as const;
/** The pictures that are handed on at once. */
const portion = 500;
/** Twice as many as an album holds. */
const maxPictures = 10_000;

function albumOf(deps: SourceDeps, { link }: ICloudLogin): ICloudAlbum {
  const read = readICloudLink(link);
  if (!('wire' in read)) throw new SourceFault('unusable', read);
  return read.wire === 'stream' ? sharedStream(deps, read.token) : cloudKitAlbum(deps, read.token);
}

/** Opens an album. */
export function openICloud(deps: SourceDeps, login: ICloudLogin): PictureSource {
  const found = new BoundedMap<string, { readonly picture: ICloudPicture; readonly at: number }>(kept.pictures);
  const keep = (picture: ICloudPicture): void => {
    found.set(picture.key, { picture, at: deps.clock.now() });
  };

  async function find(album: ICloudAlbum, key: string, isNew: boolean): Promise<ICloudPicture | undefined> {
    const known = found.get(key);
    if (!isNew && known !== undefined && deps.clock.now() - known.at < kept.forMs) return known.picture;
    for await (const page of album.pages()) {
      page.forEach(keep);
      const one = page.find((picture) => picture.key === key);
      if (one !== undefined) return one;
    }
    return undefined;
  }

  async function fetchPicture(key: string, wish: FetchWish): Promise<FetchedPicture | undefined> {
    const album = albumOf(deps, login);
    for (const isNew of [false, true]) {
      const picture = await find(album, key, isNew);
      if (picture === undefined || picture.isVideo) return undefined;
      const answer = await pixelsOf(deps, album, picture, wish);
      if (answer === undefined) return undefined;
      const { body, status } = answer;
      if (isGiven(answer) && body.length > 0) return { content: body, caption: picture.caption };
      // The address has ended: it is resolved once more (IC-4).
      if (![403, 404, 410].includes(status)) throw isGiven(answer) ? unreadableAnswer() : faultOfRefusal(answer);
    }
    // That one picture is refused says nothing of the album.
    throw new SourceFault('away', reasonOf('album-source-busy'));
  }

  return {
    summarize: async () => summarize(albumOf(deps, login)),
    list: (before) => list(() => albumOf(deps, login), before, keep),
    fetchPicture,
  };
}

async function pixelsOf(
  deps: SourceDeps,
  album: ICloudAlbum,
  picture: ICloudPicture,
  { longSide }: FetchWish,
): Promise<SourceAnswer | undefined> {
  const sizes = largestFirst(picture);
  const rendition = sizes.findLast(({ width, height }) => Math.max(width, height) >= longSide) ?? sizes[0];
  const url = rendition === undefined ? undefined : await album.urlOf(picture, rendition);
  if (url === undefined) return undefined;
  return askSourceServer(deps, {
    url,
    accept: 'image/*',
    limitBytes: pictureLimitBytes,
    readAddress: readICloudRedirect,
  });
}

async function* list(
  open: () => ICloudAlbum,
  before: string | undefined,
  keep: (picture: ICloudPicture) => void,
): AsyncGenerator<readonly ListedPicture[], ListingEnd, void> {
  const given = seenKeys();
  const pages = open().pages();
  // A wire that answers with the whole album says at its end whether anything has changed.
  let waiting: readonly ListedPicture[] = [];
  for (let next = await pages.next(); ; next = await pages.next()) {
    if (next.done === true) {
      const { mark } = next.value;
      if (mark !== undefined && mark === before) return 'unchanged';
      for (let at = 0; at < waiting.length; at += portion) yield waiting.slice(at, at + portion);
      return { mark };
    }
    if (waiting.length > 0) yield waiting;
    next.value.forEach(keep);
    waiting = next.value.filter(({ key }) => given.add(key)).map(listedPicture);
    if (given.size > maxPictures) {
      throw new SourceFault('unusable', reasonOf('album-source-too-large', { most: maxPictures }));
    }
  }
}

function listedPicture(picture: ICloudPicture): ListedPicture {
  const [largest] = largestFirst(picture);
  const taken = wallTimeOf(picture.taken);
  const { key, name, arrivedAt, isVideo } = picture;
  return {
    key,
    name: name || (picture.caption ?? ''),
    mark: largest?.checksum ?? '',
    ...(isVideo && { sort: 'video' as const }),
    ...(taken !== undefined && { taken }),
    ...(arrivedAt !== undefined && { arrivedAt }),
    ...(largest !== undefined && largest.width > 0 && { width: largest.width, height: largest.height }),
    ...(largest?.bytes !== undefined && { bytes: largest.bytes }),
  };
}

async function summarize(album: ICloudAlbum): Promise<SourceSummary> {
  const pages = album.pages();
  let [count, newestAt] = [0, 0];
  for (let next = await pages.next(); ; next = await pages.next()) {
    if (next.done === true) {
      return { title: next.value.title, count, newestAt: newestAt || undefined, server: 'iCloud' };
    }
    for (const { isVideo, arrivedAt = 0 } of next.value) {
      if (!isVideo) count += 1;
      newestAt = Math.max(newestAt, arrivedAt);
    }
  }
}
