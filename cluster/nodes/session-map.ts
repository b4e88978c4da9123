/** Where the frames of all nodes are, as one node knows it from what it received. */
import type { SessionKey } from '../session-registry.ts';

/** A session as nodes publish it: serial, number at its node, and the time of its login by the database's clock. */
export type PublishedSession = readonly [serial: string, session: number, at: number, address?: string | undefined];

/** A session as it is kept. */
export interface NodeSession extends SessionKey {
  readonly node: string;
  readonly at: number;
  /** The number of the latest word by which its node published it. */
  readonly count: number;
}

/** The messages of one node about its sessions so far. */
interface Received {
  /** The number of its latest list. */
  listed: number;
  /** The numbers of the ends that it published after that list, by serial: an arrival may come later than its end. */
  readonly left: Map<string, number>;
}

/** More frames than any service has at once; sessions beyond are not remembered. */
const maxSessions = 250_000;

/** The sessions of all nodes. Words may come late, twice, or not at all. */
export class SessionMap {
  readonly #node: string;
  readonly #sessions = new Map<string, NodeSession>();
  readonly #received = new Map<string, Received>();

  constructor(node: string) {
    this.#node = node;
  }

  get(serial: string): NodeSession | undefined {
    return this.#sessions.get(serial);
  }

  serials(): string[] {
    return [...this.#sessions.keys()];
  }

  own(): PublishedSession[] {
    return [...this.#sessions].flatMap(([serial, { node, session, at, address }]) =>
      node === this.#node ? [address === undefined ? [serial, session, at] : [serial, session, at, address]] : [],
    );
  }

  /**
   * Takes a session, unless a later one is known, or its node has published since that it is over.
   * @returns the number of the session at this node that is over by it
   */
  take(node: string, [serial, session, at, address]: PublishedSession, count: number): number | undefined {
    const { listed, left } = this.#receivedFrom(node);
    if (count < listed || count < (left.get(serial) ?? 0)) return undefined;
    const before = this.#sessions.get(serial);
    if (before?.node === node && before.session === session) {
      this.#sessions.set(serial, { ...before, count: Math.max(count, before.count) });
      return undefined;
    }
    if (before !== undefined && !isLater({ at, node }, before)) return undefined;
    if (before === undefined && this.#sessions.size >= maxSessions) return undefined;
    this.#sessions.set(serial, { node, session, at, address, count });
    return before?.node === this.#node && node !== this.#node ? before.session : undefined;
  }

  leave(node: string, { serial, session, count }: { serial: string; session: number; count: number }): void {
    const { listed, left } = this.#receivedFrom(node);
    if (node !== this.#node && count > listed) left.set(serial, Math.max(count, left.get(serial) ?? 0));
    const known = this.#sessions.get(serial);
    if (known?.node === node && known.session === session) this.#sessions.delete(serial);
  }

  /** Forgets the sessions of a node whose list begins, except those that it published after that list. */
  beginList(node: string, count: number): void {
    const received = this.#receivedFrom(node);
    if (count < received.listed) return;
    received.listed = count;
    for (const [serial, leftAt] of received.left) if (leftAt < count) received.left.delete(serial);
    for (const [serial, one] of this.#sessions) {
      if (one.node === node && one.count < count) this.#sessions.delete(serial);
    }
  }

  /** Forgets the sessions of all other nodes but these. */
  keep(nodes: ReadonlySet<string>): void {
    const isKept = (node: string): boolean => node === this.#node || nodes.has(node);
    for (const [serial, { node }] of this.#sessions) if (!isKept(node)) this.#sessions.delete(serial);
  }

  /** Forgets what was received from nodes that are not among these: they do not come back under their ids. */
  forgetWords(nodes: ReadonlySet<string>): void {
    for (const node of this.#received.keys()) if (!nodes.has(node)) this.#received.delete(node);
  }

  clear(): void {
    this.#sessions.clear();
    this.#received.clear();
  }

  #receivedFrom(node: string): Received {
    const known = this.#received.get(node) ?? { listed: 0, left: new Map() };
    this.#received.set(node, known);
    return known;
  }
}

type Login = Pick<NodeSession, 'at' | 'node'>;

/** Of two logins at the same millisecond all nodes choose the same one. */
const isLater = (one: Login, other: Login): boolean =>
  one.at > other.at || (one.at === other.at && one.node > other.node);
