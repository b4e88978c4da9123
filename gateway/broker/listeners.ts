/** The listeners for frames: TLS for everybody, plain TCP for this machine alone. */
import { createServer as createPlainServer, type Server, type Socket } from 'node:net';
import { setImmediate as immediate } from 'node:timers/promises';
import type { Clock, Timer } from '../../runtime/clock.ts';
import { fairShares } from '../../runtime/fair-shares.ts';
import { inBackground } from '../../runtime/in-background.ts';
import type { Logger } from '../../runtime/logger.ts';
import { takeProxyHeader } from '../../runtime/proxy-header.ts';
import type { FrameMeter } from '../frames/frame-measures.ts';
import { limitUnauthenticated, maxUnauthenticated, peerOf } from './limit-unauthenticated.ts';
import { openPeerNames } from './peer-names.ts';
import { openTlsServer, type TlsListening } from './tls-server.ts';

/** The addresses to listen on. A port of 0 takes a free one; an undefined port is not opened. */
export interface Listening extends TlsListening {
  readonly host: string;
  readonly tlsPort: number;
  readonly plainPort: number | undefined;
  /** Whether a peer is a load balancer whose PROXY header is believed; absent when nobody's is. */
  readonly isProxy?: ((address: string) => boolean) | undefined;
}

/** Open listeners. */
export interface Listeners {
  readonly ports: { readonly tls: number; readonly plain: number | undefined };
  /** Called when the login of a socket was accepted. */
  loggedIn(socket: Socket): void;
  /** Stops accepting connections; those that are open live on. */
  stopAccepting(): void;
  /** Stops accepting, ends every socket, and resolves when all are gone. */
  close(): Promise<void>;
}

/** Dependencies of the listeners. `most` is the number of sockets that one address may hold open before logging in. */
interface OpeningDeps {
  readonly logger: Logger;
  readonly clock: Pick<Clock, 'after'>;
  readonly meter?: FrameMeter | undefined;
  readonly most?: (address: string) => number;
}

/** The most open sockets in all; sockets that have not logged in can be half of them at most (T-45). */
const maxSockets = 20_000;
/** The time for a TLS handshake from the connection on, whether the peer is silent or sends byte by byte (T-45). */
export const handshakeMs = 10_000;

/** The handshakes that begin in one iteration of the event loop: each takes a millisecond, for which all else waits. */
const handshakesPerIteration = 8;

/** Opens the listeners. `accept` gets each socket, after its TLS handshake where there is one. */
export async function openListeners(
  listening: Listening,
  accept: (socket: Socket) => void,
  deps: OpeningDeps,
): Promise<Listeners> {
  const sockets = socketLimits(deps.most ?? maxUnauthenticated);
  const take = (socket: Socket): void => {
    if (!sockets.take(socket)) return;
    socket.on('error', () => {});
    accept(socket);
  };
  const secureServer = openSecureServer(listening, sockets.meet, take, deps);
  const plainServer = listening.plainPort === undefined ? undefined : createPlainServer({ noDelay: true }, take);
  plainServer?.prependListener('connection', sockets.meet);

  for (const server of [secureServer, plainServer]) {
    // A failure to begin listening is reported by the caller that tried.
    server?.on('error', (error) => {
      if (server.listening) deps.logger.error({ error }, 'a listener for frames has an error');
    });
  }
  const servers = plainServer === undefined ? [secureServer] : [secureServer, plainServer];
  const stopAccepting = (): void => {
    for (const server of servers) server.close();
  };

  const tls = await listen(secureServer, listening.tlsPort, listening.host);
  // T-52: plain MQTT never listens beyond loopback.
  const listeningPlain = plainServer && listen(plainServer, listening.plainPort ?? 0, '127.0.0.1');
  const plain = await listeningPlain?.catch(async (error: unknown) => {
    await close();
    throw error;
  });

  async function close(): Promise<void> {
    const closed = servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve())));
    await Promise.all([...closed, sockets.endAll()]);
  }

  return { ports: { tls, plain }, loggedIn: sockets.loggedIn, stopAccepting, close };
}

