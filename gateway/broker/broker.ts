/** The embedded broker: Aedes behind a packet guard, TLS with client certificates, rules derived from the message table. */
import type { Socket } from 'node:net';
import type { Client, PublishPacket, Subscription } from 'aedes';
import { limits } from '../../firmware-protocol/limits.ts';
import { type TopicUse, topicUse, unknownVersion } from '../../firmware-protocol/topics.ts';
import type { Conversation, Outgoing } from '../dialects/dialect.ts';
import { serialKey } from '../frames/registry.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Meter } from '../runtime/meter.ts';
import type { AdmittingFrames } from './admit-frame.ts';
import { foreignVersion, problemOf, refusal } from './connect-rules.ts';
import { countPerMinute, onceAMinute } from './count-per-minute.ts';
import { fewAtATime } from './few-at-a-time.ts';
import { type Listeners, type Listening, openListeners } from './listeners.ts';
import { guardPackets } from './packet-guard.ts';
import { createQuietBroker, orClose } from './quiet-broker.ts';
import { refuseConnects } from './refuse-connects.ts';
import { refusedLogins } from './refused-logins.ts';
import { newSession, type Session, stillStands } from './session.ts';

/** What the broker is handed. */
export interface BrokerEdges {
  readonly logger: Logger;
  readonly meter?: Meter | undefined;
  readonly clock: Clock;
  readonly admission: Pick<AdmittingFrames, 'admit' | 'stands'>;
  /** Messages recorded at once; the others wait in memory (T-46). */
  readonly messagesAtOnce: number;
  /** What a message has to wait for, without holding up those of other frames. Never rejects. */
  readonly awaited?: (conversation: Conversation, use: TopicUse) => Promise<unknown> | undefined;
  /** Commits a message, resolves with the answers. Called for one frame at a time, in the order it spoke (B-05). */
  readonly receive: (conversation: Conversation, use: TopicUse, payload: Uint8Array) => Promise<Outgoing[]>;
  /** A session began. Another of its identity is ended where it is. */
  readonly connected: (conversation: Conversation) => void;
  /** It is over, and not because another took over. */
  readonly left: (conversation: Conversation) => void;
  /** The same, once what it said last is recorded. */
  readonly disconnected: (conversation: Conversation) => void | Promise<void>;
  /** A frame did what it may not. */
  readonly misbehaved: (serial: string | undefined, problem: string) => void;
}

/** A running broker. */
export interface FrameBroker {
  /** Sends to one frame if it is connected; resolves false when it is not. */
  send(serial: string, messages: readonly Outgoing[]): boolean;
  conversation(serial: string): Conversation | undefined;
  /** Ends this very session of a frame, which goes on elsewhere; a later one is left alone. */
  end(serial: string, session: number): void;
  readonly ports: { readonly tls: number; readonly plain: number | undefined };
  /** Frames that are connected, and messages that wait to be recorded. */
  load(): { readonly connected: number; readonly waiting: number };
  stop(): Promise<void>;
}

