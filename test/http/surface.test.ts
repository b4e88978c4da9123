import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withHttp } from './world.ts';

const test = suite('http surface');

test('A-3, C-01: every path works with and without trailing slash, for every method, without a redirect', () =>
  withHttp(async ({ call, admin }) => {
    for (const slash of ['', '/']) {
      const listed = await call('GET', `/organizations${slash}`, { as: admin });
      assert.is(listed.status, 200);
      assert.is(listed.json.length, 1);
      const created = await call('POST', `/devices${slash}`, {
        as: admin,
        json: { organization: admin.organizationId },
      });
      assert.is(created.status, 200);
      const id = created.json.id;
      assert.is((await call('GET', `/devices/${id}${slash}`, { as: admin })).json.id, id);
      assert.is((await call('DELETE', `/devices/${id}${slash}`, { as: admin })).status, 200);
      const changed = await call('PATCH', `/users/${admin.userId}${slash}`, { as: admin, json: { name: 'Ada L' } });
      assert.equal([changed.json.id, changed.json.name], [admin.userId, 'Ada L']);
    }
  }));

test('C-02: a JSON content type with an empty body is an empty body, whatever the method', () =>
  withHttp(async ({ call, admin }) => {
    const headers = { 'content-type': 'application/json' };
    const { json } = await call('POST', '/devices/', { as: admin, json: { organization: admin.organizationId } });
    assert.is((await call('GET', `/devices/${json.id}`, { as: admin, headers })).status, 200);
    assert.is((await call('POST', `/devices/${json.id}`, { as: admin, headers, body: '' })).status, 200);
    assert.is((await call('DELETE', `/devices/${json.id}`, { as: admin, headers })).status, 200);
    const missing = await call('POST', '/organizations/', { as: admin, headers, body: '' });
    assert.is(missing.status, 400);
    assert.match(missing.json.hint, /^kind: /);
  }));

test('unknown paths and wrong methods answer in the one error shape', () =>
  withHttp(async ({ call, admin }) => {
    const absent = await call('GET', '/nothing/here', { as: admin });
    assert.is(absent.status, 404);
    assert.equal(absent.json, { code: 'not-found', message: 'No such route' });
    const wrong = await call('PUT', '/organizations/', { as: admin });
    assert.is(wrong.status, 405);
    assert.equal(wrong.json, {
      code: 'method-not-allowed',
      message: 'Method not allowed',
      hint: 'use GET, HEAD, POST',
    });
    assert.is(wrong.headers.allow, 'GET, HEAD, POST');
    for (const path of ['/v1', '/v1/', '/v1?a=1', '/v1/nothing']) {
      const { status, json } = await call('GET', path, { as: admin });
      assert.equal([status, json], [404, { code: 404, message: 'No such route', raw: null }], `C-31: ${path}`);
    }
    assert.is((await call('GET', '/v1x', { as: admin })).json.code, 'not-found');
    for (const answer of [absent, wrong]) assert.match(String(answer.headers['content-type']), /^application\/json/);
  }));

test('HEAD is answered as GET without a body; OPTIONS is not a method of any route', () =>
  withHttp(async ({ call, admin }) => {
    const { json } = await call('POST', '/devices/', { as: admin, json: { organization: admin.organizationId } });
    const path = `/devices/${json.id}`;
    const [got, head] = [await call('GET', path, { as: admin }), await call('HEAD', path, { as: admin })];
    assert.is(got.headers['content-type'], 'application/json; charset=utf-8');
    assert.is(Number(got.headers['content-length']), Buffer.byteLength(got.text));
    assert.is(head.status, 200);
    assert.is(head.text, '');
    for (const name of ['content-type', 'content-length']) assert.is(head.headers[name], got.headers[name]);
    const options = await call('OPTIONS', path, { as: admin });
    assert.is(options.status, 405);
    assert.is(options.headers.allow, 'DELETE, GET, HEAD, POST');
  }));

test('INV-69: everything below /v1/integration-papers is not to be stored, 404 and 405 too', () =>
  withHttp(async ({ call }) => {
    for (const path of ['/v1/integration-papers', '/v1/integration-papers/', '/v1/integration-papers/nowhere/x']) {
      assert.is((await call('GET', path)).headers['cache-control'], 'no-store', path);
    }
    assert.is((await call('GET', '/v1/integration-papersx')).headers['cache-control'], undefined);
  }));

test('routes marked so are not to be stored, refusals included', () =>
  withHttp(async ({ call, admin }) => {
    const created = await call('POST', '/tokens/', { as: admin, json: { name: 'a' } });
    assert.is(created.headers['cache-control'], 'no-store');
    const refused = await call('POST', '/tokens/', { json: { name: 'a' } });
    assert.is(refused.status, 401);
    assert.is(refused.headers['cache-control'], 'no-store');
  }));

