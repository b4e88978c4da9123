/** The paths below `/console`: the console itself, and the pages next to it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { serveRecipePicture } from './recipe-pictures.ts';
import { type AppDeps, serveApp } from './serve-app.ts';
import { serveFrameModule } from './settings-frame.ts';

/**
 * Answers the pages and the files that they load; false for every other request. No page needs a login, and none holds
 * a secret: what they show comes from the API.
 */
export function consolePage(deps: AppDeps): (request: IncomingMessage, response: ServerResponse) => boolean {
  const showApp = serveApp(deps);
  return (request, response) => {
    if (request.method === 'GET') {
      if (serveFrameModule(request.url ?? '', response)) return true;
      if (serveRecipePicture(request.url ?? '', response)) return true;
    }
    return showApp(request, response);
  };
}
