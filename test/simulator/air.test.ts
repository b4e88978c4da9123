import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo, type Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packPicture } from '../../firmware-protocol/framebuffer.ts';
import { epd7 } from '../../firmware-protocol/panels.ts';
import { type Clock, systemClock } from '../../runtime/clock.ts';
import { type Connect, openAir } from '../../simulator/air/air.ts';
import { type Climate, climateOf } from '../../simulator/air/climates.ts';
import { fetchFile } from '../../simulator/air/fetch-file.ts';
import { openSession } from '../../simulator/air/mqtt-session.ts';
import { digestOf, type FrameIncident } from '../../simulator/frame/frame.ts';
import { withToyGateway } from './toy-gateway.ts';

const test = suite('air');
const file = packPicture(epd7, 'landscape', new Uint8Array(800 * 480).fill(1));

/** A clock that runs so many times faster than the machine's. */
function faster(factor: number): Clock {
  const { now, after: later } = systemClock;
  return { now: () => now() * factor, after: (delayMs, run) => later(delayMs / factor, run) };
}

/** Opens a server and the air of a climate, in which chance always draws the same number. */
async function withAir(
  server: Server,
  { chance = 0.5, ...record }: Partial<Climate> & { readonly chance?: number },
  use: (air: { readonly connect: Connect }, port: number) => Promise<void>,
): Promise<void> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const air = openAir(climateOf(record), () => chance, systemClock);
  try {
    await use({ connect: air.connect ?? net.connect }, (server.address() as AddressInfo).port);
  } finally {
    air.end();
    await new Promise((resolve) => server.close(resolve));
  }
}

const echo = (): Server => net.createServer((socket) => socket.on('error', () => undefined).pipe(socket));

test('latency passes at the handshake of TCP and in both directions, and the end comes through', async () => {
  await withAir(echo(), { latencyMs: 60, jitterMs: 20 }, async (air, port) => {
    const began = performance.now();
    const socket = air.connect({ host: '127.0.0.1', port });
    socket.on('error', (error) => assert.unreachable(error.message));
    await once(socket, 'connect');
    const connectedMs = performance.now() - began;
    assert.ok(connectedMs >= 138 && connectedMs < 5000, `${connectedMs} ms`);
    socket.end('hello');
    assert.is(await text(socket), 'hello');
    const answeredMs = performance.now() - began - connectedMs;
    assert.ok(answeredMs >= 138 && answeredMs < 5000, `${answeredMs} ms`);
  });
});

test('a throttled connection takes as long as its bytes need, and loses none of them', async () => {
  const sent = Buffer.alloc(100_000, 'paper');
  await withAir(echo(), { bytesPerSecond: 200_000 }, async (air, port) => {
    const began = performance.now();
    const socket = air.connect({ host: '127.0.0.1', port });
    socket.on('error', (error) => assert.unreachable(error.message));
    socket.end(sent);
    assert.is(await text(socket), sent.toString());
    const tookMs = performance.now() - began;
    assert.ok(tookMs >= 490 && tookMs < 5000, `${tookMs} ms`);
  });
});

test('lost packets stall a connection, and one that is lost each time ends it', async () => {
  const draws = [1, 1, 1, 0, 0, 0, 1];
  const air = openAir(climateOf({ loss: 0.5 }), () => draws.shift() ?? 1, systemClock);
  const lossy = openAir(climateOf({ loss: 1 }), () => 0.5, faster(100));
  await withAir(echo(), {}, async (_, port) => {
    const socket = (air.connect ?? net.connect)({ host: '127.0.0.1', port });
    socket.on('error', (error) => assert.unreachable(error.message));
    await once(socket, 'connect');
    draws.splice(0, draws.length, 0, 0, 1);
    const began = performance.now();
    socket.end('hello');
    assert.is(await text(socket), 'hello');
    assert.ok(performance.now() - began >= 598, 'lost twice: 200 ms and 400 ms');
    const hopeless = (lossy.connect ?? net.connect)({ host: '127.0.0.1', port });
    const ended = once(hopeless, 'error');
    hopeless.write('hello');
    assert.match(String((await ended.catch((error) => [error]))[0]), 'ECONNRESET');
  });
});

/** Serves the picture, and hears how its connection ended. */
function pictureServer() {
  const ends: string[] = [];
  const server = http.createServer((request, response) => {
    request.socket.once('close', (failed) => ends.push(failed ? 'reset' : 'closed'));
    response.writeHead(200, { 'content-length': file.length }).end(file);
  });
  return { server, ends };
}

const whole = { do: 'download', part: 'whole', headersMs: 1000, bodyMs: 1000 } as const;

