import { connect } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { z } from 'zod';
import { type AnyRoute, route } from '../../api/http/route.ts';
import { type HttpWorld, withHttp } from './world.ts';

const test = suite('http bodies');
const asJson = { 'content-type': 'application/json' };

const echo: AnyRoute = route('POST /echo', {
  summary: 'Answers what it was given',
  access: 'anyone',
  body: z.object({ value: z.unknown() }),
  output: z.object({ value: z.unknown() }),
  handle: async ({ body }) => ({ value: body.value ?? null }),
});
const broken: AnyRoute = route('GET /broken', {
  summary: 'Fails as a bug would',
  access: 'anyone',
  output: z.object({}),
  handle: async () => {
    throw new Error('the secret of the implementation');
  },
});
const moreRoutes = [echo, broken];

const deep = (levels: number): string => `{"value":${'['.repeat(levels)}${']'.repeat(levels)}}`;

test('T-18, T-34: bodies that are not plain JSON get 400, 413 or 415, and the next request works', () =>
  withHttp(
    async ({ call, admin }) => {
      const refused: [string, number, string, string | Buffer, Record<string, string>][] = [
        ['broken', 400, 'invalid-json', '{"value":', asJson],
        ['trailing text', 400, 'invalid-json', '{"value":1}x', asJson],
        ['single quotes', 400, 'invalid-json', "{'value':1}", asJson],
        ['a form labelled JSON', 400, 'invalid-json', 'value=1', asJson],
        ['an open text', 400, 'invalid-json', '{"value":"\\"', asJson],
        ['bad UTF-8', 400, 'invalid-json', Buffer.from([0x22, 0xc3, 0x28, 0x22]), asJson],
        ['half a pair', 400, 'invalid-json', '{"value":"\\ud800"}', asJson],
        ['NUL in a text', 400, 'invalid-json', '{"value":"a\\u0000"}', asJson],
        ['NUL in a name', 400, 'invalid-json', '{"value":{"\\u0000":1}}', asJson],
        ['beyond a double', 400, 'invalid-json', '{"value":1e999}', asJson],
        ['65 levels', 400, 'invalid-json', deep(64), asJson],
        ['a million lists', 413, 'body-too-large', deep(1_000_000), asJson],
        ['100,000 lists', 400, 'invalid-json', deep(100_000), asJson],
        ['too many values', 400, 'invalid-json', `[${'1,'.repeat(100_001)}1]`, asJson],
        ['__proto__', 400, 'invalid-json', '{"value":{"__proto__":{"admin":true}}}', asJson],
        ['__proto__ in disguise', 400, 'invalid-json', '{"value":{"\\u005f_proto__":{}}}', asJson],
        ['constructor', 400, 'invalid-json', '{"value":[{"constructor":{"prototype":{}}}]}', asJson],
        ['a name twice', 400, 'invalid-json', '{"value":1,"value":1}', asJson],
        ['a name twice in disguise', 400, 'invalid-json', '{"value":{"a":1,"\\u0061":2}}', asJson],
        ['an empty name twice', 400, 'invalid-json', '{"value":[{"":{}, "b":":", "" : []}]}', asJson],
        ['a bare text', 400, 'invalid-request', '"value"', asJson],
        ['a bare list', 400, 'invalid-request', '[1]', asJson],
        ['null', 400, 'invalid-request', 'null', asJson],
        ['no type', 415, 'unsupported-type', '{"value":1}', {}],
        ['a form', 415, 'unsupported-type', 'value=1', { 'content-type': 'application/x-www-form-urlencoded' }],
        ['text', 415, 'unsupported-type', '{"value":1}', { 'content-type': 'text/plain' }],
        ['UTF-16', 415, 'unsupported-type', '{"value":1}', { 'content-type': 'application/json; charset=utf-16' }],
        ['compressed', 415, 'unsupported-type', 'x', { ...asJson, 'content-encoding': 'gzip' }],
        ['too large', 413, 'body-too-large', `{"value":"${'x'.repeat(256 * 1024)}"}`, asJson],
      ];
      for (const [name, status, code, body, headers] of refused) {
        const answer = await call('POST', '/echo', { body, headers });
        assert.is(answer.status, status, name);
        assert.is(answer.json.code, code, name);
        if (name === 'half a pair') assert.is(answer.json.message, 'A text in the body is not valid Unicode');
        if (name === 'NUL in a text') assert.is(answer.json.message, 'A text in the body holds a NUL');
      }
      assert.is(Object.hasOwn(Object.prototype, 'admin'), false);
      assert.is((await call('GET', '/organizations', { as: admin })).status, 200);
    },
    { moreRoutes },
  ));

