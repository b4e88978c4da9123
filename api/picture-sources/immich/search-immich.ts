/** Lists pictures by Immich's search, page by page, with every version from 1.106 on. */
import { reasonOf } from '../../../reasons/reason.ts';
import { faultOfRefusal, isGiven, jsonOf, unreadableAnswer } from '../ask-source-server.ts';
import { type SeenKeys, seenKeys } from '../seen-keys.ts';
import { SourceFault } from '../source.ts';
import { type ImmichAsset, maySee, searchAnswer, totalAnswer } from './immich-answers.ts';
import { type ImmichServer, type ImmichVersion, isFrom } from './immich-server.ts';

/**
 * One search. Several albums or people are several: flat fields find what is in all of them, where a person who chooses two
 * albums means what is in either.
 */
export type ImmichWish =
  | { readonly album: string }
  | { readonly person: string }
  | { readonly favourites: true }
  | { readonly everything: true };

/** The pictures of a page: with their EXIF data they are 1 MB of JSON. */
const pageSize = 500;
/** The most pictures of a listing. */
export const maxImmichPictures = 200_000;

/** The kind of file that a search finds, and where it is kept. */
interface Sieve {
  readonly type: 'IMAGE' | 'VIDEO';
  readonly visibility: 'timeline' | 'archive';
}

const pictures: Sieve = { type: 'IMAGE', visibility: 'timeline' };

/** Returns the fields of a search before 3.2. `visibility` always stands: what its absence means differs (IM-6). */
function flatFields(version: ImmichVersion, wish: ImmichWish, { type, visibility }: Sieve) {
  return {
    type,
    ...(isFrom(version, 1, 133) ? { visibility } : { isArchived: visibility === 'archive', isVisible: true }),
    ...('album' in wish && { albumIds: [wish.album] }),
    ...('person' in wish && { personIds: [wish.person] }),
    ...('favourites' in wish && { isFavorite: true }),
  };
}

/** Returns the filter of a search from 3.2 on, which includes the trash unless it is kept out (IM-4). */
function filterOf(wish: ImmichWish, { type, visibility }: Sieve) {
  return {
    type: { eq: type },
    visibility: { eq: visibility },
    trashedAt: { eq: null },
    isOffline: { eq: false },
    ...('album' in wish && { albumIds: { any: [wish.album] } }),
    ...('person' in wish && { personIds: { any: [wish.person] } }),
    ...('favourites' in wish && { isFavorite: { eq: true } }),
  };
}

/** Returns the fields that choose pictures, as a version reads them. */
export const searchFields = (version: ImmichVersion, wish: ImmichWish, sieve: Sieve = pictures) =>
  isFrom(version, 3, 2) ? { filter: filterOf(wish, sieve) } : flatFields(version, wish, sieve);

/** The place of a page: its number before 3.2, where a cursor leads to it later. */
type PagePlace = { readonly page: number } | { readonly cursor: string };

interface PageWish {
  readonly wish: ImmichWish;
  readonly place?: PagePlace | undefined;
  readonly size?: number;
  readonly direction?: 'asc' | 'desc';
  readonly sieve?: Sieve;
}

interface SearchPage {
  readonly items: readonly ImmichAsset[];
  readonly next?: PagePlace | undefined;
}

/** Returns a page; undefined where the server refuses the fields themselves, as one of another version does. */
async function askPage(
  server: ImmichServer,
  version: ImmichVersion,
  { wish, place, size = pageSize, direction = 'asc', sieve }: PageWish,
): Promise<SearchPage | undefined> {
  const hasCursor = isFrom(version, 3, 2);
  const order = hasCursor
    ? { orderBy: { field: 'localDateTime', direction }, ...place }
    : { order: direction, page: 1, ...place };
  const json = { ...searchFields(version, wish, sieve), withExif: true, size, ...order };
  const answer = await server.ask({ path: '/search/metadata', json, right: 'asset.read' });
  if (answer.status === 400) return undefined;
  if (!isGiven(answer)) throw faultOfRefusal(answer);
  const read = jsonOf(answer.body, searchAnswer);
  if (read === undefined) throw unreadableAnswer();
  const { items, nextPage, nextCursor } = read.assets;
  if (hasCursor) return { items, next: nextCursor == null ? undefined : { cursor: nextCursor } };
  return { items, next: nextPage == null ? undefined : { page: nextPage } };
}

