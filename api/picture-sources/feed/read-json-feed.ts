/** Reads JSON Feed (jsonfeed.org), and plain lists of addresses, as lists of pictures. */
import { z } from 'zod';
import { sortOfFile } from '../file-names.ts';
import { feedOf, type PictureFeed, type WrittenItem } from './feed-item.ts';
import { firstImage } from './read-xml-feed.ts';

const text = z.union([z.string(), z.number()]).transform(String).optional().catch(undefined);
const side = z.number().optional().catch(undefined);
const named = z
  .union([z.string(), z.object({ name: z.string() }).transform(({ name }) => name)])
  .optional()
  .catch(undefined);
const attachments = z
  .array(z.object({ url: z.string(), mime_type: z.string().catch('') }).catch({ url: '', mime_type: '' }))
  .catch([]);

/** An entry, in the fields of JSON Feed and in those that plain lists have. */
const entry = z.object({
  id: text,
  url: text,
  src: text,
  href: text,
  image: text,
  banner_image: text,
  title: text,
  caption: text,
  content_html: text,
  summary: text,
  date_published: text,
  date: text,
  credit: text,
  author: named,
  authors: z.array(named).catch([]),
  attachments,
  width: side,
  height: side,
});

const list = z.array(z.union([z.string(), entry]).catch(''));
const wrapped = z.object({
  title: text,
  version: text,
  items: list.optional(),
  images: list.optional(),
  pictures: list.optional(),
  photos: list.optional(),
});

/** Reads a list; undefined for what is none. */
export function readJsonFeed(body: string, base: URL): PictureFeed | undefined {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return undefined;
  }
  const plain = list.safeParse(value);
  if (plain.success)
    return feedOf(
      '',
      plain.data.map((one) => readEntry(one, false)),
      base,
    );
  const read = wrapped.safeParse(value);
  if (!read.success) return undefined;
  const { title = '', version = '', items, images, pictures, photos } = read.data;
  const entries = items ?? images ?? pictures ?? photos;
  const isFeed = version.includes('jsonfeed.org');
  return entries === undefined
    ? undefined
    : feedOf(
        title,
        entries.map((one) => readEntry(one, isFeed)),
        base,
      );
}

/** In a JSON Feed `url` is a page; in a plain list it is the picture. */
function readEntry(written: string | z.infer<typeof entry>, isFeed: boolean): WrittenItem {
  if (typeof written === 'string') return written === '' ? {} : { image: written };
  const { attachments: attached, authors, author } = written;
  const enclosed = attached.find(({ mime_type: type }) => type.startsWith('image/'))?.url;
  const own = written.image ?? written.banner_image ?? enclosed ?? firstImage(written.content_html ?? '');
  const other = isFeed ? undefined : (written.src ?? written.url ?? written.href);
  const image = own ?? other;
  return {
    id: written.id,
    title: written.title ?? written.caption ?? written.summary,
    image,
    isFilm: attached.some(({ mime_type: type }) => type.startsWith('video/')) || sortOfFile(image ?? '') === 'video',
    published: written.date_published ?? written.date,
    credit: written.credit ?? authors.find((name) => name !== undefined) ?? author,
    width: written.width,
    height: written.height,
  };
}
