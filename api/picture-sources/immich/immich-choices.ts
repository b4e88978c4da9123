/** The choices that an Immich server offers: albums, owned and shared, and people with a name. */
import { type SourceChoice, SourceFault } from '../source.ts';
import { albumAnswer, albumsAnswer, type ImmichAlbum, peopleAnswer } from './immich-answers.ts';
import { type ImmichServer, isFrom } from './immich-server.ts';

/** The most pages of people that are asked for, and the people of one. */
const peoplePages = { pages: 10, size: 500 } as const;
const maxAlbums = 2_000;

/** Returns the albums and the people of a server; a key that may read one of them alone is offered that. */
export async function choicesOf(server: ImmichServer): Promise<readonly SourceChoice[]> {
  const [albums, people] = [await unlessDenied(albumsOf(server)), await unlessDenied(peopleOf(server))];
  if (albums instanceof SourceFault && people instanceof SourceFault) throw albums;
  return [albums, people].flatMap((found) => (found instanceof SourceFault ? [] : found));
}

async function unlessDenied<Found>(asked: Promise<Found>): Promise<Found | SourceFault> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof SourceFault && error.kind === 'denied') return error;
    throw error;
  }
}

/** Versions differ in whether the plain list has what others share. */
async function albumsOf(server: ImmichServer): Promise<readonly SourceChoice[]> {
  const isNew = isFrom(await server.version(), 3);
  const found = new Map<string, SourceChoice>();
  for (const query of [{}, isNew ? { isShared: 'true' } : { shared: 'true' }]) {
    const albums = await server.read({ path: '/albums', query, right: 'album.read' }, albumsAnswer);
    for (const { id, albumName, assetCount, albumThumbnailAssetId } of albums.slice(0, maxAlbums)) {
      found.set(id, {
        id,
        sort: 'album',
        name: albumName ?? '',
        count: assetCount ?? undefined,
        cover: albumThumbnailAssetId == null ? undefined : `asset/${albumThumbnailAssetId}`,
      });
    }
  }
  return [...found.values()];
}

async function peopleOf(server: ImmichServer): Promise<readonly SourceChoice[]> {
  const found = new Map<string, SourceChoice>();
  for (let page = 1; page <= peoplePages.pages; page++) {
    const query = { page, size: peoplePages.size };
    const answer = await server.read({ path: '/people', query, right: 'person.read' }, peopleAnswer);
    const before = found.size;
    for (const { id, name, isHidden } of answer.people) {
      if (isHidden === true || !name?.trim()) continue;
      found.set(id, { id, sort: 'person', name, cover: `person/${id}` });
    }
    // People with a name come first.
    if (answer.hasNextPage !== true || found.size === before) break;
  }
  return [...found.values()];
}

/** Reads an album; without its pictures, which versions before 3.0 would add (IM-5), unless it is wanted whole. */
export async function readAlbum(server: ImmichServer, id: string, isWhole = false): Promise<ImmichAlbum> {
  const query = isWhole || isFrom(await server.version(), 3) ? {} : { withoutAssets: 'true' };
  return server.read({ path: `/albums/${id}`, query, right: 'album.read' }, albumAnswer);
}
