/**
 * The page at `/console/papers/<paperId>/settings`: the form that a paper's integration describes, or its own settings
 * page. The page is the same for every paper: it reads the paper from the API as the person who is signed in to the console, or with a key of theirs, so
 * it reveals nothing to a stranger.
 */
import type { ServerResponse } from 'node:http';
import { consoleHeaders, type LoadedFiles, serveLoaded } from './loaded-files.ts';

/** The files, under the paths that they have in `api/`, so that their imports hold in both places. */
const files: LoadedFiles = {
  '/console/settings-page.css': new URL('./settings-page.css', import.meta.url),
  '/console/settings-form.css': new URL('./settings-form.css', import.meta.url),
  '/console/settings-page.mjs': new URL('./settings-page.mjs', import.meta.url),
  '/console/call-api.mjs': new URL('./call-api.mjs', import.meta.url),
  '/console/save-settings.mjs': new URL('./save-settings.mjs', import.meta.url),
  '/integration/settings-frame/settings-host.mjs': new URL(
    '../integration/settings-frame/settings-host.mjs',
    import.meta.url,
  ),
  '/integration/settings-frame/read-frame-message.mjs': new URL(
    '../integration/settings-frame/read-frame-message.mjs',
    import.meta.url,
  ),
  '/integration/settings-frame/settings-form.mjs': new URL(
    '../integration/settings-frame/settings-form.mjs',
    import.meta.url,
  ),
  '/integration/settings-frame/form-schema.mjs': new URL(
    '../integration/settings-frame/form-schema.mjs',
    import.meta.url,
  ),
  '/integration/settings-frame/form-field.mjs': new URL(
    '../integration/settings-frame/form-field.mjs',
    import.meta.url,
  ),
  '/console/jedison.mjs': new URL(import.meta.resolve('jedison')),
};

/**
 * Nothing inline and nothing from elsewhere may load (T-39). The origin that may be framed is known once the person has
 * logged in: the page's script then narrows `frame-src` to that origin alone.
 */
function allowed(allowLoopback: boolean): string[] {
  const framed = allowLoopback ? 'https: http:' : 'https:';
  const loaded = ["script-src 'self'", "style-src 'self'", "connect-src 'self'"];
  return [...loaded, `frame-src ${framed}`, "require-trusted-types-for 'script'"];
}

/** Answers the page or a file that it loads; false for every other path. */
export function serveSettingsPage(
  path: string,
  response: ServerResponse,
  { allowLoopback, prefix }: { readonly allowLoopback: boolean; readonly prefix: string },
): boolean {
  // A login elsewhere comes back with a query, which is for the page's script.
  if (!/^\/console\/papers\/[0-9a-f]{24}\/settings\/?(\?|$)/.test(path)) return serveLoaded(files, path, response);
  response.writeHead(200, {
    ...consoleHeaders(allowed(allowLoopback)),
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
  });
  response.end(pageBelow(prefix));
  return true;
}

/** The key's field has no name and the form no action: a browser without scripts sends it nowhere. */
const pageBelow = (prefix: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Settings · Papergate</title>
<link rel="stylesheet" href="${prefix}/console/console.css">
<link rel="stylesheet" href="${prefix}/console/settings-page.css">
<link rel="stylesheet" href="${prefix}/console/settings-form.css">
<script type="module" src="${prefix}/console/settings-page.mjs"></script>
</head><body>
<header><a href="${prefix}/console/">Papergate</a><button type="button" id="forget" hidden>Forget key</button></header>
<main>
<h1 id="title">Settings of a paper</h1>
<p id="subtitle">What the paper's integration lets you choose.</p>
<form id="login" autocomplete="off" hidden>
<label for="key">API key or access token</label>
<div class="row"><input id="key" type="password" autocomplete="off" spellcheck="false" required><button>Open</button></div>
<p class="note">One that may change the paper. Kept in this browser tab only, and sent to this service alone.</p>
</form>
<div id="problem" class="problem" role="alert" hidden><p></p><button type="button" id="again" hidden>Try again</button></div>
<form id="settings" autocomplete="off" novalidate hidden>
<div id="fields"></div>
<p id="nothing" class="note" hidden>This integration describes no fields of its own.</p>
<details><summary>More</summary>
<label class="check"><input id="in-address" type="checkbox"><span>Put the settings into the page’s address</span></label>
<p class="note">For pages that read them there and nowhere else. Passwords never go there; everything else may end up in the
logs of whoever serves the page.</p>
</details>
<div class="actions"><button>Save</button><span id="form-state" role="status"></span></div>
</form>
<section id="frame-box" hidden>
<iframe id="frame" title="Settings page of the integration"></iframe>
<footer><span id="origin"></span><span id="state" role="status"></span></footer>
</section>
</main>
<noscript><p class="problem">This page needs JavaScript.</p></noscript>
</body></html>`;