/** Starts the broker on its listeners. */
export async function startBroker(edges: BrokerEdges, listening: Listening): Promise<FrameBroker> {
  const { logger, admission, meter } = edges;
  const sessions = new Map<Client, Session>();
  const bySerial = new Map<string, Session>();
  let entered = 0;
  const refused = refusedLogins(edges);
  const misbehaved = onceAMinute(edges.clock, edges.misbehaved);
  const messages = countPerMinute(edges.clock);
  const recording = fewAtATime(edges.messagesAtOnce);

  const aedes = await createQuietBroker({
    concurrency: 2000, // B-09
    drainTimeout: 4000, // B-08
    connectTimeout: 5000, // B-12
    maxTopicLevels: 8,
    preConnect: refuseConnects(edges, misbehaved, () => recording.waiting),
    authenticate(client, username, password, done) {
      const credentials = { username, password: password?.toString('utf8') };
      admission.admit(client, credentials, recording.waiting).then(
        (login) => {
          if (!login.ok) {
            refused(client, login);
            return done(refusal(login.problem, login.returnCode), false);
          }
          // Gone while it was being checked: it must not push out a session that lives.
          if (client.closed) return done(null, false);
          enter(client, login.serial, login.credential);
          return done(null, true);
        },
        (error: unknown) => {
          logger.error({ error }, 'login could not be checked');
          done(refusal('unavailable', 3), false);
        },
      );
    },
    authorizeSubscribe(client, subscription: Subscription, done) {
      const session = sessions.get(client);
      const use = session && topicUse(session.conversation.spelling, subscription.topic, 'subscribe');
      if (session === undefined || use === undefined || ++session.subscriptions > limits.subscriptionsPerFrame) {
        const version = session && unknownVersion(session.conversation.spelling, subscription.topic);
        alertOnce(session, version === undefined ? 'subscribed outside its own topics' : foreignVersion(version));
        // B-19: each filter costs, also a refused one.
        if (session !== undefined && ++session.refusedFilters > limits.refusedFilters) client.close();
        return done(null, null);
      }
      return done(null, subscription);
    },
    authorizePublish(client, packet, done) {
      // B-13: the sweep of stored wills passes no client.
      const session = client === null ? undefined : sessions.get(client);
      const use = session && topicUse(session.conversation.spelling, packet.topic, 'publish');
      const version = session && unknownVersion(session.conversation.spelling, packet.topic);
      if (session !== undefined && version !== undefined && !packet.retain && packet.qos < 2) {
        // Cut off it would come back at once and say the same again: it is acknowledged like what cannot be read.
        alertOnce(session, foreignVersion(version));
        session.turn = session.turn.then(() => done(null));
        return;
      }
      if (session === undefined || use === undefined || packet.retain || packet.qos > 1) {
        misbehaved(session?.conversation.serial, 'published what it may not');
        return done(new Error('not allowed'));
      }
      const times = messages(session.conversation.serial);
      if (times > limits.messagesPerMinute) {
        // T-44: acknowledged, since it would only say the same again, and neither looked at nor kept.
        if (times === limits.messagesPerMinute + 1) misbehaved(session.conversation.serial, 'says too much');
        session.turn = session.turn.then(() => done(null));
        return;
      }
      // One after the other per frame, and acknowledged only when committed (B-04, B-05).
      session.turn = session.turn
        .then(() => edges.awaited?.(session.conversation, use))
        .then(() => recording.pass(() => takeTurn(session, use, packet, done)));
    },
  });

  function alertOnce(session: Session | undefined, problem: string): void {
    if (session?.alerted !== true) misbehaved(session?.conversation.serial, problem);
    if (session !== undefined) session.alerted = true;
  }

  async function takeTurn(
    session: Session,
    use: TopicUse,
    packet: PublishPacket,
    done: (error?: Error | null) => void,
  ): Promise<void> {
    const payload = typeof packet.payload === 'string' ? Buffer.from(packet.payload) : packet.payload;
    try {
      // A credential may be revoked while its connection lives, also by another process.
      if (!(await stillStands(session, edges))) {
        done(new Error('credential revoked'));
        return;
      }
      meter?.count('papergate_frame_messages_total', { dialect: use.dialect, message: use.name });
      const answers = await edges.receive(session.conversation, use, payload);
      done(null);
      deliver(session, answers);
    } catch (error) {
      logger.error({ frame: session.conversation.serial, error }, 'message not recorded');
      done(new Error('not recorded'));
    }
  }

  function enter(client: Client, serial: string, credential: string): void {
    const session = newSession(client, { serial, credential, ordinal: ++entered, now: edges.clock.now() });
    const before = bySerial.get(serial);
    listeners.loggedIn(client.conn as Socket);
    sessions.set(client, session);
    bySerial.set(serial, session);
    // W-26: the same frame may come back before its old connection was seen to die; also under another spelling.
    before?.client.close();
    meter?.count('papergate_frame_connects_total', {});
    edges.connected(session.conversation);
  }

  function leave(client: Client): void {
    const session = sessions.get(client);
    if (session === undefined) return;
    sessions.delete(client);
    const { serial } = session.conversation;
    // W-26: the late end of an old connection must not touch the new one.
    if (bySerial.get(serial) !== session) return;
    bySerial.delete(serial);
    edges.left(session.conversation);
    session.turn = session.turn.then(() => recording.pass(async () => edges.disconnected(session.conversation)));
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

  aedes.on('clientError', (client, error) => {
    logger.debug({ frame: client.id, problem: error.message }, 'frame connection failed');
    const problem = problemOf(error);
    if (problem !== undefined) misbehaved(sessions.get(client)?.conversation.serial, problem);
  });
  aedes.on('connectionError', (_client, error) => {
    logger.debug({ problem: error.message }, 'connection ended before login');
  });
  (aedes as NodeJS.EventEmitter).on('error', (error) => logger.error({ error }, 'broker error'));

  function accept(socket: Socket): void {
    const client: { current: Client | undefined } = { current: undefined };
    // W-26: the socket's end is the only word on a session's end. Aedes announces none for a session that took over
    // another, nor for one that ended while its login was being checked.
    socket.once('close', () => {
      if (client.current !== undefined) leave(client.current);
    });
    const session = () => client.current && sessions.get(client.current);
    guardPackets(
      socket,
      () => session() !== undefined,
      () => misbehaved(session()?.conversation.serial, 'sent a packet over the limit'),
    );
    client.current = aedes.handle(socket);
  }

  const listeners: Listeners = await orClose(aedes, openListeners(listening, accept, edges));

  return {
    send(serial, messages) {
      const session = bySerial.get(serialKey(serial));
      if (session === undefined) return false;
      // Behind what it is being answered right now: nothing overtakes the answer to hello.
      session.turn = session.turn.then(() => deliver(session, messages));
      return true;
    },
    conversation: (serial) => bySerial.get(serialKey(serial))?.conversation,
    end(serial, session) {
      const held = bySerial.get(serial);
      if (held?.conversation.session !== session) return;
      bySerial.delete(serial);
      held.client.close();
    },
    ports: listeners.ports,
    load: () => ({ connected: bySerial.size, waiting: recording.waiting }),
    async stop() {
      const ending = [...sessions.values()];
      const recorded = () => Promise.all(ending.map(({ turn }) => turn));
      await recorded();
      await new Promise<void>((resolve) => aedes.close(resolve));
      await listeners.close().then(recorded); // what ended just now is noted behind its last message
    },
  };
}
