/** The demo's integration backend: serves its pages, receives callbacks, and pushes over its connection. */
import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { demoRenderPage, manifest, settingsPage } from './pages.ts';

/** A status event as received, with when and how often. */
export interface ReceivedCallback {
  readonly receivedAt: number;
  readonly body: Readonly<Record<string, string>>;
  readonly duplicates: number;
}

/** The credentials of one connection. */
export interface DemoConnection {
  readonly connectionId: string;
  readonly paperId: string;
  readonly token: string;
  readonly callbackToken: string;
}

/** A running integration. */
export interface Integration {
  readonly origin: string;
  readonly configUrl: string;
  /** Callbacks by event id, in the order of their first arrival. */
  readonly callbacks: ReadonlyMap<string, ReceivedCallback>;
  /** Accepts this connection's callbacks from now on. */
  connected(connection: DemoConnection): void;
  stop(): Promise<void>;
}

/** Starts the integration on a free port of loopback. */
export async function startIntegration(): Promise<Integration> {
  const callbacks = new Map<string, ReceivedCallback>();
  let connection: DemoConnection | undefined;
  const pages: Readonly<Record<string, readonly [type: string, body: string]>> = {
    '/postcard/manifest.json': ['application/json', JSON.stringify(manifest)],
    '/postcard/settings.html': ['text/html; charset=utf-8', settingsPage],
    '/postcard/render.html': ['text/html; charset=utf-8', demoRenderPage],
  };

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body: Record<string, string> = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    // The checks are the spec's "Receiver requirements" 1 to 4.
    const known = body.connectionId === connection?.connectionId && body.paperId === connection?.paperId;
    if (!known || !isBearer(request.headers.authorization, connection?.callbackToken ?? '')) {
      response.writeHead(401).end();
      return;
    }
    const eventId = body.eventId ?? '';
    const before = callbacks.get(eventId);
    callbacks.set(eventId, {
      receivedAt: before?.receivedAt ?? Date.now(),
      body,
      duplicates: before === undefined ? 0 : before.duplicates + 1,
    });
    response.writeHead(204).end();
  }

  const server = createServer((request, response) => {
    const page = pages[request.url ?? ''];
    if (request.method === 'POST' && request.url === manifest.capabilities.contentPush.callbackPath) {
      receive(request, response).catch(() => response.writeHead(400).end());
    } else if (request.method === 'GET' && page !== undefined) {
      response.writeHead(200, { 'content-type': page[0], 'access-control-allow-origin': '*' }).end(page[1]);
    } else {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no address');
  const origin = `http://127.0.0.1:${address.port}`;
  return {
    origin,
    configUrl: `${origin}/postcard/manifest.json`,
    callbacks,
    connected(made) {
      connection = made;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function isBearer(header: string | undefined, token: string): boolean {
  const given = Buffer.from(header ?? '');
  const right = Buffer.from(`Bearer ${token}`);
  return given.length === right.length && timingSafeEqual(given, right);
}
