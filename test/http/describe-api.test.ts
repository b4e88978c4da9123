import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { Agent, request } from 'undici';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { consolePage } from '../../api/console/page.ts';
import type { ApiDescription } from '../../api/http/description/describe-api.ts';
import type { Json } from '../../api/http/description/describe-schema.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { apiFiles, describedService } from './api-files.ts';
import { withHttp } from './world.ts';

const test = suite('described api');
const root = resolve(import.meta.dirname, '../..');

/** The contract's operations; names in braces are the reader's. */
const contract = `
GET /usersnnn/{id}
GET /users/{id}
GET /users/
GET /users/{userId}
POST /users/{userId}
PATCH /users/{userId}
DELETE /users/{userId}
GET /accounts/{accountId}
POST /organizations/
GET /organizations/
GET /organizations/{organizationId}
PATCH /organizations/{organizationId}
POST /organizations/{organizationId}
DELETE /organizations/{organizationId}
POST /devices/
GET /devices/
GET /devices/{deviceId}
POST /devices/{deviceId}
DELETE /devices/{deviceId}
POST /devices/registerdevice/{deviceId}
GET /devices/ping/{deviceId}
POST /devices/reset/{deviceId}
POST /devices/reboot/{deviceId}
GET /devices/events/{deviceId}
GET /iotdevice/events/{deviceId}
GET /iotdevice/status/{kind}
GET /devices/image/{deviceId}/{uuid}
POST /devices/updateSingleImageMeta/{deviceId}
POST /devices/uploadSingleImage/{deviceId}
POST /devices/updateSingleImageFromWebsite/{deviceId}
POST /papers/
GET /papers/
GET /papers/{paperId}
POST /papers/{paperId}
GET /papers/calendar/{paperId}
POST /papers/{paperId}/calendar-preview
POST /papers/image/{paperId}
POST /papers/uploadSingleImage/{paperId}
POST /v1/integration-papers/papers/{paperId}/grants
POST /v1/integration-papers/exchange
POST /v1/integration-papers/connections/{connectionId}/content
GET /v1/integration-papers/connections/{connectionId}/status
DELETE /v1/integration-papers/connections/{connectionId}
GET /v1/integration-papers/papers/{paperId}/content
DELETE /v1/integration-papers/papers/{paperId}/connection`;

const nameless = (operation: string): string => operation.replaceAll(/\{\w*\}/g, '{}');

function operationsOf({ paths }: ApiDescription): { name: string; operation: Json }[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
  );
}

test('docs/openapi.json says what the routes of the service are', async () => {
  for (const [path, content] of await apiFiles()) {
    const same = readFileSync(join(root, path), 'utf8') === content;
    assert.ok(same, `${path} is not current; accept the change with: node --import tsx test/accept.ts api`);
  }
});

test('every operation of the contract is there', async () => {
  const there = new Set(operationsOf(await describedService()).map(({ name }) => nameless(name)));
  const rows = contract.trim().split('\n').map(nameless);
  assert.equal(
    rows.filter((row) => !there.has(row)),
    [],
  );
});

/** Calls of nobody that are refused for what they bring. */
const signIns: ReadonlySet<string> = new Set([
  'POST /sessions/',
  'POST /sessions/passkey',
  'POST /sessions/link',
  'POST /sessions/link/look',
  'POST /sessions/pairing',
  'POST /sessions/pairing/scan',
]);

test('operations are distinguished, and each says who may call it, what it answers and how it refuses', async () => {
  const api = await describedService();
  const operations = operationsOf(api);
  const ids = new Set(operations.map(({ operation }) => operation.operationId));
  assert.is(ids.size, operations.length);
  for (const { name, operation } of operations) {
    assert.ok(String(operation.summary).length > 5, name);
    const statuses = Object.keys(operation.responses as Json);
    assert.match(statuses[0] ?? '', /^20|^302/, name);
    const security = operation.security as Json[];
    assert.is(statuses.includes('401'), security.length > 0 || name.endsWith('/exchange') || signIns.has(name), name);
    assert.is(statuses.includes('413'), operation.requestBody !== undefined, name);
    const tags = (api.tags as { name: string }[]).map((tag) => tag.name);
    assert.ok(tags.includes(String((operation.tags as string[])[0])), name);
  }
  const { operation } = operations.find(({ name }) => name.endsWith('/connections/{connectionId}/content')) ?? {};
  assert.equal(operation?.security, [{ connectionToken: [] }]);
  const text = JSON.stringify(api);
  const references = [...text.matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g)];
  assert.ok(references.length > 100);
  for (const [, kind = '', name = ''] of references) {
    assert.ok(Object.hasOwn((api.components as Record<string, Json>)[kind] ?? {}, name), `${kind}/${name}`);
  }
  const upload = operations.find(({ name }) => name === 'POST /papers/uploadSingleImage/{paperId}')?.operation;
  assert.match(JSON.stringify(upload?.requestBody), /multipart\/form-data.*"picture":\{"type":"array"/);
});

