/**
 * How frames come in here: the broker's part without sockets. It keeps the order and the takeovers of the embedded
 * broker (W-26, B-04, B-05) and none of its library, whose sockets would let the machine decide what comes first.
 */
import { topicUse } from '../../firmware-protocol/topics.ts';
import type { BrokerEdges, FrameBroker } from '../../gateway/broker/broker.ts';
import type { Conversation, Outgoing } from '../../gateway/dialects/dialect.ts';
import { serialKey } from '../../gateway/frames/registry.ts';

/** A frame's connection as the service sees it. */
export interface Peer {
  readonly id: string;
  readonly password: string;
  accepted(): void;
  deliver(message: Outgoing): void;
  /** The service ends the connection. */
  cut(): void;
}

/** The broker's part, with what arrives from frames. */
export interface Door extends FrameBroker {
  connect(peer: Peer): void;
  heard(peer: Peer, topic: string, payload: Uint8Array): void;
  ended(peer: Peer): void;
}

interface Session {
  readonly peer: Peer;
  readonly conversation: Conversation;
  readonly credential: string;
  turn: Promise<void>;
}

/** Opens the door of one process. */
export function openDoor(edges: BrokerEdges): Door {
  const { admission, logger } = edges;
  let entered = 0;
  const sessions = new Map<Peer, Session>();
  const bySerial = new Map<string, Session>();
  const gone = new WeakSet<Peer>();

  function enter(peer: Peer, serial: string, credential: string): void {
    const conversation: Conversation = {
      ...{ serial, spelling: peer.id, session: ++entered, address: undefined },
      ...{ awake: false, doubted: false, answer: undefined, logs: 0 },
    };
    const before = bySerial.get(serial);
    const session: Session = { peer, conversation, credential, turn: Promise.resolve() };
    sessions.set(peer, session);
    bySerial.set(serial, session);
    if (before !== undefined) before.peer.cut();
    edges.connected(conversation);
  }

  async function takeTurn(session: Session, topic: string, payload: Uint8Array): Promise<void> {
    const { conversation, peer, credential } = session;
    const use = topicUse(conversation.spelling, topic, 'publish');
    if (use === undefined) throw new Error(`a simulated frame published ${topic}`);
    try {
      await edges.awaited?.(conversation, use);
      if (!(await admission.stands(conversation.serial, credential))) {
        peer.cut();
        return;
      }
      for (const answer of await edges.receive(conversation, use, payload)) peer.deliver(answer);
    } catch (error) {
      logger.error({ frame: conversation.serial, error }, 'message not recorded');
      peer.cut();
    }
  }

  return {
    connect(peer) {
      const credentials = { username: peer.id, password: peer.password };
      const candidate = { id: peer.id, conn: undefined, closed: false };
      admission.admit(candidate, credentials, 0).then(
        (login) => {
          if (!login.ok) return peer.cut();
          if (gone.has(peer)) return;
          enter(peer, login.serial, login.credential);
          peer.accepted();
        },
        () => peer.cut(),
      );
    },
    heard(peer, topic, payload) {
      const session = sessions.get(peer);
      if (session !== undefined) session.turn = session.turn.then(() => takeTurn(session, topic, payload));
    },
    ended(peer) {
      gone.add(peer);
      const session = sessions.get(peer);
      if (session === undefined) return;
      sessions.delete(peer);
      const { serial } = session.conversation;
      if (bySerial.get(serial) !== session) return;
      bySerial.delete(serial);
      edges.left(session.conversation);
      session.turn = session.turn.then(() => edges.disconnected(session.conversation));
    },
    send(serial, messages) {
      const session = bySerial.get(serialKey(serial));
      if (session === undefined) return false;
      session.turn = session.turn.then(() => messages.forEach(session.peer.deliver));
      return true;
    },
    conversation: (serial) => bySerial.get(serialKey(serial))?.conversation,
    end(serial, session) {
      const held = bySerial.get(serial);
      if (held?.conversation.session !== session) return;
      bySerial.delete(serial);
      held.peer.cut();
    },
    ports: { tls: 0, plain: 0 },
    load: () => ({ connected: bySerial.size, waiting: 0 }),
    async stop() {
      await Promise.all([...sessions.values()].map(({ turn }) => turn));
      for (const peer of sessions.keys()) peer.cut();
    },
  };
}
