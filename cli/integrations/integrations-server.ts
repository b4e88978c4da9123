/** The host of a checkout: the addresses of the vendor's own server, and a catalogue of all that it has. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { DecodeIcon } from '../../api/integration/entry-of-manifest.ts';
import { escapeHtml } from '../../runtime/escape-html.ts';
import { answerFile, fileOfPath } from './answer-files.ts';
import { answerHandler, CallRefused } from './answer-handlers.ts';
import { type Checkout, isSlug, manifestWithin, slugsOf } from './checkout.ts';
import { type CheckoutCatalogue, catalogueOfCheckout } from './checkout-catalogue.ts';
import type { HandlerPool } from './handler-pool.ts';
import { runPage } from './run-page.ts';

export interface HostDeps {
  readonly checkout: Checkout;
  readonly pool: HandlerPool;
  readonly decodeIcon: DecodeIcon;
  /** The address under which others reach it, without a slash at its end. */
  readonly base: () => string;
  readonly name: string;
}

type Exchange = readonly [request: IncomingMessage, response: ServerResponse];

/** Pages of any origin may read what a checkout has, as they do at the vendor's host. */
const openToAll = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, HEAD, POST, OPTIONS',
  'access-control-allow-headers': '*',
  'access-control-max-age': '86400',
  'x-content-type-options': 'nosniff',
};

/** Makes the server, which does not listen yet. */
export function integrationsServer(deps: HostDeps): Server & { catalogue(): Promise<CheckoutCatalogue> } {
  let made: Promise<CheckoutCatalogue> | undefined;
  const catalogue = (): Promise<CheckoutCatalogue> => {
    const { checkout, name, decodeIcon: decode } = deps;
    made ??= catalogueOfCheckout(checkout, { name, base: deps.base(), decode });
    return made;
  };
  const server = createServer({ headersTimeout: 10_000, requestTimeout: 30_000 }, (request, response) => {
    for (const [name, value] of Object.entries(openToAll)) response.setHeader(name, value);
    answer({ ...deps, catalogue }, [request, response]).catch((error: unknown) => fail(response, error));
  });
  server.maxConnections = 256;
  return Object.assign(server, { catalogue });
}

/** Answers a request. Whatever is thrown is answered, too. */
async function answer(
  deps: HostDeps & { readonly catalogue: () => Promise<CheckoutCatalogue> },
  exchange: Exchange,
): Promise<void> {
  const [request, response] = exchange;
  if (request.method === 'OPTIONS') {
    response.writeHead(204).end();
    return;
  }
  const url = URL.parse(`http://host${request.url ?? '/'}`);
  const path = url === null ? undefined : segmentsOf(url.pathname);
  if (url === null || path === undefined) throw new CallRefused(400, 'the path cannot be read');
  const [slug = '', second = '', name = ''] = path;
  const isCall = path.length === 3 && second === 'api' && isSlug(slug);
  if (request.method === 'POST' ? !isCall : request.method !== 'GET' && request.method !== 'HEAD') {
    throw new CallRefused(405, 'GET is understood everywhere, POST by handlers alone');
  }
  if (isCall) return answerHandler(deps, { slug, name, url }, exchange);
  if (path.length === 1) return answerAtRoot(deps, slug, response);
  if (path.length === 2 && second === 'run' && isSlug(slug)) return answerRun(deps, slug, response);
  const place = fileOfPath(deps.checkout, path);
  if (place === undefined || !(await answerFile(deps.checkout, place, exchange)))
    throw new CallRefused(404, 'not found');
}

/** Returns the parts of a path as they are meant; undefined for a sign that is not one. */
function segmentsOf(pathname: string): readonly string[] | undefined {
  try {
    return pathname.slice(1).split('/').map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

async function answerAtRoot(
  deps: HostDeps & { readonly catalogue: () => Promise<CheckoutCatalogue> },
  name: string,
  response: ServerResponse,
): Promise<void> {
  if (name === 'health') return send(response, 'application/json', JSON.stringify({ ok: true }));
  if (name === 'catalogue.json') {
    const { document } = await deps.catalogue();
    return send(response, 'application/json; charset=utf-8', JSON.stringify(document));
  }
  if (name === '') return send(response, 'text/html; charset=utf-8', await indexPage(deps));
  if (!isSlug(name) || typeof (await manifestWithin(deps.checkout, name)) === 'string')
    throw new CallRefused(404, 'not found');
  // Its files are relative to its folder.
  response.writeHead(308, { location: `/${name}/` }).end();
}

async function answerRun({ checkout }: HostDeps, slug: string, response: ServerResponse): Promise<void> {
  const manifest = await manifestWithin(checkout, slug);
  if (typeof manifest === 'string') throw new CallRefused(404, `the config.json of ${slug} is ${manifest}`);
  send(response, 'text/html; charset=utf-8', runPage(slug, manifest));
}

async function indexPage({ checkout, name }: HostDeps): Promise<string> {
  const rows = (await slugsOf(checkout)).map(
    (slug) => `<li><a href="/${slug}/run">${slug}</a> <a href="/${slug}/config.json">config.json</a>`,
  );
  const title = escapeHtml(name);
  return `<!doctype html>\n<meta charset="utf-8">\n<title>${title}</title>\n<h1>${title}</h1>\n<ul>\n${rows.join('\n')}\n</ul>\n`;
}

function send(response: ServerResponse, type: string, text: string): void {
  response.writeHead(200, { 'content-type': type, 'cache-control': 'no-cache' }).end(text);
}

function fail(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const { status, message } = error instanceof CallRefused ? error : { status: 500, message: 'it failed here' };
  const closes = status === 413 ? { connection: 'close' } : {};
  response
    .writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', ...closes })
    .end(JSON.stringify({ error: message }));
}
