/**
 * A channel between nodes over PostgreSQL's LISTEN and NOTIFY, on one connection of its own. Texts are gathered for a
 * moment and sent together in a transaction of their own: a notification inside of a working transaction would take a
 * lock at its commit that all such commits share.
 */
import pg from 'pg';
import type { Clock, Timer } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { NodeChannel } from './node-channel.ts';

/** Dependencies of the channel. `url` is a direct address: a pooler that hands out connections for one transaction forgets LISTEN. */
export interface PostgresChannelDeps {
  readonly url: string;
  readonly node: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The time for which texts are gathered: fifty transactions a second at most, whatever the load. */
const gatherMs = 20;
/** The most bytes of a notification. */
const maxNotificationBytes = 7_999;
/** The most texts that wait while there is no connection. Older ones are lost: sessions are told again afterwards. */
const maxWaiting = 10_000;
/** The interval at which a connection shows that it still hears, and the time in which it has to. */
const pingMs = 10_000;
const pingTimeoutMs = 5_000;
const reconnectMs = 1_000;

/** The name of the channel of all nodes, or of one, within a service: a database may have several, in its schemas. */
const channelOf = (service: string, node: string | undefined): string =>
  node === undefined ? `papergate_${service}` : `papergate_${service}_${node}`;

interface Waiting {
  readonly to: string | undefined;
  readonly text: string;
}

/** A channel; it connects when it is opened, and again whenever its connection ends. */
class PostgresChannel implements NodeChannel {
  readonly node: string;
  readonly #deps: PostgresChannelDeps;
  #hear: Parameters<NodeChannel['open']>[0] | undefined;
  #client: pg.Client | undefined;
  #waiting: Waiting[] = [];
  #timer: Timer | undefined;
  /** Tells the services in one database apart. */
  #service = '';
  #isClosed = false;
  #hasConnected = false;

  constructor(deps: PostgresChannelDeps) {
    this.node = deps.node;
    this.#deps = deps;
  }

  post(to: string | undefined, text: string): void {
    this.#waiting.push({ to, text });
    if (this.#waiting.length > maxWaiting) this.#waiting = this.#waiting.slice(-maxWaiting / 2);
    this.#gather();
  }

  open(hear: Parameters<NodeChannel['open']>[0]): void {
    this.#hear = hear;
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
    client.on('notification', ({ payload = '' }) => this.#receive(payload));
    await client.connect();
    const { rows } = await client.query('select left(md5(current_schema()), 8) as service');
    this.#service = String(rows[0]?.service);
    const listen = (node?: string): string => `listen ${pg.escapeIdentifier(channelOf(this.#service, node))}`;
    await client.query(`${listen()}; ${listen(this.node)}`);
    if (this.#isClosed) {
      await client.end();
      return;
    }
    this.#client = client;
    if (this.#hasConnected) this.#hear?.reconnected();
    this.#hasConnected = true;
    clock.after(pingMs, () => this.#ping(client));
    this.#gather();
  }

  #receive(payload: string): void {
    const [from = '', ...texts] = payload.split('\n');
    if (from === this.node) return;
    for (const text of texts) this.#hear?.receive(from, text);
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
    const calls = inNotifications(this.node, this.#waiting, (to) => channelOf(this.#service, to));
    this.#waiting = [];
    if (calls.length === 0) return;
    const values = calls.flatMap(({ channel, payload }) => [channel, payload]);
    const list = calls.map((_, at) => `pg_notify($${at * 2 + 1}, $${at * 2 + 2})`);
    // What is lost here is told again by its sender, or found by whoever looks.
    client.query(`select ${list.join(', ')}`, values).catch(() => this.#lose(client));
  }
}

/** Creates the channel of one node. */
export const postgresChannel = (deps: PostgresChannelDeps): NodeChannel => new PostgresChannel(deps);

/**
 * Puts texts for one receiver together into notifications, in their order: a line for the sender and one for each text,
 * which holds no line break. The same text twice is sent once.
 */
function inNotifications(
  node: string,
  waiting: readonly Waiting[],
  channelTo: (to: string | undefined) => string,
): { readonly channel: string; readonly payload: string }[] {
  const gathered = new Map<string, string[][]>();
  for (const { to, text } of waiting) {
    const channel = channelTo(to);
    const envelopes = gathered.get(channel) ?? [[]];
    gathered.set(channel, envelopes);
    const last = envelopes.at(-1) ?? [];
    if (last.at(-1) === text) continue;
    const isFull = last.length > 0 && Buffer.byteLength([node, ...last, text].join('\n')) > maxNotificationBytes;
    if (isFull) envelopes.push([text]);
    else last.push(text);
  }
  return [...gathered].flatMap(([channel, envelopes]) =>
    envelopes.map((texts) => ({ channel, payload: [node, ...texts].join('\n') })),
  );
}
