/**
 * Nodes that tell each other where frames are, over a channel that may lose, delay or double what is said. Each node
 * keeps a map of all sessions, and tells its own again from time to time: what was lost costs seconds.
 */
import { z } from 'zod';
import type { NodeChannel } from '../../runtime/nodes/node-channel.ts';
import { readWord } from '../../runtime/nodes/read-word.ts';
import { type NodeSession, type PublishedSession, SessionMap } from './session-map.ts';
import {
  maxNodeMessageBytes,
  type NodeMessage,
  type Nodes,
  nodeMessage,
  type SessionRegistry,
} from './session-registry.ts';

/**
 * What nodes say to each other. `count` numbers what a node says of its sessions, the later the greater: what comes late
 * must not undo what was said after it. All parts of a list have the same one.
 */
type Word = z.infer<typeof word>;

const [serial, session, count] = [z.string().max(128), z.int().nonnegative(), z.int().nonnegative()];
const toldSession = z.tuple([serial, session, z.int(), z.string().max(64).optional()]).readonly();

const word = z.discriminatedUnion('say', [
  z.object({ say: z.literal('arrived'), count, session: toldSession }),
  z.object({ say: z.literal('left'), count, serial, session }),
  /** Asks all nodes for their sessions, because this node may have missed something. */
  z.object({ say: z.literal('who') }),
  /** Some of a node's sessions. `isFirst` begins its list: sessions that are not in it are over. */
  z.object({ say: z.literal('here'), count, isFirst: z.boolean(), sessions: z.array(toldSession) }),
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
  /** Tells the sessions of this node again. */
  tellAgain(): void;
}

/**
 * Creates the connection between nodes over a channel, for one gateway at this node.
 * @param now the present time by the database's clock, epoch milliseconds, as far as this node knows it
 */
export function nodesByMessages(channel: NodeChannel, now: () => number): NodesByMessages {
  const map = new SessionMap(channel.node);
  let receiveMessage: (message: NodeMessage) => void = () => {};

  const post = (to: string | undefined, said: Word): void => {
    const text = JSON.stringify(said);
    if (Buffer.byteLength(text) > maxNodeMessageBytes) {
      throw new Error(`a message of more than ${maxNodeMessageBytes} bytes`);
    }
    channel.post(to, text);
  };
  let told = 0;
  const nextCount = (): number => ++told;
  const tell = (to: string | undefined): void => {
    const list = { say: 'here', count: nextCount() } as const;
    for (const [at, sessions] of inMessages(map.own()).entries()) post(to, { ...list, isFirst: at === 0, sessions });
  };
  /** Takes a session of another node, which may end one of the same frame here. */
  const take = (node: string, session: PublishedSession, said: number): void => {
    const ended = map.take(node, session, said);
    if (ended !== undefined) receiveMessage({ do: 'end', serial: session[0], session: ended });
  };

  function hear(node: string, said: Word): void {
    if (said.say === 'message') receiveMessage(said.message);
    else if (said.say === 'who') tell(node);
    else if (said.say === 'left') map.leave(node, said);
    else if (said.say === 'arrived') take(node, said.session, said.count);
    else if (said.say === 'bye') map.beginList(node, said.count);
    else {
      if (said.isFirst) map.beginList(node, said.count);
      for (const session of said.sessions) take(node, session, said.count);
    }
  }

  return {
    join(take) {
      receiveMessage = take;
      const reconnected = (): void => {
        map.keep(new Set());
        post(undefined, { say: 'who' });
        tell(undefined);
      };
      const receive = (from: string, text: string): boolean => {
        const said = readWord(word, text);
        if (said !== undefined) hear(from, said);
        return said !== undefined;
      };
      channel.open({ receive, reconnected });
      post(undefined, { say: 'who' });
      return registryOf(map, channel, { post, count: nextCount, now });
    },
    keep(nodes) {
      map.keep(nodes);
      map.forgetWords(nodes);
    },
    tellAgain: () => tell(undefined),
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

/** Dependencies of one gateway's view. `count` numbers what is said. */
interface RegistryDeps {
  readonly post: (to: string | undefined, word: Word) => void;
  readonly count: () => number;
  readonly now: () => number;
}

/** One gateway's view of the map. */
function registryOf(map: SessionMap, channel: NodeChannel, { post, count, now }: RegistryDeps): SessionRegistry {
  const seen = ({ session, address, node }: NodeSession) => ({ session, address, here: node === channel.node });
  return {
    arrived(serial, { session, address }) {
      const before = map.get(serial);
      // A clock that was set back must not make the frame's newest login the older one.
      const at = Math.max(now(), (before?.at ?? 0) + 1);
      const told: PublishedSession = address === undefined ? [serial, session, at] : [serial, session, at, address];
      const said = count();
      map.take(channel.node, told, said);
      post(undefined, { say: 'arrived', count: said, session: told });
      return before && seen(before);
    },
    left(serial, session) {
      const said = count();
      map.leave(channel.node, { serial, session, count: said });
      post(undefined, { say: 'left', count: said, serial, session });
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
      post(undefined, { say: 'bye', count: count() });
      channel.close();
      map.clear();
    },
  };
}
