/** Answers that come before the body was read. */
import type { Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { z } from 'zod';
import { heldMs } from '../../api/http/linger-close.ts';
import { type AnyRoute, route } from '../../api/http/route.ts';
import { refuse } from '../../reasons/refusals.ts';
import { systemClock } from '../../runtime/clock.ts';
import { until } from '../gateway/world.ts';
import { announced, largeBytes, lump, organizations, pour, sendOn, wrongKey } from './pour.ts';
import { sendElsewhere } from './send-elsewhere.ts';
import { type HttpWorld, type WorldOptions, withHttp } from './world.ts';

const test = suite('refusals before the body');

const { after: afterReally } = systemClock;
const megabyte = 1_000_000;
const maxReadBytes = 64 * 1024;

/** Returns the bytes that the server has read of each connection, its heads included. */
function countReading({ server }: HttpWorld): () => number[] {
  const sockets: Socket[] = [];
  server.on('connection', (socket) => sockets.push(socket));
  return () => sockets.map(({ bytesRead }) => bytesRead);
}

/** A server whose connections are held, and not drained, until the end. */
const withHeld = (work: (world: HttpWorld) => Promise<void>, more: WorldOptions = {}): Promise<void> =>
  withHttp(work, { ...more, after: (ms, run) => (ms === heldMs ? { cancel() {} } : afterReally(ms, run)) });

/** Where pictures are uploaded, on both surfaces. */
const uploads = ({ url }: HttpWorld): string[] =>
  ['', '/v1'].map((surface) => `${url}${surface}/papers/uploadSingleImage/${'a'.repeat(24)}`);

test('INV-66, C-32, C-37: a client that is still sending learns of a wrong key, every time and on both surfaces', () =>
  withHeld(
    async (world) => {
      const sending = { urls: uploads(world), times: 10, key: wrongKey, as: 'form' } as const;
      for (const bytes of [7_000, 70_000]) {
        assert.equal(new Set(await sendElsewhere({ ...sending, bytes })), new Set(['401']), `${bytes} bytes`);
      }
      // Connections of their own.
      const read = countReading(world);
      for (const bytes of [0.7 * megabyte, 5 * megabyte]) {
        assert.equal(new Set(await sendElsewhere({ ...sending, bytes })), new Set(['401']), `${bytes} bytes`);
      }
      assert.is(read().length, 40);
      assert.ok(Math.max(...read()) <= maxReadBytes, `${Math.max(...read())} bytes were read`);
    },
    { callsPerMinute: 1000 },
  ));

test('C-36, T-34: so are 413, that the field knows as 400, and 429 with its seconds', () =>
  withHttp(
    async (world) => {
      const { url, admin, call } = world;
      const json = { key: admin.key, as: 'json', bytes: 5 * megabyte, times: 5 } as const;
      assert.equal(new Set(await sendElsewhere({ ...json, urls: [`${url}/organizations/`] })), new Set(['413']));
      assert.equal(new Set(await sendElsewhere({ ...json, urls: [`${url}/v1/organizations/`] })), new Set(['400']));
      while ((await call('GET', '/organizations', { as: admin })).status === 200);
      const form = { ...json, as: 'form', urls: uploads(world) } as const;
      for (const spent of await sendElsewhere(form)) assert.match(spent, /^429 after [1-9]\d?$/);
    },
    { callsPerMinute: 30 },
  ));

test('INV-66: the whole answer and our end of the connection come while less than 64 KiB are read', () =>
  withHeld(async (world) => {
    const read = countReading(world);
    const chunked = organizations(`x-api-key: ${wrongKey}`, 'Transfer-Encoding: chunked');
    const chunk = Buffer.concat([Buffer.from('4000\r\n'), lump, Buffer.from('\r\n')]);
    const all = [
      pour(world.port, organizations(`Content-Length: ${largeBytes}`), (socket) => sendOn(socket)),
      pour(world.port, announced, (socket) => sendOn(socket)),
      pour(world.port, chunked, (socket) => sendOn(socket, () => socket.write(chunk))),
    ];
    for (const { answer, ended } of all) {
      await until(() => ended.includes('end'), 'our side is ended');
      assert.match(answer(), /^HTTP\/1\.1 401 /);
      assert.match(answer(), /\r\nConnection: close\r\n/i);
      assert.match(answer(), /\r\n\r\n\{.*\}$/);
      assert.equal(ended, ['end']);
    }
    assert.is(read().length, 3);
    for (const bytes of read()) assert.ok(bytes <= maxReadBytes, `${bytes} bytes were read`);
  }));

/** A route that judges when the test has it do so, and then reads large bodies. */
function slowRoute(): { readonly route: AnyRoute; judge(verdict: 'fine' | 'refused'): void; asked(): number } {
  let asked = 0;
  let decide = (_verdict: string): void => {};
  const slow = route('POST /slow', {
    summary: 'Waits',
    access: 'anyone',
    bodyLimitBytes: largeBytes,
    body: z.object({ text: z.string() }),
    output: z.object({ length: z.number() }),
    async admit() {
      asked++;
      const verdict = await new Promise<string>((resolve) => {
        decide = resolve;
      });
      if (verdict === 'refused') throw refuse('access-denied');
    },
    handle: async ({ body }) => ({ length: body.text.length }),
  });
  return { route: slow, judge: (verdict) => decide(verdict), asked: () => asked };
}

test('INV-66: also while the headers are judged, a large body waits on the line, and is read once they are fine', () => {
  const slow = slowRoute();
  return withHttp(
    async (world) => {
      const read = countReading(world);
      const text = 'x'.repeat(5 * megabyte);
      const body = JSON.stringify({ text });
      for (const [count, verdict] of (['refused', 'fine', 'refused', 'fine'] as const).entries()) {
        const length = count < 2 ? `Content-Length: ${body.length}` : 'Transfer-Encoding: chunked';
        const type = 'Content-Type: application/json';
        const { socket, answer } = pour(world.port, ['/slow HTTP/1.1', 'Host: x', type, length], () => {});
        await until(() => slow.asked() === count + 1, 'the headers are there');
        const headBytes = read()[count] ?? 0;
        socket.write(count < 2 ? body : `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
        for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
        assert.is(read()[count], headBytes);
        slow.judge(verdict);
        await until(() => answer().endsWith('}'), 'the answer');
        assert.match(answer(), verdict === 'fine' ? `{"length":${text.length}}` : /^HTTP\/1\.1 403 /);
        if (verdict === 'refused') assert.is(read()[count], headBytes);
        socket.destroy();
      }
    },
    { moreRoutes: [slow.route] },
  );
});

test('C-03, INV-66: past the limit of a body without a length nothing more is read', () =>
  withHeld(async (world) => {
    const read = countReading(world);
    const head = organizations(`x-api-key: ${world.admin.key}`, 'Transfer-Encoding: chunked');
    const chunk = Buffer.concat([Buffer.from('4000\r\n'), lump, Buffer.from('\r\n')]);
    const { answer, ended } = pour(world.port, head, (socket) => sendOn(socket, () => socket.write(chunk)));
    await until(() => ended.includes('end'), 'our side is ended');
    assert.match(answer(), /^HTTP\/1\.1 413 /);
    assert.match(answer(), /"code":"body-too-large"/);
    assert.equal(ended, ['end']);
    // The limit of 256 KiB, and what was on its way when it was reached.
    assert.ok(Number(read()[0]) < 512 * 1024, `${read()} bytes were read`);
  }));

test.run();
