/**
 * The page at `/console/api`: the API's description to read and to search. It needs no login and no network but this
 * service.
 */
import type { ServerResponse } from 'node:http';
import { consoleHeaders, type LoadedFiles, serveLoaded } from './loaded-files.ts';

const files: LoadedFiles = {
  '/console/console.css': new URL('./console.css', import.meta.url),
  '/console/api-page.css': new URL('./api-page.css', import.meta.url),
  '/console/api-page.mjs': new URL('./api-page.mjs', import.meta.url),
};

/** Nothing inline and nothing from elsewhere may load. The description becomes text, never markup (T-39). */
const allowed = ["script-src 'self'", "style-src 'self'", "connect-src 'self'", "require-trusted-types-for 'script'"];

/**
 * Answers the page or a file that it loads; false for every other path.
 * @param prefix the path below which the service is reached
 */
export function serveApiPage(path: string, response: ServerResponse, prefix: string): boolean {
  if (!/^\/console\/api\/?$/.test(path)) return serveLoaded(files, path, response);
  response.writeHead(200, {
    ...consoleHeaders(allowed),
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
  });
  response.end(page(prefix));
  return true;
}

const page = (prefix: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>API · Papergate</title>
<link rel="stylesheet" href="${prefix}/console/console.css">
<link rel="stylesheet" href="${prefix}/console/api-page.css">
<script type="module" src="${prefix}/console/api-page.mjs"></script>
</head><body>
<header><a href="${prefix}/console">Papergate</a><input id="search" type="search" placeholder="Search paths, words, fields" aria-label="Search">
<a href="${prefix}/openapi.json">openapi.json</a></header>
<main><p id="about"></p><p id="found" role="status"></p><div id="operations"></div></main>
<noscript><p>This page needs JavaScript. The description itself is at <a href="${prefix}/openapi.json">/openapi.json</a>.</p></noscript>
</body></html>`;
