/** The connection to the home's broker: kept up, with a last will, and one sentence about what is wrong with it. */
import { connect, type MqttClient } from 'mqtt';
import type { Timer } from '../../runtime/clock.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import { inBackground } from '../../runtime/in-background.ts';
import { linkTrouble } from './link-trouble.ts';
import { PacketLimit } from './packet-limit.ts';
import { serviceTopic } from './topics.ts';

const connectTimeoutMs = 10_000;
const keepaliveSeconds = 30;
const firstRetryMs = 1_000;
const lastRetryMs = 60_000;
const goodbyeMs = 2_000;
/** The time in which the broker gives back what was published, if it lets this client publish at all. */
const echoMs = 10_000;
/** A command or a birth message is short; the discovery messages that are read back are the longest. */
const maxReceivedBytes = 256 * 1024;

/** A message of the broker. */
export interface ReceivedMessage {
  readonly topic: string;
  readonly payload: Buffer;
  /** The broker kept it: nobody has just sent it. */
  readonly retained: boolean;
}

export interface HomeLinkDeps extends Pick<CommonDeps, 'clock' | 'random' | 'logger'> {
  /** `mqtt://user:password@host:port`. No part of it is ever logged but host and port. */
  readonly url: string;
  readonly filters: readonly string[];
  readonly count: (state: 'connected' | 'lost' | 'failed') => void;
  /** Is called after each connect, before anything is subscribed to. */
  readonly connected: () => void;
  readonly hear: (message: ReceivedMessage) => void;
}

/** A connection that is open, or is being opened again: after a second at first, later after a minute. */
export class HomeLink {
  readonly #deps: HomeLinkDeps;
  readonly #host: string;
  #client: MqttClient | undefined;
  #isUp = false;
  #isStopped = false;
  #retryMs = firstRetryMs;
  #timer: Timer | undefined;
  #echo: Timer | undefined;
  #told = '';
  #upSince = 0;
  readonly #limit = new PacketLimit();

  constructor(deps: HomeLinkDeps) {
    this.#deps = deps;
    this.#host = readBroker(deps.url).host;
  }

  isUp(): boolean {
    return this.#isUp;
  }

