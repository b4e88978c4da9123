/** What can be chosen in an Immich server: albums, owned and shared, and people with a name. */
import type { SourceChoice } from '../source.ts';
import { albumAnswer, albumsAnswer, type ImmichAlbum, peopleAnswer } from './immich-answers.ts';
import { type ImmichServer, isFrom } from './immich-server.ts';

/** The most pages of people that are asked for, and the people of one. */
const people = { pages: 10, size: 500 } as const;
const maxAlbums = 2_000;

/** Returns the albums and the people of a server. */
export async function choicesOf(server: ImmichServer): Promise<readonly SourceChoice[]> {
  return [...(await albumsOf(server)), ...(await peopleOf(server))];
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
  for (let page = 1; page <= people.pages; page++) {
    const query = { page, size: people.size };
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
