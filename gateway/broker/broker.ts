/** The embedded broker: Aedes behind a packet guard, TLS with client certificates, rules derived from the message table. */

import type { Socket } from 'node:net';
import type { Aedes, AedesOptions, Client } from 'aedes';
import PQueue from 'p-queue';
import { limits } from '../../firmware-protocol/limits.ts';
import { topicUse, unknownVersion } from '../../firmware-protocol/topics.ts';
import { type Reason, reasonOf } from '../../reasons/reason.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { Conversation, Outgoing } from '../dialects/dialect.ts';
import type { AdmittingFrames } from '../identity/admit-frame.ts';
import { onceAMinute } from '../identity/count-per-minute.ts';
import { foreignVersion, problemOf, refusal } from './connect-rules.ts';
import { handlePublishes, type PublishDeps } from './handle-publishes.ts';
import { type Floods, holdFloods } from './hold-floods.ts';
import { type Listeners, type Listening, openListeners } from './listeners.ts';
import { LiveSessions, type SessionDeps } from './live-sessions.ts';
import { guardPackets } from './packet-guard.ts';
import { refuseConnects } from './refuse-connects.ts';
import { refusedLogins } from './refused-logins.ts';
import { type AcceptedLogin, inTurn, type Session } from './session.ts';
import { createQuietBroker, orClose } from './trimmed-broker.ts';

export interface BrokerDeps extends PublishDeps, SessionDeps {
  readonly clock: Clock;
  readonly admission: Pick<AdmittingFrames, 'admit' | 'stands' | 'keepOut'>;
  /** The number of messages that are recorded at once; the others wait in memory (T-46). */
  readonly messagesAtOnce: number;
  /** Called when a frame violated the protocol. */
  readonly protocolViolated: ProtocolViolated;
}

type ProtocolViolated = (serial: string | undefined, problem: Reason) => void;

