/** A day of people and strangers: tabs that are closed, uploads that break off, scans. No line asks the operator to act. */
import { connect, type Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { furnish } from './matrix.ts';
import { type HttpWorld, withHttp } from './world.ts';

const test = suite('quiet log');

/** Sends a text as it is, and leaves in the middle: after the answer began, or after some time without one. */
async function leaveIn({ port }: HttpWorld, text: string | Buffer, waitMs: number): Promise<void> {
  const socket: Socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  await new Promise<void>((resolve) => socket.once('connect', () => resolve()));
  socket.write(text);
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, waitMs);
    for (const event of ['data', 'close'] as const) {
      socket.once(event, () => {
        clearTimeout(timer);
        resolve();
      });
    }
  });
  socket.destroy();
}

const loud = ({ log }: HttpWorld) => log.filter(({ level }) => level === 'warn' || level === 'error');

/** The calls of a world are over when the log has a line for each. */
async function until(condition: () => boolean): Promise<void> {
  for (let looks = 0; !condition() && looks < 3_000; looks++) await new Promise((resolve) => setTimeout(resolve, 20));
  assert.ok(condition());
}

test('streams and answers that are left, and uploads that break off, are not warnings', () =>
  withHttp(async (world) => {
    const { admin, log, changes } = world;
    const { ids, bearer } = await furnish(world, admin);
    const head = (line: string, ...more: string[]): string =>
      [`${line} HTTP/1.1`, 'Host: localhost', `x-api-key: ${admin.key}`, ...more, '', ''].join('\r\n');
    for (const waitMs of [0, 5, 60, 2_000]) await leaveIn(world, head('GET /changes/stream'), waitMs);
    await until(() => changes.open() === 0);
    for (let time = 0; time < 3; time++) await leaveIn(world, head('GET /openapi.json'), 2_000);

    const form = (path: string, length: string) =>
      `${head(`POST ${path}`, 'Content-Type: multipart/form-data; boundary=q', length)}--q\r\n` +
      `Content-Disposition: form-data; name="picture"; filename="x.png"\r\n\r\n${'A'.repeat(100_000)}`;
    const push = head(
      `POST /v1/integration-papers/connections/${ids.connection}/content`,
      `Authorization: ${bearer}`,
      'Content-Type: application/json',
      'Content-Length: 900000',
    );
    const broken = [
      form('/previews/?kind=epd7', 'Content-Length: 900000'),
      form(`/papers/uploadSingleImage/${ids.paper}`, 'Content-Length: 900000'),
      form(`/devices/uploadSingleImage/${ids.device}`, 'Content-Length: 900000'),
      `${head(`POST /papers/uploadSingleImage/${ids.paper}`, 'Content-Type: multipart/form-data; boundary=q', 'Transfer-Encoding: chunked')}40\r\n--q`,
      `${push}{"messageId":"cut","imageBase64":"${'A'.repeat(100_000)}`,
    ];
    const before = log.length;
    for (const text of broken) for (const waitMs of [0, 50]) await leaveIn(world, text, waitMs);
    await until(() => log.slice(before).filter(({ message }) => message === 'answered').length >= broken.length);
    assert.equal(loud(world), []);
  }));

test('strangers who guess, scan and send what is not HTTP are not warnings', () =>
  withHttp(
    async (world) => {
      const { call, log } = world;
      const paths = [
        '/.env',
        '/wp-login.php',
        '/..%2f..%2fetc/passwd',
        '/%00',
        '/%ff',
        `/${'a'.repeat(6_000)}`,
        '/f/none',
      ];
      for (const path of [...paths, '/signed/x', '/ota/none', '//evil.example/', '/%c0%ae']) {
        for (const method of ['GET', 'DELETE', 'PROPFIND']) await call(method, path);
      }
      for (const headers of [
        { 'x-api-key': 'wrong' },
        { authorization: 'Bearer a.b.c' },
        { cookie: 'papergate_session=guessed' },
      ]) {
        for (const path of ['/devices/', '/changes/stream', '/console/', '/metrics'])
          await call('GET', path, { headers });
      }
      const texts = [
        'nonsense\r\n\r\n',
        'GET / HTTP/1.1\r\n\r\n',
        'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
        '\x16\x03\x01\x02\x00',
      ];
      for (const text of [...texts, `GET / HTTP/1.1\r\nHost: a\r\nX: ${'y'.repeat(40_000)}\r\n\r\n`, 'GET / HT']) {
        await leaveIn(world, text, 100);
      }
      assert.ok(log.length > 40, `${log.length} lines`);
      assert.equal(loud(world), []);
    },
    { callsPerMinute: 10_000 },
  ));

test.run();
