/** Scripts of other origins: who may read answers, and what a preflight says. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readSettings } from '../../api/service/settings/settings.ts';
import { type HttpWorld, withHttp } from './world.ts';

const test = suite('other origins');

const application = 'https://app.example.org';
const other = 'https://other.example.org';
const corsOrigins = [application, 'http://localhost:5173'];

/** Returns the headers of an answer that tell browsers about other origins. */
function said({ headers }: { headers: Record<string, unknown> }): [origin: unknown, vary: unknown] {
  assert.is(headers['access-control-allow-credentials'], undefined, 'T-57');
  return [headers['access-control-allow-origin'], headers.vary];
}

const preflight = (world: HttpWorld, path: string, origin: string, headers: Record<string, string> = {}) =>
  world.call('OPTIONS', path, { headers: { origin, 'access-control-request-method': 'PATCH', ...headers } });

test('without origins nothing is said about them, and a preflight is a method that nobody knows', () =>
  withHttp(async (world) => {
    const { call, admin } = world;
    const answer = await call('GET', '/organizations', { as: admin, headers: { origin: application } });
    assert.equal(said(answer), [undefined, undefined]);
    const asked = await preflight(world, '/organizations', application);
    assert.equal([asked.status, ...said(asked)], [405, undefined, undefined]);
  }));

test('an origin that the operator named reads answers and refusals, another one none, and caches keep them apart', () =>
  withHttp(
    async ({ call, admin, random }) => {
      const calls = [
        [200, 'GET', '/organizations', { as: admin }],
        [200, 'GET', '/v1/organizations', { as: admin }],
        [401, 'GET', '/organizations', {}],
        [401, 'GET', '/v1/devices', { headers: { authorization: 'Bearer a.b.c' } }],
        [404, 'GET', '/nowhere', {}],
        [404, 'GET', `/devices/${random.id()}`, { as: admin }],
        [405, 'PUT', '/organizations', {}],
        [413, 'POST', '/organizations', { as: admin, json: { kind: 'x'.repeat(300 * 1024) } }],
        [400, 'POST', '/v1/organizations', { as: admin, json: { kind: 'x'.repeat(300 * 1024) } }],
        [403, 'GET', '/signed/x/y.png?s=1', {}],
      ] as const;
      for (const [status, method, path, options] of calls) {
        const from = (origin: string) =>
          call(method, path, { ...options, headers: { ...('headers' in options && options.headers), origin } });
        for (const origin of corsOrigins) {
          const answer = await from(origin);
          const where = `${method} ${path} from ${origin}: ${answer.status}`;
          if (!path.startsWith('/signed')) assert.is(answer.status, status, where);
          assert.equal(said(answer), [origin, 'Origin'], where);
          assert.match(String(answer.headers['access-control-expose-headers']), /Retry-After/);
        }
        for (const origin of [
          other,
          'null',
          `${application}:8443`,
          `${application}.evil.example`,
          'http://app.example.org',
          '*',
        ]) {
          const answer = await from(origin);
          assert.equal(said(answer), [undefined, 'Origin'], `${method} ${path} from ${origin}`);
          assert.is(answer.headers['access-control-expose-headers'], undefined);
        }
      }
      assert.equal(said(await call('GET', '/organizations', { as: admin })), [undefined, 'Origin'], 'no script at all');
    },
    { corsOrigins },
  ));

test('a script may read when to come again', () =>
  withHttp(
    async ({ call, admin }) => {
      const headers = { origin: application };
      assert.is((await call('GET', '/organizations', { as: admin, headers })).status, 200);
      const spent = await call('GET', '/organizations', { as: admin, headers });
      assert.equal([spent.status, ...said(spent)], [429, application, 'Origin']);
      assert.match(String(spent.headers['retry-after']), /^\d+$/);
      const exposed = String(spent.headers['access-control-expose-headers']).toLowerCase().split(/, */);
      for (const name of ['retry-after', 'x-request-id']) assert.ok(exposed.includes(name), name);
    },
    { corsOrigins, callsPerMinute: 1 },
  ));

