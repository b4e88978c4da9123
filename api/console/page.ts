/** The pages below `/console`; the first one tells anybody who opens the address what this service is and how it is. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { serveApiPage } from './api-page.ts';
import { consoleHeaders } from './loaded-files.ts';
import { serveSettingsPage } from './settings-page.ts';

const kinds = ['api', 'gateway', 'database', 'rendering', 'callbacks'] as const;

/** The dependencies of the pages: the health of each part, as `/iotdevice/status` has it. */
export interface ConsoleDeps {
  readonly health: (kind: (typeof kinds)[number]) => Promise<string>;
  readonly mqtts: () => string;
  /** Settings pages on loopback may be framed. */
  readonly allowLoopback: boolean;
}

/**
 * Answers the pages and the files that they load; false for every other request. No page needs a login, and none holds
 * a secret.
 */
export function consolePage(deps: ConsoleDeps): (request: IncomingMessage, response: ServerResponse) => boolean {
  return (request, response) => {
    if (request.method !== 'GET') return false;
    if (serveSettingsPage(request.url ?? '', response, deps.allowLoopback)) return true;
    if (serveApiPage(request.url ?? '', response)) return true;
    if (!/^\/console\/?$/.test(request.url ?? '')) return false;
    draw(deps).then(
      (html) => {
        response.writeHead(200, {
          ...consoleHeaders(["style-src 'unsafe-inline'"]),
          'content-type': 'text/html; charset=utf-8',
          'cache-control': 'no-store',
        });
        response.end(html);
      },
      () => response.writeHead(500).end(),
    );
    return true;
  };
}

async function draw({ health, mqtts }: Pick<ConsoleDeps, 'health' | 'mqtts'>): Promise<string> {
  const rows = await Promise.all(kinds.map(async (kind) => `<tr><th>${kind}</th><td>${await health(kind)}</td></tr>`));
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Papergate</title>
<style>
  body { font: 1.05rem/1.5 system-ui, sans-serif; max-width: 42rem; margin: 4rem auto; padding: 0 1rem; color: #111; background: #fff }
  table { border-collapse: collapse; margin: 1.5rem 0 } th { text-align: left; font-weight: 400; padding-right: 3rem }
  th, td { border-bottom: 1px solid #ccc; padding-block: .3rem } code { background: #eee; padding: .1rem .3rem; overflow-wrap: anywhere }
</style></head>
<body><h1>Papergate</h1>
<p>A self-hosted paper display service. Frames connect to <code>${mqtts()}</code>.</p>
<table>${rows.join('')}</table>
<p>Frames, papers and keys are handled on the command line: <code>npx papergate --help</code>. The settings of a paper's
integration are at <code>/console/papers/&lt;paperId&gt;/settings</code>, the API is described <a href="/console/api">here</a>.</p>
</body></html>`;
}
