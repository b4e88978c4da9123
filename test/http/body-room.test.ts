/** Bodies within one bound for all callers: on the disk, in turns, fairly, and without leaving anything behind. */
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as ms } from 'node:timers/promises';
import { FormData } from 'undici';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { z } from 'zod';
import { openBodyRoom, refuseFullDisk } from '../../api/http/body-room.ts';
import { type AnyRoute, route } from '../../api/http/route.ts';
import { readContent } from '../../api/http/uploaded-file.ts';
import { Refusal } from '../../reasons/refusals.ts';
import { systemClock } from '../../runtime/clock.ts';
import { until } from '../gateway/world.ts';
import { type Pouring, pour } from './pour.ts';
import { type HttpWorld, type Person, withHttp } from './world.ts';

const test = suite('body room');
const mebibyte = 1024 * 1024;

/** A route that takes files and JSON of some size, and works on them until the test ends that. */
function slowRoute(bodyType: 'multipart' | 'bytes' | 'json') {
  const begun: string[] = [];
  let letGo = (): void => {};
  const enough = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const slow: AnyRoute = route('POST /slow', {
    summary: 'Works',
    bodyType,
    bodyLimitBytes: 8 * mebibyte,
    body: z.object({ text: z.string().optional() }),
    fileText: {
      name: 'text',
      takeOut: ({ text }, long) => ({
        body: {},
        files: text === undefined ? [] : [{ field: 'text', content: long ?? Buffer.from(text) }],
      }),
    },
    output: z.object({ files: z.array(z.object({ field: z.string(), bytes: z.number(), isOnDisk: z.boolean() })) }),
    async handle({ files, principal }) {
      begun.push(principal.accountId);
      await enough;
      const shown = files.map(async ({ field, content }) => {
        const { length: bytes } = await readContent(content);
        return { field, bytes, isOnDisk: 'path' in content };
      });
      return { files: await Promise.all(shown) };
    },
  });
  return { route: slow, begun, letGo };
}

const filesIn = ({ dataFolder }: HttpWorld): Promise<string[]> => readdir(join(dataFolder, 'bodies'));

/** Announces a body and sends so much of it. */
function begin(world: HttpWorld, as: Person, announced: number, sent = 0): Pouring {
  const type = 'Content-Type: application/octet-stream';
  const head = ['/slow HTTP/1.1', 'Host: x', `x-api-key: ${as.key}`, type, `Content-Length: ${announced}`];
  return pour(world.port, head, (socket) => void socket.write(Buffer.alloc(sent, 'x')));
}

test('T-61: large bodies are on the disk, one by one, and gone when they are answered', async () => {
  const slow = slowRoute('multipart');
  await withHttp(
    async (world) => {
      const form = new FormData();
      form.set('a', new Blob([Buffer.alloc(3 * mebibyte)]), 'a');
      form.set('b', new Blob([Buffer.from('b')]), 'b');
      form.set('text', 'x'.repeat(1000));
      const answered = world.call('POST', '/slow', { as: world.admin, body: form });
      await until(() => slow.begun.length === 1, 'the work has begun');
      assert.ok((await filesIn(world)).length >= 2);
      slow.letGo();
      const { status, json } = await answered;
      assert.is(status, 200);
      assert.equal(json.files.slice(0, 2), [
        { field: 'a', bytes: 3 * mebibyte, isOnDisk: true },
        { field: 'b', bytes: 1, isOnDisk: true },
      ]);
      assert.equal(await filesIn(world), []);
    },
    { moreRoutes: [slow.route] },
  );
});

test('T-61: what JSON holds as text is a file before the work on it begins', async () => {
  const slow = slowRoute('json');
  slow.letGo();
  await withHttp(
    async (world) => {
      for (const [bytes, isOnDisk] of [
        [1, false],
        [200_000, false],
        [300_000, true],
        [7 * mebibyte, true],
      ] as const) {
        const { json } = await world.call('POST', '/slow', { as: world.admin, json: { text: 'x'.repeat(bytes) } });
        assert.equal(json.files, [{ field: 'text', bytes, isOnDisk }]);
        assert.equal(await filesIn(world), []);
      }
    },
    { moreRoutes: [slow.route] },
  );
});

test('INV-66, T-61: beyond the bound the answer is 503 before the body is read; another organization finds room', async () => {
  const slow = slowRoute('bytes');
  await withHttp(
    async (world) => {
      const first = begin(world, world.admin, 3 * mebibyte, mebibyte);
      await until(async () => (await filesIn(world)).length === 1, 'the first has room');
      // The same organization with another account: there is room, and it would be more than is left free.
      const second = begin(world, world.user, 3 * mebibyte, 100);
      await until(() => second.answer().endsWith('}'), 'the second is answered');
      assert.match(second.answer(), /^HTTP\/1\.1 503 /);
      assert.match(second.answer(), /\r\nRetry-After: 10\r\n/);
      assert.match(second.answer(), /"code":"unavailable","message":"Too much is being uploaded"/);
      await until(() => second.ended[0] === 'end', 'our side is ended first');
      const other = begin(world, world.stranger, 2 * mebibyte, mebibyte);
      await until(async () => (await filesIn(world)).length === 2, 'another organization has room');
      for (const { socket } of [first, other]) socket.destroy();
      await until(async () => (await filesIn(world)).length === 0, 'what was given up is removed');
      slow.letGo();
      const body = Buffer.alloc(3 * mebibyte);
      assert.is((await world.call('POST', '/slow', { as: world.user, body })).status, 200);
    },
    { moreRoutes: [slow.route], bodyLimits: { diskBytes: 8 * mebibyte } },
  );
});