test('preflights are answered without a credential, on every path, and are counted for nobody', () =>
  withHttp(
    async (world) => {
      for (let round = 0; round < 3; round++) {
        for (const path of [
          '/organizations',
          '/v1/devices/',
          '/nowhere',
          '/signed/x',
          '/v1/integration-papers/exchange',
          '/',
        ]) {
          const answer = await preflight(world, path, application, {
            'access-control-request-headers': 'authorization,content-type,x-api-key,sentry-trace',
          });
          assert.equal([answer.status, answer.text, ...said(answer)], [204, '', application, 'Origin'], path);
          assert.is(Number(answer.headers['access-control-max-age']), 7200);
          for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
            assert.match(String(answer.headers['access-control-allow-methods']), method);
          }
          const allowed = String(answer.headers['access-control-allow-headers']).toLowerCase().split(/, */);
          for (const name of ['authorization', 'x-api-key', 'content-type', '*'])
            assert.ok(allowed.includes(name), name);
          const refused = await preflight(world, path, other);
          assert.equal([refused.status, ...said(refused)], [204, undefined, 'Origin'], path);
          for (const name of ['methods', 'headers']) {
            assert.is(refused.headers[`access-control-allow-${name}`], undefined);
          }
        }
      }
      const { call, admin } = world;
      assert.is((await call('GET', '/organizations', { as: admin, headers: { origin: application } })).status, 200);
    },
    { corsOrigins, callsPerMinute: 1 },
  ));

test('T-69: no preflight grants the header of the console, no matter who asks', () =>
  withHttp(
    async (world) => {
      for (const asked of [
        'x-papergate-console',
        'content-type,X-Papergate-Console',
        'X-PAPERGATE-CONSOLE, x-api-key',
      ]) {
        const answer = await preflight(world, '/sessions', application, { 'access-control-request-headers': asked });
        assert.is(answer.status, 204);
        assert.equal(said(answer), [application, 'Origin']);
        for (const name of ['methods', 'headers']) {
          assert.is(answer.headers[`access-control-allow-${name}`], undefined, asked);
        }
      }
    },
    { corsOrigins },
  ));

test('a request that is not a preflight is dealt with as ever', () =>
  withHttp(
    async (world) => {
      const headers = { origin: application };
      assert.is((await world.call('OPTIONS', '/organizations', { headers })).status, 405);
      const asked = { ...headers, 'access-control-request-method': 'POST' };
      assert.is((await world.call('OPTIONS', '/organizations', { headers: asked, body: 'x' })).status, 405, 'INV-66');
    },
    { corsOrigins },
  ));

test('origins are written exactly as browsers write them, or the service does not start', () => {
  const read = (written: string) => readSettings({ PAPERGATE_CORS_ORIGINS: written }).PAPERGATE_CORS_ORIGINS;
  assert.equal(readSettings({}).PAPERGATE_CORS_ORIGINS, []);
  assert.equal(
    read('https://a.example, http://127.0.0.1:5173,https://b.example:8443,http://[::1]:80x'.replace('80x', '8080')),
    ['https://a.example', 'http://127.0.0.1:5173', 'https://b.example:8443', 'http://[::1]:8080'],
  );
  for (const [wrong, word] of [
    ['*', /name the origins/],
    ['null', /not an origin/],
    ['a.example', /not an origin/],
    ['https://', /not an origin/],
    ['file:///x', /not an origin/],
    ['https://*.example.org', /name the origins/],
    ['https://a.example/', /https:\/\/a\.example$/],
    ['https://a.example/app', /as browsers write it/],
    ['https://A.example', /https:\/\/a\.example$/],
    ['https://a.example:443', /https:\/\/a\.example$/],
    ['https://user@a.example', /as browsers write it/],
    ['https://a.example,', /not an origin/],
  ] as const) {
    assert.throws(
      () => read(wrong),
      (error: Error) => /PAPERGATE_CORS_ORIGINS/.test(error.message) && word.test(error.message),
      wrong,
    );
  }
});

test.run();
