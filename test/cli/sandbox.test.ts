/** A service whose time is moved: what takes days of a frame and of an integration is seen in seconds. */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startIntegration } from '../../cli/demo/integration.ts';
import { readMark, refuseSandbox, requireSandbox, writeMark } from '../../cli/ground/sandbox-mark.ts';
import { listenForControl } from '../../cli/sandbox/control.ts';
import { openSandbox, type Sandbox } from '../../cli/sandbox/open-sandbox.ts';
import { readSpan } from '../../cli/sandbox/sandbox.ts';
import { papergate } from '../../client/papergate.ts';
import { sandboxTime } from '../../client/sandbox-time.ts';
import type { PapergateError } from '../../client/send.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { isWorthDrawing, movedClock } from '../../testbed/moved-time/moved-clock.ts';
import { countUnderWay } from '../../testbed/moved-time/under-way.ts';
import { freePorts } from '../../testbed/stage/stage.ts';
import { connectIntegration, eventually, postcardMeta } from '../journeys/world.ts';
import { longTest } from '../some-times.ts';

const test = suite('sandbox');
const hourMs = 3_600_000;
const began = Date.parse('2026-01-01T00:00:00Z');

async function withFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'papergate-sandbox-'));
  try {
    await run(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function withSandbox(frames: number, run: (sandbox: Sandbox) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    const env = { ...freePorts, PATH: process.env.PATH, PAPERGATE_BROWSER: process.env.PAPERGATE_BROWSER };
    const sandbox = await openSandbox({ folder, frames, env, logger: silentLogger, trace: () => {} });
    const second = { folder, frames, env, logger: silentLogger, trace: () => {} };
    const refused = await openSandbox(second).then(String, ({ message }: Error) => message);
    assert.match(refused, folder);
    try {
      await run(sandbox);
    } finally {
      await sandbox.stop();
    }
    assert.is((await readMark(folder))?.control, null);
  });
}

test('timers run in their order, each at its own time or hardly later, at a leap and at any speed', async () => {
  const clock = movedClock(began, () => false);
  const seen: [string, number][] = [];
  const { after: ring } = clock;
  const at = (name: string, afterMs: number) => ring(afterMs, () => seen.push([name, clock.now() - began]));
  at('second', 2 * hourMs);
  at('first', hourMs);
  at('late', 3 * hourMs);
  at('never', hourMs).cancel();
  clock.run(0);
  await pause(30);
  const stood = clock.now() - began;
  await clock.leap(2.5 * hourMs);
  assert.equal(
    seen.map(([name]) => name),
    ['first', 'second'],
  );
  for (const [at, [, time]] of seen.entries()) {
    const late = time - (at + 1) * hourMs;
    assert.ok(late >= 0 && late <= 30_000 + stood, String(late));
  }
  const before = clock.now();
  await pause(30);
  assert.is(clock.now(), before, 'it stands still');
  clock.run(100_000);
  await eventually('the last timer', async () => seen.length === 3);
  await clock.stop();
});

test('while something is under way time runs as the machine’s, also within a leap', async () => {
  let isBusy = true;
  const clock = movedClock(began, () => isBusy);
  clock.run(100_000);
  let isThere = false;
  const leap = clock.leap(48 * hourMs).then(() => {
    isThere = true;
  });
  await pause(200);
  assert.ok(clock.now() - began < 5_000, `${clock.now() - began} ms in 200`);
  assert.ok(clock.now() > began && !isThere);
  isBusy = false;
  await leap;
  assert.ok(clock.now() - began >= 48 * hourMs);
  await clock.stop();
});

longTest(test)(
  'a service leaps over days: frames wake on the way, one that is gone is missed, a message ends that nobody fetched',
  () =>
    withSandbox(2, async ({ http: url, apiKey, organizationId: organization, clock, fleet }) => {
      const { call } = papergate({ url, apiKey });
      clock.run(600);
      const [[present = '', frame] = [], [gone = ''] = []] = [...fleet.frames];
      const devices = await call('GET /devices/overview', { query: { organization } });
      const idOf = (serial: string): string => devices.find((device) => device.serial === serial)?.id ?? '';
      const meta = { text: 'Open from nine', orientation: 'landscape' };
      await call('POST /papers/', { body: { deviceId: idOf(present), kind: 'text', organization, meta } });
      const { boots } = (await frame?.untilShown()) ?? { boots: 0 };

      const integration = await startIntegration();
      try {
        const plugin = { deviceId: idOf(gone), kind: 'plugin', organization, meta: postcardMeta(integration) };
        const { id: paper } = await call('POST /papers/', { body: plugin });
        const push = await connectIntegration({ url, apiKey }, integration, paper);
        await fleet.remove(gone);
        await push.submit({ messageId: 'm1', text: 'Nobody fetches this' });
        await eventually('the message is prepared', async () => (await push.status()).deliveries.length > 0);
        await clock.leap(60 * hourMs);
        assert.ok((frame?.state.boots ?? 0) >= boots + 55, `${frame?.state.boots} starts`);
        assert.equal(
          (await push.status()).deliveries.map(({ state }) => state),
          ['unconfirmed'],
        );
        const after = await call('GET /devices/overview', { query: { organization } });
        const troubles = after.map(({ serial, trouble }) => [serial, trouble]);
        assert.equal(Object.fromEntries(troubles)[gone] !== null, true, JSON.stringify(troubles));
        assert.is(Object.fromEntries(troubles)[present], null);
      } finally {
        await integration.stop();
      }
    }),
);