test('T-61: a body that does not say how long it is is refused where the room ends', async () => {
  const slow = slowRoute('bytes');
  slow.letGo();
  await withHttp(
    async (world) => {
      const head = ['/slow HTTP/1.1', 'Host: x', `x-api-key: ${world.admin.key}`, 'Transfer-Encoding: chunked'];
      const chunk = (bytes: number) => `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`;
      const endless = pour(world.port, head, (socket) => {
        const more = (): void => {
          while (socket.writable) if (!socket.write(chunk(100_000))) return void socket.once('drain', more);
        };
        more();
      });
      await until(() => endless.answer().endsWith('}'), 'it is refused');
      assert.match(endless.answer(), /^HTTP\/1\.1 503 /);
      assert.equal(await filesIn(world), []);
      // Byte by byte it is the same body.
      const slowly = pour(world.port, [...head, 'Connection: close'], (socket) => {
        for (let count = 0; count < 100_000; count++) socket.write(chunk(1));
        socket.write('0\r\n\r\n');
      });
      await until(() => slowly.answer().endsWith(']}'), 'the small one is taken');
      assert.match(slowly.answer(), /\{"files":\[\{"field":"body","bytes":100000,"isOnDisk":true\}\]\}/);
    },
    { moreRoutes: [slow.route], bodyLimits: { diskBytes: 4 * mebibyte } },
  );
});

test('T-61: memory has a bound, too, before small bodies are read', async () => {
  const slow = slowRoute('bytes');
  await withHttp(
    async (world) => {
      const held = begin(world, world.admin, 200_000, 100);
      await ms(200);
      const refused = begin(world, world.admin, 200_000, 100);
      await until(() => refused.answer().endsWith('}'), 'the second is answered');
      assert.match(refused.answer(), /^HTTP\/1\.1 503 /);
      held.socket.destroy();
    },
    { moreRoutes: [slow.route], bodyLimits: { memoryBytes: 500_000 } },
  );
});

test('T-60, T-61: bodies are worked on in turns, of one organization fewer; who waits too long may come again', async () => {
  const slow = slowRoute('bytes');
  await withHttp(
    async (world) => {
      const send = (as: Person) => world.call('POST', '/slow', { as, body: Buffer.alloc(10) });
      const own = [send(world.admin), send(world.user)];
      await until(() => slow.begun.length === 2, 'two of one organization');
      const late = await send(world.admin);
      assert.equal([late.status, late.json.code, late.headers['retry-after']], [503, 'unavailable', '10']);
      assert.is(slow.begun.length, 2);
      const other = send(world.stranger);
      await until(() => slow.begun.includes(world.stranger.accountId), 'another organization has its turn');
      slow.letGo();
      for (const { status } of await Promise.all([...own, other])) assert.is(status, 200);
    },
    { moreRoutes: [slow.route], bodyLimits: { maxWaitMs: 500 } },
  );
});

test('T-61: a disk that is nearly full, or full, refuses bodies in a clear sentence, and small ones go on', async () => {
  const slow = slowRoute('bytes');
  slow.letGo();
  await withHttp(
    async (world) => {
      const send = (bytes: number) => world.call('POST', '/slow', { as: world.admin, body: Buffer.alloc(bytes) });
      const refused = await send(mebibyte);
      assert.equal([refused.status, refused.json.message], [503, 'The disk is nearly full']);
      assert.is((await send(1000)).status, 200);
    },
    { moreRoutes: [slow.route], freeBytes: async () => 100 * mebibyte },
  );
  for (const code of ['ENOSPC', 'EDQUOT']) {
    const full = Object.assign(new Error('no space left'), { code });
    assert.throws(
      () => refuseFullDisk(full),
      (error: unknown) => error instanceof Refusal && error.code === 'unavailable',
    );
  }
  assert.throws(() => refuseFullDisk(new Error('a bug')), 'a bug');
});

test('T-83: a disk or a database that is full in the middle of a call is 503 with a sentence, never 500', async () => {
  let code = '';
  const failing = route('POST /failing', {
    audit: { none: 'a test' },
    summary: 'fails',
    output: z.object({}),
    refuses: [],
    async handle() {
      throw Object.assign(new Error('no room'), { code });
    },
  });
  await withHttp(
    async ({ call, admin }) => {
      for (code of ['ENOSPC', 'EDQUOT', 'SQLITE_FULL']) {
        const { status, json, headers } = await call('POST', '/failing', { as: admin });
        assert.equal([status, json.message], [503, 'The disk of the service has no room for it'], code);
        assert.ok(Number(headers['retry-after']) > 0);
      }
      code = 'EIO';
      assert.is(
        (await call('POST', '/failing', { as: admin })).status,
        500,
        'another failure of a disk is none of these',
      );
    },
    { moreRoutes: [failing] },
  );
});

test('T-35: what a process that died left behind is thrown away', () =>
  withHttp(async (world) => {
    const folder = join(world.dataFolder, 'bodies');
    await writeFile(join(folder, '7'), 'left');
    await openBodyRoom({ folder, clock: systemClock, freeBytes: async () => 0 });
    assert.equal(await filesIn(world), []);
  }));

test.run();
