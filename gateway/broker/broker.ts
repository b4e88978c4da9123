/** The embedded broker: Aedes behind a packet guard, TLS with client certificates, rules derived from the message table. */
import { createServer as createPlainServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import {
  Aedes,
  type AuthenticateError,
  type Client,
  type ConnectPacket,
  type PublishPacket,
  type Subscription,
} from 'aedes';
import { limits } from '../../firmware-protocol/limits.ts';
import { type TopicUse, topicUse } from '../../firmware-protocol/topics.ts';
import type { Conversation, Outgoing } from '../dialects/dialect.ts';
import { type FrameRegistry, serialKey } from '../frames/registry.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Credential } from './authority.ts';
import { credentialStands, logIn } from './frame-login.ts';
import { guardPackets } from './packet-guard.ts';

/** What the broker is handed. */
export interface BrokerEdges {
  readonly registry: FrameRegistry;
  readonly logger: Logger;
  /** Commits a message, resolves with the answers. Called for one frame at a time, in the order it spoke (B-05). */
  readonly receive: (conversation: Conversation, use: TopicUse, payload: Uint8Array) => Promise<Outgoing[]>;
  readonly connected: (conversation: Conversation) => void;
  readonly disconnected: (conversation: Conversation) => void;
  /** A frame did what it may not. */
  readonly misbehaved: (serial: string | undefined, problem: string) => void;
}

/** Where to listen; a port of 0 takes a free one, undefined does not listen. */
export interface Listening {
  readonly host: string;
  readonly tlsPort: number;
  readonly plainPort: number | undefined;
  readonly server: Credential;
  readonly root: string;
}

/** A running broker. */
export interface FrameBroker {
  /** Sends to one frame if it is connected; resolves false when it is not. */
  send(serial: string, messages: readonly Outgoing[]): boolean;
  conversation(serial: string): Conversation | undefined;
  /** Ends a frame's connection, for example after its credential was revoked. */
  kick(serial: string): void;
  readonly ports: { readonly tls: number; readonly plain: number | undefined };
  stop(): Promise<void>;
}

/** Sockets at once, in all: a flood ends here instead of in memory (T-45). */
const mostSockets = 20_000;

/** One connection: its frame's conversation and the order of its messages. */
interface Session {
  readonly client: Client;
  readonly conversation: Conversation;
  readonly credential: string;
  subscriptions: number;
  turn: Promise<void>;
}

/** Starts the broker on its listeners. */
export async function startBroker(edges: BrokerEdges, listening: Listening): Promise<FrameBroker> {
  const { logger, registry } = edges;
  const sessions = new Map<Client, Session>();
  const bySerial = new Map<string, Session>();
  const sockets = new Set<Socket>();

  const aedes = await Aedes.createBroker({
    concurrency: 2000, // B-09
    drainTimeout: 4000, // B-08
    connectTimeout: 5000, // B-12
    maxTopicLevels: 8,
    preConnect(_client: Client, packet: ConnectPacket, done: (error: Error | null, success: boolean) => void) {
      // B-14, B-20: a will could speak for a frame that is gone, a stored session would outlive it.
      if (packet.will !== undefined && packet.will !== null) return done(new Error('wills are refused'), false);
      if (packet.clean === false) return done(new Error('stored sessions are refused'), false);
      // B-10: fielded frames ask for 10 s and are silent for longer while they download.
      if (packet.keepalive !== undefined && packet.keepalive > 0 && packet.keepalive < limits.keepaliveSeconds) {
        packet.keepalive = limits.keepaliveSeconds;
      }
      return done(null, true);
    },
    authenticate(client, username, password, done) {
      const credentials = { username, password: password?.toString('utf8') };
      logIn(registry, client.id, client.conn, credentials).then(
        (login) => {
          if (!login.ok) {
            logger.warn({ frame: client.id.slice(0, 64), problem: login.problem }, 'login refused');
            edges.misbehaved(undefined, login.problem);
            return done(notAuthorized(login.problem), false);
          }
          enter(client, login.serial, login.credential);
          return done(null, true);
        },
        (error: unknown) => {
          logger.error({ error }, 'login could not be checked');
          const unavailable = Object.assign(new Error('unavailable'), { returnCode: 3 });
          done(unavailable as AuthenticateError, false);
        },
      );
    },
    authorizeSubscribe(client, subscription: Subscription, done) {
      const session = sessions.get(client);
      const use = session && topicUse(session.conversation.spelling, subscription.topic, 'subscribe');
      if (session === undefined || use === undefined || ++session.subscriptions > limits.subscriptionsPerFrame) {
        edges.misbehaved(session?.conversation.serial, 'subscribed outside its own topics');
        return done(null, null);
      }
      return done(null, { ...subscription, qos: subscription.qos > 0 ? 1 : 0 });
    },
    authorizePublish(client, packet, done) {
      // B-13: the sweep of stored wills passes no client.
      const session = client === null ? undefined : sessions.get(client);
      const use = session && topicUse(session.conversation.spelling, packet.topic, 'publish');
      if (session === undefined || use === undefined || packet.retain || packet.qos > 1) {
        edges.misbehaved(session?.conversation.serial, 'published what it may not');
        return done(new Error('not allowed'));
      }
      // One after the other per frame, and acknowledged only when committed (B-04, B-05).
      session.turn = session.turn.then(() => takeTurn(session, use, packet, done));
    },
  });

  async function takeTurn(
    session: Session,
    use: TopicUse,
    packet: PublishPacket,
    done: (error?: Error | null) => void,
  ): Promise<void> {
    const payload = typeof packet.payload === 'string' ? Buffer.from(packet.payload) : packet.payload;
    try {
      // A credential may be revoked while its connection lives, also by another process.
      if (!(await credentialStands(registry, session.conversation.serial, session.credential))) {
        done(new Error('credential revoked'));
        return;
      }
      const answers = await edges.receive(session.conversation, use, payload);
      done(null);
      deliver(session, answers);
    } catch (error) {
      logger.error({ frame: session.conversation.serial, error }, 'message not recorded');
      done(new Error('not recorded'));
    }
  }

  function enter(client: Client, serial: string, credential: string): void {
    const conversation: Conversation = { serial, spelling: client.id, awake: false, answer: undefined };
    const session: Session = { client, conversation, credential, subscriptions: 0, turn: Promise.resolve() };
    const before = bySerial.get(serial);
    sessions.set(client, session);
    bySerial.set(serial, session);
    // W-26: the same frame may come back before its old connection was seen to die; also under another spelling.
    before?.client.close();
    edges.connected(conversation);
  }

  function leave(client: Client): void {
    const session = sessions.get(client);
    if (session === undefined) return;
    sessions.delete(client);
    const { serial } = session.conversation;
    // W-26: the late end of an old connection must not touch the new one.
    if (bySerial.get(serial) !== session) return;
    bySerial.delete(serial);
    session.turn = session.turn.then(() => edges.disconnected(session.conversation));
  }

  /** Directly to the client: routing would hold one of the broker's slots for each answer (B-02, B-03). */
  function deliver(session: Session, messages: readonly Outgoing[]): void {
    for (const { topic, payload, qos } of messages) {
      const packet = { cmd: 'publish', topic, payload: Buffer.from(payload), qos, retain: false, dup: false } as const;
      session.client.publish(packet, (error) => {
        if (error) logger.debug({ frame: session.conversation.serial, problem: error.message }, 'frame went away');
      });
    }
  }

  aedes.on('clientDisconnect', leave);
  aedes.on('clientError', (client, error) => {
    logger.debug({ frame: client.id, problem: error.message }, 'frame connection failed');
    leave(client);
  });
  aedes.on('connectionError', (client, error) => {
    logger.debug({ problem: error.message }, 'connection ended before login');
    leave(client);
  });
  (aedes as NodeJS.EventEmitter).on('error', (error) => logger.error({ error }, 'broker error'));

  function accept(socket: Socket): void {
    if (sockets.size >= mostSockets) {
      socket.destroy();
      return;
    }
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    const client: { current: Client | undefined } = { current: undefined };
    const loggedIn = () => client.current !== undefined && sessions.has(client.current);
    guardPackets(socket, loggedIn, () => edges.misbehaved(undefined, 'a packet over the limit'));
    client.current = aedes.handle(socket);
  }

  const tlsServer = createTlsServer(
    {
      key: listening.server.key,
      cert: listening.server.certificate,
      ca: listening.root,
      requestCert: true,
      rejectUnauthorized: false,
      noDelay: true, // B-07
      handshakeTimeout: 10_000, // B-12
      minVersion: 'TLSv1.2',
    },
    accept,
  );
  tlsServer.on('tlsClientError', (error) => logger.debug({ problem: error.message }, 'TLS handshake failed'));
  const plainServer = listening.plainPort === undefined ? undefined : createPlainServer({ noDelay: true }, accept);

  const tls = await listen(tlsServer, listening.tlsPort, listening.host);
  // T-52: plain MQTT never listens beyond loopback.
  const plain = plainServer && (await listen(plainServer, listening.plainPort ?? 0, '127.0.0.1'));

  return {
    send(serial, messages) {
      const session = bySerial.get(serialKey(serial));
      if (session === undefined) return false;
      deliver(session, messages);
      return true;
    },
    conversation: (serial) => bySerial.get(serialKey(serial))?.conversation,
    kick: (serial) => bySerial.get(serialKey(serial))?.client.close(),
    ports: { tls, plain },
    async stop() {
      const closed = [tlsServer, ...(plainServer ? [plainServer] : [])].map(
        (server) => new Promise<void>((resolve) => server.close(() => resolve())),
      );
      const turns = [...sessions.values()].map((session) => session.turn);
      await Promise.all(turns);
      await new Promise<void>((resolve) => aedes.close(resolve));
      for (const socket of sockets) socket.destroy();
      await Promise.all(closed);
    },
  };
}

function notAuthorized(problem: string): AuthenticateError {
  return Object.assign(new Error(problem), { returnCode: 5 }) as AuthenticateError;
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
