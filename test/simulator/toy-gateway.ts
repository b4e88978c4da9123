/** A broker and an HTTP server that answer frames just enough, on loopback, for as long as a test lasts. */
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { Aedes } from 'aedes';
import { openAuthority } from '../../gateway/identity/authority.ts';
import { systemClock } from '../../runtime/clock.ts';
import { type BrokerFrame, type FleetFrame, startFleet, type TraceEvent } from '../../simulator/fleet/fleet.ts';

/** A message of a frame, with the way to answer it. */
export interface Said {
  readonly client: string;
  readonly topic: string;
  readonly text: string;
  answer(topic: string, message: unknown, qos: 0 | 1): void;
}

export interface ToyGateway {
  readonly http: string;
  readonly mqtt: string;
  readonly mqtts: string;
  /** A fresh folder, gone after the test. */
  readonly folder: string;
  /** The paths asked for, and how each connection ended: `whole` when every byte was taken and ended cleanly. */
  readonly gets: { path: string; end: Promise<'whole' | 'dropped'> }[];
  /** The events in their order: connections here, and the frames' own events by name. */
  readonly timeline: string[];
  certificate(serial: string): Promise<Extract<BrokerFrame['credentials'], { kind: 'certificate' }>>;
  /** Runs one frame until `enough` holds for its trace; the frame is stopped before this returns. */
  run(frame: FleetFrame, enough: (event: TraceEvent) => boolean): Promise<TraceEvent[]>;
}

/** Opens such a world for a test, and closes it whatever happens. */
export async function withToyGateway(
  answers: {
    said: (said: Said) => void;
    get: (path: string, response: http.ServerResponse) => void;
    password?: string;
  },
  use: (gateway: ToyGateway) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'toy-gateway-'));
  const authority = await openAuthority(join(folder, 'data'), systemClock.now());
  const proof = await authority.server(['127.0.0.1'], systemClock.now());
  const timeline: string[] = [];
  const broker = await Aedes.createBroker({
    authenticate: (_client, _name, password, done) =>
      done(null, answers.password === undefined || password?.toString() === answers.password),
  });
  broker.on('clientReady', () => timeline.push('link up'));
  broker.on('clientDisconnect', () => timeline.push('link gone'));
  broker.on('publish', (packet, client) => {
    if (client === null) return;
    answers.said({
      client: client.id,
      topic: packet.topic.split('/').at(-1) ?? '',
      text: packet.payload.toString(),
      answer: (topic, message, qos) => {
        const payload = Buffer.from(JSON.stringify(message));
        broker.publish({ cmd: 'publish', topic, payload, qos, dup: false, retain: false }, () => undefined);
      },
    });
  });
  const gets: ToyGateway['gets'] = [];
  const pictures = http.createServer((request, response) => {
    const path = request.url ?? '';
    gets.push({ path, end: endOf(request) });
    answers.get(path, response);
  });
  const plain = net.createServer((socket) => broker.handle(socket));
  const trust = { ca: authority.root, requestCert: true, rejectUnauthorized: true };
  const secure = tls.createServer({ cert: proof.certificate, key: proof.key, ...trust }, (s) => broker.handle(s));
  const [httpPort, mqttPort, mqttsPort] = await Promise.all([pictures, plain, secure].map(listen));
  const gateway: ToyGateway = {
    http: `http://127.0.0.1:${httpPort}`,
    mqtt: `mqtt://127.0.0.1:${mqttPort}`,
    mqtts: `mqtts://127.0.0.1:${mqttsPort}`,
    folder,
    gets,
    timeline,
    async certificate(serial) {
      const { key, certificate } = await authority.issueFrame(serial, systemClock.now());
      return { kind: 'certificate', key, cert: certificate, ca: authority.root };
    },
    run: (frame, enough) => runFrame(gateway, frame, enough),
  };
  try {
    await use(gateway);
  } finally {
    await new Promise<void>((resolve) => broker.close(resolve));
    pictures.closeAllConnections();
    await Promise.all([pictures, plain, secure].map((server) => new Promise((resolve) => server.close(resolve))));
    await rm(folder, { recursive: true, force: true });
  }
}

async function runFrame(
  gateway: ToyGateway,
  frame: FleetFrame,
  enough: (event: TraceEvent) => boolean,
): Promise<TraceEvent[]> {
  const events: TraceEvent[] = [];
  let reached: () => void = () => undefined;
  const done = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const fleet = await startFleet({
    frames: [frame],
    mqttUrl: { mqtt: gateway.mqtt, mqtts: gateway.mqtts },
    picturePrefix: gateway.http,
    speed: 20_000,
    panelsDir: join(gateway.folder, 'panels'),
    seed: 'live',
    trace(event) {
      events.push(event);
      gateway.timeline.push(event.event);
      if (enough(event)) reached();
    },
    clock: systemClock,
  });
  await done;
  await fleet.stop();
  return events;
}

/** Whether the frame took the whole answer and ended its connection without a reset. */
function endOf(request: http.IncomingMessage): Promise<'whole' | 'dropped'> {
  const { socket } = request;
  return new Promise((resolve) => {
    let ended = false;
    socket.once('end', () => {
      ended = true;
    });
    socket.once('error', () => resolve('dropped'));
    socket.once('close', (failed) => resolve(ended && !failed ? 'whole' : 'dropped'));
  });
}

function listen(server: net.Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}
