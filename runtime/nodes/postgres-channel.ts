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

const allNodes = 'papergate';
const channelOf = (node: string): string => `${allNodes}_${node}`;

interface Waiting {
  readonly to: string | undefined;
  readonly text: string;
}

/** Creates the channel; it connects when it is opened, and again whenever its connection ends. */
export function postgresChannel({ url, node, clock, logger }: PostgresChannelDeps): NodeChannel {
  let hear: Parameters<NodeChannel['open']>[0] | undefined;
  let client: pg.Client | undefined;
  let waiting: Waiting[] = [];
  let timer: Timer | undefined;
  let isClosed = false;
  let hasConnected = false;

  async function connect(): Promise<void> {
    const next = new pg.Client({
      connectionString: url,
      application_name: `papergate ${node}`,
      keepAlive: true,
      connectionTimeoutMillis: pingTimeoutMs,
      query_timeout: pingTimeoutMs,
    });
    // One of them is called for every way in which a connection can end.
    next.on('error', () => lose(next)).on('end', () => lose(next));
    next.on('notification', ({ payload = '' }) => receive(payload));
    await next.connect();
    await next.query(`listen ${pg.escapeIdentifier(allNodes)}; listen ${pg.escapeIdentifier(channelOf(node))}`);
    if (isClosed) {
      await next.end();
      return;
    }
    client = next;
    if (hasConnected) hear?.reconnected();
    hasConnected = true;
    clock.after(pingMs, () => ping(next));
    gather();
  }

  function receive(payload: string): void {
    const [from = '', ...texts] = payload.split('\n');
    if (from === node) return;
    for (const text of texts) hear?.receive(from, text);
  }

  function ping(looked: pg.Client): void {
    if (client !== looked || isClosed) return;
    looked.query('select 1').then(
      () => clock.after(pingMs, () => ping(looked)),
      () => lose(looked),
    );
  }

  function lose(lost: pg.Client): void {
    if (client === lost) {
      client = undefined;
      logger.warn({}, 'the connection on which nodes hear each other ended; it is made again');
      void lost.end().catch(() => {});
      later();
    }
  }

  function later(): void {
    if (!isClosed) clock.after(reconnectMs, tryToConnect);
  }

  function tryToConnect(): void {
    if (isClosed || client !== undefined) return;
    connect().catch((error: unknown) => {
      logger.debug({ error }, 'the database of the nodes does not answer');
      later();
    });
  }

  function gather(): void {
    if (timer === undefined && waiting.length > 0 && client !== undefined) timer = clock.after(gatherMs, send);
  }

  function send(): void {
    timer = undefined;
    const sending = client;
    if (sending === undefined) return;
    const texts = waiting;
    waiting = [];
    const calls = inNotifications(node, texts);
    if (calls.length === 0) return;
    const values = calls.flatMap(({ channel, payload }) => [channel, payload]);
    const list = calls.map((_, at) => `pg_notify($${at * 2 + 1}, $${at * 2 + 2})`);
    // What is lost here is told again by its sender, or found by whoever looks.
    sending.query(`select ${list.join(', ')}`, values).catch(() => lose(sending));
  }

  return {
    node,
    post(to, text) {
      waiting.push({ to, text });
      if (waiting.length > maxWaiting) waiting = waiting.slice(-maxWaiting / 2);
      gather();
    },
    open(opened) {
      hear = opened;
      tryToConnect();
    },
    close() {
      const closing = client;
      if (timer !== undefined) {
        timer.cancel();
        send();
      }
      isClosed = true;
      client = undefined;
      void closing?.end().catch(() => {});
    },
  };
}

/**
 * Puts texts for one receiver together into notifications, in their order: a line for the sender and one for each text,
 * which holds no line break. The same text twice is sent once.
 */
function inNotifications(
  node: string,
  waiting: readonly Waiting[],
): { readonly channel: string; readonly payload: string }[] {
  const gathered = new Map<string, string[][]>();
  for (const { to, text } of waiting) {
    const channel = to === undefined ? allNodes : channelOf(to);
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
