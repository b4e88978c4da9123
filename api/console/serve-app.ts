/** Answers the console: one page for every address below `/console`, and the files that it loads. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { commandName } from '../../runtime/command-here.ts';
import { isCheckout } from '../../runtime/typescript.mjs';
import { consoleHeaders } from './loaded-files.ts';
import { type AppBundle, type AppFile, readApp } from './packed-app.ts';
import { answerMissedShare, phoneHead, servePhoneFile, serveWorker } from './phone-files.ts';
import { framedAt } from './settings-frame.ts';

/**
 * Nothing inline and nothing from elsewhere may load. Pictures come as blobs, because they are fetched with the
 * session's own header (T-39).
 */
const allowed = [
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' blob: data:",
  "manifest-src 'self'",
  "worker-src 'self'",
  "require-trusted-types-for 'script'",
];

/** A checkout compiles the app when it is first asked for; a package brings it. */
const loadApp = async (): Promise<AppBundle> =>
  isCheckout
    ? (await import('./bundle-app.ts')).bundleApp()
    : readApp(new URL('../../console/packed/', import.meta.url));

/** The app of this process, once it was asked for. */
let loading: Promise<AppBundle> | undefined;

function bundledApp(): Promise<AppBundle> {
  loading ??= loadApp();
  // A failure is reported once; the next call tries again.
  loading.catch(() => (loading = undefined));
  return loading;
}

export interface AppDeps {
  /** The path below which the service is reached, empty or with a leading slash; see `requestOrigin`. */
  readonly prefixOf: (request: IncomingMessage) => string;
  /** Settings pages on loopback may be framed. */
  readonly allowLoopback: boolean;
}

/** Makes the handler; it answers GET and HEAD below `/console`, and leads browsers there from `/`. */
export function serveApp({
  prefixOf,
  allowLoopback,
}: AppDeps): (request: IncomingMessage, response: ServerResponse) => boolean {
  return (request, response) => {
    const path = (request.url ?? '').split(/[?#]/, 1)[0] ?? '';
    if (request.method === 'POST' && path === '/console/share') {
      answerMissedShare(response, prefixOf(request));
      return true;
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') return false;
    if (path === '/') return leadToConsole(request, response, prefixOf(request));
    if (!/^\/console(?:\/|$)/.test(path)) return false;
    bundledApp().then(
      (app) =>
        answer(app, { path, prefix: prefixOf(request), framed: framedAt(path, allowLoopback) }, request, response),
      () => response.writeHead(500).end(),
    );
    return true;
  };
}

/** Browsers ask for `/` by hand; programs are answered that there is no such route. */
function leadToConsole({ headers }: IncomingMessage, response: ServerResponse, prefix: string): boolean {
  return (headers.accept ?? '').includes('text/html') && redirect(response, `${prefix}/console/`);
}

function redirect(response: ServerResponse, location: string): true {
  response.writeHead(302, { location, 'cache-control': 'no-store' }).end();
  return true;
}

/** Where a page is asked for. */
interface PagePlace {
  readonly path: string;
  readonly prefix: string;
  /** The origins that may be framed there, as parts of the policy. */
  readonly framed: readonly string[];
}

function answer(app: AppBundle, place: PagePlace, request: IncomingMessage, response: ServerResponse): void {
  const { path } = place;
  const name = /^\/console\/app\/([\w.-]+)$/.exec(path)?.[1];
  // A path that looks like a file is not a screen of the app.
  if (name === undefined && !/\.[a-z]+$/.test(path)) {
    answerPage(app, place, response);
    return;
  }
  if (path === '/console/sw.js') {
    serveWorker(app, response);
    return;
  }
  if (name !== undefined && servePhoneFile(name, response)) return;
  const file = app.files.get(name ?? '');
  if (file === undefined) {
    response.writeHead(404, consoleHeaders()).end();
    return;
  }
  const [encoding, bytes] = chooseEncoding(file, String(request.headers['accept-encoding'] ?? ''));
  response
    .writeHead(200, {
      ...consoleHeaders(),
      'content-type': file.type,
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
      ...(encoding !== undefined && { 'content-encoding': encoding }),
      'content-length': bytes.length,
    })
    .end(request.method === 'HEAD' ? undefined : bytes);
}

function chooseEncoding(file: AppFile, accepted: string): readonly [string | undefined, Uint8Array] {
  if (/\bbr\b/.test(accepted)) return ['br', file.br];
  return /\bgzip\b/.test(accepted) ? ['gzip', file.gzip] : [undefined, file.plain];
}

function answerPage(
  { script, style, preloads }: AppBundle,
  { prefix, framed }: PagePlace,
  response: ServerResponse,
): void {
  const base = `${prefix}/console/`;
  const loads = preloads.map((name) => `<link rel="modulepreload" href="${base}app/${name}">`).join('');
  response.writeHead(200, {
    ...consoleHeaders([...allowed, ...framed]),
    'content-type': 'text/html; charset=utf-8',
    'cache-control': framed.length > 0 ? 'no-store' : 'no-cache',
  });
  response.end(`<!doctype html>
<html lang="en" data-base="${base}" data-command="${commandName}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<title>Papergate</title>
${phoneHead(base)}
<link rel="stylesheet" href="${base}app/${style}">
${loads}<script type="module" src="${base}app/${script}"></script>
</head><body><div id="app"></div>
<noscript><p>The console needs JavaScript. Everything it does is also a call of the <a href="${base}api">API</a>.</p></noscript>
</body></html>`);
}
