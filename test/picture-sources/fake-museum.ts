/** The servers of two museums, by the shapes that they document. */
import type { ServerResponse } from 'node:http';
import type { Received } from '../callbacks/receiver.ts';

const chicagoWork = (id: number) => ({
  id,
  title: id === 3 ? 'Harbour in <i>Winter</i>' : `Water Lilies ${id}`,
  artist_title: 'Claude Monet',
  artist_display: 'Claude Monet (French, 1840–1926)',
  date_display: '1906',
  image_id: id === 2 ? null : `3c27b499-af56-f0d5-93b5-${String(id).padStart(12, '0')}`,
  is_public_domain: id !== 4,
  thumbnail: { width: 8_808, height: 8_460, alt_text: 'x' },
  term_titles: id === 3 ? ['winter'] : ['water'],
});

/** Answers as the Art Institute of Chicago does, with so many works. */
export function answerChicago(total: number): (request: Received, response: ServerResponse) => void {
  return ({ path }, response) => {
    const url = new URL(path, 'http://fake');
    if (url.pathname.startsWith('/iiif/')) {
      // Works of which the museum has small pictures only.
      if (url.pathname.includes('000000000005/full/1686,')) return void response.writeHead(403).end();
      return void response.writeHead(200, { 'content-type': 'image/jpeg' }).end(url.pathname);
    }
    const json = (value: unknown) => response.writeHead(200).end(JSON.stringify(value));
    const [, id] = /\/artworks\/(\d+)$/.exec(url.pathname) ?? [];
    if (id === '404') return void response.writeHead(404).end('{"status":404}');
    const config = { iiif_url: id === '66' ? 'https://elsewhere.example/iiif/2' : 'https://www.artic.edu/iiif/2' };
    if (id !== undefined) return void json({ data: chicagoWork(Number(id)), config });
    const [page, limit] = [Number(url.searchParams.get('page')), Number(url.searchParams.get('limit'))];
    const first = (page - 1) * limit + 1;
    const ids = Array.from({ length: Math.max(0, Math.min(limit, total - first + 1)) }, (_, at) => first + at);
    return void json({ pagination: { total, limit, current_page: page }, data: ids.map(chicagoWork), config });
  };
}

/** Answers as the Metropolitan Museum does; a search for `nothing` finds none. */
export function answerMet({ path }: Received, response: ServerResponse): void {
  const url = new URL(path, 'http://fake');
  const json = (value: unknown) => response.writeHead(200).end(JSON.stringify(value));
  if (url.pathname.endsWith('/search')) {
    const ids = Array.from({ length: 1_500 }, (_, at) => at + 1);
    return void json(
      url.searchParams.get('q') === 'nothing'
        ? { total: 0, objectIDs: null }
        : { total: ids.length, objectIDs: [...ids, 1] },
    );
  }
  const [, id] = /\/objects\/(\d+)$/.exec(url.pathname) ?? [];
  if (id === undefined) return void response.writeHead(200).end(`picture ${url.pathname}`);
  if (id === '404') return void response.writeHead(404).end('{"message":"ObjectID not found"}');
  const image = { 2: '', 4: 'https://elsewhere.example/4.jpg' }[Number(id)] ?? `https://images.metmuseum.org/${id}.jpg`;
  json({
    isPublicDomain: id !== '3',
    primaryImage: image,
    title: 'Wheat Field',
    artistDisplayName: 'Vincent van Gogh',
    objectDate: '1889',
  });
}