  /** Publishes; true when the broker has it. Without a connection nothing happens: everything is published after a connect. */
  async publish(topic: string, payload: string | Buffer, how: { readonly retain?: boolean } = {}): Promise<boolean> {
    const client = this.#client;
    const bytes = bytesOf(topic, payload);
    if (!this.#isUp || client === undefined || !this.#limit.takes(bytes)) return false;
    const onItsWay = this.#limit.sent(bytes);
    const isTaken = await client.publishAsync(topic, payload, { qos: 1, retain: how.retain ?? false }).then(
      () => true,
      () => false,
    );
    onItsWay.ended(isTaken);
    return isTaken;
  }

  /** Whether a message of this size is sent; the broker closes the connection at one that it finds too large. */
  takes(topic: string, payload: string | Buffer): boolean {
    return this.#limit.takes(bytesOf(topic, payload));
  }

  /** Says `offline`, and ends the connection. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    this.#echo?.cancel();
    const client = this.#client;
    if (client === undefined) return;
    const patience = (): Promise<void> => new Promise((resolve) => this.#deps.clock.after(goodbyeMs, resolve));
    await Promise.race([this.publish(serviceTopic, 'offline', { retain: true }), patience()]);
    this.#isUp = false;
    await Promise.race([client.endAsync().catch(() => undefined), patience()]);
  }

  /** Connects, and goes on trying. */
  dial(): void {
    const { random, logger, hear } = this.#deps;
    const client = connect({
      ...readBroker(this.#deps.url).options,
      clientId: `papergate-${random.id()}`,
      protocolVersion: 4,
      clean: true,
      keepalive: keepaliveSeconds,
      connectTimeout: connectTimeoutMs,
      reconnectPeriod: 0,
      resubscribe: false,
      will: { topic: serviceTopic, payload: Buffer.from('offline'), qos: 1, retain: true },
    });
    this.#client = client;
    client.on('error', (error) => {
      const { code, message, hint } = linkTrouble(error);
      // A connection that was up ends below, whatever the reason.
      if (!this.#isStopped && !this.#isUp) this.#warn(code, message, hint);
    });
    client.on('connect', () => inBackground(logger, "greet the home's broker", () => this.#greet(client)));
    client.on('message', (topic, payload, { retain }) => {
      if (topic === serviceTopic) this.#hearEcho();
      else if (payload.length <= maxReceivedBytes) hear({ topic, payload, retained: retain });
    });
    client.once('close', () => this.#close(client));
  }

  #close(client: MqttClient): void {
    this.#echo?.cancel();
    this.#deps.count(this.#isUp ? 'lost' : 'failed');
    const { clock } = this.#deps;
    const leftOutFrom = this.#limit.closed();
    if (leftOutFrom !== undefined) {
      const message = `it closes the connection at a message of ${leftOutFrom} bytes: those of this size and above are left out, as a rule pictures`;
      this.#warn(`too large ${leftOutFrom}`, message, limitHint);
    } else if (this.#isUp && !this.#isStopped) {
      this.#warn('closed', 'the connection ended', 'it is opened again by itself');
    }
    if (!this.#isUp) this.#limit.forget();
    // A connection that ends soon after it began is not a sign that all is well.
    if (this.#isUp && clock.now() - this.#upSince >= lastRetryMs) this.#retryMs = firstRetryMs;
    this.#isUp = false;
    client.end(true);
    if (this.#isStopped) return;
    this.#timer = this.#deps.clock.after(this.#retryMs, () => this.dial());
    this.#retryMs = Math.min(this.#retryMs * 2, lastRetryMs);
  }

  async #greet(client: MqttClient): Promise<void> {
    this.#isUp = true;
    this.#upSince = this.#deps.clock.now();
    this.#deps.count('connected');
    this.#deps.connected();
    const refused = await client.subscribeAsync([...this.#deps.filters, serviceTopic], { qos: 1 }).then(
      (granted) => granted.some(({ qos }) => qos >= 128),
      () => true,
    );
    if (client !== this.#client || !this.#isUp) return;
    const mute = 'it passes nothing on that is published here';
    this.#echo = this.#deps.clock.after(echoMs, () => this.#warn('mute', mute, aclHint));
    await client.publishAsync(serviceTopic, 'online', { qos: 1, retain: true });
    if (refused) this.#warn('deaf', 'it refuses subscriptions of this user', aclHint);
  }

  #hearEcho(): void {
    this.#echo?.cancel();
    if (this.#told !== '') this.#deps.logger.info({ broker: this.#host }, "the home's broker: all is well again");
    this.#told = '';
  }

  /** Logs a trouble once, until it is another one, or all was well in between. */
  #warn(code: string, message: string, hint: string): void {
    if (this.#told === code) return;
    this.#told = code;
    this.#deps.logger.warn({ broker: this.#host, hint }, `the home's broker: ${message}`);
  }
}

const aclHint =
  'let this user publish below the prefix of discovery and below papergate/, and subscribe to both, in the rules (ACL) of the broker';

const limitHint =
  'raise the limit of the broker (Mosquitto: max_packet_size or message_size_limit), and start it again';

/** The bytes of a message; a few more go before it on the wire. */
const bytesOf = (topic: string, payload: string | Buffer): number =>
  Buffer.byteLength(topic) + Buffer.byteLength(payload);

/** Takes the address apart. User and password may hold any character, as in any address. */
export function readBroker(url: string) {
  const { protocol, hostname, port, username, password } = new URL(url);
  const isSecure = protocol === 'mqtts:';
  const number = Number(port || (isSecure ? 8883 : 1883));
  return {
    host: `${hostname}:${number}`,
    options: {
      protocol: isSecure ? ('mqtts' as const) : ('mqtt' as const),
      host: hostname.replace(/^\[|\]$/g, ''),
      port: number,
      ...(username !== '' && { username: decodeURIComponent(username) }),
      ...(password !== '' && { password: decodeURIComponent(password) }),
    },
  };
}
