/**
 * The page at `/console/papers/<paperId>/settings`, which hosts the settings page of a paper's integration. The page is the
 * same for every paper: what is in one it asks the API for, with the person's own key, so it tells a stranger nothing.
 */
import type { ServerResponse } from 'node:http';
import { consoleHeaders, type LoadedFiles, serveLoaded } from './loaded-files.ts';

/** Under the paths that these files have in `api/`, so that their imports hold in both places. */
const files: LoadedFiles = {
  '/console/settings-page.css': new URL('./settings-page.css', import.meta.url),
  '/console/settings-page.mjs': new URL('./settings-page.mjs', import.meta.url),
  '/integration/settings-frame/settings-host.mjs': new URL(
    '../integration/settings-frame/settings-host.mjs',
    import.meta.url,
  ),
  '/integration/settings-frame/read-frame-message.mjs': new URL(
    '../integration/settings-frame/read-frame-message.mjs',
    import.meta.url,
  ),
};

/**
 * Nothing inline, nothing from elsewhere, framed by nobody (T-39, T-57). Which origin may be framed is known once the person
 * has logged in: the page's script then narrows `frame-src` to that origin alone.
 */
function contentPolicy(allowLoopback: boolean): string {
  const framed = allowLoopback ? 'https: http:' : 'https:';
  return `default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-src ${framed}; \
frame-ancestors 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'`;
}

/** Answers the page or a file that it loads; false for every other path. */
export function serveSettingsPage(path: string, response: ServerResponse, allowLoopback: boolean): boolean {
  if (!/^\/console\/papers\/[0-9a-f]{24}\/settings\/?$/.test(path)) return serveLoaded(files, path, response);
  response.writeHead(200, {
    ...consoleHeaders,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': contentPolicy(allowLoopback),
    'cache-control': 'no-store',
  });
  response.end(page);
  return true;
}

/** The key's field has no name and the form no action: a browser without scripts puts it nowhere. */
const page = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Settings · Papergate</title>
<link rel="stylesheet" href="/console/console.css">
<link rel="stylesheet" href="/console/settings-page.css">
<script type="module" src="/console/settings-page.mjs"></script>
</head><body>
<header><a href="/console">Papergate</a><button type="button" id="forget" hidden>Forget key</button></header>
<main>
<h1 id="title">Settings of a paper</h1>
<p id="subtitle">What the paper's integration lets you choose.</p>
<form id="login" autocomplete="off">
<label for="key">API key or access token</label>
<div class="row"><input id="key" type="password" autocomplete="off" spellcheck="false" required><button>Open</button></div>
<p class="note">One that may change the paper. Kept in this browser tab only, and sent to this service alone.</p>
</form>
<div id="problem" class="problem" role="alert" hidden><p></p><button type="button" id="again" hidden>Try again</button></div>
<section id="frame-box" hidden>
<iframe id="frame" title="Settings page of the integration"></iframe>
<footer><span id="origin"></span><span id="state" role="status"></span></footer>
</section>
</main>
<noscript><p class="problem">This page needs JavaScript.</p></noscript>
</body></html>`;
