/**
 * The page at `/console/papers/<paperId>/settings`, which hosts the settings page of a paper's integration. The page is the
 * same for every paper: what is in one it asks the API for, with the person's own key, so it tells a stranger nothing.
 */
import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';

interface LoadedFile {
  readonly type: string;
  readonly file: URL;
}

const script = 'text/javascript; charset=utf-8';

/** What the page loads, under the paths that these files have in `api/`, so that their imports hold in both places. */
const loaded: Readonly<Record<string, LoadedFile>> = {
  '/console/settings-page.css': {
    type: 'text/css; charset=utf-8',
    file: new URL('./settings-page.css', import.meta.url),
  },
  '/console/settings-page.mjs': { type: script, file: new URL('./settings-page.mjs', import.meta.url) },
  '/integration/settings-frame/settings-host.mjs': {
    type: script,
    file: new URL('../integration/settings-frame/settings-host.mjs', import.meta.url),
  },
  '/integration/settings-frame/read-frame-message.mjs': {
    type: script,
    file: new URL('../integration/settings-frame/read-frame-message.mjs', import.meta.url),
  },
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
  const headers = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' };
  if (/^\/console\/papers\/[0-9a-f]{24}\/settings\/?$/.test(path)) {
    response.writeHead(200, {
      ...headers,
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': contentPolicy(allowLoopback),
      'cache-control': 'no-store',
    });
    response.end(page);
    return true;
  }
  const found = Object.hasOwn(loaded, path) ? loaded[path] : undefined;
  if (found === undefined) return false;
  readFile(found.file).then(
    (bytes) =>
      response.writeHead(200, { ...headers, 'content-type': found.type, 'cache-control': 'no-cache' }).end(bytes),
    () => response.writeHead(500).end(),
  );
  return true;
}

/** The key's field has no name and the form no action: a browser without scripts puts it nowhere. */
const page = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Settings · Papergate</title>
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
