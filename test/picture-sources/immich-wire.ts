/** The HTTP of the Immich server that tests change: its paths, its checks and its refusals, by version. */
import type { ServerResponse } from 'node:http';
import type { Received } from '../callbacks/receiver.ts';
import type { FakeImmich, FakeImmichLink, FakeImmichPicture } from './immich-library.ts';

type Json = Readonly<Record<string, unknown>>;

/** A refusal in Immich's words. */
class Refusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** A request with whom it comes from. */
interface Asked {
  readonly fake: FakeImmich;
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Json;
  readonly link: FakeImmichLink | undefined;
  readonly cookie: string;
}

/** Answers whose bodies are not JSON. */
interface Sent {
  readonly type?: string;
  readonly content: Buffer | Json | readonly unknown[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** Returns whether the server has a version or a later one. */
export function hasVersion({ version }: Pick<FakeImmich, 'version'>, least: string): boolean {
  const [own, other] = [version, least].map((text) => text.split('.').map(Number));
  for (let at = 0; at < 3; at++) {
    const difference = (own?.[at] ?? 0) - (other?.[at] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

/** Answers a request. */
export async function answerImmich(fake: FakeImmich, request: Received, response: ServerResponse): Promise<void> {
  const { faults } = fake;
  const url = new URL(request.path, 'http://fake');
  const isVersion = url.pathname === '/api/server/version';
  try {
    if (faults.status !== undefined && !isVersion) {
      response.writeHead(faults.status, { ...faults.headers }).end(JSON.stringify({ message: 'as a test wants it' }));
      return;
    }
    const planted = isVersion ? undefined : faults.body?.(url.pathname);
    if (planted !== undefined) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(planted);
      return;
    }
    const sent = await route(askedOf(fake, request, url));
    response.writeHead(200, { 'content-type': sent.type ?? 'application/json', ...sent.headers });
    const content = Buffer.isBuffer(sent.content) ? sent.content : Buffer.from(JSON.stringify(sent.content));
    if (faults.isSlow && !isVersion) response.write(content.subarray(0, 1));
    else response.end(content);
  } catch (error) {
    const status = error instanceof Refusal ? error.status : 500;
    const message = error instanceof Error ? error.message : 'broken';
    const isNew = hasVersion(fake, '3.0.0');
    const words = isNew
      ? { message, errors: [] }
      : { message: status === 400 ? [message] : message, statusCode: status };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(words));
  }
}

function askedOf(fake: FakeImmich, { method, headers, body }: Received, url: URL): Asked {
  const [key, slug] = [url.searchParams.get('key'), url.searchParams.get('slug')];
  const isLink = key !== null || slug !== null;
  const link = fake.links.find((one) => (key === null ? one.slug === slug : one.key === key));
  const isOpen = url.pathname === '/api/server/version';
  if (isLink && (link === undefined || (link.expiresAt ?? Number.POSITIVE_INFINITY) <= fake.now())) {
    throw new Refusal(401, key === null ? 'Invalid share slug' : 'Invalid share key');
  }
  if (!isOpen && !isLink && headers['x-api-key'] !== fake.apiKey) throw new Refusal(401, 'Invalid API key');
  return {
    fake,
    method,
    path: url.pathname,
    query: url.searchParams,
    body: body === '' ? {} : (JSON.parse(body) as Json),
    link,
    cookie: headers.cookie ?? '',
  };
}

function needs({ fake, link }: Asked, right: string): void {
  if (link === undefined && !fake.rights.has(right)) throw new Refusal(403, `Missing required permission: ${right}`);
}

/** Checks the password of a link: by the cookie of a login, or before 2.6 in the address. */
function opens({ fake, link, query, cookie }: Asked): void {
  if (link?.password === undefined) return;
  const isKnown = cookie.includes(`immich_shared_link_token=of-${link.key}`);
  const isInAddress = !hasVersion(fake, '2.6.0') && query.get('password') === link.password;
  if (!isKnown && !isInAddress) throw new Refusal(401, 'Password required');
}

async function route(asked: Asked): Promise<Sent> {
  const { fake, path, method } = asked;
  const [, id = '', rest = ''] = /^\/api\/(?:albums|assets|people)\/([0-9a-f-]{36})(.*)$/.exec(path) ?? [];
  if (path === '/api/server/version') {
    const [major, minor, patch] = fake.version.split('.').map(Number);
    return { content: { major, minor, patch } };
  }
  if (method === 'POST' && path === '/api/shared-links/login') return logIn(asked);
  opens(asked);
  if (path === '/api/shared-links/me') return { content: describeLink(asked) };
  if (path === '/api/timeline/buckets') return { content: buckets(asked) };
  if (path === '/api/timeline/bucket') return { content: bucket(asked) };
  if (method === 'POST' && path === '/api/search/metadata') return { content: search(asked) };
  if (method === 'POST' && path === '/api/search/statistics') return { content: statistics(asked) };
  if (method === 'POST' && path === '/api/search/smart') return { content: smart(asked) };
  if (path === '/api/albums') return { content: albums(asked) };
  if (path.startsWith('/api/albums/') && id !== '') return { content: album(asked, id) };
  if (path === '/api/people') return { content: people(asked) };
  if (path === '/api/memories' || path === '/api/assets/memory-lane') return { content: memories(asked) };
  if (path.startsWith('/api/assets/') && id !== '') return asset(asked, id, rest);
  if (path.startsWith('/api/people/') && rest === '/thumbnail') {
    needs(asked, 'person.read');
    const [first] = fake.pictures.keys();
    return { type: 'image/jpeg', content: await fake.jpegOf(first ?? '', 'thumbnail') };
  }
  throw new Refusal(404, `Cannot ${method} ${path}`);
}

function logIn({ fake, link, body }: Asked): Sent {
  if (!hasVersion(fake, '2.6.0') || fake.faults.hasNoLinkLogin) throw new Refusal(404, 'Cannot POST /api/login');
  if (link?.password !== body.password) throw new Refusal(401, 'Invalid password');
  return { content: {}, headers: { 'set-cookie': `immich_shared_link_token=of-${link?.key}; Path=/; HttpOnly` } };
}

const utcOf = ({ taken, offsetHours }: FakeImmichPicture): string =>
  new Date(Date.parse(`${taken}Z`) - offsetHours * 3_600_000).toISOString();

/** A picture as its version describes it; memories have no EXIF since 1.133. */
function described({ fake }: Asked, one: FakeImmichPicture, hasExif = true): Json {
  const { orientation, width, height, edits } = one;
  const [across, down] = orientation >= 5 ? [height, width] : [width, height];
  return {
    id: one.id,
    type: one.type,
    originalFileName: one.name,
    checksum: Buffer.from(one.id).toString('base64'),
    thumbhash: Buffer.from(`${one.id} ${edits}`).toString('base64'),
    visibility: one.visibility,
    isArchived: one.visibility === 'archive',
    isTrashed: one.isTrashed,
    isOffline: one.isOffline,
    isFavorite: one.isFavourite,
    duration: hasVersion(fake, '3.0.0') ? null : '0:00:00.00000',
    fileCreatedAt: utcOf(one),
    localDateTime: `${one.taken}.000Z`,
    updatedAt: new Date(one.arrivedAt + edits).toISOString(),
    createdAt: new Date(one.arrivedAt).toISOString(),
    ...(hasVersion(fake, '2.7.0') && { width: across, height: down }),
    ...(hasExif && {
      exifInfo: {
        exifImageWidth: width,
        exifImageHeight: height,
        orientation: String(orientation),
        fileSizeInByte: 1_000,
        make: one.make,
        city: one.place.city ?? null,
        state: one.place.state ?? null,
        country: one.place.country ?? null,
        description: one.caption,
      },
    }),
  };
}

/** Reads the fields of a search as the version does, and returns the pictures in the order of their capture. */
function matching({ fake, body }: Asked): FakeImmichPicture[] {
  const filter = hasVersion(fake, '3.2.0') ? (body.filter as Record<string, Json> | undefined) : undefined;
  if (filter !== undefined && ['albumIds', 'personIds', 'type', 'visibility', 'page'].some((name) => name in body)) {
    throw new Refusal(400, 'filter cannot be combined with flat fields');
  }
  const isNew = hasVersion(fake, '1.133.0');
  const flat = body as Record<string, readonly string[] | string | boolean | undefined>;
  const among = (own: ReadonlySet<string>, wanted: unknown, any: boolean): boolean => {
    if (!Array.isArray(wanted) || fake.faults.everythingListed) return true;
    return any ? wanted.some((id) => own.has(id)) : wanted.every((id) => own.has(id));
  };
  const isSeen = (one: FakeImmichPicture): boolean => {
    if (one.visibility === 'locked') return false;
    if (filter !== undefined) return true;
    if (!isNew) return one.visibility === (flat.isArchived === true ? 'archive' : 'timeline');
    if (flat.visibility !== undefined) return one.visibility === flat.visibility;
    return hasVersion(fake, '3.0.0') || one.visibility === 'timeline';
  };
  return [...fake.pictures.values()]
    .filter((one) => {
      if (!isSeen(one)) return false;
      if (filter === undefined) {
        const ofAlbum = !hasVersion(fake, '2.0.0') || among(one.albums, flat.albumIds, false);
        const isLiked = flat.isFavorite === undefined || one.isFavourite === flat.isFavorite;
        const isSort = flat.type === undefined || one.type === flat.type;
        return !one.isTrashed && isLiked && isSort && ofAlbum && among(one.people, flat.personIds, false);
      }
      return (
        (filter.trashedAt === undefined || !one.isTrashed) &&
        (filter.isOffline === undefined || one.isOffline === filter.isOffline.eq) &&
        (filter.type === undefined || one.type === filter.type.eq) &&
        (filter.visibility === undefined || one.visibility === filter.visibility.eq) &&
        (filter.isFavorite === undefined || one.isFavourite === filter.isFavorite.eq) &&
        among(one.albums, filter.albumIds?.any, true) &&
        among(one.people, filter.personIds?.any, true)
      );
    })
    .sort((a, b) => (a.taken < b.taken ? -1 : 1));
}

function search(asked: Asked): Json {
  const { fake, body } = asked;
  const { faults } = fake;
  needs(asked, 'asset.read');
  const hasCursor = hasVersion(fake, '3.2.0') && 'filter' in body;
  if (!hasCursor && 'filter' in body && hasVersion(fake, '3.0.0')) throw new Refusal(400, 'unknown field filter');
  for (const name of ['page', 'size']) {
    const value = body[name];
    if (value === undefined) continue;
    if (hasVersion(fake, '3.0.0') ? !Number.isInteger(value) : !Number.isInteger(Number(value))) {
      throw new Refusal(400, `${name} must be an integer number`);
    }
  }
  const size = Number(body.size ?? 250);
  if (size < 1 || size > 1_000) throw new Refusal(400, 'size must not be greater than 1000');
  const all = faults.nothingListed ? [] : matching(asked);
  const order = hasCursor ? (body.orderBy as Json | undefined)?.direction : body.order;
  if (order === 'desc') all.reverse();
  const page = hasCursor
    ? Number(/^after-(\d+)$/.exec(String(body.cursor ?? 'after-0'))?.[1])
    : Number(body.page ?? 1) - 1;
  const from = faults.pagesRepeat ? 0 : page * size;
  const items = all.slice(from, from + size).map((one) => described(asked, one, body.withExif === true));
  const hasMore = (faults.pagesRepeat || from + size < all.length) && !faults.pagesEndEarly;
  if (faults.versionBetweenPages !== undefined) {
    fake.version = faults.versionBetweenPages;
    delete faults.versionBetweenPages;
  }
  if (faults.arrivesBetweenPages) {
    delete faults.arrivesBetweenPages;
    const [first] = all;
    if (first !== undefined) fake.add({ taken: '1999-01-01T00:00:00', albums: new Set(first.albums) });
  }
  return {
    assets: {
      items,
      total: items.length,
      count: items.length,
      nextPage: hasMore && !hasCursor ? String(page + 2) : null,
      ...(hasVersion(fake, '3.2.0') && { nextCursor: hasMore && hasCursor ? `after-${page + 1}` : null }),
    },
  };
}

function statistics(asked: Asked): Json {
  if (!hasVersion(asked.fake, '2.0.0')) throw new Refusal(404, 'Cannot POST /api/search/statistics');
  needs(asked, 'asset.statistics');
  return { total: matching(asked).length };
}

function smart(asked: Asked): Json {
  const { fake, body } = asked;
  needs(asked, 'asset.read');
  if (fake.faults.hasNoSmartSearch) throw new Refusal(400, 'Smart search is not enabled');
  const text = String(body.query ?? '').toLowerCase();
  const rank = ({ name, caption }: FakeImmichPicture) => (`${name} ${caption}`.toLowerCase().includes(text) ? 0 : 1);
  const best = matching(asked).sort((a, b) => rank(a) - rank(b));
  const items = best.slice(0, Number(body.size ?? 100)).map((one) => described(asked, one, body.withExif === true));
  return { assets: { items, nextPage: null, total: items.length, count: items.length } };
}

const picturesOf = ({ fake }: Asked, id: string): FakeImmichPicture[] =>
  [...fake.pictures.values()].filter((one) => one.albums.has(id) && !one.isTrashed);

function albumDescribed(asked: Asked, id: string): Json {
  const { fake } = asked;
  const { name = '', updatedAt = 0 } = fake.albums.get(id) ?? {};
  const own = picturesOf(asked, id);
  const newest = Math.max(...own.map((one) => one.arrivedAt + one.edits));
  return {
    id,
    albumName: name,
    assetCount: own.length,
    albumThumbnailAssetId: own[0]?.id ?? null,
    updatedAt: new Date(updatedAt).toISOString(),
    ...(own.length > 0 && { lastModifiedAssetTimestamp: new Date(newest).toISOString() }),
  };
}

function albums(asked: Asked): readonly Json[] {
  const { fake, query } = asked;
  needs(asked, 'album.read');
  const wantsShared = query.get(hasVersion(fake, '3.0.0') ? 'isShared' : 'shared') === 'true';
  return [...fake.albums]
    .filter(([, { isShared }]) => isShared === wantsShared)
    .map(([id]) => albumDescribed(asked, id));
}

function album(asked: Asked, id: string): Json {
  const { fake, query } = asked;
  needs(asked, 'album.read');
  if (!fake.albums.has(id)) throw new Refusal(400, 'Not found or no album.read access');
  if (hasVersion(fake, '3.0.0')) return albumDescribed(asked, id);
  const assets = query.get('withoutAssets') === 'true' ? [] : picturesOf(asked, id).map((one) => described(asked, one));
  return { ...albumDescribed(asked, id), assets };
}

function people(asked: Asked): Json {
  const { fake, query } = asked;
  needs(asked, 'person.read');
  const [page, size] = [Number(query.get('page') ?? 1), Number(query.get('size') ?? 500)];
  const all = [...fake.people].map(([id, person]) => ({ id, ...person, thumbnailPath: '' }));
  const own = all.slice((page - 1) * size, page * size);
  return { people: own, total: all.length, hidden: 0, hasNextPage: page * size < all.length };
}

/** Which day memories are asked for, as each version wants it written. */
function dayAsked({ fake, query, path }: Asked): string {
  const isLane = path === '/api/assets/memory-lane';
  if (isLane !== !hasVersion(fake, '1.133.0')) throw new Refusal(isLane ? 400 : 404, 'id must be a UUID');
  if (isLane) {
    const parts = [query.get('month'), query.get('day')].map((part) => String(part).padStart(2, '0'));
    return parts.join('-');
  }
  const wanted = query.get('for') ?? '';
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(wanted);
  if (hasVersion(fake, '3.0.3') ? !isDay : isDay && hasVersion(fake, '3.0.0')) throw new Refusal(400, 'Invalid for');
  return wanted.slice(5, 10);
}

function memories(asked: Asked): readonly Json[] {
  const { fake } = asked;
  needs(asked, 'memory.read');
  const day = dayAsked(asked);
  const own = [...fake.pictures.values()].filter(({ taken, isTrashed }) => taken.slice(5, 10) === day && !isTrashed);
  const years = new Set(own.map(({ taken }) => taken.slice(0, 4)));
  const hasExif = !hasVersion(fake, '1.133.0');
  return [...years].map((year) => ({
    type: 'on_this_day',
    data: { year: Number(year) },
    assets: own.filter(({ taken }) => taken.startsWith(year)).map((one) => described(asked, one, hasExif)),
  }));
}

async function asset(asked: Asked, id: string, rest: string): Promise<Sent> {
  const { fake, link, query } = asked;
  const right = rest === '' ? 'asset.read' : 'asset.view';
  needs(asked, right);
  const found = fake.pictures.get(id);
  const isShown =
    link === undefined || (link.album !== undefined && found?.albums.has(link.album)) || link.pictures?.includes(id);
  if (found === undefined || !isShown) throw new Refusal(400, `Not found or no ${right} access`);
  if (rest === '') return { content: described(asked, found, link?.showMetadata !== false) };
  if (rest !== '/thumbnail') throw new Refusal(404, `Cannot GET ${rest}`);
  const size = query.get('size');
  if (size !== 'preview' && size !== 'fullsize' && size !== 'thumbnail') throw new Refusal(400, 'Invalid size');
  if (size === 'fullsize' && fake.faults.hasNoFullsize) throw new Refusal(404, 'Asset media not found');
  return { type: 'image/jpeg', content: await fake.jpegOf(id, size) };
}

function describeLink(asked: Asked): Json {
  const { fake, link } = asked;
  if (link === undefined) throw new Refusal(403, 'Forbidden');
  const assets = (link.pictures ?? []).flatMap((id) => fake.pictures.get(id) ?? []);
  return {
    type: link.album === undefined ? 'INDIVIDUAL' : 'ALBUM',
    key: link.key,
    description: null,
    expiresAt: link.expiresAt === undefined ? null : new Date(link.expiresAt).toISOString(),
    showMetadata: link.showMetadata,
    ...(link.album !== undefined && { album: albumDescribed(asked, link.album) }),
    assets: assets.map((one) => described(asked, one, link.showMetadata)),
  };
}

function timelineOf(asked: Asked): FakeImmichPicture[] {
  const { link, query, fake } = asked;
  const id = query.get('albumId') ?? '';
  if (link?.album !== id || !fake.albums.has(id)) throw new Refusal(400, 'Not found or no album.read access');
  const wanted = query.get('visibility');
  const own = picturesOf(asked, id).filter(({ visibility }) => wanted === null || visibility === wanted);
  return own.sort((a, b) => (a.taken < b.taken ? 1 : -1));
}

const monthOf = ({ taken }: FakeImmichPicture): string => `${taken.slice(0, 7)}-01`;

function buckets(asked: Asked): readonly Json[] {
  const own = asked.fake.faults.nothingListed ? [] : timelineOf(asked);
  const months = new Set(own.map(monthOf));
  return [...months].map((timeBucket) => ({
    timeBucket,
    count: own.filter((one) => monthOf(one) === timeBucket).length,
  }));
}

/** The columns of a month; those of coordinates are missing, and a test may cut others short. */
function bucket(asked: Asked): Json {
  const { query, fake } = asked;
  const own = timelineOf(asked).filter((one) => monthOf(one) === query.get('timeBucket'));
  if (fake.faults.pagesEndEarly) own.pop();
  return {
    id: own.map(({ id }) => id),
    isImage: own.map(({ type }) => type === 'IMAGE'),
    isTrashed: own.map(({ isTrashed }) => isTrashed),
    isFavorite: own.map(({ isFavourite }) => isFavourite),
    thumbhash: own.map(({ id, edits }) => Buffer.from(`${id} ${edits}`).toString('base64')),
    fileCreatedAt: own.map(utcOf),
    localOffsetHours: own.map(({ offsetHours }) => offsetHours),
    ...(hasVersion(fake, '3.0.0') && { createdAt: own.map(({ arrivedAt }) => new Date(arrivedAt).toISOString()) }),
    visibility: own.slice(1).map(({ visibility }) => visibility),
  };
}
