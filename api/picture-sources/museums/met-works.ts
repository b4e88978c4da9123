/** The Metropolitan Museum of Art: a search gives numbers alone, and each work is asked for when it is fetched (FE-4). */
import { z } from 'zod';
import type { FetchedPicture, ListedPicture, ListingEnd, PictureSource, SourceDeps } from '../source.ts';
import { askMuseum, creditOfWork, fetchMuseumPicture, maxFoundWorks } from './ask-museum.ts';

const api = 'https://collectionapi.metmuseum.org/public/collection/v1';
const museum = 'The Metropolitan Museum of Art';
const pageLength = 250;

/** A search that finds nothing answers null in place of a list. */
const found = z.object({ total: z.number(), objectIDs: z.array(z.number().int()).nullable() });
const text = z.string().catch('');
const work = z.object({
  isPublicDomain: z.boolean().catch(false),
  primaryImage: text,
  title: text,
  artistDisplayName: text,
  objectDate: text,
});

/** Opens the works that a search finds. */
export function openMetWorks(deps: SourceDeps, search: string): PictureSource {
  const ask = async (): Promise<readonly number[]> => {
    const url = new URL(`${api}/search`);
    url.search = new URLSearchParams({ hasImages: 'true', q: search === '' ? '*' : search }).toString();
    const { objectIDs } = (await askMuseum(deps, url, found)) ?? { objectIDs: null };
    return [...new Set(objectIDs ?? [])].slice(0, maxFoundWorks);
  };

  /** Which of them belong to everybody is known with each work alone, so there is no count. */
  async function* list(): AsyncGenerator<readonly ListedPicture[], ListingEnd, void> {
    const works = await ask();
    for (let from = 0; from < works.length; from += pageLength) {
      yield works.slice(from, from + pageLength).map((id): ListedPicture => {
        const key = String(id);
        return { key, name: `${museum} ${key}`, mark: key, sort: 'picture' };
      });
    }
    return {};
  }

  return {
    async summarize() {
      await ask();
      return { title: search === '' ? museum : `${search}, ${museum}`, server: museum };
    },
    list,
    fetchPicture: (key) => fetchMetWork(deps, key),
  };
}

async function fetchMetWork(deps: SourceDeps, key: string): Promise<FetchedPicture | undefined> {
  if (!/^\d{1,12}$/.test(key)) return undefined;
  const read = await askMuseum(deps, new URL(`${api}/objects/${key}`), work);
  if (read === undefined || !read.isPublicDomain) return undefined;
  const image = URL.parse(read.primaryImage);
  if (image === null || image.protocol !== 'https:' || !/(?:^|\.)metmuseum\.org$/.test(image.hostname))
    return undefined;
  const content = await fetchMuseumPicture(deps, image);
  if (content === undefined) return undefined;
  const { title, artistDisplayName, objectDate } = read;
  const caption = [title, objectDate].filter((part) => part !== '').join(', ');
  return { content, caption, credit: creditOfWork(artistDisplayName || undefined, title, museum) };
}
