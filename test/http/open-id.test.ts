/** Signing in with an identity provider: a small one on loopback that can misbehave on request. */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLocalJWKSet, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openIdSignIn } from '../../api/directory/open-id.ts';
import { providedSubject } from '../../api/directory/store.ts';
import { systemNetwork } from '../../api/outgoing/system-network.ts';
import { openWayOut } from '../../api/outgoing/way-out.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { systemClock } from '../../runtime/clock.ts';
import { type Answer, type HttpWorld, withHttp } from './world.ts';

const test = suite('signing in with an identity provider');

const clientId = 'papergate-console';
const clientSecret = 'a secret: of the client';

/** The identity provider as it is played: the calls it got, and how it behaves. */
interface PlayedProvider {
  readonly issuer: string;
  /** The bodies of calls of the token endpoint, with the credentials beside them. */
  readonly exchanges: { readonly form: URLSearchParams; readonly authorization: string | undefined }[];
  discoveries: number;
  isAway: boolean;
  /** Claims that take the place of the right ones. */
  claims: JWTPayload;
  /** The token endpoint's answer instead of a token. */
  refusal: string | undefined;
  /** Signs with a key that is not published. */
  isForged: boolean;
}

interface ProviderWorld extends HttpWorld {
  readonly provider: PlayedProvider;
  /** Begins: the address at the provider, and the cookie of the attempt. */
  begin(): Promise<{ readonly asked: URL; readonly cookie: string }>;
  /** Comes back from the provider, as a browser with these cookies. */
  comeBack(parameters: Record<string, string>, cookie: string): Promise<Answer>;
  /** A code of the provider for what `begin` asked. */
  codeFor(asked: URL): string;
}