test('T-34: of a name that stands twice neither is taken, and the answer says where it stands', () =>
  withHttp(
    async ({ call }) => {
      const places: readonly (readonly [string, string])[] = [
        ['{"value":1,"value":2}', 'value'],
        ['{"value":{"a":{"b":1},"c":[],"a":{}}}', 'value.a'],
        ['{"value":[0,[{"a":1},{"x":"\\"a\\":","a\\"":1,"a\\u0022":2}]]}', 'value.1.1.a"'],
        ['{"value":{"\\ud83d\\ude00":1, "😀":2}}', 'value.😀'],
      ];
      for (const [body, place] of places) {
        const { status, json } = await call('POST', '/echo', { body, headers: asJson });
        assert.equal([status, json.message, json.hint], [400, 'A name stands twice in an object', place], body);
      }
      // The same name in another object, in a text or in another case is another one.
      const good = '{"value":[{"a":{"a":1}},{"a":"a\\":","A":["a","a"],"":":,{[","b":{"":1,"a":{}}}]}';
      const taken = await call('POST', '/echo', { body: good, headers: asJson });
      assert.equal(taken.json, JSON.parse(good));
    },
    { moreRoutes },
  ));

test('plain JSON of every sort comes through as it is', () =>
  withHttp(
    async ({ call }) => {
      const values = ['', 'ä€😀', '\\" [{,', 0, -1.5, true, null, [[], {}], { a: { b: ['{', '"'] } }, 'x'.repeat(1000)];
      for (const value of values) {
        assert.equal((await call('POST', '/echo', { json: { value } })).json, { value });
      }
      const escaped = await call('POST', '/echo', { body: '{"value":"\\ud83d\\ude00"}', headers: asJson });
      assert.equal(escaped.json, { value: '😀' });
      assert.is((await call('POST', '/echo', { body: deep(63), headers: asJson })).status, 200);
      const upper = { 'content-type': 'Application/JSON; charset="UTF-8"' };
      assert.is((await call('POST', '/echo', { body: '{"value":1}', headers: upper })).status, 200);
    },
    { moreRoutes },
  ));

test('a bug answers 500 with a request id and nothing of itself; the log has it under that id', () =>
  withHttp(
    async ({ call, log }) => {
      const answer = await call('GET', '/broken');
      assert.is(answer.status, 500);
      assert.is(answer.json.code, 'internal-error');
      assert.is(answer.json.requestId, answer.headers['x-request-id']);
      assert.not.match(answer.text, 'secret');
      const failed = log.find(({ level }) => level === 'error');
      assert.is(failed?.fields.requestId, answer.json.requestId);
      assert.match(String(failed?.fields.error), 'the secret of the implementation');
    },
    { moreRoutes },
  ));

/** Sends a request head and as much body as the server takes; resolves when the server closes the connection. */
function pour(world: HttpWorld, head: string[], bodyBytes: number): Promise<{ answer: string }> {
  return new Promise((resolve, reject) => {
    const socket = connect(world.port, '127.0.0.1');
    let answer = '';
    const lump = Buffer.alloc(16 * 1024, 'x');
    let left = bodyBytes;
    const pump = (): void => {
      while (left > 0 && socket.writable) {
        left -= lump.length;
        if (!socket.write(lump)) return void socket.once('drain', pump);
      }
    };
    socket.on('connect', () => {
      socket.write(`${head.join('\r\n')}\r\n\r\n`);
      pump();
    });
    socket.on('data', (data) => {
      answer += data.toString('latin1');
    });
    socket.on('error', (error) => (answer === '' ? reject(error) : undefined));
    socket.on('close', () => resolve({ answer }));
  });
}

const largeBytes = 28 * 1024 * 1024;
const headOf = (...more: string[]): string[] => ['POST /organizations/ HTTP/1.1', 'Host: x', ...more];

test('INV-66: a client that asks first is refused without a word to go on, and otherwise told to go on', () =>
  withHttp(async (world) => {
    const expect = ['Expect: 100-continue', 'Content-Type: application/json', 'Connection: close'];
    const refused = await pour(world, headOf(...expect, `Content-Length: ${largeBytes}`), 0);
    assert.match(refused.answer, /^HTTP\/1\.1 401 /);
    const key = `x-api-key: ${world.admin.key}`;
    const tooLarge = await pour(world, headOf(...expect, key, `Content-Length: ${largeBytes}`), 0);
    assert.match(tooLarge.answer, /^HTTP\/1\.1 413 /);
    const accepted = await pour(world, headOf(...expect, key, 'Content-Length: 16384'), 16384);
    assert.match(accepted.answer, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 400 /);
  }));