test('the call that integrations receive says by which token it is known, what it holds and which answers end it', async () => {
  const { webhooks, components } = await describedService();
  const { post } = webhooks.contentCallback ?? {};
  assert.equal(post?.security, [{ callbackToken: [] }]);
  assert.is((components.securitySchemes.callbackToken as Json).scheme, 'bearer');
  assert.equal(Object.keys(post?.responses as Json), ['2XX', 'default']);
  const forms = ['FrameCallback', 'PaperCallback'].map((name) => components.schemas[name] as Json);
  const [ofFrame, ofPaper] = forms.map(({ required }) => required as string[]);
  const common = ['eventId', 'connectionId', 'paperId', 'requestId', 'messageId', 'state'];
  assert.equal(ofFrame, [...common, 'deviceId', 'frameName', 'occurredAt']);
  assert.equal(ofPaper, [...common, 'occurredAt']);
  for (const { additionalProperties } of forms) assert.is(additionalProperties, undefined, 'fields may be added');
});

test('its server is where the caller reaches the service: below the prefix that a trusted proxy names', async () => {
  const headers = { 'x-forwarded-prefix': '/papergate', 'x-forwarded-host': 'paper.example' };
  const serversFor = async (options: Parameters<typeof withHttp>[1], sent: Record<string, string>) => {
    const found: unknown[] = [];
    await withHttp(async ({ call }) => {
      for (let times = 0; times < 2; times++) {
        found.push((await call('GET', '/openapi.json', { headers: sent })).json.servers);
      }
    }, options);
    return found;
  };
  const trustedProxies = readSettings({ PAPERGATE_TRUSTED_PROXIES: '127.0.0.1' }).PAPERGATE_TRUSTED_PROXIES;
  const twice = (url: string) => Array.from({ length: 2 }, () => [{ url }]);
  assert.equal(await serversFor({ trustedProxies }, headers), twice('/papergate'));
  assert.equal(await serversFor({ trustedProxies }, {}), twice('/'), 'without the proxy');
  assert.equal(await serversFor({}, headers), twice('/'), 'a stranger chooses none');
  const publicUrl = 'http://paper.example/papers';
  assert.equal(await serversFor({ publicUrl }, { host: 'paper.example' }), twice('/papers'), 'by the public address');
});

test('T-113: the document is written once, however often strangers ask for it', () =>
  withHttp(async ({ call }) => {
    const first = await call('GET', '/openapi.json');
    const { stringify } = JSON;
    let large = 0;
    JSON.stringify = ((...given: Parameters<typeof stringify>) => {
      const text = stringify(...given);
      if (text?.length > 50_000) large++;
      return text;
    }) as typeof stringify;
    try {
      for (let time = 0; time < 3; time++) assert.equal((await call('GET', '/openapi.json')).json, first.json);
    } finally {
      JSON.stringify = stringify;
    }
    assert.is(large, 0);
  }));

test('the page that shows it loads from this service alone, and the document is served without a credential', () =>
  withHttp(async ({ call, url }) => {
    const served = await call('GET', '/openapi.json');
    assert.is(served.status, 200);
    assert.is(served.json.openapi, '3.1.0');
    assert.ok(Object.hasOwn(served.json.paths, '/openapi.json'), url);
    const show = consolePage({ prefixOf: () => '', allowLoopback: false });
    const server = createServer((request, response) => {
      if (!show(request, response)) response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const agent = new Agent();
    const get = async (path: string) => {
      const { port } = server.address() as AddressInfo;
      const { statusCode, headers, body } = await request(`http://127.0.0.1:${port}${path}`, { dispatcher: agent });
      return { statusCode, headers, text: await body.text() };
    };
    try {
      const page = await get('/console/api');
      assert.match(String(page.headers['content-security-policy']), /default-src 'none'; script-src 'self'/);
      const loaded = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path);
      for (const path of loaded) assert.match(path, /^\/console\//);
      // T-57: nobody's page has one of ours in a frame.
      const settings = `/console/papers/${'0'.repeat(24)}/settings`;
      for (const path of [
        '/console',
        '/console/',
        '/console/api',
        '/console/api/',
        settings,
        '/console/settings-frame/settings-host.mjs',
      ]) {
        const { statusCode, headers } = await get(path);
        assert.is(statusCode, 200, path);
        assert.match(String(headers['content-security-policy']), /default-src 'none';.* frame-ancestors 'none';/, path);
        assert.is(headers['x-frame-options'], 'DENY', path);
      }
      // A path is wider than a phone.
      assert.not.match((await get('/console')).text, /nowrap/);
      for (const [path, type] of [
        ['/console/settings-frame/settings-host.mjs', /^text\/javascript/],
        ['/console/settings-frame/settings-form.mjs', /^text\/javascript/],
      ] as const) {
        const file = await get(path);
        assert.is(file.statusCode, 200);
        assert.match(String(file.headers['content-type']), type);
        // Nothing from elsewhere, and nothing that would turn text into markup (T-39).
        assert.not.match(file.text, /https?:\/\/|@import|innerHTML|insertAdjacentHTML|document\.write/);
      }
      assert.is((await get('/console/api-page.html')).statusCode, 404);
    } finally {
      await agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }));

test.run();
