/** A source of pictures that a test fills, empties and makes fail. */
import { createHash } from 'node:crypto';
import sharp from 'sharp';
import type { FetchedPicture, ListedPicture, PictureSource } from '../../api/picture-sources/source.ts';
import { SourceFault } from '../../api/picture-sources/source.ts';
import { reasonOf } from '../../reasons/reason.ts';

/** A picture of a played source. */
export interface PlayedPicture extends ListedPicture {
  readonly place?: string;
  readonly caption?: string;
  /** The bytes that it gives; left out, a picture of a colour of its own. */
  readonly content?: Buffer;
  /** The fault with which it is refused, while everything else is answered. */
  readonly fault?: SourceFault['kind'];
  /** The beginning of its file, where the source gives that; left out, one that tells nothing. */
  readonly head?: Buffer;
}

export interface PlayedSource {
  readonly pictures: Map<string, PlayedPicture>;
  /** The keys that were fetched, in order. */
  readonly fetched: string[];
  /** The keys whose beginnings were read, in order. */
  readonly heads: string[];
  /** The number of listings. */
  listings(): number;
  add(...pictures: readonly Partial<PlayedPicture>[]): void;
  /** Has it answer with a fault from now on; undefined ends that. */
  fails(kind: SourceFault['kind'] | undefined): void;
  open(): PictureSource;
}

/** Draws a picture of a colour that only this key has. */
export async function colouredPicture(key: string, { width = 800, height = 600 } = {}): Promise<Buffer> {
  const [r = 0, g = 0, b = 0] = createHash('sha256').update(key).digest();
  const background = { r, g, b };
  return sharp({ create: { width, height, channels: 3, background } })
    .jpeg()
    .toBuffer();
}

/** Opens a played source; one that is a folder gives the beginnings of files. */
export function playedSource({ isFolder = false } = {}): PlayedSource {
  const pictures = new Map<string, PlayedPicture>();
  const [fetched, heads]: [string[], string[]] = [[], []];
  let fault: SourceFault['kind'] | undefined;
  let listings = 0;
  const answers = (): void => {
    if (fault !== undefined) throw new SourceFault(fault, reasonOf('album-source-unreadable'));
  };
  return {
    pictures,
    fetched,
    heads,
    listings: () => listings,
    add(...more) {
      for (const given of more) {
        const key = given.key ?? `picture-${pictures.size + 1}`;
        const played = {
          name: `${key}.jpg`,
          mark: '1',
          width: 800,
          height: 600,
          arrivedAt: pictures.size,
          ...given,
          key,
        };
        pictures.set(key, played);
      }
    },
    fails(kind) {
      fault = kind;
    },
    open: () => ({
      async summarize() {
        answers();
        return { title: 'Played', count: pictures.size };
      },
      async *list() {
        answers();
        listings += 1;
        const all = [...pictures.values()];
        for (let from = 0; from < all.length; from += 100) yield all.slice(from, from + 100);
        return {};
      },
      async fetchPicture(key): Promise<FetchedPicture | undefined> {
        answers();
        const picture = pictures.get(key);
        if (picture === undefined) return undefined;
        fetched.push(key);
        if (picture.fault !== undefined) throw new SourceFault(picture.fault, reasonOf('album-source-unreadable'));
        const content = picture.content ?? (await colouredPicture(key, picture));
        return { content, place: picture.place, caption: picture.caption };
      },
      ...(isFolder && {
        async fetchHead(key: string) {
          answers();
          heads.push(key);
          const picture = pictures.get(key);
          return picture && (picture.head ?? Buffer.alloc(0));
        },
      }),
    }),
  };
}
