/**
 * A home's broker for tests: Aedes with retained messages and wills, which can be away, refuse a user, and list what it
 * holds.
 */

import { createServer, type Server, type Socket } from 'node:net';
import { Aedes } from 'aedes';
import { type HomeAssistant, type HomeAssistantDeps, homeAssistant } from '../../api/home-assistant/home-assistant.ts';
import { alone } from '../../cluster/alone.ts';
import { systemClock } from '../../runtime/clock.ts';
import type { HttpWorld } from '../http/world.ts';

/** A running broker. */
export interface HomeBroker {
  readonly url: string;
  /** The retained messages, by topic; cleared ones are left out. */
  readonly retained: Map<string, string>;
  /** Everything that was published, in order. */
  readonly published: { readonly topic: string; readonly text: string; readonly retain: boolean }[];
  clients(): number;
  publish(topic: string, text: string, retain?: boolean): Promise<void>;
  /** Cuts every connection, as when the service's process is killed. */
  cut(): void;
  close(): Promise<void>;
}

const password = 'p@ss:word/1';

/** Opens a broker at a free port, or at a port that it had before. */
export async function openHomeBroker(
  port = 0,
  { deaf = false, maxBytes = Number.POSITIVE_INFINITY } = {},
): Promise<HomeBroker> {
  const aedes = await Aedes.createBroker({
    authenticate: (_client, user, given, done) => done(null, user === 'home' && given?.toString() === password),
    // As brokers do with a packet above their limit, it closes the connection without a word.
    authorizePublish: (client, { payload }, done) => (payload.length > maxBytes ? client?.close() : done(null)),
    authorizeSubscribe: (_client, subscription, done) => done(null, deaf ? null : subscription),
  });
  const retained = new Map<string, string>();
  const published: HomeBroker['published'] = [];
  const sockets = new Set<Socket>();
  aedes.on('publish', ({ topic, payload, retain }) => {
    if (topic.startsWith('$SYS')) return;
    const text = payload.toString();
    published.push({ topic, text, retain });
    if (retain && text === '') retained.delete(topic);
    else if (retain) retained.set(topic, text);
  });
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
    aedes.handle(socket);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.address();
  const own = typeof address === 'object' && address !== null ? address.port : 0;
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `mqtt://home:${encodeURIComponent(password)}@127.0.0.1:${own}`,
    retained,
    published,
    clients: () => aedes.connectedClients,
    publish: (topic, text, retain = false) =>
      new Promise((resolve, reject) =>
        aedes.publish({ cmd: 'publish', topic, payload: Buffer.from(text), retain, qos: 0, dup: false }, (error) =>
          error ? reject(error) : resolve(),
        ),
      ),
    cut,
    async close() {
      cut();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await new Promise<void>((resolve) => aedes.close(() => resolve()));
    },
  };
}

/** The client over a played service, whose frames carry commands out. */
export function clientOf(world: HttpWorld, url: string, more: Partial<HomeAssistantDeps> = {}): HomeAssistant {
  const note = (level: string) => (fields: Record<string, unknown>, message: string) =>
    void world.log.push({ level, fields, message });
  return homeAssistant({
    db: world.db,
    clock: systemClock,
    random: world.random,
    logger: { debug: () => undefined, info: () => undefined, warn: note('warn'), error: note('error') },
    url,
    prefix: 'homeassistant',
    organizationId: world.admin.organizationId,
    cluster: alone,
    routes: world.routes,
    changes: world.changes,
    knowCommands: async (serials) => new Set(serials),
    picture: async (_principal, _deviceId, uploadId) => Buffer.from(`PNG ${uploadId}`),
    publicUrl: () => world.url,
    version: '0.1.0',
    ...more,
  });
}
