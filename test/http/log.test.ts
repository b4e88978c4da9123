import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectAsync } from 'mqtt';
import { FormData } from 'undici';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { z } from 'zod';
import { createOrganization } from '../../api/directory/create-organization.ts';
import { openIssuer } from '../../api/directory/issuer.ts';
import { createKey } from '../../api/directory/keys.ts';
import { makeSignInCode, startSession } from '../../api/directory/sessions.ts';
import { beginAttempt } from '../../api/directory/sign-in-attempt.ts';
import { route } from '../../api/http/route.ts';
import { openContext } from '../../api/service/open/service-context.ts';
import { createService } from '../../api/service/service.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { startIntegration } from '../../cli/demo/integration.ts';
import { manifest } from '../../cli/demo/pages.ts';
import { provisionFrame } from '../../gateway/provisioning/provision-frame.ts';
import { describeError, type Logger, processLogger } from '../../runtime/logger.ts';
import { withHttp } from './world.ts';

const test = suite('log');

/** The logger of a process, with all that it wrote. */
function keptLogger(): { readonly logger: Logger; readonly written: () => string } {
  const lines: string[] = [];
  const logger = processLogger('debug', { write: (line) => void lines.push(line) });
  return { logger, written: () => lines.join('') };
}

const answered = (log: readonly { message: string; fields: Record<string, unknown> }[]) =>
  log.filter(({ message }) => message === 'answered').map(({ fields }) => fields);

test('each request has one line: its id, route template, status, time, and the user who called', () =>
  withHttp(async ({ call, admin, stranger, log }) => {
    const own = await call('GET', `/devices/${admin.userId}?search=word`, {
      as: admin,
      headers: { 'x-request-id': 'trace-1234.a:b_c' },
    });
    assert.is(own.headers['x-request-id'], 'trace-1234.a:b_c');
    await call('GET', '/organizations', { as: stranger });
    await call('GET', '/organizations');
    const lines = answered(log);
    assert.equal(
      lines.map(({ requestId: _id, ms: _ms, ...fields }) => fields),
      [
        { method: 'GET', route: '/devices/:deviceId', status: 404, user: admin.userId },
        { method: 'GET', route: '/organizations/', status: 200, user: stranger.userId },
        { method: 'GET', route: '/organizations/', status: 401 },
      ],
    );
    assert.is(lines[0]?.requestId, 'trace-1234.a:b_c');
    assert.ok(lines.every(({ ms }) => typeof ms === 'number' && ms >= 0));
  }));

test('T-12: a word for a request that is not a plain one, or as long as a secret, is replaced', () =>
  withHttp(async ({ call, admin, log }) => {
    const secrets = [
      admin.key,
      'k'.repeat(43),
      'a b c d e f',
      'short',
      '"},{"level":50',
      '../../../etc',
      'é'.repeat(9),
    ];
    for (const secret of secrets) {
      const { headers } = await call('GET', '/organizations', { headers: { 'x-request-id': encodeURI(secret) } });
      if (secret !== encodeURI(secret)) continue;
      assert.match(String(headers['x-request-id']), /^[0-9a-f]{24}$/, secret);
    }
    for (const { requestId } of answered(log)) assert.ok(String(requestId).length <= 40);
    assert.not.match(JSON.stringify(log), admin.key);
  }));

test('T-12: what breaks says no values of its statements, and no secret that an error quotes', () =>
  withHttp(
    async ({ call, admin, db, log }) => {
      await db.raw('alter table devices rename to away');
      const broken = await call('GET', '/devices/?search=findmyword', { as: admin });
      assert.is(broken.status, 500);
      const [failed] = log.filter(({ message }) => message === 'a request failed');
      assert.is(failed?.fields.requestId, broken.json.requestId);
      const said = describeError(failed?.fields.error);
      assert.match(said, /select .*devices/s);
      assert.not.match(said, 'findmyword');
      assert.is((await call('GET', '/breaks', {})).status, 500);
      const { logger, written } = keptLogger();
      for (const { fields } of log.filter(({ level }) => level === 'error')) logger.error(fields, 'again');
      for (const secret of [...quoted, 'sig-nature', 'pass:word']) assert.not.ok(written().includes(secret), secret);
      assert.match(written(), /could not reach https:\/\/example\.org\/a\?s=\[secret\] with Bearer \[secret\]/);
      logger.info(
        { apiKey: 'k1', nested: { token: 'k2', deeper: { password: 'k3' } }, headers: { cookie: 'k4' } },
        'x',
      );
      assert.not.match(written(), /k[1-4]/);
    },
    { moreRoutes: [breaking] },
  ));