test('INV-69: a caller that expects what is not known is answered like any other', () =>
  withHttp(async (world) => {
    const path = '/v1/integration-papers/connections/x/status';
    const { answer } = await pour(
      world,
      [`GET ${path} HTTP/1.1`, 'Host: x', 'Expect: foo', 'Connection: close', '', ''],
      0,
    );
    assert.match(answer, /^HTTP\/1\.1 401 /);
    assert.match(answer, /\r\nCache-Control: no-store\r\n/i);
  }));

test('INV-65: whatever stands for a connection id, the answer is that of an unknown one', () =>
  withHttp(async ({ call }) => {
    const paths = ['%00', 'x', '%00'.repeat(24), '0'.repeat(24)].map(
      (id) => `/v1/integration-papers/connections/${id}`,
    );
    for (const path of paths) {
      for (const [method, more] of [
        ['GET', '/status'],
        ['DELETE', ''],
        ['POST', '/content'],
      ] as const) {
        const { status, json } = await call(method, `${path}${more}`, method === 'POST' ? { json: {} } : {});
        assert.equal([status, json.code], [401, 'connection-unauthorized'], `${method} ${path}`);
      }
    }
  }));

test('T-34: a request that two readers could take for two different ones is refused before anything looks at it', () =>
  withHttp(async (world) => {
    const line = 'POST /organizations/ HTTP/1.1';
    const chunked = 'Transfer-Encoding: chunked';
    const refused: readonly (readonly [name: string, head: readonly string[], says: RegExp])[] = [
      ['two hosts', [line, 'Host: x', 'Host: y'], /There is more than one Host header/],
      ['the same host twice', [line, 'Host: x', 'X-Between: 1', 'hOST: x'], /There is more than one Host header/],
      ['two hosts before HTTP/1.1', ['GET / HTTP/1.0', 'Host: x', 'Host: x'], /There is more than one Host header/],
      ['two hosts at a door', ['GET /image/x HTTP/1.1', 'Host: x', 'Host: y'], /There is more than one Host header/],
      ['no host', [line], /The Host header is missing/],
      ['two lengths', [line, 'Host: x', 'Content-Length: 2', 'Content-Length: 3'], /This is not HTTP/],
      ['two lengths in a line', [line, 'Host: x', 'Content-Length: 2, 3'], /This is not HTTP/],
      ['a length and chunks', [line, 'Host: x', 'Content-Length: 2', chunked], /This is not HTTP/],
      ['chunks twice', [line, 'Host: x', chunked, 'Transfer-Encoding: identity'], /This is not HTTP/],
      ['chunks before another coding', [line, 'Host: x', 'Transfer-Encoding: chunked, gzip'], /This is not HTTP/],
    ];
    for (const [name, head, says] of refused) {
      const { answer } = await pour(world, [...head], 0);
      assert.match(answer, /^HTTP\/1\.1 400 /, name);
      assert.match(answer, says, name);
      assert.is(answer.split('HTTP/1.1 ').length, 2, `${name}: one answer`);
    }
    assert.equal(world.log, []);
  }));

test('INV-69: what is not HTTP is answered in the one shape, and not to be stored', () =>
  withHttp(async (world) => {
    const garbage = await pour(world, ['GET nonsense'], 0);
    assert.match(garbage.answer, /^HTTP\/1\.1 400 /);
    const huge = await pour(world, ['GET / HTTP/1.1', 'Host: x', `X-Long: ${'x'.repeat(20_000)}`], 0);
    assert.match(huge.answer, /^HTTP\/1\.1 431 /);
    const nameless = await pour(world, ['GET /v1/integration-papers/connections/x/status HTTP/1.1', '', ''], 0);
    assert.match(nameless.answer, /^HTTP\/1\.1 400 [\s\S]*The Host header is missing/);
    for (const { answer } of [garbage, huge, nameless]) {
      assert.match(answer, /\r\nCache-Control: no-store\r\n/);
      assert.match(answer, /\r\n\r\n\{"code":"[a-z-]+","message":"[^"]+"\}$/);
    }
  }));

test.run();