/** Limits and remembers the open sockets. */
function socketLimits(most: (address: string) => number) {
  /** Every socket as it came in. */
  const met = new Set<Socket>();
  /** Every socket that was accepted. An accepted TLS socket lies above one in `met`. */
  const taken = new Set<Socket>();
  const unauthenticated = limitUnauthenticated(most);
  return {
    /** Counts a new socket before its TLS handshake, which is the expensive part, and destroys it beyond the limits. */
    meet(socket: Socket): void {
      if (unauthenticated.enter(socket)) keep(met, socket);
      else socket.destroy();
    },
    /** Takes a socket that is ready to be used; false, and the socket destroyed, when there are too many. */
    take(socket: Socket): boolean {
      const hasRoom = taken.size < maxSockets && !socket.destroyed;
      if (hasRoom) keep(taken, socket);
      else socket.destroy();
      return hasRoom;
    },
    loggedIn: unauthenticated.known,
    /** Destroys every socket, and resolves when all are closed: a TLS socket closes only after its server does. */
    async endAll(): Promise<void> {
      const ending = [...met, ...taken];
      const gone = ending.map((socket) => new Promise<void>((resolve) => socket.once('close', () => resolve())));
      for (const socket of ending) socket.destroy();
      await Promise.all(gone);
    },
  };
}

/** Creates the server whose sockets begin a TLS handshake each in its turn. */
function openSecureServer(
  listening: Listening,
  meet: (socket: Socket) => void,
  take: (socket: Socket) => void,
  { clock, logger, meter }: OpeningDeps,
): Server {
  const handshakes = limitHandshakes(clock);
  const peers = openPeerNames();
  const tlsServer = openTlsServer(listening, logger, (socket) => {
    meter?.count('papergate_frame_handshakes_total', { kind: socket.isSessionReused() ? 'resumed' : 'full' });
    peers.rename(socket);
    handshakes.end(socket);
    take(socket);
  });
  const queue = fairShares({ atOnce: handshakesPerIteration });
  const begin = (socket: Socket): void => {
    meet(socket);
    const { remoteAddress } = socket;
    if (socket.destroyed || remoteAddress === undefined) return;
    handshakes.begin(socket);
    // T-64: the address that has had the fewest handshakes is next.
    inBackground(logger, 'begin a handshake', () =>
      queue.run([remoteAddress], async () => {
        if (socket.destroyed) return;
        tlsServer.emit('connection', socket);
        await immediate();
      }),
    );
  };
  // B-07: sockets are without delay. Bytes that arrive before a socket's turn stay with their sender.
  const server = createPlainServer({ noDelay: true, pauseOnConnect: true }, (socket) => {
    socket.on('error', () => {});
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || listening.isProxy?.(remoteAddress) !== true) return begin(socket);
    inBackground(logger, 'read a PROXY header', async () => {
      const header = await takeProxyHeader(socket, clock);
      if (header.kind === 'peer') peers.name(socket, header.peer);
      if ('problem' in header) {
        logger.warn({ balancer: remoteAddress }, `the PROXY header of a connection ${header.problem}`);
      }
      if ('problem' in header || !server.listening) socket.destroy();
      if (!socket.destroyed) begin(socket);
    });
  });
  return server;
}

function keep(sockets: Set<Socket>, socket: Socket): void {
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
}

/** Destroys sockets whose handshake takes too long. Node's own limit begins again with every byte, and never ends them. */
function limitHandshakes(clock: Pick<Clock, 'after'>) {
  const timers = new Map<string, Timer>();
  return {
    begin(socket: Socket): void {
      const peer = peerOf(socket);
      const timer = clock.after(handshakeMs, () => socket.destroy());
      timers.set(peer, timer);
      socket.once('close', () => {
        timer.cancel();
        if (timers.get(peer) === timer) timers.delete(peer);
      });
    },
    /** Called with the TLS socket when its handshake is done. */
    end(socket: Socket): void {
      timers.get(peerOf(socket))?.cancel();
      timers.delete(peerOf(socket));
    },
  };
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      const address = server.address();
      if (address === null || typeof address === 'string') return reject(new Error('no address'));
      return resolve(address.port);
    });
  });
}
