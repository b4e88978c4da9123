/** A world for tests that render: pages on loopback, and the rendering room with a browser. */
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import sharp from 'sharp';
import type { Network } from '../../api/outgoing/network.ts';
import type { AddressRule } from '../../api/outgoing/reach-host.ts';
import { systemNetwork } from '../../api/outgoing/system-network.ts';
import { openWayOut, type WayOut } from '../../api/outgoing/way-out.ts';
import { createRendering, type Rendering, type RenderingDeps } from '../../api/rendering/rendering.ts';
import { systemClock } from '../../runtime/clock.ts';
import type { Sharer } from '../../runtime/fair-shares.ts';
import { silentLogger } from '../../runtime/logger.ts';

/** Whose work it is where that is of no importance. */
export const sharer: Sharer = ['organization', 'paper'];

/** Nothing is public in tests: they must not leave this machine. */
export const nowhere: AddressRule = { mayResolve: () => false, mayDial: () => false };

/** Dials every address here, on loopback; the socket says it is connected to the address. */
export const dialHere: Network['dial'] = async (target, signal) => {
  const here = systemNetwork({ clock: systemClock });
  const socket = await here.dial({ ...target, address: '127.0.0.1' }, signal);
  return Object.defineProperty(socket, 'remoteAddress', { value: target.address });
};

/** A way out that never leaves this machine. Left out, no name but `localhost` has an address. */
export function wayHere(network: Partial<Network> = {}): WayOut {
  const resolve: Network['resolve'] = async (name) => (name === 'localhost' ? ['127.0.0.1'] : []);
  return openWayOut({ network: { resolve, dial: dialHere, ...network }, clock: systemClock });
}

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
  deps: Partial<RenderingDeps> = {},
): Promise<T> {
  const rendering = createRendering({
    clock: systemClock,
    logger: silentLogger,
    rule: nowhere,
    wayOut: wayHere(),
    ...deps,
  });
  try {
    await rendering.start();
    return await run(rendering);
  } finally {
    await rendering.stop();
  }
}

/** The process group of this process's own browser. */
export function ownBrowser(): number {
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
      const command = readFileSync(`/proc/${name}/cmdline`, 'latin1');
      if (parent === process.pid && command.includes('papergate-browser-')) return Number(name);
    } catch {
      // It ended while it was looked at.
    }
  }
  throw new Error('this process has no browser');
}

/** Colour of a picture's pixel, `rrggbb`. */
export async function colourAt(png: Uint8Array, x: number, y: number): Promise<string> {
  const pixel = await sharp(png).removeAlpha().extract({ left: x, top: y, width: 1, height: 1 }).raw().toBuffer();
  return pixel.toString('hex');
}

/** The protocol's loading marker, for pages that set the loaded one later. */
export const loadingMarker = '<div id="website-has-loading-element"></div>';
