import net, { type AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../runtime/clock.ts';
import type { FleetFrame } from '../../simulator/fleet/fleet.ts';
import { startFleet } from '../../simulator/fleet/fleet.ts';
import { simulate } from '../../simulator/fleet/main.ts';

const test = suite('simulate');
const credentials = { kind: 'password', password: 'any' } as const;
const frames: FleetFrame[] = [
  { serial: 'epd7-000000000001', dialect: 'native', credentials },
  { serial: 'epd7-000000000002', dialect: 'classic', credentials },
];

/** A server that takes connections and says nothing at all. */
async function withMuteServer(use: (mqttUrl: string, sockets: ReadonlySet<net.Socket>) => Promise<void>) {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    socket.resume().on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await use(`mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets);
  } finally {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
}

for (const [json, line, summary] of [
  [
    true,
    /^\{"at":\d+,"serial":"epd7-00000000000[12]","event":"woke","reason":"button","batteryMv":6000\}$/,
    /^\{"event":"summary",.*"frames":2,.*"wakes":\{"due":0,"begun":2,"missed":0\}/,
  ],
  [
    false,
    /^\d\d:\d\d:\d\d\.\d{3} {2}epd7-00000000000[12] {2}woke {2}reason=button {2}batteryMv=6000$/,
    /^2 frames for \d+ ms: 2 wakes, 0 downloads, 0 failures$/,
  ],
] as const) {
  test(`prints ${json ? 'JSON' : 'short'} lines, sums up and ends on SIGTERM, with every connection`, async () => {
    await withMuteServer(async (mqttUrl, sockets) => {
      const lines: string[] = [];
      const print = (text: string): void => {
        lines.push(text);
        if (lines.length === 2) process.emit('SIGTERM', 'SIGTERM');
      };
      const picturePrefix = 'http://127.0.0.1:9';
      await simulate({
        frames,
        mqttUrl,
        picturePrefix,
        speed: 1,
        seed: 'x',
        clock: systemClock,
        json,
        print,
        warn: print,
      });
      for (const text of lines.slice(0, 2)) assert.match(text, line);
      assert.match(lines[2] ?? '', summary);
      while (sockets.size > 0) await new Promise((resolve) => setImmediate(resolve));
      assert.is(process.listenerCount('SIGTERM'), 0);
    });
  });
}

test('a broker that never answers CONNECT is a lost link after 1 s for a fielded frame (section 2)', async () => {
  await withMuteServer(async (mqttUrl) => {
    let heard: (why: unknown) => void = () => undefined;
    const lost = new Promise((resolve) => {
      heard = resolve;
    });
    const fleet = await startFleet({
      frames: frames.slice(1),
      mqttUrl,
      picturePrefix: 'http://127.0.0.1:9',
      speed: 1,
      seed: 'x',
      clock: systemClock,
      trace: ({ event, why }) => event === 'link lost' && heard(why),
    });
    assert.is(await lost, 'no CONNACK in time');
    await fleet.stop();
    assert.is(fleet.frames.get('epd7-000000000002')?.state.boots, 1);
  });
});

test('a serial of no known panel is refused', async () => {
  try {
    const frame = { serial: 'tv-1', dialect: 'native', credentials } as const;
    const nothing = { mqttUrl: 'mqtt://127.0.0.1:9', picturePrefix: '', speed: 1, seed: 'x', clock: systemClock };
    await startFleet({ ...nothing, frames: [frame], trace: () => undefined });
    assert.unreachable();
  } catch (error) {
    assert.match(String(error), 'no panel is known for tv-1');
  }
});

test.run();