test('every answer forbids sniffing and referrers, and names its request', () =>
  withHttp(async ({ call, admin }) => {
    const first = await call('GET', '/organizations', { as: admin });
    const second = await call('GET', '/organizations');
    for (const { headers } of [first, second]) {
      assert.is(headers['x-content-type-options'], 'nosniff');
      assert.is(headers['referrer-policy'], 'no-referrer');
      assert.match(String(headers['x-request-id']), /^[0-9a-f]{24}$/);
    }
    assert.is.not(first.headers['x-request-id'], second.headers['x-request-id']);
  }));

test('T-12: the log has the pattern of a route, never its URL', () =>
  withHttp(async ({ call, admin, log }) => {
    await call('GET', `/devices/${admin.userId}?search=secretword`, { as: admin });
    await call('GET', '/elsewhere/secretword');
    const answered = log.filter(({ message }) => message === 'answered');
    assert.equal(
      answered.map(({ fields }) => [fields.method, fields.route, fields.status]),
      [
        ['GET', '/devices/:deviceId', 404],
        ['GET', undefined, 404],
      ],
    );
    assert.not.match(JSON.stringify(log), 'secretword');
    assert.not.match(JSON.stringify(log), admin.key);
  }));

test('while the service is not ready every route says 503 with whole seconds to wait', async () => {
  let isReady = false;
  await withHttp(
    async ({ call, admin }) => {
      const answer = await call('GET', '/organizations', { as: admin });
      assert.is(answer.status, 503);
      assert.is(answer.json.code, 'unavailable');
      assert.match(String(answer.headers['retry-after']), /^[1-9]\d*$/);
      isReady = true;
      assert.is((await call('GET', '/organizations', { as: admin })).status, 200);
    },
    { isReady: () => isReady },
  );
});

test('A-19: the status needs no credential, tells failures as down, and knows its kinds', () =>
  withHttp(async ({ call, passes }) => {
    passes(90_000);
    const api = await call('GET', '/iotdevice/status/api');
    assert.is(api.status, 200);
    assert.is(api.json.status, 'ok');
    assert.ok(api.json.uptimeSeconds >= 90);
    assert.is((await call('GET', '/iotdevice/status/mqtt')).json.status, 'down');
    for (const kind of ['nothing', '__proto__', 'constructor', 'toString']) {
      assert.is((await call('GET', `/iotdevice/status/${kind}`)).status, 404, kind);
    }
  }));

test('300 requests a minute and account; the 301st gets 429 with whole seconds, and another account goes on', () =>
  withHttp(
    async ({ call, admin, user }) => {
      for (let count = 0; count < 5; count++) {
        assert.is((await call('GET', '/organizations', { as: admin })).status, 200);
      }
      const spent = await call('GET', '/organizations', { as: admin });
      assert.is(spent.status, 429);
      assert.is(spent.json.code, 'rate-limited');
      assert.match(String(spent.headers['retry-after']), /^([1-9]|[1-5]\d|60)$/);
      assert.is((await call('GET', '/organizations', { as: user })).status, 200);
    },
    { callsPerMinute: 5 },
  ));

test('T-23: neither more keys nor a token nor another organization give an account more calls', () =>
  withHttp(
    async ({ call, admin, user, issuer }) => {
      const made = await call('POST', '/tokens', { as: admin, json: { name: 'another' } });
      const other = { headers: { 'x-api-key': made.json.raw } };
      const bearer = { headers: { authorization: `Bearer ${await issuer.issueToken(admin.accountId)}` } };
      assert.is((await call('POST', '/organizations', { ...other, json: { kind: 'second' } })).status, 200);
      assert.is((await call('GET', '/organizations', bearer)).status, 200);
      for (const credential of [other, bearer, { as: admin }]) {
        assert.is((await call('GET', '/organizations', credential)).status, 429);
      }
      assert.is((await call('GET', '/organizations', { as: user })).status, 200);
    },
    { callsPerMinute: 3 },
  ));

test('T-23: the accounts of an organization share a limit besides, and another organization goes on', () =>
  withHttp(
    async ({ call, admin, user, patient, stranger }) => {
      for (const as of [admin, user, admin, user, patient]) {
        assert.is((await call('GET', '/organizations', { as })).status, 200);
      }
      const spent = await call('GET', '/organizations', { as: user });
      assert.equal([spent.status, spent.json.code], [429, 'rate-limited']);
      assert.match(String(spent.headers['retry-after']), /^([1-9]|[1-5]\d|60)$/);
      assert.is((await call('GET', '/organizations', { as: stranger })).status, 200);
    },
    { callsPerMinute: 4, organizationCallsPerMinute: 5 },
  ));

test('T-22: guessed keys are limited by address, also when a guess is right', () =>
  withHttp(
    async ({ call, admin }) => {
      const guess = { headers: { 'x-api-key': '0'.repeat(64) } };
      for (let count = 0; count < 3; count++) assert.is((await call('GET', '/organizations', guess)).status, 401);
      assert.is((await call('GET', '/organizations', guess)).status, 429);
      assert.is((await call('GET', '/organizations', { as: admin })).status, 429);
      assert.is((await call('GET', '/organizations')).status, 429);
    },
    { callsPerMinute: 3 },
  ));

test.run();
