/** A world for tests that render: pages on loopback, and the rendering room with a browser. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import sharp from 'sharp';
import type { AddressRule } from '../../api/rendering/reach-host.ts';
import { createRendering, type Rendering, type RenderingEdges } from '../../api/rendering/rendering.ts';
import { systemClock } from '../../gateway/runtime/clock.ts';
import { silentLogger } from '../../gateway/runtime/logger.ts';

/** Nothing is public in tests: they must not leave this machine. */
export const nowhere: AddressRule = { mayResolve: () => false, mayDial: () => false };

/** A page: its HTML, or an answer of its own. */
export type Page = string | ((request: IncomingMessage, response: ServerResponse) => void);

/** Pages on a loopback origin of their own, and every path that was asked for. */
export interface PageServer {
  readonly origin: string;
  readonly asked: readonly string[];
}

/** Serves pages by path while `run` runs. */
export async function withPages<T>(
  pages: Readonly<Record<string, Page>>,
  run: (server: PageServer) => Promise<T>,
): Promise<T> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0] ?? '/';
    asked.push(path);
    const page = pages[path];
    if (typeof page === 'function') page(request, response);
    else response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await run({ origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** Rendering with a browser, stopped afterwards whatever happens. */
export async function withRendering<T>(
  run: (rendering: Rendering) => Promise<T>,
  edges: Partial<RenderingEdges> = {},
): Promise<T> {
  const rendering = createRendering({ clock: systemClock, logger: silentLogger, rule: nowhere, ...edges });
  try {
    await rendering.start();
    return await run(rendering);
  } finally {
    await rendering.stop();
  }
}

/** Colour of a picture's pixel, `rrggbb`. */
export async function colourAt(png: Uint8Array, x: number, y: number): Promise<string> {
  const pixel = await sharp(png).removeAlpha().extract({ left: x, top: y, width: 1, height: 1 }).raw().toBuffer();
  return pixel.toString('hex');
}

/** The protocol's loading marker, for pages that set the loaded one later. */
export const loadingMarker = '<div id="website-has-loading-element"></div>';
