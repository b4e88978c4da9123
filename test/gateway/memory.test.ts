/** The memory that floods cost, read from a gateway in a process of its own (T-44, T-45). */
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { generate } from 'mqtt-packet';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { gatewayTables } from '../../gateway/gateway.ts';
import { openDatabase } from '../../runtime/database/database.ts';
import { longTest } from '../some-times.ts';
import { crowd } from './crowd.ts';
import type { LonePorts } from './lone-gateway.ts';
import { type LoneProcess, startLone } from './lone-process.ts';
import { type MqttLine, openLine } from './mqtt-line.ts';
import { until } from './world.ts';

const test = suite('memory');
const mib = 1024 * 1024;

const serials = 7;

/** A gateway beside the test with some frames, whose names are their passwords. */
async function withLoneGateway(
  run: (gateway: LoneProcess<LonePorts>, open: (frame: number) => Promise<MqttLine>) => Promise<void>,
): Promise<void> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'papergate-memory-'));
  const db = await openDatabase({ file: join(dataFolder, 'papergate.sqlite') }, gatewayTables);
  const names = await crowd(db, serials);
  await db.destroy();
  const gateway = await startLone<LonePorts>(join(import.meta.dirname, 'lone-gateway.ts'), dataFolder);
  try {
    await run(gateway, async (frame) => {
      const line = await openLine({ port: gateway.ready.plain });
      const clientId = names[frame] ?? '';
      assert.is(await line.login({ clientId, username: clientId, password: clientId }), 0);
      assert.equal(await line.subscribe(`$aws/things/${clientId}/epaper/receive`), [0]);
      return line;
    });
  } finally {
    await gateway.end();
    await rm(dataFolder, { recursive: true });
  }
}

/** A hundred messages of one frame, of 4 KB unless said. */
function flood(frame: number, more: { qos: 0 | 1 | 2; retain: boolean }, characters = 3900): Buffer {
  const topic = `frames/1/epd7-00000000000${frame}/hello`;
  const payload = JSON.stringify({ boot: 1, more: 'x'.repeat(characters) });
  const one = generate({ cmd: 'publish', topic, payload, messageId: 7, dup: false, ...more });
  return Buffer.concat(Array.from({ length: 100 }, () => one));
}

/** Writes bytes so many times, as fast as they are taken. */
async function pour(socket: Socket, bytes: Buffer, times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    if (socket.destroyed) return;
    await new Promise<void>((resolve) => {
      const go = () => {
        socket.off('close', go);
        socket.off('drain', go);
        resolve();
      };
      socket.once('close', go);
      if (socket.write(bytes)) setImmediate(go);
      else socket.once('drain', go);
    });
  }
}

longTest(test)(
  'T-44, T-64: what five frames pour out without end costs 50 MB at most, of any quality, also when nobody reads the answers',
  async () => {
    await withLoneGateway(async (gateway, open) => {
      const neighbour = await open(0);
      const warm = await open(6);
      await pour(warm.socket, flood(6, { qos: 1, retain: false }, 100), 1);
      await warm.ping();
      const before = await gateway.memoryBytes();
      const lines = await Promise.all([1, 2, 3, 4, 5].map((frame) => open(frame)));
      for (const deaf of lines.slice(3)) deaf.socket.pause();
      const manners = [
        { qos: 1, retain: false },
        { qos: 0, retain: false },
        { qos: 2, retain: false },
        { qos: 1, retain: false },
        { qos: 1, retain: true },
      ] as const;
      let highest = 0;
      const pouring = Promise.all(
        lines.map(async ({ socket }, at) => {
          await pour(socket, flood(at + 1, manners[at] ?? { qos: 0, retain: false }), 10_000);
          assert.ok(socket.destroyed, 'it is cut off before all of that is taken');
        }),
      );
      let isOver = false;
      const over = pouring.finally(() => {
        isOver = true;
      });
      while (!isOver) {
        await neighbour.ping();
        highest = Math.max(highest, await gateway.memoryBytes());
        await pause(100);
      }
      await over;
      assert.ok(highest - before < 50 * mib, `${Math.round((highest - before) / mib)} MB more`);
    });
  },
);

longTest(test)(
  'T-45: thousands of silent sockets cost little, let frames in meanwhile, and are gone after five seconds',
  async () => {
    await withLoneGateway(async (gateway, open) => {
      const neighbour = await open(0);
      const before = await gateway.memoryBytes();
      const count = 3000;
      let opened = 0;
      let closed = 0;
      for (let at = 0; at < count; at++) {
        const socket = connect({ host: '127.0.0.1', port: gateway.ready.plain }, () => opened++);
        socket.on('error', () => {});
        socket.resume().once('close', () => closed++);
        // As many as wait in the kernel at once: it would let the rest believe to be connected.
        if (at % 200 === 199) await until(() => opened === at + 1, 'these are open', 10_000);
      }
      // Waits among them, and is let in.
      await (await open(1)).ping();
      const after = await gateway.memoryBytes();
      assert.ok((after - before) / count < 20 * 1024, `${Math.round((after - before) / count)} bytes each`);
      await until(() => closed === count, 'all are closed', 20_000);
      await neighbour.ping();
    });
  },
);

test.run();
