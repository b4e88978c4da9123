/** Reads RSS and Atom as lists of pictures (FE-1). */
import { XMLParser } from 'fast-xml-parser';
import { decodeEntities } from '../entities.ts';
import { sortOfFile } from '../file-names.ts';
import { feedOf, type PictureFeed, type WrittenItem } from './feed-item.ts';

type Element = Readonly<Record<string, unknown>>;

const lists: readonly string[] = ['item', 'entry', 'media:content', 'media:group', 'enclosure', 'link', 'author'];
const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  textNodeName: '#text',
  parseTagValue: false,
  parseAttributeValue: false,
  processEntities: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
  alwaysCreateTextNode: true,
  isArray: (name) => lists.includes(name),
});

/** Reads a feed; undefined for what is none. A document type is not read, and no entity of its own. */
export function readXmlFeed(text: string, base: URL): PictureFeed | undefined {
  let document: Element;
  try {
    if (/<!ENTITY/i.test(text)) return undefined;
    document = parser.parse(text) as Element;
  } catch {
    return undefined;
  }
  const channel = child(document.rss, 'channel') ?? document['rdf:RDF'] ?? document.feed;
  if (channel === undefined) return undefined;
  const title = textOf(child(channel, 'title') ?? child(child(channel, 'channel'), 'title'));
  const entries = [...elementsOf(channel, 'item'), ...elementsOf(channel, 'entry')];
  return feedOf(title ?? '', entries.map(readEntry), base);
}

const isElement = (value: unknown): value is Element =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const child = (value: unknown, name: string): unknown => (isElement(value) ? value[name] : undefined);
const elementsOf = (value: unknown, name: string): Element[] => [child(value, name) ?? []].flat().filter(isElement);

/** Returns the text of an element or of the first of several. */
function textOf(value: unknown): string | undefined {
  const [first] = [value].flat();
  const text = isElement(first) ? first['#text'] : first;
  return typeof text === 'string' && text.trim() !== '' ? decodeEntities(text.trim()) : undefined;
}

function attributeOf(element: Element, name: string): string | undefined {
  const value = element[`@${name}`];
  return typeof value === 'string' && value !== '' ? decodeEntities(value) : undefined;
}

function readEntry(entry: Element): WrittenItem {
  const media = mediaOf(entry);
  const pictures = media
    .filter(({ sort }) => sort === 'picture')
    .sort((one, other) => (other.width ?? 0) - (one.width ?? 0));
  const html = ['content:encoded', 'description', 'content', 'summary'].map((name) => textOf(entry[name]));
  const [best] = pictures;
  const thumbnail = elementsOf(entry, 'media:thumbnail').map((one) => attributeOf(one, 'url'))[0];
  return {
    id: textOf(entry.guid) ?? textOf(entry.id) ?? attributeOf(entry, 'rdf:about'),
    title: textOf(entry.title) ?? textOf(entry['media:title']),
    image: best?.url ?? html.map((one) => firstImage(one ?? '')).find((url) => url !== undefined) ?? thumbnail,
    isFilm: media.some(({ sort }) => sort === 'video'),
    published: textOf(entry.pubDate) ?? textOf(entry.published) ?? textOf(entry['dc:date']) ?? textOf(entry.updated),
    credit: creditOf(entry),
    width: best?.width,
    height: best?.height,
  };
}

interface Media {
  readonly url: string;
  readonly sort: 'picture' | 'video' | undefined;
  readonly width?: number | undefined;
  readonly height?: number | undefined;
}

/** Returns the media of an entry: of Media RSS first, in groups or alone, then enclosures. */
function mediaOf(entry: Element): Media[] {
  const grouped = elementsOf(entry, 'media:group').flatMap((group) => elementsOf(group, 'media:content'));
  const enclosed = elementsOf(entry, 'link').filter((link) => attributeOf(link, 'rel') === 'enclosure');
  const all = [...elementsOf(entry, 'media:content'), ...grouped, ...elementsOf(entry, 'enclosure'), ...enclosed];
  return all.flatMap((element) => {
    const url = attributeOf(element, 'url') ?? attributeOf(element, 'href');
    if (url === undefined) return [];
    const type = attributeOf(element, 'medium') ?? attributeOf(element, 'type') ?? '';
    const [width, height] = ['width', 'height'].map((side) => Number(attributeOf(element, side) ?? Number.NaN));
    return [{ url, sort: sortOfMedia(type, url), width: width || undefined, height: height || undefined }];
  });
}

/** Returns the sort of a medium by its type, such as `image/png` or `image`, else by its address. */
function sortOfMedia(type: string, url: string): Media['sort'] {
  if (type.startsWith('image')) return 'picture';
  if (type.startsWith('video')) return 'video';
  const sort = type === '' ? sortOfFile(url.split(/[?#]/, 1)[0] ?? '') : undefined;
  return sort === 'document' ? undefined : sort;
}

/** Returns the address of the first picture in markup. Pictures of a single pixel count readers, and those within are none. */
export function firstImage(html: string): string | undefined {
  for (let at = indexOfImage(html, 0); at >= 0; at = indexOfImage(html, at + 4)) {
    const end = html.indexOf('>', at);
    const tag = html.slice(at, end < 0 ? at + 4_000 : Math.min(end, at + 4_000));
    const [, double, single, bare] = /\ssrc=(?:"([^"]*)"|'([^']*)'|([^\s"']+))/i.exec(tag) ?? [];
    const src = decodeEntities((double ?? single ?? bare ?? '').trim());
    if (src !== '' && !/^data:/i.test(src) && !/\s(?:width|height)=["']?1["'\s/]/i.test(`${tag} `)) return src;
  }
  return undefined;
}

const indexOfImage = (html: string, from: number): number => {
  const at = html.slice(from).search(/<img\s/i);
  return at < 0 ? -1 : from + at;
};

/** Whom the entry names: its credit, else its author. */
function creditOf(entry: Element): string | undefined {
  const inMedia = [entry, ...elementsOf(entry, 'media:content'), ...elementsOf(entry, 'media:group')];
  const credit = inMedia.map((one) => textOf(one['media:credit']) ?? textOf(one['media:copyright'])).find((one) => one);
  const [author] = elementsOf(entry, 'author');
  const named = textOf(entry['dc:creator']) ?? textOf(child(author, 'name')) ?? textOf(author);
  return credit ?? textOf(entry['dc:rights']) ?? textOf(entry.rights) ?? named;
}
