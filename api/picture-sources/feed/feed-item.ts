/** Entries of lists of pictures, whatever their format. */
import { createHash } from 'node:crypto';
import { readPlainUrl } from '../../outgoing/plain-url.ts';
import { plainLine } from '../plain-line.ts';

/** An entry of a feed that has a picture, or a film in place of one. */
export interface FeedItem {
  /** The identity of the entry, else the address of its picture. */
  readonly key: string;
  readonly title: string;
  /** The address of the picture; undefined for an entry that has a film alone. */
  readonly image: URL | undefined;
  readonly publishedAt?: number | undefined;
  readonly credit?: string | undefined;
  readonly width?: number | undefined;
  readonly height?: number | undefined;
}

/** A list of pictures that was read. */
export interface PictureFeed {
  readonly title: string;
  readonly items: readonly FeedItem[];
}

/** The words of an entry, as they are written there. */
export interface WrittenItem {
  readonly id?: string | undefined;
  readonly title?: string | undefined;
  readonly image?: string | undefined;
  readonly isFilm?: boolean | undefined;
  readonly published?: string | undefined;
  readonly credit?: string | undefined;
  readonly width?: number | undefined;
  readonly height?: number | undefined;
}

const most = { items: 5_000, key: 200, title: 300, credit: 300 } as const;

/** Makes a feed of what was written. Addresses are read relative to that of the feed; an entry without a picture is left out. */
export function feedOf(title: string, written: Iterable<WrittenItem>, base: URL): PictureFeed {
  const items = new Map<string, FeedItem>();
  for (const item of written) {
    const read = readItem(item, base);
    if (read !== undefined && !items.has(read.key)) items.set(read.key, read);
    if (items.size >= most.items) break;
  }
  return { title: plainLine(title, most.title) ?? base.hostname, items: [...items.values()] };
}

function readItem(written: WrittenItem, base: URL): FeedItem | undefined {
  const image = written.image === undefined ? undefined : readImageAddress(written.image, base);
  if (image === undefined && written.isFilm !== true) return undefined;
  const id = written.id?.trim() || image?.href;
  if (id === undefined) return undefined;
  const publishedAt = Date.parse(written.published ?? '');
  return {
    // Some identities are whole addresses with a thousand characters.
    key: id.length > most.key ? `sha256:${createHash('sha256').update(id).digest('hex')}` : id,
    title: plainLine(written.title, most.title) ?? decodedName(image),
    image,
    publishedAt: Number.isNaN(publishedAt) ? undefined : publishedAt,
    credit: plainLine(written.credit, most.credit),
    width: sideOf(written.width),
    height: sideOf(written.height),
  };
}

function readImageAddress(written: string, base: URL): URL | undefined {
  const url = readPlainUrl(URL.parse(written.trim(), base.href)?.href);
  return url instanceof URL ? url : undefined;
}

/** Returns the name of the file at an address. */
function decodedName(image: URL | undefined): string {
  const [last = ''] = image?.pathname.split('/').slice(-1) ?? [];
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

const sideOf = (side: number | undefined): number | undefined =>
  side !== undefined && Number.isInteger(side) && side > 0 && side <= 100_000 ? side : undefined;
