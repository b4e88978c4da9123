/** The connections of answers that came before the body was read. */
import { setTimeout as ms } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { drainedMs, heldMs, maxHeld } from '../../api/http/linger-close.ts';
import { systemClock, type Timer } from '../../runtime/clock.ts';
import { until } from '../gateway/world.ts';
import { announced, largeBytes, lump, organizations, type Pouring, pour, sendOn, wrongKey } from './pour.ts';
import { withHttp } from './world.ts';

const test = suite('held connections');

const { after: afterReally } = systemClock;

/**
 * A clock whose timers for held connections run when the test runs them: first those that drain, then those that close.
 */
function heldClock() {
  const waiting: (() => void)[] = [];
  const closing: (() => void)[] = [];
  const after = (delayMs: number, run: () => void): Timer => {
    if (delayMs !== heldMs && delayMs !== drainedMs) return afterReally(delayMs, run);
    (delayMs === heldMs ? waiting : closing).push(run);
    return { cancel: () => {} };
  };
  return { after, waiting, closing };
}

test('T-35: a held connection ends after its time; beyond so many the oldest does', () => {
  const { after, waiting, closing } = heldClock();
  return withHttp(
    async ({ port }) => {
      const open = async (): Promise<Pouring> => {
        const pouring = pour(port, announced, (socket) => socket.write(lump));
        await until(() => pouring.ended.includes('end'), 'our side is ended');
        return pouring;
      };
      const first = await open();
      const others: Pouring[] = [];
      while (others.length < maxHeld - 1) others.push(await open());
      assert.equal(first.ended, ['end']);
      const last = await open();
      // Only the kernel knows of a reset before the client writes or asks.
      const isGone = ({ socket, ended }: Pouring) => ended.includes('close') || void socket.write(lump);
      await until(() => isGone(first), 'the oldest is closed');
      assert.equal(last.ended, ['end']);
      assert.is(waiting.length, maxHeld + 1);
      for (const run of waiting) run();
      assert.is(closing.length, maxHeld + 1);
      for (const run of closing) run();
      for (const pouring of [...others, last]) await until(() => isGone(pouring), 'all are closed');
      for (const { answer } of [first, ...others, last]) assert.match(answer(), /^HTTP\/1\.1 401 .*\}$/s);
    },
    { after, callsPerMinute: 1000 },
  );
});

/** Sends a whole body before it looks at what came back, as many libraries do. */
async function sendAllFirst(port: number, head: readonly string[], bytes: number): Promise<Pouring> {
  const sending: { pouring?: Pouring } = {};
  await new Promise((resolve) => {
    sending.pouring = pour(port, head, (socket) => socket.pause().write(Buffer.alloc(bytes, 'x'), resolve));
  });
  const { pouring } = sending;
  assert.ok(pouring !== undefined);
  pouring.socket.resume();
  return pouring;
}

test('INV-66: a client that looks at the answer only after it has sent everything gets it, and no reset', async () => {
  const { after, waiting } = heldClock();
  await withHttp(
    async ({ port, admin, server }) => {
      const read: (() => number)[] = [];
      server.on('connection', (socket) => read.push(() => socket.bytesRead));
      const key = `x-api-key: ${admin.key}`;
      const heads: [status: number, head: string[]][] = [
        [401, announced],
        [413, organizations(key, `Content-Length: ${largeBytes}`)],
        [415, organizations(key, 'Content-Encoding: br', `Content-Length: ${largeBytes}`)],
        [400, [`/organizations/ HTTP/1.1`, key, `Content-Length: ${largeBytes}`]],
        [400, ['/organizations/ HTTP/1.1', 'Host: x', 'Host: y', `Content-Length: ${largeBytes}`]],
      ];
      for (const [at, [status, head]] of heads.entries()) {
        const sent = sendAllFirst(port, head, largeBytes);
        await until(() => waiting.length === at + 1, `the answer ${status} is there`);
        assert.ok((read[at]?.() ?? 0) <= 2 * 64 * 1024, `${read[at]?.()} bytes were read`);
        waiting[at]?.();
        const { answer, ended } = await sent;
        await until(() => ended.includes('end'), 'the answer is read');
        assert.match(answer(), new RegExp(`^HTTP/1.1 ${status} .*\\}$`, 's'));
        assert.not(ended.includes('error'));
        (await sent).socket.destroy();
      }
    },
    { after },
  );
});

test('dropped bytes never become a request', () => {
  const { after, waiting } = heldClock();
  let requests = 0;
  return withHttp(
    async ({ port, admin, server }) => {
      server.on('request', () => requests++);
      const tail = organizations(`x-api-key: ${admin.key}`, 'Content-Length: 0');
      const { socket, ended } = pour(port, announced, () => {});
      await until(() => waiting.length === 1, 'the answer is there');
      for (const run of waiting) run();
      socket.write(Buffer.alloc(largeBytes, 'x'));
      await new Promise((resolve) => socket.write(`POST ${tail.join('\r\n')}\r\n\r\n`, resolve));
      socket.end();
      await until(() => ended.includes('close'), 'the connection is closed');
      assert.is(requests, 1);
    },
    { after },
  );
});

test('a stop does not wait for held connections', () => {
  const { after, waiting } = heldClock();
  return withHttp(
    async ({ port, server }) => {
      const pouring = pour(port, announced, (socket) => sendOn(socket));
      await until(() => pouring.ended.includes('end'), 'our side is ended');
      const closed = new Promise<boolean>((resolve) => server.close(() => resolve(true)));
      assert.is(await Promise.race([closed, ms(15_000, false, { ref: false })]), true);
      assert.is(waiting.length, 1);
    },
    { after },
  );
});

test('a refused call whose body came with its head keeps its connection', () =>
  withHttp(async ({ port, admin }) => {
    const { socket, answer, ended } = pour(
      port,
      organizations(`x-api-key: ${wrongKey}`, 'Content-Length: 0'),
      () => {},
    );
    const statuses = () => [...answer().matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
    const body = `{"name":"${'x'.repeat(20_000)}"}`;
    await until(() => statuses().length === 1, 'the first answer');
    for (const [key, status] of [
      [wrongKey, '401'],
      [admin.key, '400'],
      [wrongKey, '401'],
    ] as const) {
      const before = statuses();
      const head = organizations(`x-api-key: ${key}`, `Content-Length: ${body.length}`);
      socket.write(`POST ${head.join('\r\n')}\r\n\r\n${body}`);
      await until(() => statuses().length > before.length, 'the next answer');
      assert.is(statuses().at(-1), status);
    }
    assert.is(answer().split('Connection: keep-alive').length - 1, statuses().length);
    assert.equal(ended, []);
    socket.destroy();
  }));

test.run();
