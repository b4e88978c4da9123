/**
 * Nodes that notify each other where frames are, over a channel that may lose, delay or duplicate messages. Each node
 * keeps a map of all sessions, and publishes its own again from time to time: a lost message costs seconds.
 */
import { z } from 'zod';
import {
  maxNodeMessageBytes,
  type NodeMessage,
  type Nodes,
  nodeMessage,
  type SessionRegistry,
} from '../session-registry.ts';
import { readWord } from '../subject-channel.ts';
import type { NodeChannel } from './node-channel.ts';
import { type NodeSession, type PublishedSession, SessionMap } from './session-map.ts';

/**
 * The messages between nodes. `count` numbers a node's messages about its sessions, later ones higher: a late message must
 * not undo one that was sent after it. All parts of a list have the same one.
 */
type Word = z.infer<typeof word>;

const [serial, session, count] = [z.string().max(128), z.int().nonnegative(), z.int().nonnegative()];
const publishedSession = z.tuple([serial, session, z.int(), z.string().max(64).optional()]).readonly();

const word = z.discriminatedUnion('say', [
  z.object({ say: z.literal('arrived'), count, session: publishedSession }),
  z.object({ say: z.literal('left'), count, serial, session }),
  /** Asks all nodes for their sessions, because this node may have missed something. */
  z.object({ say: z.literal('who') }),
  /** Some of a node's sessions. `isFirst` begins its list: sessions that are not in it are over. */
  z.object({ say: z.literal('here'), count, isFirst: z.boolean(), sessions: z.array(publishedSession) }),
  /** This node stops: its sessions are over. */
  z.object({ say: z.literal('bye'), count }),
  z.object({ say: z.literal('message'), message: nodeMessage }),
]);

/** The bytes of a list's sessions: its message has a few more. */
const listBytes = maxNodeMessageBytes - 200;

/** The connection between nodes, with what its owner does every few seconds. */
export interface NodesByMessages extends Nodes {
  /** Forgets the sessions of all nodes but these and this one: their frames are connected nowhere. */
  keep(nodes: ReadonlySet<string>): void;
  /** Publishes the sessions of this node again. */
  publishAgain(): void;
}

/**
 * Creates the connection between nodes over a channel, for one gateway at this node.
 * @param now the present time by the database's clock, epoch milliseconds, as far as this node knows it
 */
export function nodesByMessages(channel: NodeChannel, now: () => number): NodesByMessages {
  const map = new SessionMap(channel.node);
  let receiveMessage: (message: NodeMessage) => void = () => {};

  const post = (to: string | undefined, sent: Word): void => {
    const text = JSON.stringify(sent);
    if (Buffer.byteLength(text) > maxNodeMessageBytes) {
      throw new Error(`a message of more than ${maxNodeMessageBytes} bytes`);
    }
    channel.post(to, text);
  };
  let counter = 0;
  const nextCount = (): number => ++counter;
  const publishSessions = (to: string | undefined): void => {
    const list = { say: 'here', count: nextCount() } as const;
    for (const [at, sessions] of inMessages(map.own()).entries()) post(to, { ...list, isFirst: at === 0, sessions });
  };
  /** Takes a session of another node, which may end one of the same frame here. */
  const take = (node: string, session: PublishedSession, count: number): void => {
    const ended = map.take(node, session, count);
    if (ended !== undefined) receiveMessage({ do: 'end', serial: session[0], session: ended });
  };

  function receiveWord(node: string, received: Word): void {
    if (received.say === 'message') receiveMessage(received.message);
    else if (received.say === 'who') publishSessions(node);
    else if (received.say === 'left') map.leave(node, received);
    else if (received.say === 'arrived') take(node, received.session, received.count);
    else if (received.say === 'bye') map.beginList(node, received.count);
    else {
      if (received.isFirst) map.beginList(node, received.count);
      for (const session of received.sessions) take(node, session, received.count);
    }
  }

  return {
    join(take) {
      receiveMessage = take;
      const reconnected = (): void => {
        map.keep(new Set());
        post(undefined, { say: 'who' });
        publishSessions(undefined);
      };
      const receive = (from: string, text: string): boolean => {
        const received = readWord(word, text);
        if (received !== undefined) receiveWord(from, received);
        return received !== undefined;
      };
      channel.open({ receive, reconnected });
      post(undefined, { say: 'who' });
      return registryOf(map, channel, { post, nextCount, now });
    },
    keep(nodes) {
      map.keep(nodes);
      map.forgetWords(nodes);
    },
    publishAgain: () => publishSessions(undefined),
  };
}

/** Cuts a list of sessions into messages; an empty list is one message, too. */
function inMessages(sessions: readonly PublishedSession[]): PublishedSession[][] {
  const messages: PublishedSession[][] = [[]];
  let bytes = 0;
  for (const session of sessions) {
    const more = Buffer.byteLength(JSON.stringify(session)) + 1;
    if (bytes + more > listBytes) {
      messages.push([]);
      bytes = 0;
    }
    messages.at(-1)?.push(session);
    bytes += more;
  }
  return messages;
}

/** Dependencies of one gateway's view. `nextCount` numbers the published messages. */
interface RegistryDeps {
  readonly post: (to: string | undefined, word: Word) => void;
  readonly nextCount: () => number;
  readonly now: () => number;
}

/** One gateway's view of the map. */
function registryOf(map: SessionMap, channel: NodeChannel, { post, nextCount, now }: RegistryDeps): SessionRegistry {
  const seen = ({ session, address, node }: NodeSession) => ({ session, address, here: node === channel.node });
  return {
    arrived(serial, { session, address }) {
      const before = map.get(serial);
      // A clock that was set back must not make the frame's newest login the older one.
      const at = Math.max(now(), (before?.at ?? 0) + 1);
      const published: PublishedSession =
        address === undefined ? [serial, session, at] : [serial, session, at, address];
      const count = nextCount();
      map.take(channel.node, published, count);
      post(undefined, { say: 'arrived', count, session: published });
      return before && seen(before);
    },
    left(serial, session) {
      const count = nextCount();
      map.leave(channel.node, { serial, session, count });
      post(undefined, { say: 'left', count, serial, session });
    },
    whereIs(serial) {
      const known = map.get(serial);
      return known && seen(known);
    },
    everyone: () => map.serials(),
    send(message) {
      const known = map.get(message.serial);
      if (known === undefined || known.node === channel.node) return false;
      post(known.node, { say: 'message', message });
      return true;
    },
    broadcast: (message) => post(undefined, { say: 'message', message }),
    leave() {
      post(undefined, { say: 'bye', count: nextCount() });
      channel.close();
      map.clear();
    },
  };
}
