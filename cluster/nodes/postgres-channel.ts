/**
 * A channel between nodes over PostgreSQL's LISTEN and NOTIFY, on one connection of its own. Texts are gathered for a
 * moment and sent together in a transaction of their own: a notification inside of a working transaction would take a
 * lock at its commit that all such commits share. Messages of anyone but nodes are dropped, and logged once in a while.
 */
import pg from 'pg';
import { BoundedMap } from '../../runtime/bounded-map.ts';
import type { Timer } from '../../runtime/clock.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import { inNotifications, type WaitingText } from './gather-texts.ts';
import type { NodeChannel } from './node-channel.ts';
import { type SealedTexts, sealedTexts } from './sealed-texts.ts';

/** Dependencies of the channel. `url` is a direct address: a pooler that hands out connections for one transaction forgets LISTEN. */
export interface PostgresChannelDeps extends Pick<CommonDeps, 'clock' | 'logger'> {
  readonly url: string;
  readonly node: string;
  /** The key that all nodes have, 32 bytes, and nobody else. */
  readonly key: Uint8Array;
  /**
   * Notifies over the connection that the nodes' rows take. The node has to receive this notification: connections to
   * two databases of one server look alike, and do not hear each other. Left out, this is not checked.
   */
  readonly notify?: (channel: string, payload: string) => Promise<void>;
}

/** The time for which texts are gathered: fifty transactions a second at most, whatever the load. */
const gatherMs = 20;
/** The most texts that wait while there is no connection. Older ones are lost: sessions are published again. */
const maxWaiting = 10_000;
/** The interval at which a connection shows that it still hears, and the time in which it has to. */
const pingMs = 10_000;
const pingTimeoutMs = 5_000;
const reconnectMs = 1_000;
/** The most nodes for which the time of the last message is remembered. */
const maxNodes = 64;
/** The time between two lines of the log about what was dropped. */
const quietMs = 60_000;

/** The kinds of dropped notices, each with what an operator should look at. */
const drops = {
  'what was notified is of no node, or came before': 'who may connect to this database? see docs/nodes.md',
  'a node says what this one does not understand': 'do all nodes run the same release, or the next one?',
} as const;

/** A channel; it connects when it is opened, and again whenever its connection ends. */
class PostgresChannel implements NodeChannel {
  readonly node: string;
  readonly #deps: PostgresChannelDeps;
  #receiver: Parameters<NodeChannel['open']>[0] | undefined;
  #client: pg.Client | undefined;
  #waiting: WaitingText[] = [];
  #timer: Timer | undefined;
  /** The names of its channels: of all nodes, and of one. A database may have several services, in its schemas. */
  #nameOf = (_node?: string): string => '';
  readonly #seal: SealedTexts;
  readonly #receivedAt = new BoundedMap<string, number>(maxNodes);
  #receivedOwn: (() => void) | undefined;
  readonly #dropped = new Map<string, { count: number; loggedAt: number }>();
  #isClosed = false;
  #hasConnected = false;

  constructor(deps: PostgresChannelDeps) {
    this.node = deps.node;
    this.#deps = deps;
    this.#seal = sealedTexts(deps.node, deps.key, deps.clock.now);
  }

  receivedAt(node: string): number | undefined {
    return this.#receivedAt.get(node);
  }

