/**
 * Connections that a load balancer passes on without reading them, as it does with downloads of frames: it begins each
 * with a PROXY header, which names the client. Without it the service would take what a client wrote into
 * `X-Forwarded-For` for the balancer's own word.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../../runtime/clock.ts';
import { inBackground } from '../../runtime/in-background.ts';
import type { Logger } from '../../runtime/logger.ts';
import { nameSocket, takeProxyHeader } from '../../runtime/proxy-header.ts';

/** Whose headers are believed, and what reading them takes. */
export interface BalancedDeps {
  /** Whether a peer is a trusted proxy; nobody else may name a client. */
  readonly isProxy: (address: string) => boolean;
  readonly clock: Pick<Clock, 'after'>;
  readonly logger: Pick<Logger, 'debug' | 'error' | 'warn'>;
}

/**
 * Lets connections of trusted proxies begin with a PROXY header. A proxy that speaks HTTP itself sends none, and may open
 * connections long before their first request.
 */
export function takeBalancedConnections(server: Server, { isProxy, clock, logger }: BalancedDeps): void {
  const [serve] = server.listeners('connection') as ((socket: Socket) => void)[];
  if (serve === undefined) throw new Error('the server of HTTP serves no connections');
  const read = async (socket: Socket): Promise<void> => {
    const balancer = socket.remoteAddress;
    const header = await takeProxyHeader(socket, clock);
    if (header.kind === 'peer') nameSocket(socket, header.peer);
    if (header.kind === 'broken') {
      logger.warn({ balancer }, `the PROXY header of a connection of HTTP ${header.problem}`);
    }
    if (header.kind === 'broken' || !server.listening) socket.destroy();
    if (!socket.destroyed) serve.call(server, socket);
  };
  server.off('connection', serve);
  server.on('connection', (socket: Socket) => {
    if (!isProxy(socket.remoteAddress ?? '')) return serve.call(server, socket);
    socket.on('error', () => {});
    return inBackground(logger, 'read a PROXY header', () => read(socket));
  });
}
