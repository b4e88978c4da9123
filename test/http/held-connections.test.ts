/** The connections of answers that came before the body was read. */
import { setTimeout as ms } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { heldMs, maxHeld } from '../../api/http/linger-close.ts';
import { systemClock, type Timer } from '../../runtime/clock.ts';
import { until } from '../gateway/world.ts';
import { announced, lump, organizations, type Pouring, pour, sendOn, wrongKey } from './pour.ts';
import { withHttp } from './world.ts';

const test = suite('held connections');

const { after: afterReally } = systemClock;

/** A clock whose timers for held connections run when they are told to. */
function heldClock() {
  const waiting: (() => void)[] = [];
  const after = (delayMs: number, run: () => void): Timer => {
    if (delayMs !== heldMs) return afterReally(delayMs, run);
    waiting.push(run);
    return { cancel: () => {} };
  };
  return { after, waiting };
}

test('T-35: a held connection ends after its time; beyond so many the oldest does', () => {
  const { after, waiting } = heldClock();
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
      for (const pouring of [...others, last]) await until(() => isGone(pouring), 'all are closed');
      for (const { answer } of [first, ...others, last]) assert.match(answer(), /^HTTP\/1\.1 401 .*\}$/s);
    },
    { after, callsPerMinute: 1000 },
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