test('a picture that is larger than what may be under way arrives whole', async () => {
  const { server, ends } = pictureServer();
  await withAir(server, { latencyMs: 30 }, async ({ connect }, port) => {
    const url = `http://127.0.0.1:${port}/f/1`;
    const incident = await new Promise<FrameIncident>((tell) =>
      fetchFile({ ...whole, url }, { connect }, systemClock, tell),
    );
    assert.ok(incident.kind === 'downloaded' && incident.complete && incident.body.length === file.length);
    while (ends.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(ends, ['closed']);
  });
});

test('a cut ends a download in the middle, and the server sees a reset', async () => {
  const { server, ends } = pictureServer();
  await withAir(server, { cuts: 1, chance: 0.9, bytesPerSecond: 1_000_000 }, async ({ connect }, port) => {
    const url = `http://127.0.0.1:${port}/f/1`;
    const incident = await new Promise<FrameIncident>((tell) =>
      fetchFile({ ...whole, url }, { connect }, systemClock, tell),
    );
    assert.is(incident.kind, 'downloaded');
    if (incident.kind !== 'downloaded') return;
    assert.not(incident.complete);
    const expected = 2 ** (0.9 * 18);
    assert.ok(
      incident.body.length < expected && incident.body.length > expected - 1000,
      `${incident.body.length} bytes`,
    );
    while (ends.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(ends, ['reset']);
  });
});

test('a download that falls silent ends by the patience of the frame, and the server learns nothing', async () => {
  const { server, ends } = pictureServer();
  await withAir(server, { halfOpen: 1, chance: 0.9 }, async ({ connect }, port) => {
    const url = `http://127.0.0.1:${port}/f/1`;
    const began = performance.now();
    const incident = await new Promise<FrameIncident>((tell) =>
      fetchFile({ ...whole, url }, { connect }, systemClock, tell),
    );
    assert.ok(performance.now() - began >= 990, 'the patience for a body is over');
    assert.ok(incident.kind === 'downloaded' && !incident.complete && incident.body.length > 0);
    assert.equal(ends, []);
  });
});

/** A clock whose short waits are over sooner, and whose waits of ten seconds and more never are. */
function patient(factor: number): Clock {
  const { now, after } = faster(factor);
  return { now, after: (delayMs, run) => (delayMs < 10_000 ? after(delayMs, run) : { cancel() {} }) };
}

test('a connection to the broker that falls silent is noticed by the keepalive', async () => {
  const clock = patient(20);
  await withToyGateway({ said: () => undefined, get: () => undefined }, async (gateway) => {
    // 2 ** 5.9 bytes: after CONNECT, CONNACK and one PINGREQ.
    const air = openAir(climateOf({ halfOpen: 1 }), () => 0.33, clock);
    const credentials = { kind: 'password', password: 'any' } as const;
    const frame = {
      serial: 'epd7-00000000b001',
      credentials,
      mqttUrl: gateway.mqtt,
      connackMs: 60_000,
      connect: air.connect,
    };
    const told: FrameIncident[] = [];
    await new Promise<void>((lost) => {
      openSession(frame, clock, (incident) => {
        told.push(incident);
        if (incident.kind === 'link lost') lost();
      });
    });
    assert.equal(
      told.map(({ kind }) => kind),
      ['connected', 'link lost'],
    );
    assert.match(JSON.stringify(told[1]), 'eepalive');
    assert.not(gateway.timeline.includes('link gone'));
    air.end();
  });
});

test('over TLS and HTTP through a poor climate a frame shows its picture, and its connections end well', async () => {
  const world = {
    pictures: '',
    said({ topic, client, answer }: Parameters<Parameters<typeof withToyGateway>[0]['said']>[0]) {
      if (topic !== 'hello') return;
      const url = `${world.pictures}/f/7`;
      const picture = {
        upload: 'u7',
        fileVersion: 7,
        url,
        bytes: file.length,
        sha256: digestOf(file),
        format: 'nibble',
      };
      answer(`frames/1/${client}/desired`, { time: 1, settings: { sleepSeconds: 900 }, picture }, 1);
    },
    get: (_path: string, response: http.ServerResponse) =>
      response.writeHead(200, { 'content-length': file.length }).end(file),
  };
  await withToyGateway(world, async (gateway) => {
    world.pictures = gateway.http;
    const serial = 'epd7-00000000b002';
    const climate = { ...climateOf({ latencyMs: 20, jitterMs: 20, loss: 0.01, bytesPerSecond: 500_000 }) };
    const frame = { serial, dialect: 'native', credentials: await gateway.certificate(serial), climate } as const;
    const events = await gateway.run(frame, ({ event }) => event === 'asleep');
    assert.is(events.find(({ event }) => event === 'glass')?.sha256, digestOf(file));
    assert.equal(await Promise.all(gateway.gets.map((get) => get.end)), ['whole']);
    const [woke, glass] = ['woke', 'glass'].map((name) => events.find(({ event }) => event === name)?.at ?? 0);
    assert.ok(
      (glass ?? 0) - (woke ?? 0) >= 40 * 6,
      'TCP, TLS, CONNECT, SUBSCRIBE, hello and the download each take a round',
    );
  });
});

test.run();
