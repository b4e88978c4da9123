/** Fetches a picture of an Immich server, in the size that a panel shows, with its place and its caption. */
import { faultOfRefusal, isGiven, jsonOf, unreadableAnswer } from '../ask-source-server.ts';
import { type FetchedPicture, type FetchWish, SourceFault } from '../source.ts';
import { assetAnswer, maySee, placeOfAsset } from './immich-answers.ts';
import { type ImmichServer, isNotThere } from './immich-server.ts';
import { immichIdForm } from './read-immich-address.ts';

/** Previews have 1440 pixels, unless the owner of the server sets another size (IM-9). */
const previewSide = 1_440;
/** The most bytes of a cover, of a preview and of a picture in its full size. */
const limits = { cover: 4 * 1024 * 1024, preview: 24 * 1024 * 1024, fullsize: 64 * 1024 * 1024 } as const;

type ImmichSize = 'preview' | 'fullsize';

/** A picture that is wanted, and in which size. */
interface FetchPlan {
  readonly key: string;
  readonly wish: FetchWish;
  /** Whether date, place and caption may be read; the owner of a shared link decides. */
  readonly showsMetadata: boolean;
}

/** Fetches a picture; undefined when it is in the trash, hidden or gone. */
export async function fetchImmich(
  server: ImmichServer,
  { key, wish, showsMetadata }: FetchPlan,
): Promise<FetchedPicture | undefined> {
  if (!immichIdForm.test(key)) return undefined;
  const described = await describe(server, key);
  if (described === 'gone') return undefined;
  const large = wish.longSide > previewSide ? await pixelsOf(server, key, 'fullsize') : undefined;
  const content = large ?? (await pixelsOf(server, key, 'preview'));
  if (content === undefined) return undefined;
  const caption = described?.exifInfo?.description?.trim();
  return {
    content,
    ...(showsMetadata && { place: placeOfAsset(described?.exifInfo), caption: caption === '' ? undefined : caption }),
  };
}

/** A picture may have been put into the trash or into the archive since it was listed. */
async function describe(server: ImmichServer, key: string) {
  const answer = await server.ask({ path: `/assets/${key}`, right: 'asset.read' });
  if (isNotThere(answer)) return 'gone';
  if (!isGiven(answer)) throw faultOfRefusal(answer);
  const asset = jsonOf(answer.body, assetAnswer);
  if (asset === undefined) throw unreadableAnswer();
  return maySee(asset) ? asset : 'gone';
}

/** Returns the pixels of a size; undefined where there are none, and for a full size that is too large. */
async function pixelsOf(server: ImmichServer, key: string, size: ImmichSize): Promise<Buffer | undefined> {
  try {
    const answer = await server.ask({
      path: `/assets/${key}/thumbnail`,
      query: { size },
      right: 'asset.view',
      accept: 'image/*',
      limitBytes: limits[size],
    });
    if (isNotThere(answer)) return undefined;
    // Servers before the full size answer its name with 400.
    if (answer.status === 400 && size === 'fullsize') return undefined;
    if (!isGiven(answer)) throw faultOfRefusal(answer);
    if (answer.body.length === 0) throw unreadableAnswer();
    return answer.body;
  } catch (error) {
    if (size === 'fullsize' && error instanceof SourceFault && error.kind === 'unusable') return undefined;
    throw error;
  }
}

/** Fetches the small picture of an album or of a person. */
export async function coverOfImmich(server: ImmichServer, cover: string): Promise<Buffer | undefined> {
  const [, sort, id = ''] = /^(asset|person)\/([0-9a-f-]{36})$/i.exec(cover) ?? [];
  if (sort === undefined) return undefined;
  const question =
    sort === 'asset'
      ? { path: `/assets/${id}/thumbnail`, query: { size: 'thumbnail' }, right: 'asset.view' as const }
      : { path: `/people/${id}/thumbnail`, right: 'person.read' as const };
  const answer = await server.ask({ ...question, accept: 'image/*', limitBytes: limits.cover });
  return isGiven(answer) && answer.body.length > 0 ? answer.body : undefined;
}