const quoted = ['f'.repeat(64), `eyJhbGciOiJFZERTQSJ9.${'e'.repeat(20)}.${'s'.repeat(20)}`, `A_${'-z'.repeat(20)}9`];

/** A route with a bug whose error quotes everything. */
const breaking = route('GET /breaks', {
  summary: 'Breaks',
  access: 'anyone',
  output: z.object({}),
  async handle() {
    const bearer = 'Bearer pass:word';
    throw new Error(`could not reach https://example.org/a?s=sig-nature with ${bearer}, nor ${quoted.join(', nor ')}`);
  },
});

const noOrigin = { origin: 'http://127.0.0.1', isHttps: false, prefix: '', base: 'http://127.0.0.1', ownHosts: [] };

/** The secret, and the ways in which it could be written. */
function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [
    secret,
    bytes.toString('base64'),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    encodeURIComponent(secret),
  ];
}

test('T-12: no line of a whole service holds a secret, wherever callers and frames put it', async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'papergate-log-'));
  const { logger, written } = keptLogger();
  const settings = readSettings({
    PAPERGATE_DATA: dataFolder,
    PAPERGATE_HTTP_PORT: '0',
    PAPERGATE_MQTT_PORT: '0',
    PAPERGATE_MQTTS_PORT: '0',
    INTEGRATION_ALLOW_LOCALHOST: 'true',
    PAPERGATE_BROWSER: '/nowhere/chromium',
    PAPERGATE_METRICS_TOKEN: 'metrics-token-of-more-than-forty-two-characters',
  });
  const context = await openContext(settings);
  const service = await createService(settings, context, logger);
  const integration = await startIntegration();
  const secrets: Record<string, string> = { metricsToken: settings.PAPERGATE_METRICS_TOKEN ?? '' };
  try {
    const { http, mqtt } = await service.start();
    assert.match(
      written(),
      /chromium cannot be executed: without a browser no website, no page of an integration and no recipe that was imported is drawn/,
    );
    const admin = { name: 'Ada', email: 'ada@example.org' };
    const made = await createOrganization(context.db, context, { name: 'Home', email: admin.email, kind: null, admin });
    secrets.apiKey = (await createKey(context.db, context, { userId: made.userId, name: 'test' })).raw;
    const { code } = await makeSignInCode(context.db, context, made.accountId);
    const owner = { accountId: made.accountId, way: 'link', browser: undefined } as const;
    const session = (await startSession(context.db, context, owner)).secret;
    const attempt = beginAttempt({ ...context, sealKey: context.keys.seal }, noOrigin, false);
    const { state, nonce, verifier } = attempt.attempt;
    const attemptCookie = attempt.cookie.replace(/^.*?=([^;]*);.*$/, '$1');
    Object.assign(secrets, { code, session, state, nonce, verifier, attemptCookie });
    const jwt = await (await openIssuer(dataFolder, context.clock)).issueToken(made.accountId);
    Object.assign(secrets, { jwt, wrongJwt: `${jwt.slice(0, -8)}AAAAAAAA` });
    const send = async (method: string, path: string, headers: Record<string, string>, body?: unknown) => {
      const isForm = body instanceof FormData;
      const response = await fetch(http + path, {
        method,
        headers: { ...headers, ...(body !== undefined && !isForm && { 'content-type': 'application/json' }) },
        body: body === undefined ? null : isForm ? (body as never) : JSON.stringify(body),
      });
      const text = await response.text();
      return { status: response.status, json: text.startsWith('{') ? JSON.parse(text) : undefined };
    };
    const person = { 'x-api-key': secrets.apiKey };
    const linked = await send('POST', `/users/${made.userId}/sign-in-link`, person);
    secrets.linkCode = linked.json.url.split('#link=')[1];
    const browser = { cookie: `papergate_session=${session}`, 'x-papergate-console': '1' };
    const begun = await send('POST', '/sessions/pairings/', browser);
    secrets.pairingCode = begun.json.url.split('#pair=')[1];
    const scanned = await send('POST', '/sessions/pairing/scan', {}, { code: secrets.pairingCode });
    secrets.pairingTicket = scanned.json.ticket;
    const device = await send('POST', '/devices/', person, { organization: made.organizationId });
    const meta = { pluginConfigUrl: integration.configUrl, pluginManifest: manifest };
    const paperBody = { deviceId: device.json.id, kind: 'plugin', organization: made.organizationId, meta };
    const paper = await send('POST', '/papers/', person, paperBody);
    const api = '/v1/integration-papers';
    const granted = await send('POST', `${api}/papers/${paper.json.id}/grants`, person, {
      configUrl: integration.configUrl,
      settingsPage: manifest.settingsPage,
    });
    secrets.grant = granted.json.grant;
    const exchanged = await send('POST', `${api}/exchange`, {}, { grant: secrets.grant });
    integration.connected(exchanged.json);
    secrets.connectionToken = exchanged.json.token;
    secrets.callbackToken = exchanged.json.callbackToken;
    secrets.content = 'a message for nobody else, kept between two people';
    const connection = `${api}/connections/${exchanged.json.connectionId}`;
    const bearer = { authorization: `Bearer ${secrets.connectionToken}` };
    const pushed = await send('POST', `${connection}/content`, bearer, { messageId: 'one', text: secrets.content });
    assert.is(pushed.status, 202);
    const password = (
      await provisionFrame({ ...context, dataFolder }, { serial: 'epd7-00000000f00d', withPassword: true })
    ).password;
    secrets.framePassword = password ?? '';
    secrets.signature = `${Buffer.alloc(32, 7).toString('base64url')}`;
    secrets.downloadPath = '/f/abcdefghij';

    // Every secret where it belongs, and everywhere else that a caller could put it.
    for (const secret of Object.values(secrets)) {
      const inUrl = encodeURIComponent(secret);
      await send('GET', `/devices/?search=${inUrl}`, person);
      await send('GET', `/devices/${inUrl}?token=${inUrl}`, { ...person, 'x-request-id': inUrl.slice(0, 2_000) });
      await send('GET', `/elsewhere/${inUrl}`, { authorization: `Bearer ${inUrl}` });
      await send('GET', '/organizations/', { 'x-api-key': inUrl, authorization: inUrl, cookie: `session=${inUrl}` });
      await send('POST', `${api}/exchange`, {}, { grant: secret, [secret]: secret });
      const cookie = `papergate_session=${inUrl}; papergate_sign_in_${state.slice(0, 16)}=${inUrl}`;
      await send('GET', `/sessions/current?${inUrl}`, { cookie, 'x-papergate-console': '1' });
      await send('GET', `/sessions/provider/return?code=${inUrl}&state=${inUrl}&error=${inUrl}`, { cookie });
      await send('POST', '/sessions/', { cookie, origin: `https://${inUrl}` }, { code: secret });
      await send('POST', '/sessions/', { cookie }, { code: secret, [secret]: secret });
      await send('POST', '/sessions/link', { cookie: `papergate_mail_link=${inUrl}` }, { code: secret });
      await send('POST', '/sessions/pairing', {}, { ticket: secret });
      await send('POST', '/sessions/passkey', {}, { response: { id: secret, rawId: secret } });
      await send('DELETE', `/sessions/${inUrl}`, { cookie, 'x-papergate-console': '1' });
      await send('GET', `/console/?code=${inUrl}`, { cookie, referer: `http://127.0.0.1/console/#code=${inUrl}` });
      await send('POST', `${connection}/content`, bearer, { messageId: secret, text: secret, imageBase64: secret });
      await send('PATCH', `/users/${made.userId}`, person, { [secret]: secret });
      await send('GET', `/signed/${inUrl}/x/9999999999999?s=${inUrl}`, {});
      await send('GET', `/f/${inUrl.slice(0, 10)}`, {}).catch(() => {});
      await send('GET', `/metrics?${inUrl}`, { authorization: `Bearer ${inUrl}` });
      const login = { username: 'epd7-00000000f00d', password: secret, clientId: 'epd7-00000000f00d' };
      const client = await connectAsync(mqtt, { ...login, reconnectPeriod: 0, connectTimeout: 3_000 }).catch(
        () => undefined,
      );
      await client?.endAsync(true);
    }
    const form = new FormData();
    form.set('settings', secrets.content);
    await send('POST', `/papers/uploadSingleImage/${paper.json.id}`, person, form);
    await send('GET', `${connection}/status`, bearer);
  } finally {
    await service.stop();
    await integration.stop();
    await context.close();
    await rm(dataFolder, { recursive: true });
  }
  const lines = written().trim().split('\n');
  assert.ok(lines.length > 100, `${lines.length} lines to search`);
  assert.ok(lines.some((line) => line.includes('"login refused"')));
  assert.ok(lines.some((line) => line.includes('"route":"signed images"')));
  for (const [name, secret] of Object.entries(secrets)) {
    for (const spelling of spellings(secret)) {
      const found = lines.find((line) => line.includes(spelling));
      assert.is(found, undefined, `${name} is in the log`);
    }
  }
});

test.run();
