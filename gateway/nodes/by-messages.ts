/**
 * Nodes that tell each other where frames are, over a channel that may lose, delay or double what is said. Each node
 * keeps a map of all sessions, and tells its own again from time to time: what was lost costs seconds.
 */
import type { NodeChannel } from '../../runtime/nodes/node-channel.ts';
import {
  maxNodeMessageBytes,
  type NodeMessage,
  type Nodes,
  type SessionKey,
  type SessionRegistry,
} from './session-registry.ts';

/** A session as nodes tell it: serial, number at its node, and the time of its login by the database's clock. */
type ToldSession = readonly [serial: string, session: number, at: number, address?: string];

/** What nodes say to each other. */
type Word =
  | { readonly say: 'arrived'; readonly session: ToldSession }
  | { readonly say: 'left'; readonly serial: string; readonly session: number }
  /** Asks all nodes for their sessions, because this node may have missed something. */
  | { readonly say: 'who' }
  /** Some of a node's sessions. `isFirst` begins its list: sessions that are not in it are over. */
  | { readonly say: 'here'; readonly isFirst: boolean; readonly sessions: readonly ToldSession[] }
  /** This node stops: its sessions are over. */
  | { readonly say: 'bye' }
  | { readonly say: 'message'; readonly message: NodeMessage };

interface NodeSession extends SessionKey {
  readonly node: string;
  readonly at: number;
}

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
  const tell = (to: string | undefined): void => {
    for (const [at, sessions] of inMessages(map.own()).entries())
      post(to, { say: 'here', isFirst: at === 0, sessions });
  };
  /** Takes a session of another node, which may end one of the same frame here. */
  const take = (node: string, session: ToldSession): void => {
    const ended = map.take(node, session);
    if (ended !== undefined) receiveMessage({ do: 'end', serial: session[0], session: ended });
  };

  function hear(node: string, word: Word): void {
    if (word.say === 'message') receiveMessage(word.message);
    else if (word.say === 'arrived') take(node, word.session);
    else if (word.say === 'left') map.leave(node, word.serial, word.session);
    else if (word.say === 'who') tell(node);
    else {
      if (word.say === 'bye' || word.isFirst) map.forget((one) => one === node);
      if (word.say === 'here') for (const session of word.sessions) take(node, session);
    }
  }

  return {
    join(receive) {
      receiveMessage = receive;
      const reconnected = (): void => {
        map.forget((node) => node !== channel.node);
        post(undefined, { say: 'who' });
        tell(undefined);
      };
      channel.open({ receive: (from, text) => hear(from, JSON.parse(text) as Word), reconnected });
      post(undefined, { say: 'who' });
      return registryOf(map, channel, { post, now });
    },
    keep: (nodes) => map.forget((node) => node !== channel.node && !nodes.has(node)),
    tellAgain: () => tell(undefined),
  };
}

/** Where every frame is, as one node knows it. */
class SessionMap {
  readonly #node: string;
  readonly #sessions = new Map<string, NodeSession>();

  constructor(node: string) {
    this.#node = node;
  }

  get(serial: string): NodeSession | undefined {
    return this.#sessions.get(serial);
  }

  serials(): string[] {
    return [...this.#sessions.keys()];
  }

  own(): ToldSession[] {
    return [...this.#sessions].flatMap(([serial, { node, session, at, address }]) =>
      node === this.#node ? [address === undefined ? [serial, session, at] : [serial, session, at, address]] : [],
    );
  }

  /**
   * Takes a session, unless a later one is known: news may come late, and twice.
   * @returns the number of the session at this node that is over by it
   */
  take(node: string, [serial, session, at, address]: ToldSession): number | undefined {
    const before = this.#sessions.get(serial);
    if (before !== undefined && !isLater({ at, node }, before)) return undefined;
    this.#sessions.set(serial, { node, session, at, address });
    return before?.node === this.#node && node !== this.#node ? before.session : undefined;
  }

  leave(node: string, serial: string, session: number): void {
    const known = this.#sessions.get(serial);
    if (known?.node === node && known.session === session) this.#sessions.delete(serial);
  }

  forget(isGone: (node: string) => boolean): void {
    for (const [serial, { node }] of this.#sessions) if (isGone(node)) this.#sessions.delete(serial);
  }
}

type Login = Pick<NodeSession, 'at' | 'node'>;

/** Of two logins at the same millisecond all nodes choose the same one. */
const isLater = (one: Login, other: Login): boolean =>
  one.at > other.at || (one.at === other.at && one.node > other.node);

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

/** One gateway's view of the map. */
function registryOf(
  map: SessionMap,
  channel: NodeChannel,
  { post, now }: { readonly post: (to: string | undefined, word: Word) => void; readonly now: () => number },
): SessionRegistry {
  const seen = ({ session, address, node }: NodeSession) => ({ session, address, here: node === channel.node });
  return {
    arrived(serial, { session, address }) {
      const before = map.get(serial);
      // A clock that was set back must not make the frame's newest login the older one.
      const at = Math.max(now(), (before?.at ?? 0) + 1);
      const told: ToldSession = address === undefined ? [serial, session, at] : [serial, session, at, address];
      map.take(channel.node, told);
      post(undefined, { say: 'arrived', session: told });
      return before && seen(before);
    },
    left(serial, session) {
      map.leave(channel.node, serial, session);
      post(undefined, { say: 'left', serial, session });
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
      post(undefined, { say: 'bye' });
      channel.close();
      map.forget(() => true);
    },
  };
}
