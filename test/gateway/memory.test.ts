/** What floods cost in memory, read from a gateway in a process of its own (T-44, T-45). */
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'mqtt-packet';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { gatewayTables } from '../../gateway/gateway.ts';
import { openDatabase } from '../../gateway/runtime/database.ts';
import { crowd } from './crowd.ts';
import type { LonePorts } from './lone-gateway.ts';
import { type LoneProcess, startLone } from './lone-process.ts';
import { type MqttLine, openLine } from './mqtt-line.ts';
import { until } from './world.ts';

const test = suite('memory');
const mib = 1024 * 1024;

/** A gateway beside the test with two frames, whose names are their passwords. */
async function withLoneGateway(
  run: (gateway: LoneProcess<LonePorts>, open: (name?: string) => Promise<MqttLine>) => Promise<void>,
): Promise<void> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'papergate-memory-'));
  const db = await openDatabase({ file: join(dataFolder, 'papergate.sqlite') }, gatewayTables);
  const [serial = '', neighbour = ''] = await crowd(db, 2);
  await db.destroy();
  const gateway = await startLone<LonePorts>(join(import.meta.dirname, 'lone-gateway.ts'), dataFolder);
  try {
    await run(gateway, async (name = neighbour) => {
      const line = await openLine({ port: gateway.ready.plain });
      const clientId = name === 'flooder' ? serial : name;
      assert.is(await line.login({ clientId, username: clientId, password: clientId }), 0);
      assert.equal(await line.subscribe(`$aws/things/${clientId}/epaper/receive`), [0]);
      return line;
    });
  } finally {
    await gateway.end();
    await rm(dataFolder, { recursive: true });
  }
}

/** One message of 1 KiB, as often as wanted. */
function flood(times: number, more: { qos: 0 | 1 | 2; retain: boolean }): Buffer {
  const topic = 'frames/1/epd7-000000000000/hello';
  const payload = JSON.stringify({ boot: 1, more: 'x'.repeat(1000) });
  const one = generate({ cmd: 'publish', topic, payload, messageId: 7, dup: false, ...more });
  return Buffer.concat(Array.from({ length: times }, () => one));
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

test('T-44: 100,000 messages of one frame cost 50 MB at most, of any quality, also when nobody reads the answers', async () => {
  await withLoneGateway(async (gateway, open) => {
    const neighbour = await open();
    const warm = await open('flooder');
    await pour(warm.socket, flood(100, { qos: 1, retain: false }), 10);
    await warm.ping();
    const before = await gateway.memoryBytes();
    const hundred = flood(100, { qos: 1, retain: false });
    await pour(warm.socket, hundred, 500);
    await warm.ping();
    const deaf = await open('flooder');
    deaf.socket.pause();
    await pour(deaf.socket, flood(100, { qos: 0, retain: false }), 500);
    const after = await gateway.memoryBytes();
    assert.ok(after - before < 50 * mib, `${Math.round((after - before) / mib)} MB more`);
    for (const more of [
      { qos: 2, retain: false },
      { qos: 1, retain: true },
    ] as const) {
      const line = await open('flooder');
      await pour(line.socket, flood(100, more), 100);
      await line.ended();
    }
    const atLast = await gateway.memoryBytes();
    assert.ok(atLast - before < 50 * mib, `${Math.round((atLast - before) / mib)} MB more`);
    await neighbour.ping();
  });
});

test('T-45: thousands of silent sockets cost little, let frames in meanwhile, and are gone after five seconds', async () => {
  await withLoneGateway(async (gateway, open) => {
    const neighbour = await open();
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
    await (await open('flooder')).ping();
    const after = await gateway.memoryBytes();
    assert.ok((after - before) / count < 20 * 1024, `${Math.round((after - before) / count)} bytes each`);
    await until(() => closed === count, 'all are closed', 20_000);
    await neighbour.ping();
  });
});

test.run();
