/** What answers below `/console`: the console itself, and the pages that stand beside it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { serveApiPage } from './api-page.ts';
import { type AppDeps, serveApp } from './serve-app.ts';
import { serveSettingsPage } from './settings-page.ts';

/** The dependencies of the pages. */
export interface ConsoleDeps extends AppDeps {
  /** Settings pages on loopback may be framed. */
  readonly allowLoopback: boolean;
}

/**
 * Answers the pages and the files that they load; false for every other request. No page needs a login, and none holds
 * a secret: what they show comes from the API.
 */
export function consolePage(deps: ConsoleDeps): (request: IncomingMessage, response: ServerResponse) => boolean {
  const showApp = serveApp(deps);
  return (request, response) => {
    if (request.method === 'GET') {
      const options = { allowLoopback: deps.allowLoopback, prefix: deps.prefixOf(request) };
      if (serveSettingsPage(request.url ?? '', response, options)) return true;
      if (serveApiPage(request.url ?? '', response, options.prefix)) return true;
    }
    return showApp(request, response);
  };
}
