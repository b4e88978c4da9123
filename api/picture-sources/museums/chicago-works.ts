/** The Art Institute of Chicago: a search that ranks and does not filter, and pictures by IIIF (FE-3). */
import { z } from 'zod';
import { foldText } from '../../../runtime/fold-text.ts';
import { pause } from '../../../runtime/limit-time.ts';
import type { FetchedPicture, ListedPicture, ListingEnd, PictureSource, SourceDeps } from '../source.ts';
import { askMuseum, creditOfWork, fetchMuseumPicture, maxFoundWorks } from './ask-museum.ts';

const api = 'https://api.artic.edu/api/v1/artworks';
const museum = 'Art Institute of Chicago';
const pageLength = 100;
/** 60 requests a minute are asked for. */
const politePauseMs = 1_000;
/** The widths that the museum itself uses, the larger one for works in the public domain alone. */
const widths = [1_686, 843] as const;
const fields = 'id,title,artist_title,artist_display,date_display,image_id,thumbnail,is_public_domain,term_titles';

const text = z.string().nullish().catch(undefined);
const work = z.object({
  id: z.number().int(),
  title: text,
  artist_title: text,
  artist_display: text,
  date_display: text,
  image_id: text,
  is_public_domain: z.boolean().catch(false),
  thumbnail: z.object({ width: z.number(), height: z.number() }).nullish().catch(undefined),
  term_titles: z.array(z.string()).nullish().catch(undefined),
});
type Work = z.infer<typeof work>;

const page = z.object({
  pagination: z.object({ total: z.number() }),
  data: z.array(work.nullable().catch(null)),
});
const single = z.object({ data: work, config: z.object({ iiif_url: z.string() }) });

/** Opens the works that a search finds. */
export function openChicagoWorks(deps: SourceDeps, search: string): PictureSource {
  const askPage = (number: number) => {
    const url = new URL(`${api}/search`);
    const query = { 'query[term][is_public_domain]': 'true', fields, limit: String(pageLength), page: String(number) };
    url.search = new URLSearchParams(search === '' ? query : { q: search, ...query }).toString();
    return askMuseum(deps, url, page);
  };

  return {
    async summarize() {
      await askPage(1);
      return { title: search === '' ? museum : `${search}, ${museum}`, server: museum };
    },
    list: () => listWorks(deps, search, askPage),
    fetchPicture: (key) => fetchWork(deps, key),
  };
}

type AskPage = (number: number) => Promise<z.infer<typeof page> | undefined>;

async function* listWorks(
  deps: SourceDeps,
  search: string,
  askPage: AskPage,
): AsyncGenerator<readonly ListedPicture[], ListingEnd, void> {
  const words = foldText(search)
    .split(' ')
    .filter((word) => word !== '');
  const seen = new Set<number>();
  for (let number = 1; (number - 1) * pageLength < maxFoundWorks; number++) {
    if (number > 1) await pause(deps.clock, politePauseMs);
    const read = await askPage(number);
    const works = (read?.data ?? []).filter((one): one is Work => one !== null && !seen.has(one.id));
    for (const { id } of works) seen.add(id);
    const found = works.filter((one) => isUsable(one) && isFoundBy(one, words));
    if (found.length > 0) yield found.map(listedWork);
    if (works.length === 0 || number * pageLength >= (read?.pagination.total ?? 0)) break;
  }
  return {};
}

const isUsable = ({ is_public_domain: isPublic, image_id: image }: Work): boolean =>
  isPublic && /^[\w-]{8,64}$/.test(image ?? '');

/** A search of the museum ranks, so that its end is about something else: every word has to stand somewhere. */
function isFoundBy(
  { title, artist_display: artist, date_display: date, term_titles: terms }: Work,
  words: readonly string[],
): boolean {
  const all = foldText([title, artist, date, ...(terms ?? [])].join(' '));
  return words.every((word) => all.includes(word));
}

const listedWork = ({ id, title, image_id: image, thumbnail }: Work): ListedPicture => ({
  key: String(id),
  name: title ?? museum,
  mark: image ?? '',
  sort: 'picture',
  ...(thumbnail && thumbnail.width > 0 && thumbnail.height > 0 && { width: thumbnail.width, height: thumbnail.height }),
});

async function fetchWork(deps: SourceDeps, key: string): Promise<FetchedPicture | undefined> {
  if (!/^\d{1,12}$/.test(key)) return undefined;
  const url = new URL(`${api}/${key}`);
  url.search = new URLSearchParams({ fields }).toString();
  const read = await askMuseum(deps, url, single);
  if (read === undefined || !isUsable(read.data)) return undefined;
  const iiif = URL.parse(read.config.iiif_url);
  // The answer names the server of its pictures, which is one of the museum's.
  if (iiif === null || iiif.protocol !== 'https:' || !/(?:^|\.)artic\.edu$/.test(iiif.hostname)) return undefined;
  const { title, artist_title: artist, artist_display: artists, date_display: date, image_id: image } = read.data;
  for (const width of widths) {
    const place = new URL(`${iiif.pathname.replace(/\/$/, '')}/${image}/full/${width},/0/default.jpg`, iiif.origin);
    const content = await fetchMuseumPicture(deps, place);
    if (content === undefined) continue;
    const caption = [title, date].filter((part) => part).join(', ');
    return { content, caption, credit: creditOfWork(artist ?? artists ?? undefined, title ?? '', museum) };
  }
  return undefined;
}
