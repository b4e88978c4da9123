/**
 * Nodes that tell each other where frames are, over a channel that may lose, delay or double what is said. Each node
 * keeps a map of all sessions, and tells its own again from time to time: what was lost costs seconds.
 */
import type { NodeChannel } from '../../runtime/nodes/node-channel.ts';
import { type NodeSession, SessionMap, type ToldSession } from './session-map.ts';
import { maxNodeMessageBytes, type NodeMessage, type Nodes, type SessionRegistry } from './session-registry.ts';

/**
 * What nodes say to each other. `count` numbers what a node says of its sessions, the later the greater: what comes late
 * must not undo what was said after it. All parts of a list have the same one.
 */
type Word =
  | { readonly say: 'arrived'; readonly count: number; readonly session: ToldSession }
  | { readonly say: 'left'; readonly count: number; readonly serial: string; readonly session: number }
  /** Asks all nodes for their sessions, because this node may have missed something. */
  | { readonly say: 'who' }
  /** Some of a node's sessions. `isFirst` begins its list: sessions that are not in it are over. */
  | {
      readonly say: 'here';
      readonly count: number;
      readonly isFirst: boolean;
      readonly sessions: readonly ToldSession[];
    }
  /** This node stops: its sessions are over. */
  | { readonly say: 'bye'; readonly count: number }
  | { readonly say: 'message'; readonly message: NodeMessage };

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

  const post = (to: string | undefined, word: Word): void => {
    const text = JSON.stringify(word);
    if (Buffer.byteLength(text) > maxNodeMessageBytes) {
      throw new Error(`a message of more than ${maxNodeMessageBytes} bytes`);
    }
    channel.post(to, text);
  };
  let told = 0;
  const count = (): number => ++told;
  const tell = (to: string | undefined): void => {
    const list = { say: 'here', count: count() } as const;
    for (const [at, sessions] of inMessages(map.own()).entries()) post(to, { ...list, isFirst: at === 0, sessions });
  };
  /** Takes a session of another node, which may end one of the same frame here. */
  const take = (node: string, session: ToldSession, said: number): void => {
    const ended = map.take(node, session, said);
    if (ended !== undefined) receiveMessage({ do: 'end', serial: session[0], session: ended });
  };

  function hear(node: string, word: Word): void {
    if (word.say === 'message') receiveMessage(word.message);
    else if (word.say === 'who') tell(node);
    else if (word.say === 'left') map.leave(node, word);
    else if (word.say === 'arrived') take(node, word.session, word.count);
    else if (word.say === 'bye') map.beginList(node, word.count);
    else {
      if (word.isFirst) map.beginList(node, word.count);
      for (const session of word.sessions) take(node, session, word.count);
    }
  }

  return {
    join(receive) {
      receiveMessage = receive;
      const reconnected = (): void => {
        map.keep(new Set());
        post(undefined, { say: 'who' });
        tell(undefined);
      };
      channel.open({ receive: (from, text) => hear(from, JSON.parse(text) as Word), reconnected });
      post(undefined, { say: 'who' });
      return registryOf(map, channel, { post, count, now });
    },
    keep(nodes) {
      map.keep(nodes);
      map.forgetWords(nodes);
    },
    tellAgain: () => tell(undefined),
  };
}

/** Cuts a list of sessions into messages; an empty list is one message, too. */
function inMessages(sessions: readonly ToldSession[]): ToldSession[][] {
  const messages: ToldSession[][] = [[]];
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
      const told: ToldSession = address === undefined ? [serial, session, at] : [serial, session, at, address];
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
