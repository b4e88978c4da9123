/** Where stories are played: the real broker and a picture server, and everything the frame does as a queue of incidents. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TopicUse } from '../../firmware-protocol/topics.ts';
import { admission } from '../broker/admit-frame.ts';
import { openAuthority } from '../broker/authority.ts';
import { startBroker } from '../broker/broker.ts';
import type { Conversation, Outgoing } from '../dialects/dialect.ts';
import { frameRegistry, serialKey } from '../frames/registry.ts';
import { sentWhole } from '../pictures/sent-whole.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Database } from '../runtime/database.ts';
import type { Logger } from '../runtime/logger.ts';

/** Something the frame did. */
export type Incident =
  | {
      readonly kind: 'said';
      readonly conversation: Conversation;
      readonly use: TopicUse;
      readonly payload: Uint8Array;
    }
  | { readonly kind: 'fetches'; readonly path: string; readonly end: Promise<'whole' | 'cut off'> }
  | { readonly kind: 'misbehaved'; readonly problem: string };

/** How downloads are answered. */
export type Manner = 'whole' | 'cut off' | 'no answer';

/** What a stage is handed. Ports of 0 take a free one. */
export interface StageEdges {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Folder of the authority. */
  readonly folder: string;
  readonly serial: string;
  /** Name or address by which the frame reaches this machine. */
  readonly host: string;
  readonly port: number;
  readonly httpPort: number;
}

/** An open stage. */
export interface Stage {
  readonly mqtts: string;
  /** Prefix of download addresses. */
  readonly http: string;
  /** The next thing the frame did, or undefined when it did nothing for so long. */
  next(timeoutMs: number): Promise<Incident | undefined>;
  /** Resolves once there is a next thing, without taking it. */
  came(): Promise<void>;
  /** Says something to the frame if it is connected. */
  send(messages: readonly Outgoing[]): void;
  /** Makes a file downloadable. */
  publish(path: string, file: Uint8Array): void;
  /** From now on downloads are answered so. */
  answerDownloads(manner: Manner): void;
  close(): Promise<void>;
}

/** Opens broker and picture server. Beyond loopback they listen only when `host` is not this machine alone. */
export async function openStage(edges: StageEdges): Promise<Stage> {
  const { clock, host, serial } = edges;
  const queue = incidentQueue(clock);
  const files = new Map<string, Uint8Array>();
  let manner: Manner = 'whole';
  const listenOn = host === '127.0.0.1' || host === 'localhost' ? '127.0.0.1' : '0.0.0.0';

  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const file = request.method === 'GET' ? files.get(path) : undefined;
    if (file === undefined) response.writeHead(404, { 'content-length': 0, connection: 'close' }).end();
    queue.add({ kind: 'fetches', path, end: file ? serve(request, response, file, manner, clock) : cutOff });
  });
  server.listen(edges.httpPort, listenOn);
  await once(server, 'listening');

  const registry = frameRegistry(edges.db);
  // What came before a login is in the log alone: nobody knows whose it was.
  const misbehaved = (from: string | undefined, problem: string): void => {
    if (from === serialKey(serial)) queue.add({ kind: 'misbehaved', problem });
  };
  const authority = await openAuthority(edges.folder, clock.now());
  const closeServer = async (): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  const broker = await startBroker(
    {
      messagesAtOnce: 6,
      logger: edges.logger,
      clock,
      admission: admission({ registry, clock, misbehaved, contested: () => undefined }),
      // Acknowledged at once: what is answered is the story's affair, and may come later.
      async receive(conversation, use, payload) {
        if (conversation.serial === serialKey(serial)) queue.add({ kind: 'said', conversation, use, payload });
        return [];
      },
      connected: () => undefined,
      left: () => undefined,
      disconnected: () => undefined,
      misbehaved,
    },
    {
      host: listenOn,
      tlsPort: edges.port,
      plainPort: undefined,
      server: await authority.server([host], clock.now()),
      root: authority.root,
    },
  ).catch(async (error: unknown) => {
    await closeServer();
    throw error;
  });
  return {
    mqtts: `mqtts://${host}:${broker.ports.tls}`,
    http: `http://${host}:${(server.address() as AddressInfo).port}`,
    next: queue.next,
    came: queue.came,
    send: (messages) => void broker.send(serial, messages),
    publish: (path, file) => void files.set(path, file),
    answerDownloads(next) {
      manner = next;
    },
    async close() {
      await broker.stop();
      await closeServer();
    },
  };
}

const cutOff = Promise.resolve('cut off' as const);

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  file: Uint8Array,
  manner: Manner,
  clock: Clock,
): Promise<'whole' | 'cut off'> {
  if (manner === 'no answer') {
    request.socket.destroy();
    return 'cut off';
  }
  response.writeHead(200, {
    'content-type': 'application/octet-stream',
    'content-length': file.length,
    'cache-control': 'private, no-transform',
    connection: 'close',
  });
  if (manner === 'whole') {
    const whole = sentWhole(response, file.length, clock);
    response.end(file);
    return (await whole) === undefined ? 'cut off' : 'whole';
  }
  const closed = once(request.socket, 'close');
  response.write(file.subarray(0, file.length / 2), () => request.socket.destroy());
  await closed;
  return 'cut off';
}

function incidentQueue(clock: Clock) {
  const waiting: Incident[] = [];
  let taker: ((incident: Incident | undefined) => void) | undefined;
  let watchers: (() => void)[] = [];
  return {
    came: (): Promise<void> =>
      waiting.length > 0 ? Promise.resolve() : new Promise((resolve) => void watchers.push(resolve)),
    add(incident: Incident): void {
      for (const told of watchers) told();
      watchers = [];
      if (taker === undefined) waiting.push(incident);
      else taker(incident);
    },
    next(timeoutMs: number): Promise<Incident | undefined> {
      const ready = waiting.shift();
      if (ready !== undefined) return Promise.resolve(ready);
      return new Promise((resolve) => {
        const timer = clock.after(timeoutMs, () => taker?.(undefined));
        taker = (incident) => {
          timer.cancel();
          taker = undefined;
          resolve(incident);
        };
      });
    },
  };
}
