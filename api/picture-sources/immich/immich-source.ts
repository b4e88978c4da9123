/** An Immich server as a source of pictures: albums, people, favourites, memories, a search or a shared link. */
import { reasonOf } from '../../../reasons/reason.ts';
import { isoTime } from '../../../runtime/clock.ts';
import { parseUrl } from '../../../runtime/read-address.ts';
import { faultOfRefusal, isGiven, jsonOf, type SourceAnswer, unreadableAnswer } from '../ask-source-server.ts';
import { type SeenKeys, seenKeys } from '../seen-keys.ts';
import {
  type ListedPicture,
  type ListingEnd,
  type PictureSource,
  type SourceDeps,
  SourceFault,
  type SourceSummary,
} from '../source.ts';
import { epochOf } from '../wall-time.ts';
import { coverOfImmich, fetchImmich } from './fetch-immich.ts';
import { type ImmichAlbum, type ImmichAsset, maySee, pictureOfAsset, searchAnswer } from './immich-answers.ts';
import { choicesOf, readAlbum } from './immich-choices.ts';
import { complaintOf, type ImmichServer, immichServer, isFrom } from './immich-server.ts';
import type { ImmichChoice, ImmichLogin, ImmichSettings } from './immich-settings.ts';
import { memoriesOf } from './list-memories.ts';
import { countImmich, type ImmichWish, newestOf, searchFields, searchImmich } from './search-immich.ts';
import { listLink, readLink } from './shared-link.ts';

/** An Immich server that is opened. */
export interface ImmichOpening {
  readonly settings: ImmichSettings;
  readonly login: ImmichLogin;
  /** The day of which memories are shown, `YYYY-MM-DD` where the frame hangs; left out, the day in UTC. */
  readonly day?: string | undefined;
}

/** One opened server. */
interface Opened extends ImmichOpening {
  readonly deps: SourceDeps;
  readonly server: ImmichServer;
  readonly choice: ImmichChoice | undefined;
}

/** The pictures of a smart search: it ranks all there are, and those behind have less and less to do with the text. */
const bestMatches = 250;

/** Opens an Immich server. Memories are those of one day: the caller opens it again the next day. */
export function openImmich(deps: SourceDeps, opening: ImmichOpening): PictureSource {
  const { settings, login } = opening;
  const server = immichServer(deps, settings.server, login);
  const isLink = !('apiKey' in login);
  const choice: ImmichChoice | undefined = isLink ? { by: 'link' } : settings.choice;
  const opened: Opened = { ...opening, deps, server, choice };
  let showsMetadata: Promise<boolean> | undefined;

  return {
    summarize: () => summarize(opened),
    list: (before) => list(opened, before),
    async fetchPicture(key, wish) {
      showsMetadata ??= isLink
        ? readLink(deps, server).then((link) => link.showMetadata !== false)
        : Promise.resolve(true);
      return fetchImmich(server, { key, wish, showsMetadata: await showsMetadata });
    },
    ...(!isLink && {
      choices: () => choicesOf(server),
      cover: (cover: string) => coverOfImmich(server, cover),
    }),
  };
}

/** Returns the searches that list a choice; undefined where it is listed by something else. */
function wishesOf(choice: ImmichChoice): readonly ImmichWish[] | undefined {
  if (choice.by === 'albums') return choice.ids.map((album) => ({ album }));
  if (choice.by === 'people') return choice.ids.map((person) => ({ person }));
  return choice.by === 'favourites' ? [{ favourites: true }] : undefined;
}

async function* list(
  opened: Opened,
  before: string | undefined,
): AsyncGenerator<readonly ListedPicture[], ListingEnd, void> {
  const { deps, server, choice } = opened;
  await server.version(true);
  if (choice === undefined) return {};
  if (choice.by === 'link') {
    yield* listLink(deps, server);
    return {};
  }
  const given = seenKeys();
  if (choice.by === 'albums') return yield* listAlbums(opened, choice.ids, { given, before });
  const wishes = wishesOf(choice);
  if (wishes === undefined) {
    const assets =
      choice.by === 'search' ? await matchesOf(server, choice.text) : await memoriesOf(server, dayOf(opened));
    if (assets.length > 0) yield assets.map(pictureOfAsset);
    return {};
  }
  for (const wish of wishes) {
    for await (const page of searchImmich(server, wish, given)) yield page.map(pictureOfAsset);
  }
  return {};
}

const dayOf = ({ day, deps }: Opened): string => day ?? isoTime(deps.clock.now()).slice(0, 'YYYY-MM-DD'.length);

async function* listAlbums(
  { deps, server }: Opened,
  ids: readonly string[],
  { given, before }: { readonly given: SeenKeys; readonly before: string | undefined },
): AsyncGenerator<readonly ListedPicture[], ListingEnd, void> {
  const albums = await albumsThere(server, ids);
  const mark = markOf(albums, isoTime(deps.clock.now()).slice(0, 'YYYY-MM-DD'.length));
  if (mark !== undefined && mark === before) return 'unchanged';
  const isOld = !isFrom(await server.version(), 2);
  for (const { id } of albums) {
    if (isOld) {
      const news = (await assetsOfOld(server, id)).filter((one) => maySee(one) && given.add(one.id));
      if (news.length > 0) yield news.map(pictureOfAsset);
      continue;
    }
    const stated = async (): Promise<number | undefined> => (await readAlbum(server, id)).assetCount ?? undefined;
    for await (const page of searchImmich(server, { album: id }, given, stated)) yield page.map(pictureOfAsset);
  }
  return { mark };
}