/** A running broker. */
export interface FrameBroker {
  /** Sends messages to a frame; false when it is not connected. */
  send(serial: string, messages: readonly Outgoing[]): boolean;
  conversation(serial: string): Conversation | undefined;
  /** Ends this session of a frame that continues at another node; a later session is left alone. */
  end(serial: string, session: number): void;
  readonly ports: { readonly tls: number; readonly plain: number | undefined };
  /** The number of frames that are connected, and of messages that wait to be recorded. */
  load(): { readonly connected: number; readonly waiting: number };
  /**
   * Stops accepting connections, and resolves when none is left: awake frames have so many milliseconds to disconnect
   * by themselves, then the rest are closed slowly, since each reconnects elsewhere with a TLS handshake.
   */
  drain(finishMs: number): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the broker on its listeners. */
export async function startBroker(deps: BrokerDeps, listening: Listening): Promise<FrameBroker> {
  // A stampede waits here, in memory: before the database every person's request would wait behind it (T-46).
  const recording = new PQueue({ concurrency: deps.messagesAtOnce });
  const sessions = new LiveSessions(deps, recording);
  const protocolViolated = onceAMinute(deps.clock, deps.protocolViolated);
  const alertOnce = alertOnceASession(protocolViolated);
  const floods = holdFloods(deps, protocolViolated);
  const deliver = deliverTo(deps.logger);

  const aedes = await createQuietBroker({
    concurrency: 2000, // B-09
    drainTimeout: 4000, // B-08
    connectTimeout: 5000, // B-12
    maxTopicLevels: 8,
    preConnect: refuseConnects(deps, protocolViolated, () => recording.size),
    authenticate: authenticator(deps, recording, (client, login) => {
      listeners.loggedIn(client.conn as Socket);
      sessions.enter(client, login);
    }),
    authorizeSubscribe: limitSubscriptions(sessions, alertOnce),
    authorizePublish: handlePublishes(deps, {
      sessionOf: (client) => sessions.of(client),
      recording,
      protocolViolated,
      alertOnce,
      deliver,
    }),
  });
  logErrors(aedes, sessions, deps.logger, protocolViolated);
  const accept = (socket: Socket): void => acceptSocket(socket, { aedes, sessions, floods, clock: deps.clock });
  const listeners: Listeners = await orClose(aedes, openListeners(listening, accept, deps));

  return {
    send(serial, messages) {
      const session = sessions.ofFrame(serial);
      if (session === undefined) return false;
      // The messages wait for the answer under way: nothing overtakes the answer to hello.
      inTurn(deps.logger, session, () => deliver(session, messages));
      return true;
    },
    conversation: (serial) => sessions.ofFrame(serial)?.conversation,
    end: (serial, session) => sessions.end(serial, session),
    ports: listeners.ports,
    load: () => ({ connected: sessions.connected, waiting: recording.size }),
    async drain(finishMs) {
      listeners.stopAccepting();
      await sessions.finished(finishMs);
    },
    async stop() {
      const recorded = sessions.recorded();
      await recorded();
      await new Promise<void>((resolve) => aedes.close(resolve));
      // The end of a session is recorded behind its last message.
      await listeners.close().then(recorded);
    },
  };
}

function authenticator(
  deps: BrokerDeps,
  recording: Pick<PQueue, 'size'>,
  enter: (client: Client, login: AcceptedLogin) => void,
): NonNullable<AedesOptions['authenticate']> {
  const refused = refusedLogins(deps);
  return (client, username, password, done) => {
    const credentials = { username, password: password?.toString('utf8') };
    deps.admission.admit(client, credentials, recording.size).then(
      (login) => {
        if (!login.ok) {
          refused(client, login);
          return done(refusal(login.problem, login.returnCode), false);
        }
        // A client that closed during the check must not push out a live session.
        if (client.closed) return done(null, false);
        enter(client, login);
        return done(null, true);
      },
      (error: unknown) => {
        deps.logger.error({ error }, 'login could not be checked');
        done(refusal('unavailable', 3), false);
      },
    );
  };
}

function limitSubscriptions(
  sessions: LiveSessions,
  alertOnce: ReturnType<typeof alertOnceASession>,
): NonNullable<AedesOptions['authorizeSubscribe']> {
  return (client, subscription, done) => {
    const session = sessions.of(client);
    const use = session && topicUse(session.conversation.clientId, subscription.topic, 'subscribe');
    if (session === undefined || use === undefined || ++session.subscriptions > limits.subscriptionsPerFrame) {
      const version = session && unknownVersion(session.conversation.clientId, subscription.topic);
      alertOnce(session, version === undefined ? reasonOf('subscribes-foreign') : foreignVersion(version));
      // B-19: every filter costs, a refused one too.
      if (session !== undefined && ++session.refusedFilters > limits.refusedFilters) client.close();
      return done(null, null);
    }
    return done(null, subscription);
  };
}

/** Reports the first violation of a session only, since the same one may come by the thousand (B-19). */
function alertOnceASession(protocolViolated: ProtocolViolated) {
  return (session: Session | undefined, problem: Reason): void => {
    if (session?.alerted !== true) protocolViolated(session?.conversation.serial, problem);
    if (session !== undefined) session.alerted = true;
  };
}

/** Sends messages directly to the client: routing would hold one of the broker's slots for each answer (B-02). */
function deliverTo(logger: Logger) {
  return (session: Session, messages: readonly Outgoing[]): void => {
    for (const { topic, payload, qos } of messages) {
      const packet = { cmd: 'publish', topic, payload: Buffer.from(payload), qos, retain: false, dup: false } as const;
      session.client.publish(packet, (error) => {
        if (error) logger.debug({ frame: session.conversation.serial, problem: error.message }, 'frame went away');
      });
    }
  };
}

function logErrors(aedes: Aedes, sessions: LiveSessions, logger: Logger, protocolViolated: ProtocolViolated): void {
  aedes.on('clientError', (client, error) => {
    logger.debug({ frame: client.id, problem: error.message }, 'frame connection failed');
    const problem = problemOf(error);
    if (problem !== undefined) protocolViolated(sessions.of(client)?.conversation.serial, problem);
  });
  aedes.on('connectionError', (_client, error) => {
    logger.debug({ problem: error.message }, 'connection ended before login');
  });
  (aedes as NodeJS.EventEmitter).on('error', (error) => logger.error({ error }, 'broker error'));
}

/** Hands a socket to Aedes, behind the packet guard. */
function acceptSocket(
  socket: Socket,
  { aedes, sessions, floods, clock }: { aedes: Aedes; sessions: LiveSessions; floods: Floods; clock: Clock },
): void {
  const client: { current: Client | undefined } = { current: undefined };
  // W-26: a session's end is seen by its socket alone. Aedes announces none for a session that took over another, nor for
  // one that ended while its login was being checked.
  socket.once('close', () => {
    if (client.current !== undefined) sessions.leave(client.current);
  });
  const session = () => client.current && sessions.of(client.current);
  guardPackets(socket, {
    clock,
    isBusy: () => floods.isBusy(session()),
    handsOn(packets, bytes) {
      const sender = session();
      if (sender !== undefined) sender.conversation.lastSeenAt = clock.now();
      return floods.weigh(sender, packets, bytes);
    },
    refused: () => floods.refused(session()),
  });
  client.current = aedes.handle(socket);
}
