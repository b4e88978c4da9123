/**
 * The broker of the simulation, without sockets. It keeps the order and the takeovers of the embedded broker and
 * nothing of its library, whose sockets would let the machine decide what comes first.
 */

import { topicUse } from '../../../firmware-protocol/topics.ts';
import type { BrokerDeps, FrameBroker } from '../../../gateway/broker/broker.ts';
import type { AcceptedLogin } from '../../../gateway/broker/session.ts';
import type { Conversation, Outgoing } from '../../../gateway/dialects/dialect.ts';
import { serialKey } from '../../../gateway/frames/registry.ts';
import type { Process } from './disk.ts';
import type { SessionWitness } from './session-witness.ts';

/** A frame's connection as the service sees it. */
export interface Peer {
  /** Its place among all connections, in the order in which frames began them. */
  readonly order: number;
  readonly id: string;
  readonly password: string;
  /** Is called when the service has accepted the connection. */
  accepted(): void;
  deliver(message: Outgoing): void;
  /** Is called when the service ends the connection. */
  cut(): void;
}

/** The gateway's broker, and the calls by which frames reach it. */
export interface FakeBroker extends FrameBroker {
  connect(peer: Peer): void;
  received(peer: Peer, topic: string, payload: Uint8Array): void;
  ended(peer: Peer): void;
  /** The serials of the frames that are connected. */
  serials(): readonly string[];
  /** The number of a frame's session here. */
  sessionOf(serial: string): number | undefined;
}

interface Session {
  readonly peer: Peer;
  readonly conversation: Conversation;
  readonly credential: string;
  /** The end of the session's queue: each message waits for the one before it. */
  tail: Promise<void>;
}

/** Everything that the broker of one process keeps. */
interface BrokerState {
  readonly deps: BrokerDeps;
  readonly witness: SessionWitness | undefined;
  readonly process: Process;
  readonly sessions: Map<Peer, Session>;
  readonly bySerial: Map<string, Session>;
  /** Peers that left, some of them before they were accepted. */
  readonly gone: WeakSet<Peer>;
  opened: number;
}

/** The process as a broker that runs in it sees it. */
export interface BrokerProcess {
  /** Runs something now, or when the process goes on: what arrives for a paused one waits in its machine. */
  readonly whenRunning: (what: () => void) => void;
  /** Observes what frames do in which session, when the service is several nodes. */
  readonly witness?: SessionWitness | undefined;
  readonly process: Process;
}

/** Opens the broker of one process. */
export function openFakeBroker(deps: BrokerDeps, { whenRunning, witness, process }: BrokerProcess): FakeBroker {
  const broker: BrokerState = {
    deps,
    witness,
    process,
    sessions: new Map(),
    bySerial: new Map(),
    gone: new WeakSet(),
    opened: 0,
  };
  const { sessions, bySerial } = broker;
  return {
    connect: (peer) => whenRunning(() => connect(broker, peer)),
    received: (peer, topic, payload) =>
      whenRunning(() => {
        const session = sessions.get(peer);
        if (session !== undefined) queue(session, () => handle(broker, session, topic, payload));
      }),
    ended: (peer) => whenRunning(() => leave(broker, peer)),
    send(serial, messages) {
      const session = bySerial.get(serialKey(serial));
      if (session === undefined) return false;
      queue(session, () => messages.forEach(session.peer.deliver));
      return true;
    },
    conversation: (serial) => bySerial.get(serialKey(serial))?.conversation,
    end(serial, session) {
      const held = bySerial.get(serial);
      if (held?.conversation.session !== session) return;
      bySerial.delete(serial);
      held.conversation.isOver = true;
      witness?.isEnded(held.peer, serial);
      held.peer.cut();
    },
    sessionOf: (serial) => bySerial.get(serial)?.conversation.session,
    serials: () => [...bySerial.keys()],
    ports: { tls: 0, plain: 0 },
    load: () => ({ connected: bySerial.size, waiting: 0 }),
    drain: async () => {},
    async stop() {
      await Promise.all([...sessions.values()].map(({ tail }) => tail));
      for (const peer of sessions.keys()) peer.cut();
    },
  };
}

/** Checks whether the peer may connect, as the embedded broker does before its CONNACK. */
function connect(broker: BrokerState, peer: Peer): void {
  const credentials = { username: peer.id, password: peer.password };
  const candidate = { id: peer.id, conn: undefined, closed: false };
  broker.deps.admission.admit(candidate, credentials, 0).then(
    (login) => {
      if (!login.ok) return peer.cut();
      if (broker.gone.has(peer)) return;
      openSession(broker, peer, login);
      peer.accepted();
    },
    () => peer.cut(),
  );
}

/** Opens a session, which ends an older one of the same frame (B-04). */
function openSession(broker: BrokerState, peer: Peer, { serial, credential, epoch }: AcceptedLogin): void {
  const { deps, sessions, bySerial } = broker;
  const conversation: Conversation = {
    serial,
    clientId: peer.id,
    session: ++broker.opened,
    address: undefined,
    lastSeenAt: 0,
    awake: false,
    suspect: false,
    epoch,
    answer: undefined,
    logs: 0,
  };
  const before = bySerial.get(serial);
  const session: Session = { peer, conversation, credential, tail: Promise.resolve() };
  sessions.set(peer, session);
  bySerial.set(serial, session);
  broker.witness?.begins(peer, serial);
  if (before !== undefined) before.peer.cut();
  deps.connected(conversation);
}

/** Does something when everything that came before in the session is done. */
function queue(session: Session, run: () => void | Promise<void>): void {
  session.tail = session.tail.then(run);
}

/** The messages with which frames of each dialect begin a wake. */
const wakeNames: readonly string[] = ['hello', 'activate'];

/** Hands a message of a frame to the service, and the answers to the frame. */
async function handle(
  { deps, witness, process }: BrokerState,
  session: Session,
  topic: string,
  payload: Uint8Array,
): Promise<void> {
  const { conversation, peer, credential } = session;
  const use = topicUse(conversation.clientId, topic, 'publish');
  if (use === undefined) throw new Error(`a simulated frame published ${topic}`);
  const said = witness?.says(peer, conversation.serial, process, wakeNames.includes(use.name));
  let isRecorded = false;
  try {
    await deps.awaited?.(conversation, use);
    if (!(await deps.admission.stands(conversation.serial, credential))) {
      peer.cut();
      return;
    }
    for (const answer of await deps.receive(conversation, use, payload)) peer.deliver(answer);
    isRecorded = true;
  } catch (error) {
    deps.logger.error({ frame: conversation.serial, error }, 'message not recorded');
    peer.cut();
  } finally {
    said?.(isRecorded);
  }
}

function leave({ deps, sessions, bySerial, gone }: BrokerState, peer: Peer): void {
  gone.add(peer);
  const session = sessions.get(peer);
  if (session === undefined) return;
  sessions.delete(peer);
  const { serial } = session.conversation;
  // A session that a newer one has taken over was left already.
  if (bySerial.get(serial) !== session) return;
  bySerial.delete(serial);
  deps.left(session.conversation);
  queue(session, () => deps.disconnected(session.conversation));
}
