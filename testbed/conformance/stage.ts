/** The stage for stories: the real broker, a picture server, and a queue of everything that the frame does. */

import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';
import type { Outgoing } from '../../gateway/dialects/dialect.ts';
import { sentWhole } from '../../gateway/pictures/sent-whole.ts';
import type { Clock } from '../../runtime/clock.ts';
import { joinAddress } from '../../runtime/join-address.ts';
import { type BrokerIncident, type HandshakeKind, openStoryBroker, type StoryBrokerDeps } from './story-broker.ts';

/** Something that the frame did. */
export type Incident =
  | BrokerIncident
  | { readonly kind: 'fetches'; readonly path: string; readonly end: Promise<'whole' | 'cut off'> };

/** The manner in which downloads are answered. */
export type Manner = 'whole' | 'cut off' | 'no answer';

/** Dependencies of a stage. Ports of 0 take a free one. */
export interface StoryStageDeps extends StoryBrokerDeps {
  readonly httpPort: number;
}

/** An open stage. */
export interface StoryStage {
  readonly mqtts: string;
  /** Prefix of download addresses. */
  readonly http: string;
  /** Takes the next incident; undefined when the frame did nothing within `timeoutMs`. */
  next(timeoutMs: number): Promise<Incident | undefined>;
  /** Resolves once there is a next incident, without taking it. */
  came(): Promise<void>;
  /** Sends messages to the frame if it is connected. */
  send(messages: readonly Outgoing[]): void;
  /** Offers a file for download. */
  publish(path: string, file: Uint8Array): void;
  /** Sets the manner in which downloads are answered from now on. */
  answerDownloads(manner: Manner): void;
  /** The kind of the last TLS handshake; undefined before the first. */
  handshake(): HandshakeKind | undefined;
  /** Takes none of the TLS sessions that were given so far. */
  forgetSessions(): void;
  close(): Promise<void>;
}

/** Opens broker and picture server. Beyond loopback they listen only when `host` is not this machine alone. */
export async function openStoryStage(deps: StoryStageDeps): Promise<StoryStage> {
  const { clock, host, serial } = deps;
  const queue = incidentQueue(clock);
  const beyond = isIPv6(host) ? '::' : '0.0.0.0';
  const listenOn = host === '127.0.0.1' || host === 'localhost' ? '127.0.0.1' : beyond;
  const pictures = await openPictureServer(deps, listenOn, queue.add);
  const { broker, handshake, forgetSessions } = await openStoryBroker(deps, listenOn, queue.add).catch(
    async (error: unknown) => {
      await pictures.close();
      throw error;
    },
  );
  return {
    mqtts: joinAddress('mqtts', host, broker.ports.tls),
    http: joinAddress('http', host, pictures.port),
    next: queue.next,
    came: queue.came,
    send(messages) {
      for (const { topic, payload } of messages) deps.record('kit', topic, payload);
      broker.send(serial, messages);
    },
    publish: pictures.publish,
    answerDownloads: pictures.answerDownloads,
    handshake,
    forgetSessions,
    async close() {
      await broker.stop();
      await pictures.close();
    },
  };
}

/** Opens the server of the offered pictures; each request becomes an incident. */
async function openPictureServer(
  { clock, httpPort, record }: StoryStageDeps,
  listenOn: string,
  add: (incident: Incident) => void,
) {
  const files = new Map<string, Uint8Array>();
  let manner: Manner = 'whole';
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const file = request.method === 'GET' ? files.get(path) : undefined;
    if (file === undefined) response.writeHead(404, { 'content-length': 0, connection: 'close' }).end();
    const ordinal = [...files.keys()].indexOf(path) + 1;
    record('frame', request.method ?? 'GET', ordinal > 0 ? `picture ${ordinal}` : 'an address that was never given');
    const served = file === undefined ? cutOff : serve(response, file, manner, clock);
    const end = served.then((how) => {
      record('kit', 'download', file === undefined ? 'refused: 404' : howTaken(how, manner));
      return how;
    });
    add({ kind: 'fetches', path, end });
  });
  server.listen(httpPort, listenOn);
  await once(server, 'listening');
  server.on('error', () => {}); // A connection that cannot be accepted is the tested frame's loss.
  return {
    port: (server.address() as AddressInfo).port,
    publish: (path: string, file: Uint8Array): void => void files.set(path, file),
    answerDownloads(next: Manner): void {
      manner = next;
    },
    async close(): Promise<void> {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

const cutOff = Promise.resolve('cut off' as const);

/** Says how a download ended, and who ended it. */
function howTaken(end: 'whole' | 'cut off', manner: Manner): string {
  if (end === 'whole') return 'taken whole';
  if (manner === 'whole') return 'broken off by the frame';
  return manner === 'no answer' ? 'not answered, as the story has it' : 'cut off by the kit, as the story has it';
}

async function serve(
  response: ServerResponse,
  file: Uint8Array,
  manner: Manner,
  clock: Clock,
): Promise<'whole' | 'cut off'> {
  const { socket } = response.req;
  if (manner === 'no answer') {
    socket.destroy();
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
  const closed = once(socket, 'close');
  response.write(file.subarray(0, file.length / 2), () => socket.destroy());
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
      for (const tellWatcher of watchers) tellWatcher();
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
