/** The sockets frames come in by: TLS for everybody, plain for this machine alone. */
import { createServer as createPlainServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { Clock, Timer } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Credential } from './authority.ts';
import { limitStrangers, mostStrangers, peerOf } from './limit-strangers.ts';

/** Where to listen; a port of 0 takes a free one, undefined does not listen. */
export interface Listening {
  readonly host: string;
  readonly tlsPort: number;
  readonly plainPort: number | undefined;
  readonly server: Credential;
  /** Tells of later certificates; handshakes from then on use the latest. */
  readonly renewed?: (use: (server: Credential) => void) => void;
  readonly root: string;
}

/** Open listeners. */
export interface Listeners {
  readonly ports: { readonly tls: number; readonly plain: number | undefined };
  /** A socket's login is through. */
  loggedIn(socket: Socket): void;
  /** Stops accepting, ends every socket, and resolves when all are gone. */
  close(): Promise<void>;
}

/** What opening is handed. `most` is what one address may hold open before logging in. */
interface OpeningEdges {
  readonly logger: Logger;
  readonly clock: Pick<Clock, 'after'>;
  readonly most?: (address: string) => number;
}

/** Sockets at once, in all; strangers can take half of them at most (T-45). */
const mostSockets = 20_000;
/** Time for a TLS handshake from the connection on, whether the peer is silent or drips (B-12, T-45). */
export const handshakeMs = 10_000;

/** Opens the listeners. `accept` gets each socket, after its TLS handshake where there is one. */
export async function openListeners(
  listening: Listening,
  accept: (socket: Socket) => void,
  { logger, clock, most = mostStrangers }: OpeningEdges,
): Promise<Listeners> {
  /** Every socket as it came in; a TLS socket, which lies above one of these, is in `taken` once it shook hands. */
  const met = new Set<Socket>();
  const taken = new Set<Socket>();
  const strangers = limitStrangers(most);
  // Before its TLS handshake: that is what costs.
  const meet = (socket: Socket): void => {
    if (strangers.enter(socket)) keep(met, socket);
    else socket.destroy();
  };
  const take = (socket: Socket): void => {
    if (taken.size >= mostSockets || socket.destroyed) {
      socket.destroy();
      return;
    }
    keep(taken, socket);
    socket.on('error', () => {});
    accept(socket);
  };
  const handshakes = limitHandshakes(clock);
  const secure = ({ key, certificate: cert }: Credential) =>
    ({ key, cert, ca: listening.root, minVersion: 'TLSv1.2' }) as const;
  const tlsServer = createTlsServer(
    {
      ...secure(listening.server),
      requestCert: true,
      // Judged at the login, so that the reason of a refusal can be recorded.
      rejectUnauthorized: false,
      noDelay: true, // B-07
    },
    (socket) => {
      handshakes.end(socket);
      take(socket);
    },
  );
  listening.renewed?.((server) => tlsServer.setSecureContext(secure(server)));
  tlsServer.on('tlsClientError', (error, socket) => {
    logger.debug({ problem: error.message }, 'TLS handshake failed');
    socket.destroy();
  });
  tlsServer.prependListener('connection', (socket) => {
    meet(socket);
    if (!socket.destroyed) handshakes.begin(socket);
  });
  const plainServer = listening.plainPort === undefined ? undefined : createPlainServer({ noDelay: true }, take);
  plainServer?.prependListener('connection', meet);

  const tls = await listen(tlsServer, listening.tlsPort, listening.host);
  // T-52: plain MQTT never listens beyond loopback.
  const listeningPlain = plainServer && listen(plainServer, listening.plainPort ?? 0, '127.0.0.1');
  const plain = await listeningPlain?.catch(async (error: unknown) => {
    await close();
    throw error;
  });

  async function close(): Promise<void> {
    const servers = plainServer === undefined ? [tlsServer] : [tlsServer, plainServer];
    const closed = servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve())));
    // A TLS socket says that it is closed only after its server does.
    const ending = [...met, ...taken];
    const gone = ending.map((socket) => new Promise<void>((resolve) => socket.once('close', () => resolve())));
    for (const socket of ending) socket.destroy();
    await Promise.all([...closed, ...gone]);
  }

  return { ports: { tls, plain }, loggedIn: strangers.known, close };
}

function keep(sockets: Set<Socket>, socket: Socket): void {
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
}

/** Ends sockets that do not shake hands in time. Node's own limit begins anew with every byte, and ends none. */
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
    /** It shook hands: to be told of the TLS socket. */
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
