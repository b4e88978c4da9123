/** Short-lived signed addresses of stored pictures: for render pages and previews, never a permanent URL (T-38). */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../gateway/runtime/clock.ts';
import type { DurableFolder } from '../../gateway/runtime/durable-folder.ts';
import type { Logger } from '../../gateway/runtime/logger.ts';

/** How long an address works. */
const lifetimeMs = 10 * 60_000;
const prefix = '/signed/';

/** What signing is handed. `baseUrl` is where browsers reach the service. */
export interface SigningEdges {
  readonly key: Uint8Array;
  readonly clock: Clock;
  readonly files: DurableFolder;
  readonly logger: Logger;
  readonly baseUrl: () => string;
}

/** Signs and serves. */
export interface SignedImages {
  /** An address of one picture for one request's content; a signature fits no other. */
  sign(imageKey: string, requestId: string): string;
  /** Answers such an address; false when the request is for somebody else. */
  serve(request: IncomingMessage, response: ServerResponse): boolean;
}

/** Makes the signer of one service. */
export function signedImages(edges: SigningEdges): SignedImages {
  const signature = (path: string): Buffer => createHmac('sha256', edges.key).update(`GET ${path}`).digest();

  function pathIfValid(url: string): string | undefined {
    const [path = '', sealed = '', ...rest] = url.split('?s=');
    const given = Buffer.from(sealed, 'base64url');
    const right = signature(path);
    if (rest.length > 0 || given.length !== right.length || !timingSafeEqual(given, right)) return undefined;
    const expiresAt = Number(path.split('/')[4]);
    return edges.clock.now() < expiresAt ? path : undefined;
  }

  async function answer(path: string | undefined, response: ServerResponse): Promise<void> {
    const png = path === undefined ? undefined : await edges.files.get(path.split('/')[2] ?? '');
    response.setHeader('cache-control', 'no-store');
    if (png === undefined) {
      response.writeHead(403, { 'content-type': 'application/json' });
      response.end('{"code":"access-denied","message":"This address is not valid or has expired"}');
      return;
    }
    response.writeHead(200, {
      'content-type': 'image/png',
      'content-length': png.length,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      // P-13: a page that draws the picture on a canvas needs this; the address itself is the permission.
      'access-control-allow-origin': '*',
    });
    response.end(png);
  }

  return {
    sign(imageKey, requestId) {
      const path = `${prefix}${imageKey}/${requestId}/${edges.clock.now() + lifetimeMs}`;
      return `${edges.baseUrl()}${path}?s=${signature(path).toString('base64url')}`;
    },
    serve(request, response) {
      const url = request.url ?? '';
      if (!url.startsWith(prefix) || request.method !== 'GET') return false;
      answer(pathIfValid(url), response).catch((error: unknown) => {
        edges.logger.error({ error }, 'picture not served');
        response.destroy();
      });
      return true;
    },
  };
}