/** Returns the pages of one search, and fails where they never end. */
async function* pagesOf(
  server: ImmichServer,
  version: ImmichVersion,
  wish: ImmichWish,
): AsyncGenerator<readonly ImmichAsset[] | 'refused'> {
  const within = seenKeys();
  const places = seenKeys();
  let place: PagePlace | undefined;
  let repeats = 0;
  do {
    const page = await askPage(server, version, { wish, place });
    if (page === undefined) {
      yield 'refused';
      return;
    }
    const { items, next } = page;
    const before = within.size;
    for (const { id } of items) within.add(id);
    if (within.size > maxImmichPictures) {
      throw new SourceFault('unusable', reasonOf('album-source-too-large', { most: maxImmichPictures }));
    }
    // Pictures that arrive while pages are numbered push the others back, so that one page may repeat (IM-15).
    repeats = within.size === before ? repeats + 1 : 0;
    if (repeats >= 2 || (next !== undefined && !places.add(JSON.stringify(next)))) {
      throw new SourceFault('unusable', reasonOf('album-source-listing-repeats'));
    }
    yield items;
    place = next;
  } while (place !== undefined);
}

/** One pass over a search: what was not given before, and how many pictures there were. */
async function* passOver(
  server: ImmichServer,
  wish: ImmichWish,
  given: SeenKeys,
): AsyncGenerator<readonly ImmichAsset[], number> {
  const listed = seenKeys();
  let version = await server.version();
  let isAskedAgain = false;
  for (;;) {
    let isRefused = false;
    for await (const page of pagesOf(server, version, wish)) {
      isRefused = page === 'refused';
      if (page === 'refused') break;
      const news = page.filter((one) => {
        listed.add(one.id);
        return maySee(one) && given.add(one.id);
      });
      if (news.length > 0) yield news;
    }
    if (!isRefused) return listed.size;
    // The server may have been updated since it was asked for its version.
    if (isAskedAgain) throw new SourceFault('unusable', reasonOf('album-source-search-refused'));
    isAskedAgain = true;
    version = await server.version(true);
  }
}

/** Returns how many pictures a search finds; undefined where the key may not ask, or the version does not answer. */
export async function countImmich(server: ImmichServer, wish: ImmichWish): Promise<number | undefined> {
  const json = searchFields(await server.version(), wish);
  try {
    const answer = await server.ask({ path: '/search/statistics', json, right: 'asset.statistics' });
    return isGiven(answer) ? jsonOf(answer.body, totalAnswer)?.total : undefined;
  } catch (error) {
    // Few keys have this right, and nothing but the comparison needs it.
    if (error instanceof SourceFault && error.kind === 'denied') return undefined;
    throw error;
  }
}

/**
 * Lists what a search finds. The number is compared with the server's own, and where they differ listed again once: pictures
 * come and go while pages are turned.
 * @param given the pictures of the listing so far, of this search and others
 * @param stated asks an album for the number of its pictures and videos together
 */
export async function* searchImmich(
  server: ImmichServer,
  wish: ImmichWish,
  given: SeenKeys,
  stated: () => Promise<number | undefined> = async () => undefined,
): AsyncGenerator<readonly ImmichAsset[], void> {
  for (let passes = 1; ; passes++) {
    const atFirst = await stated();
    const listed = yield* passOver(server, wish, given);
    const count = await countImmich(server, wish);
    const most = count ?? atFirst ?? listed;
    const isLess = listed < (count ?? 0) || (listed === 0 && (atFirst ?? 0) > 0);
    if (!isLess && listed <= most) return;
    if (passes === 1) continue;
    if (listed > most)
      throw new SourceFault('unusable', reasonOf('album-source-listing-more', { listed, count: most }));
    if (listed === 0 && !count && (await hasOthers(server, wish))) return;
    throw new SourceFault('unusable', reasonOf('album-source-listing-cut', { listed, count: count || (atFirst ?? 0) }));
  }
}

/** Returns whether an album without pictures has videos or archived ones: nothing listed is a fault otherwise (IM-5). */
async function hasOthers(server: ImmichServer, wish: ImmichWish): Promise<boolean> {
  const version = await server.version();
  const others: readonly Sieve[] = [
    { type: 'VIDEO', visibility: 'timeline' },
    { type: 'IMAGE', visibility: 'archive' },
    { type: 'VIDEO', visibility: 'archive' },
  ];
  for (const sieve of others) {
    const page = await askPage(server, version, { wish, size: 1, sieve });
    if (page !== undefined && page.items.length > 0) return true;
  }
  return false;
}

/** Returns the picture that was taken last; undefined where there is none. */
export async function newestOf(server: ImmichServer, wish: ImmichWish): Promise<ImmichAsset | undefined> {
  const version = await server.version();
  const page = await askPage(server, version, { wish, size: 1, direction: 'desc' });
  if (page === undefined) throw new SourceFault('unusable', reasonOf('album-source-search-refused'));
  return page.items[0];
}