async function withProvider(
  run: (world: ProviderWorld) => Promise<void>,
  options: { readonly isPublicClient?: boolean; readonly signInsPerMinute?: number } = {},
): Promise<void> {
  const good = await generateKeyPair('RS256');
  const forged = await generateKeyPair('RS256');
  const codes = new Map<string, URL>();
  const server = createServer((request, response) => {
    const answer = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (provider.isAway) return void response.writeHead(503).end();
    if (request.url === '/.well-known/openid-configuration') {
      provider.discoveries++;
      return answer(200, {
        issuer: provider.issuer,
        authorization_endpoint: `${provider.issuer}/authorize?tenant=home`,
        token_endpoint: `${provider.issuer}/token`,
        jwks_uri: `${provider.issuer}/keys`,
        id_token_signing_alg_values_supported: ['RS256'],
      });
    }
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    request.on('end', async () => {
      const form = new URLSearchParams(text);
      provider.exchanges.push({ form, authorization: request.headers.authorization });
      const asked = codes.get(form.get('code') ?? '');
      codes.delete(form.get('code') ?? '');
      const challenge = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url');
      const isRight =
        asked?.searchParams.get('code_challenge') === challenge &&
        asked.searchParams.get('redirect_uri') === form.get('redirect_uri');
      if (provider.refusal !== undefined || !isRight) {
        return answer(400, { error: provider.refusal ?? 'invalid_grant', error_description: text });
      }
      const now = Math.floor(Date.now() / 1000);
      const claims = {
        iss: provider.issuer,
        aud: clientId,
        sub: 'ida',
        iat: now,
        exp: now + 300,
        nonce: asked?.searchParams.get('nonce'),
        email: 'ida@example.org',
        name: 'Ida',
        ...provider.claims,
      };
      const key = provider.isForged ? forged.privateKey : good.privateKey;
      const token = await new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'one' }).sign(key);
      answer(200, { access_token: 'unused', token_type: 'Bearer', id_token: token });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider: PlayedProvider = {
    issuer,
    exchanges: [],
    discoveries: 0,
    isAway: false,
    claims: {},
    refusal: undefined,
    isForged: false,
  };
  const jwk = { ...(await exportJWK(good.publicKey)), kid: 'one', alg: 'RS256' };
  const attested = { issuer, audience: 'papers', keys: createLocalJWKSet({ keys: [jwk] }) };
  const wayOut = openWayOut({ network: systemNetwork({ clock: systemClock }), clock: systemClock });
  try {
    await withHttp(
      async (world) => {
        const comeBack = (parameters: Record<string, string>, cookie: string): Promise<Answer> =>
          world.call('GET', `/sessions/provider/return?${new URLSearchParams(parameters)}`, { headers: { cookie } });
        await run({
          ...world,
          provider,
          comeBack,
          async begin() {
            const answer = await world.call('GET', '/sessions/provider');
            assert.is(answer.status, 302, answer.text);
            return { asked: new URL(String(answer.headers.location)), cookie: cookiesOf(answer)[0]?.pair ?? '' };
          },
          codeFor(asked) {
            const code = `code-${codes.size}-${asked.searchParams.get('state')}`;
            codes.set(code, asked);
            return code;
          },
        });
      },
      {
        provider: attested,
        ...(options.signInsPerMinute !== undefined && { signInsPerMinute: options.signInsPerMinute }),
        signIn: (deps, logger) =>
          openIdSignIn({
            ...deps,
            provider: attested,
            clientId,
            wayOut,
            logger,
            sealKey: Buffer.alloc(32, 5),
            clientSecret: options.isPublicClient === true ? undefined : clientSecret,
          }),
      },
    );
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** The cookies that an answer sets: `name=value`, and its attributes. */
function cookiesOf({ headers }: Answer): { readonly pair: string; readonly attributes: string }[] {
  return [headers['set-cookie'] ?? []].flat().map((cookie) => {
    const [pair = '', ...attributes] = cookie.split('; ');
    return { pair, attributes: attributes.join('; ') };
  });
}

const stateOf = (asked: URL): string => asked.searchParams.get('state') ?? '';

/** Where an answer leads; a session must not begin beside a problem. */
function problemOf(answer: Answer): string {
  assert.is(answer.status, 302, answer.text);
  const begun = cookiesOf(answer).filter(({ pair }) => pair.startsWith('papergate_session='));
  assert.equal(begun, []);
  return String(answer.headers.location);
}

test('a person is led to the provider and back, and is the one whom it attests', () =>
  withProvider(async ({ call, db, provider, begin, comeBack, codeFor, admin }) => {
    assert.equal((await call('GET', '/sessions/ways')).json.provider, { name: new URL(provider.issuer).host });
    const { asked, cookie } = await begin();
    assert.is(asked.origin + asked.pathname, `${provider.issuer}/authorize`);
    assert.is(asked.searchParams.get('tenant'), 'home', 'what the provider put there stays');
    assert.is(asked.searchParams.get('code_challenge_method'), 'S256');
    assert.match(
      asked.searchParams.get('redirect_uri') ?? '',
      /^http:\/\/127\.0\.0\.1:\d+\/sessions\/provider\/return$/,
    );
    const back = await comeBack({ code: codeFor(asked), state: stateOf(asked), session_state: 'ignored' }, cookie);
    assert.equal([back.status, back.headers.location], [302, '/console/']);
    assert.is(back.headers['cache-control'], 'no-store');
    const [ended, session] = cookiesOf(back);
    assert.match(ended?.attributes ?? '', /^Path=\/sessions\/provider; Max-Age=0; HttpOnly; SameSite=Lax$/);
    assert.match(session?.attributes ?? '', /HttpOnly; SameSite=Strict$/);
    const headers = { cookie: session?.pair ?? '', 'x-papergate-console': '1' };
    const me = (await call('GET', '/sessions/current', { headers })).json;
    assert.equal([me.account.name, me.account.email, me.memberships], ['Ida', 'ida@example.org', []]);
    const [exchange] = provider.exchanges;
    const credentials = Buffer.from((exchange?.authorization ?? '').replace('Basic ', ''), 'base64').toString();
    assert.equal(
      credentials.split(':').map((part) => decodeURIComponent(part.replaceAll('+', ' '))),
      [clientId, clientSecret],
    );

    // Somebody without a membership redeems an invitation, and is then a member.
    const organization = admin.organizationId;
    const invited = await call('POST', '/users', { as: admin, json: { organization, email: 'ida@example.org' } });
    const inviteCode = invited.json.inviteCode;
    assert.is((await call('POST', '/users/join', { headers, json: { inviteCode } })).status, 200);
    assert.is((await call('GET', '/sessions/current', { headers })).json.memberships.length, 1);

    const again = await begin();
    await comeBack({ code: codeFor(again.asked), state: stateOf(again.asked) }, again.cookie);
    const accounts = await db('accounts').where({ subject: providedSubject(provider.issuer, 'ida') });
    assert.is(accounts.length, 1);
    assert.is(provider.discoveries, 1, 'what it says of itself is kept');
  }));

test('a client without a secret proves itself by PKCE alone', () =>
  withProvider(
    async ({ provider, begin, comeBack, codeFor }) => {
      const { asked, cookie } = await begin();
      const back = await comeBack({ code: codeFor(asked), state: stateOf(asked) }, cookie);
      assert.is(back.headers.location, '/console/');
      const [exchange] = provider.exchanges;
      assert.equal([exchange?.authorization, exchange?.form.get('client_id')], [undefined, clientId]);
    },
    { isPublicClient: true },
  ));

test('T-69: only the browser that began ends an attempt, each tab its own, within ten minutes', () =>
  withProvider(async ({ provider, begin, comeBack, codeFor, passes }) => {
    const [one, other] = [await begin(), await begin()];
    const expired = '/console/#problem=expired';
    const code = codeFor(one.asked);
    const wrong: readonly (readonly [Record<string, string>, string])[] = [
      [{ code, state: stateOf(one.asked) }, ''],
      [{ code, state: stateOf(one.asked) }, other.cookie],
      [{ code, state: 'another' }, one.cookie],
      [{ code }, one.cookie],
      [{ code, state: stateOf(one.asked) }, `${one.cookie}; ${one.cookie}`],
      [{ code, state: stateOf(one.asked) }, `${one.cookie.slice(0, -4)}AAAA`],
      [{ code, state: stateOf(one.asked) }, one.cookie.replace(/=.*/, `=${other.cookie.replace(/.*?=/, '')}`)],
    ];
    for (const [parameters, cookie] of wrong) {
      assert.is(problemOf(await comeBack(parameters, cookie)), expired, JSON.stringify([parameters, cookie]));
    }
    assert.is(provider.exchanges.length, 0, 'the provider was not even asked');
    const both = `${other.cookie}; ${one.cookie}`;
    assert.is((await comeBack({ code, state: stateOf(one.asked) }, both)).headers.location, '/console/');
    const second = { code: codeFor(other.asked), state: stateOf(other.asked) };
    passes(10 * 60_000);
    assert.is(problemOf(await comeBack(second, both)), expired);
  }));

test('T-86: the address to which a person was led back works once, no matter who opens it and how it ended', () =>
  withProvider(async ({ provider, begin, comeBack, codeFor, db, passes }) => {
    const { asked, cookie } = await begin();
    // A provider that gives tokens for a code twice.
    const again = () => comeBack({ code: codeFor(asked), state: stateOf(asked) }, cookie);
    const answers = await Promise.all(Array.from({ length: 8 }, again));
    const told = answers.map(({ headers }) => headers.location).sort();
    assert.equal(told, ['/console/', ...Array.from({ length: 7 }, () => '/console/#problem=expired')]);
    assert.is(problemOf(await again()), '/console/#problem=expired');
    assert.is(provider.exchanges.length, 1, 'the provider was asked once');
    const refused = await begin();
    const refusal = { error: 'access_denied', state: stateOf(refused.asked) };
    assert.is(problemOf(await comeBack(refusal, refused.cookie)), '/console/#problem=refused');
    const late = { code: codeFor(refused.asked), state: stateOf(refused.asked) };
    assert.is(problemOf(await comeBack(late, refused.cookie)), '/console/#problem=expired');
    assert.is((await db('returned_sign_ins').select('*')).length, 2);
    assert.not.ok(JSON.stringify(await db('returned_sign_ins').select('*')).includes(stateOf(asked)), 'a hash alone');
    passes(10 * 60_000);
    const next = await begin();
    await comeBack({ error: 'access_denied', state: stateOf(next.asked) }, next.cookie);
    assert.is((await db('returned_sign_ins').select('*')).length, 1, 'spent attempts are forgotten with their time');
  }));

test('what the provider says is believed only of this attempt, this client and its own keys', () =>
  withProvider(async ({ provider, begin, comeBack, codeFor, log }) => {
    const attempt = async (change: Partial<PlayedProvider>): Promise<string> => {
      const { asked, cookie } = await begin();
      Object.assign(provider, { claims: {}, isForged: false, refusal: undefined }, change);
      return problemOf(await comeBack({ code: codeFor(asked), state: stateOf(asked) }, cookie));
    };
    const long = Math.floor(Date.now() / 1000) - 3600;
    const wrong: Record<string, Partial<PlayedProvider>> = {
      'another nonce': { claims: { nonce: 'another' } },
      'another client': { claims: { aud: 'another' } },
      'another issuer': { claims: { iss: 'https://evil.example' } },
      'a token of tomorrow': { claims: { iat: long + 86_400, exp: long + 90_000 } },
      'a token of next year': { claims: { iat: long + 300 * 86_400, exp: long + 301 * 86_400 } },
      'a token of yesterday': { claims: { iat: long, exp: long + 60 } },
      'a forged signature': { isForged: true },
      'a code that it refuses': { refusal: 'invalid_grant' },
    };
    for (const [name, change] of Object.entries(wrong)) {
      assert.is(await attempt(change), '/console/#problem=failed', name);
    }
    const told = log.filter(({ level }) => level === 'warn').map(({ fields }) => fields.reason);
    assert.is(told.length, Object.keys(wrong).length);
    assert.is(told.at(-1), 'the provider says invalid_grant');
    assert.not.match(JSON.stringify(log), /code_verifier|code-\d|papergate_sign_in/, 'T-12');
  }));

test('a person who refuses at the provider reads that, and so does one whose provider is away', () =>
  withProvider(async ({ call, provider, begin, comeBack, codeFor, passes, log }) => {
    const { asked, cookie } = await begin();
    const refused = await comeBack({ error: 'access_denied', state: stateOf(asked) }, cookie);
    assert.is(problemOf(refused), '/console/#problem=refused');
    assert.equal(
      log.filter(({ level }) => level === 'warn'),
      [],
      'that is nobody’s fault',
    );
    const other = await begin();
    const failed = await comeBack({ error: 'server_error', state: stateOf(other.asked) }, other.cookie);
    assert.is(problemOf(failed), '/console/#problem=failed');
    const third = await begin();
    provider.isAway = true;
    const away = await comeBack({ code: codeFor(third.asked), state: stateOf(third.asked) }, third.cookie);
    assert.is(problemOf(away), '/console/#problem=unavailable');
    passes(10 * 60_000);
    assert.is(problemOf(await call('GET', '/sessions/provider')), '/console/#problem=unavailable');
    provider.isAway = false;
    assert.is(problemOf(await call('GET', '/sessions/provider')), '/console/#problem=unavailable', 'for a moment more');
    assert.is(provider.discoveries, 1);
    passes(5_000);
    await begin();
  }));

test('attempts are counted by address', () =>
  withProvider(
    async ({ begin, comeBack, codeFor }) => {
      for (let at = 0; at < 2; at++) assert.match(problemOf(await comeBack({ state: 'guess' }, '')), 'expired');
      const { asked, cookie } = await begin();
      const late = await comeBack({ code: codeFor(asked), state: stateOf(asked) }, cookie);
      assert.is(problemOf(late), '/console/#problem=rate-limited');
    },
    { signInsPerMinute: 2 },
  ));

test('variables that do not fit together are refused at the start, each by its name', () => {
  const provider = { PAPERGATE_JWKS_URL: 'https://login.example/keys', PAPERGATE_JWT_ISSUER: 'https://login.example/' };
  assert.is(readSettings({ ...provider, PAPERGATE_OIDC_CLIENT_ID: 'x' }).PAPERGATE_OIDC_CLIENT_ID, 'x');
  const wrong: readonly (readonly [Record<string, string>, RegExp])[] = [
    [{ PAPERGATE_OIDC_CLIENT_SECRET: 'x' }, /PAPERGATE_OIDC_CLIENT_SECRET: belongs to PAPERGATE_OIDC_CLIENT_ID/],
    [
      { PAPERGATE_OIDC_CLIENT_ID: 'x' },
      /PAPERGATE_OIDC_CLIENT_ID: needs PAPERGATE_JWKS_URL.*\n.*needs PAPERGATE_JWT_ISSUER/,
    ],
    [{ ...provider, PAPERGATE_JWT_ISSUER: 'login', PAPERGATE_OIDC_CLIENT_ID: 'x' }, /needs PAPERGATE_JWT_ISSUER/],
  ];
  for (const [env, words] of wrong) {
    assert.throws(
      () => readSettings(env),
      (error: Error) => words.test(error.message),
      JSON.stringify(env),
    );
  }
});

test.run();