  post(to: string | undefined, text: string): void {
    this.#waiting.push({ to, text });
    if (this.#waiting.length > maxWaiting) this.#waiting = this.#waiting.slice(-maxWaiting / 2);
    this.#gather();
  }

  open(receiver: Parameters<NodeChannel['open']>[0]): void {
    this.#receiver = receiver;
    this.#tryToConnect();
  }

  close(): void {
    const closing = this.#client;
    if (this.#timer !== undefined) {
      this.#timer.cancel();
      this.#send();
    }
    this.#isClosed = true;
    this.#client = undefined;
    void closing?.end().catch(() => {});
  }

  async #connect(): Promise<void> {
    const { url, clock } = this.#deps;
    const client = new pg.Client({
      connectionString: url,
      application_name: `papergate ${this.node}`,
      keepAlive: true,
      connectionTimeoutMillis: pingTimeoutMs,
      query_timeout: pingTimeoutMs,
    });
    // One of them is called for every way in which a connection can end.
    client.on('error', () => this.#lose(client)).on('end', () => this.#lose(client));
    client.on('notification', ({ channel, payload = '' }) => this.#receive(channel, payload));
    await client.connect();
    const { rows } = await client.query('select current_schema() as schema');
    this.#nameOf = (node = '') => this.#seal.nameOf(`${rows[0]?.schema} ${node}`);
    const listen = (node?: string): string => `listen ${pg.escapeIdentifier(this.#nameOf(node))}`;
    await client.query(`${listen()}; ${listen(this.node)}`);
    const isReceived = this.#isClosed || (await this.#receivesOwn());
    if (!isReceived) {
      this.#deps.logger.error({}, 'this node does not hear what is sent through its database; it connects again');
      await client.end();
      this.#connectLater();
      return;
    }
    if (this.#isClosed) {
      await client.end();
      return;
    }
    this.#client = client;
    if (this.#hasConnected) this.#receiver?.reconnected();
    this.#hasConnected = true;
    clock.after(pingMs, () => this.#ping(client));
    this.#gather();
  }

  /** Sends a word to this node by the way of the rows, and waits for it. */
  async #receivesOwn(): Promise<boolean> {
    const { notify, clock } = this.#deps;
    if (notify === undefined) return true;
    const channel = this.#nameOf(this.node);
    let late: Timer | undefined;
    const received = new Promise<boolean>((resolve) => {
      this.#receivedOwn = () => resolve(true);
      late = clock.after(pingTimeoutMs, () => resolve(false));
    });
    try {
      await notify(channel, this.#seal.seal(channel, []));
      return await received;
    } finally {
      late?.cancel();
      this.#receivedOwn = undefined;
    }
  }

  #receive(channel: string, payload: string): void {
    const opened = this.#seal.open(channel, payload);
    if (opened === undefined) {
      this.#drop('what was notified is of no node, or came before');
      return;
    }
    const { from, texts } = opened;
    if (from === this.node) {
      this.#receivedOwn?.();
      return;
    }
    this.#receivedAt.set(from, this.#deps.clock.now());
    for (const text of texts) {
      try {
        if (this.#receiver?.receive(from, text) === false) this.#drop('a node says what this one does not understand');
      } catch (error) {
        this.#deps.logger.error({ error }, 'what a node said could not be followed');
      }
    }
  }

  /** Anyone who may connect to the database may send a million of them, so they are logged once a minute. */
  #drop(what: keyof typeof drops): void {
    const now = this.#deps.clock.now();
    const { count, loggedAt } = this.#dropped.get(what) ?? { count: 0, loggedAt: Number.NEGATIVE_INFINITY };
    const dropped = count + 1;
    const isLogged = now - loggedAt >= quietMs;
    this.#dropped.set(what, isLogged ? { count: 0, loggedAt: now } : { count: dropped, loggedAt });
    if (isLogged) this.#deps.logger.warn({ dropped, hint: drops[what] }, `${what}: it was dropped`);
  }

  #ping(client: pg.Client): void {
    if (this.#client !== client || this.#isClosed) return;
    client.query('select 1').then(
      () => this.#deps.clock.after(pingMs, () => this.#ping(client)),
      () => this.#lose(client),
    );
  }

  #lose(client: pg.Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    this.#deps.logger.warn({}, 'the connection on which nodes hear each other ended; it is made again');
    void client.end().catch(() => {});
    this.#connectLater();
  }

  #connectLater(): void {
    if (!this.#isClosed) this.#deps.clock.after(reconnectMs, () => this.#tryToConnect());
  }

  #tryToConnect(): void {
    if (this.#isClosed || this.#client !== undefined) return;
    this.#connect().catch((error: unknown) => {
      this.#deps.logger.debug({ error }, 'the database of the nodes does not answer');
      this.#connectLater();
    });
  }

  #gather(): void {
    const isIdle = this.#timer === undefined && this.#waiting.length > 0 && this.#client !== undefined;
    if (isIdle) this.#timer = this.#deps.clock.after(gatherMs, () => this.#send());
  }

  #send(): void {
    this.#timer = undefined;
    const client = this.#client;
    if (client === undefined) return;
    const calls = inNotifications(this.#waiting, (to) => this.#nameOf(to)).map(({ channel, texts }) => ({
      channel,
      payload: this.#seal.seal(channel, texts),
    }));
    this.#waiting = [];
    if (calls.length === 0) return;
    const values = calls.flatMap(({ channel, payload }) => [channel, payload]);
    const list = calls.map((_, at) => `pg_notify($${at * 2 + 1}, $${at * 2 + 2})`);
    // A message lost here is published again by its sender, or its news is found by the next look.
    client.query(`select ${list.join(', ')}`, values).catch(() => this.#lose(client));
  }
}

/** Creates the channel of one node. */
export const postgresChannel = (deps: PostgresChannelDeps): NodeChannel => new PostgresChannel(deps);