/** Returns the albums that are still there: one that was removed takes its pictures along, and none of the others'. */
async function albumsThere(server: ImmichServer, ids: readonly string[]): Promise<readonly ImmichAlbum[]> {
  const albums: ImmichAlbum[] = [];
  let gone: SourceFault | undefined;
  for (const id of ids) {
    try {
      albums.push(await readAlbum(server, id));
    } catch (error) {
      if (!(error instanceof SourceFault) || error.kind !== 'gone') throw error;
      gone = error;
    }
  }
  if (albums.length === 0 && gone !== undefined) throw gone;
  return albums;
}

/**
 * Returns the mark of a listing of albums: their numbers of pictures, and when they and their pictures last changed. The day
 * is part of it, so that a change that shows in none of them is found the next day at the latest.
 */
function markOf(albums: readonly ImmichAlbum[], day: string): string | undefined {
  const parts = albums.map(({ id, updatedAt, lastModifiedAssetTimestamp: assets, assetCount }) =>
    updatedAt && assets && assetCount != null ? `${id} ${updatedAt} ${assets} ${assetCount}` : undefined,
  );
  return parts.includes(undefined) ? undefined : [day, ...parts].join('\n');
}

/** Returns the pictures of an album before 2.0, when search did not know albums and the album itself had its pictures. */
async function assetsOfOld(server: ImmichServer, id: string): Promise<readonly ImmichAsset[]> {
  const { assets, assetCount } = await readAlbum(server, id, true);
  if (assets == null || (assets.length === 0 && (assetCount ?? 0) > 0)) {
    throw new SourceFault('unusable', reasonOf('album-source-listing-cut', { listed: 0, count: assetCount ?? 0 }));
  }
  return assets;
}

/** Machine learning may be switched off; anything else that is refused comes of another version. */
function refusedSearch(answer: SourceAnswer): SourceFault {
  const isOff = /not enabled|disabled/i.test(complaintOf(answer));
  return new SourceFault('unusable', reasonOf(isOff ? 'album-source-no-smart-search' : 'album-source-search-refused'));
}

/** Returns the best matches of a text, best first. */
async function matchesOf(server: ImmichServer, text: string): Promise<readonly ImmichAsset[]> {
  const ask = async (isNew: boolean) =>
    server.ask({
      path: '/search/smart',
      json: {
        ...searchFields(await server.version(isNew), { everything: true }),
        query: text,
        withExif: true,
        size: bestMatches,
      },
      right: 'asset.read',
    });
  let answer = await ask(false);
  if (answer.status === 400) answer = await ask(true);
  if (answer.status === 400) throw refusedSearch(answer);
  if (!isGiven(answer)) throw faultOfRefusal(answer);
  const read = jsonOf(answer.body, searchAnswer);
  if (read === undefined) throw unreadableAnswer();
  const given = seenKeys();
  return read.assets.items.filter((one) => maySee(one) && given.add(one.id));
}

async function summarize(opened: Opened): Promise<SourceSummary> {
  const { server, settings, choice, deps } = opened;
  const { major, minor, patch } = await server.version(true);
  const basis = {
    title: parseUrl(settings.server)?.hostname ?? settings.server,
    server: `Immich ${major}.${minor}.${patch}`,
  };
  if (choice === undefined) {
    await newestOf(server, { everything: true });
    return basis;
  }
  if (choice.by === 'link') {
    const { album, assets, description } = await readLink(deps, server);
    const title = album?.albumName || description || basis.title;
    return { ...basis, title, count: album?.assetCount ?? assets?.length ?? undefined };
  }
  if (choice.by === 'search')
    return { ...basis, title: choice.text, count: (await matchesOf(server, choice.text)).length };
  if (choice.by === 'memories') return { ...basis, count: (await memoriesOf(server, dayOf(opened))).length };
  return { ...basis, ...(await summarizeSearches(server, choice)) };
}

/** Several albums or people may share pictures: their number is known after a listing alone. */
async function summarizeSearches(server: ImmichServer, choice: ImmichChoice): Promise<Partial<SourceSummary>> {
  const wishes = wishesOf(choice) ?? [];
  const albums = choice.by === 'albums' ? await albumsThere(server, choice.ids) : [];
  const [only] = wishes;
  const count = only === undefined || wishes.length > 1 ? undefined : await countImmich(server, only);
  const times: number[] = [];
  for (const wish of wishes) times.push(...[epochOf((await newestOf(server, wish))?.createdAt) ?? []].flat());
  return {
    ...(albums.length > 0 && { title: albums.map(({ albumName }) => albumName ?? '').join(', ') }),
    count: count ?? (albums.length === 1 ? (albums[0]?.assetCount ?? undefined) : undefined),
    newestAt: times.length === 0 ? undefined : Math.max(...times),
  };
}
