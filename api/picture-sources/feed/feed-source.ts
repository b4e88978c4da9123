/** A list of pictures at an address as a source: RSS, Atom, JSON Feed, or a plain list of addresses in JSON. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { reasonOf } from '../../../reasons/reason.ts';
import type { FollowedAnswer } from '../../outgoing/follow-redirects.ts';
import { noHomeNetworks } from '../../outgoing/home-networks.ts';
import { askForFiles, faultOfStatus } from '../ask-for-files.ts';
import { type ListedPicture, type ListingEnd, type PictureSource, type SourceDeps, SourceFault } from '../source.ts';
import type { FeedItem, PictureFeed } from './feed-item.ts';
import { readJsonFeed } from './read-json-feed.ts';
import { readXmlFeed } from './read-xml-feed.ts';

const maxFeedBytes = 8 * 1024 * 1024;
const maxPictureBytes = 64 * 1024 * 1024;
const accept =
  'application/feed+json, application/rss+xml, application/atom+xml, application/json, application/xml;q=0.9, */*;q=0.5';

/** Feeds that are worth offering: NASA's Astronomy Picture of the Day, whose pictures are in part not NASA's (FE-2). */
export const offeredFeeds = [{ id: 'apod', address: 'https://apod.nasa.gov/apod.rss' }] as const;

/** The names of one version of a feed, for the next listing. */
const markShape = z.object({
  etag: z.string().max(1_000).optional(),
  lastModified: z.string().max(200).optional(),
  digest: z.string(),
});

function readMark(before: string | undefined): Partial<z.infer<typeof markShape>> {
  try {
    return before === undefined ? {} : markShape.parse(JSON.parse(before));
  } catch {
    return {};
  }
}

/** Opens the list at an address. */
export function openFeedSource(deps: SourceDeps, { address }: { readonly address: URL }): PictureSource {
  let loaded: PictureFeed | undefined;

  async function load(): Promise<PictureFeed> {
    loaded ??= readFeed(await askFeed(deps, address, {}), address);
    return loaded;
  }

  async function* list(before: string | undefined): AsyncGenerator<readonly ListedPicture[], ListingEnd, void> {
    const last = readMark(before);
    const answer = await askFeed(deps, address, last);
    if (answer.status === 304) return 'unchanged';
    const digest = createHash('sha256').update(answer.body).digest('hex').slice(0, 32);
    if (digest === last.digest) return 'unchanged';
    loaded = readFeed(answer, address);
    const pictures = loaded.items.map(listedItem);
    if (pictures.length > 0) yield pictures;
    return { mark: JSON.stringify({ ...answer.validators, digest }) };
  }

  /** Asks for a picture. Only the host that a person named may lie in the house; a feed leads nowhere there. */
  async function askPicture(key: string): Promise<{ answer: FollowedAnswer; item: FeedItem } | undefined> {
    const item = (await load()).items.find((one) => one.key === key);
    if (item?.image === undefined) return undefined;
    const isNamed = item.image.hostname === address.hostname;
    const follow = isNamed ? deps.follow : { ...deps.follow, home: noHomeNetworks };
    const answer = await askForFiles(
      { ...deps, follow },
      {
        url: item.image,
        headers: { accept: 'image/*' },
        readLimitBytes: maxPictureBytes,
        timeoutMs: 30_000,
        bodyTimeoutMs: 120_000,
      },
    );
    if (answer.status === 404 || answer.status === 410) return undefined;
    if (answer.status !== 200) throw faultOfStatus(answer, deps.clock.now());
    return { answer, item };
  }

  return {
    async summarize() {
      const { title, items } = await load();
      const pictures = items.filter(({ image }) => image !== undefined);
      const newestAt = pictures.reduce((newest, { publishedAt = 0 }) => Math.max(newest, publishedAt), 0);
      return { title, count: pictures.length, newestAt: newestAt === 0 ? undefined : newestAt };
    },
    list,
    async fetchPicture(key) {
      const fetched = await askPicture(key);
      if (fetched === undefined) return undefined;
      const { answer, item } = fetched;
      return { content: answer.body, caption: item.title === '' ? undefined : item.title, credit: item.credit };
    },
  };
}

async function askFeed(
  deps: SourceDeps,
  url: URL,
  { etag, lastModified }: ReturnType<typeof readMark>,
): Promise<FollowedAnswer> {
  const conditions = {
    ...(etag !== undefined && { 'if-none-match': etag }),
    ...(lastModified !== undefined && { 'if-modified-since': lastModified }),
  };
  const question = { url, headers: { accept }, ownHeaders: conditions, readLimitBytes: maxFeedBytes };
  const answer = await askForFiles(deps, { ...question, bodyTimeoutMs: 60_000 });
  const isKnown = answer.status === 304 && Object.keys(conditions).length > 0;
  if (answer.status === 200 || isKnown) return answer;
  throw faultOfStatus(answer, deps.clock.now());
}

/** Reads a feed by its bytes: media types of feeds are wrong as often as right. */
function readFeed(answer: FollowedAnswer, address: URL): PictureFeed {
  const text = decodeText(answer.body);
  const base = answer.url ?? address;
  const feed = /^[[{]/.test(text) ? readJsonFeed(text, base) : readXmlFeed(text, base);
  if (feed === undefined) throw new SourceFault('unusable', reasonOf('album-source-no-pictures'));
  return feed;
}

/** Decodes a feed as its first line declares, else as UTF-8. */
function decodeText(body: Buffer): string {
  const [, declared = 'utf-8'] =
    /^[^>]{0,100}\sencoding=["']([\w-]{1,40})["']/.exec(body.toString('latin1', 0, 200)) ?? [];
  let decoder: InstanceType<typeof TextDecoder>;
  try {
    decoder = new TextDecoder(declared);
  } catch {
    decoder = new TextDecoder();
  }
  return decoder.decode(body).trimStart();
}

function listedItem({ key, title, image, publishedAt, width, height }: FeedItem): ListedPicture {
  return {
    key,
    name: title,
    mark: createHash('sha256')
      .update(image?.href ?? '')
      .digest('base64url')
      .slice(0, 16),
    sort: image === undefined ? 'video' : 'picture',
    ...(publishedAt !== undefined && { arrivedAt: publishedAt }),
    ...(width !== undefined && height !== undefined && { width, height }),
  };
}