test('time is moved over loopback, by programs and by no page; what cannot be is said', async () => {
  const clock = movedClock(began, () => false);
  const control = await listenForControl(clock, assert.unreachable);
  const ask = async (
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<[number, Record<string, unknown>]> => {
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const response = await fetch(control.address, { ...init, headers });
    return [response.status, (await response.json()) as Record<string, unknown>];
  };
  const [status, moved] = await ask({ speed: 0, leapMs: hourMs });
  assert.equal([status, moved.speed], [200, 0]);
  assert.match(String(moved.now), /^2026-01-01T01:00:0/);
  assert.equal((await ask())[1], moved);
  assert.ok(clock.now() - began >= hourMs);
  for (const body of [{}, { leapMs: -1 }, { speed: 'fast' }, { leapMs: 1e12 }, { leap: 5 }]) {
    const [refused, { error }] = await ask(body);
    assert.is(refused, 400, JSON.stringify(body));
    assert.match(String(error), 'leapMs');
  }
  assert.is((await ask({ leapMs: 1 }, { origin: 'https://example.org' }))[0], 403);
  assert.is((await fetch(`${control.address}/more`)).status, 404);
  await control.stop();
  await clock.stop();
  assert.equal(['90s', '48h', '7d', '5ms', '2m'].map(readSpan), [90_000, 172_800_000, 604_800_000, 5, 120_000]);
  for (const wrong of ['', '48', 'h', '-1h', '500d', '1h30', '0s']) {
    assert.throws(() => readSpan(wrong), /is not a span of time/, wrong);
  }
});

test('a program hears how far a leap is, and the answer to a long one shows early that it comes', async () => {
  const clock = movedClock(began, () => false);
  const control = await listenForControl(clock, assert.unreachable);
  try {
    const reached: number[] = [];
    const { now } = await sandboxTime(control.address).leap(48 * hourMs, (moment) => reached.push(+moment.now - began));
    assert.ok(+now - began >= 48 * hourMs);
    assert.is(reached.at(-1), +now - began);
    assert.equal(
      [...reached].sort((one, other) => one - other),
      reached,
    );
    let isBusy = true;
    const held = movedClock(began, () => isBusy);
    const slow = await listenForControl(held, assert.unreachable);
    const answer = await fetch(slow.address, { method: 'POST', body: JSON.stringify({ leapMs: 48 * hourMs }) });
    assert.is(answer.status, 200, 'its head is there while the leap waits');
    isBusy = false;
    assert.ok(Date.parse(((await answer.json()) as { now: string }).now) - began >= 48 * hourMs);
    await slow.stop();
    await held.stop();
  } finally {
    await control.stop();
    await clock.stop();
  }
});

test('a sandbox that is late, or that ends, is told from one that is not there', async () => {
  const { fetch: really } = globalThis;
  const said = async (cause: string): Promise<string> => {
    globalThis.fetch = () =>
      Promise.reject(new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: cause }) }));
    return sandboxTime('http://127.0.0.1:1/time')
      .leap(hourMs)
      .then(String, ({ code, message }: PapergateError) => `${code}: ${message}`);
  };
  try {
    assert.match(await said('UND_ERR_HEADERS_TIMEOUT'), /^timeout: .* did not answer in time$/);
    assert.match(await said('UND_ERR_SOCKET'), /^unreachable: .* ended the connection$/);
    assert.match(await said('ECONNREFUSED'), /^unreachable: No sandbox answers at /);
  } finally {
    globalThis.fetch = really;
  }
});

test('in a leap a page is drawn again some times, and always for the last wake', () => {
  const end = 48 * hourMs;
  const drawn = (everyMs: number): number[] => {
    const times: number[] = [];
    let last = 0;
    for (let wake = everyMs; wake <= end; wake += everyMs) {
      if (!isWorthDrawing(end, last, wake)) continue;
      last = wake;
      times.push(wake / hourMs);
    }
    return times;
  };
  assert.equal(drawn(hourMs), [24, 36, 42, 45, 47, 48]);
  assert.equal(drawn(13 * hourMs), [26, 39]);
  assert.ok(isWorthDrawing(undefined, 0, hourMs));
});

test('time stands at the machine’s speed until the connection of a last answer has ended', async () => {
  const underWay = countUnderWay();
  const server = createServer((request, response) => {
    // As a download does it, whose frame is to end the connection first.
    request.socket.destroySoon = () => void request.socket.end();
    response.writeHead(200, { connection: 'close' }).end('x');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true });
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(socket.resume(), 'end');
  assert.ok(underWay.isBusy(), 'the answer is sent, and nobody knows yet if it was taken');
  socket.end();
  await eventually('nothing is under way', async () => !underWay.isBusy());
  underWay.stop();
  server.close();
});

test('a service refuses the folder of a sandbox, and a sandbox that of a service', () =>
  withFolder(async (folder) => {
    assert.is(await requireSandbox(folder), undefined);
    refuseSandbox(folder);
    await writeFile(join(folder, 'papergate.sqlite'), '');
    const refused = await requireSandbox(folder).then(String, ({ message }: Error) => message);
    assert.match(refused, 'is the data folder of a service');
    await writeMark(folder, { now: began, control: null });
    assert.equal(await requireSandbox(folder), { now: began, control: null });
    assert.throws(() => refuseSandbox(folder), /is the folder of a sandbox/);
    await writeFile(join(folder, 'sandbox.json'), '{');
    assert.match(await readMark(folder).then(String, ({ message }: Error) => message), 'cannot be read');
  }));

test.run();
