/** The connection to the home's broker: kept up, with a last will, and one sentence about what is wrong with it. */
import { connect, type MqttClient } from 'mqtt';
import type { Clock, Timer } from '../../runtime/clock.ts';
import { inBackground } from '../../runtime/in-background.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { Random } from '../../runtime/random.ts';
import { linkTrouble } from './link-trouble.ts';
import { serviceTopic } from './topics.ts';

const connectTimeoutMs = 10_000;
const keepaliveSeconds = 30;
const firstRetryMs = 1_000;
const lastRetryMs = 60_000;
/** The time in which the broker gives back what was published, if it lets this client publish at all. */
const echoMs = 10_000;
/** A command or a birth message is short; the discovery messages that are read back are the longest. */
const maxHeardBytes = 256 * 1024;

/** A message of the broker. */
export interface HeardMessage {
  readonly topic: string;
  readonly payload: Buffer;
  /** The broker kept it: nobody has just sent it. */
  readonly retained: boolean;
}

/** The dependencies of the connection. */
export interface LinkDeps {
  /** `mqtt://user:password@host:port`. No part of it is ever logged but host and port. */
  readonly url: string;
  readonly filters: readonly string[];
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly count: (state: 'connected' | 'lost' | 'failed') => void;
  /** Is called after each connect, before anything is subscribed to. */
  readonly connected: () => void;
  readonly hear: (message: HeardMessage) => void;
}

/** An open connection, or one that is being opened again. */
export interface HomeLink {
  isUp(): boolean;
  /** Publishes, and resolves when the broker has it. Without a connection nothing happens: all is told after a connect. */
  publish(topic: string, payload: string | Buffer, how?: { readonly retain?: boolean }): Promise<boolean>;
  /** Says `offline`, and ends the connection. */
  stop(): Promise<void>;
}

/** Opens the connection, and goes on trying: after a second at first, later after a minute. */
export function openHomeLink(deps: LinkDeps): HomeLink {
  const { clock, logger, count } = deps;
  const { host, options } = readBroker(deps.url);
  let client: MqttClient | undefined;
  let isUp = false;
  let isStopped = false;
  let retryMs = firstRetryMs;
  let timer: Timer | undefined;
  let echo: Timer | undefined;
  let told = '';

  /** Says once what is wrong, until it is something else, or was well in between. */
  function warn(code: string, message: string, hint: string): void {
    if (told === code) return;
    told = code;
    logger.warn({ broker: host, hint }, `the home's broker: ${message}`);
  }

  function dial(): void {
    const own = connect({
      ...options,
      clientId: `papergate-${deps.random.id()}`,
      protocolVersion: 4,
      clean: true,
      keepalive: keepaliveSeconds,
      connectTimeout: connectTimeoutMs,
      reconnectPeriod: 0,
      resubscribe: false,
      will: { topic: serviceTopic, payload: Buffer.from('offline'), qos: 1, retain: true },
    });
    client = own;
    own.on('error', (error) => {
      const { code, message, hint } = linkTrouble(error);
      // A connection that was up ends below, whatever the reason.
      if (!isStopped && !isUp) warn(code, message, hint);
    });
    own.on('connect', () => inBackground(logger, "greet the home's broker", () => greet(own)));
    own.on('message', (topic, payload, { retain }) => {
      if (topic === serviceTopic) hearEcho();
      else if (payload.length <= maxHeardBytes) deps.hear({ topic, payload, retained: retain });
    });
    own.once('close', () => {
      echo?.cancel();
      count(isUp ? 'lost' : 'failed');
      if (isUp && !isStopped) warn('closed', 'the connection ended', 'it is opened again by itself');
      isUp = false;
      own.end(true);
      if (isStopped) return;
      timer = clock.after(retryMs, dial);
      retryMs = Math.min(retryMs * 2, lastRetryMs);
    });
  }

  async function greet(own: MqttClient): Promise<void> {
    isUp = true;
    count('connected');
    deps.connected();
    const refused = await own.subscribeAsync([...deps.filters, serviceTopic], { qos: 1 }).then(
      (granted) => granted.some(({ qos }) => qos >= 128),
      () => true,
    );
    if (own !== client || !isUp) return;
    echo = clock.after(echoMs, () => warn('mute', 'it passes nothing on that is published here', aclHint));
    await own.publishAsync(serviceTopic, 'online', { qos: 1, retain: true });
    if (refused) warn('deaf', 'it refuses subscriptions of this user', aclHint);
  }

  function hearEcho(): void {
    echo?.cancel();
    retryMs = firstRetryMs;
    if (told !== '') logger.info({ broker: host }, "the home's broker: all is well again");
    told = '';
  }

  dial();
  return {
    isUp: () => isUp,
    async publish(topic, payload, { retain = false } = {}) {
      const own = client;
      if (!isUp || own === undefined) return false;
      return own.publishAsync(topic, payload, { qos: 1, retain }).then(
        () => true,
        () => false,
      );
    },
    async stop() {
      isStopped = true;
      timer?.cancel();
      echo?.cancel();
      const own = client;
      if (own === undefined) return;
      const goodbye = isUp ? own.publishAsync(serviceTopic, 'offline', { qos: 1, retain: true }) : Promise.resolve();
      const patience = new Promise<void>((resolve) => clock.after(2_000, resolve));
      await Promise.race([goodbye.catch(() => undefined), patience]);
      isUp = false;
      await new Promise<void>((resolve) => {
        clock.after(2_000, resolve);
        own.end(false, {}, () => resolve());
      });
    },
  };
}

const aclHint =
  'let this user publish below the prefix of discovery and below papergate/, and subscribe to both, in the rules (ACL) of the broker';

/** Takes the address apart. User and password may hold any letter, as in any address. */
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
