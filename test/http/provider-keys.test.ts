import { createHmac, generateKeyPairSync, type KeyObject, sign as signBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, type JWK } from 'jose';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { providerKeys } from '../../api/directory/provider-keys.ts';
import { readDocument } from '../../api/outgoing/read-document.ts';
import { systemNetwork } from '../../api/outgoing/system-network.ts';
import { openWayOut } from '../../api/outgoing/way-out.ts';
import type { Clock } from '../../runtime/clock.ts';
import { systemClock } from '../../runtime/clock.ts';
import { type Answer, type HttpWorld, withHttp } from './world.ts';

const test = suite('provider keys');
const issuer = 'https://login.example.org/';
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

interface Key {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: KeyObject;
  readonly jwk: JWK;
}

async function newKey(kid: string, alg: string, bindsAlgorithm = true): Promise<Key> {
  const { publicKey, privateKey } =
    alg === 'EdDSA'
      ? generateKeyPairSync('ed25519')
      : alg.startsWith('ES')
        ? generateKeyPairSync('ec', { namedCurve: alg === 'ES256' ? 'P-256' : 'P-384' })
        : generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, ...(bindsAlgorithm && { alg }) } };
}

function signed(key: Key, claims: object, header: object = {}): string {
  const head = { alg: key.alg, kid: key.kid, ...header };
  const input = Buffer.from(`${part(head)}.${part(claims)}`);
  const digest = key.alg === 'EdDSA' ? null : `sha${head.alg.slice(2)}`;
  const signature = signBytes(digest, input, { key: key.privateKey, dsaEncoding: 'ieee-p1363' });
  return `${input}.${signature.toString('base64url')}`;
}

interface ProviderWorld extends HttpWorld {
  /** Sets what the provider publishes, or how it fails. */
  publish(
    answer: { readonly keys: readonly unknown[] } | { readonly status: number } | { readonly text: string },
  ): void;
  /** How often the document was asked for. */
  asked(): number;
  bearer(value: string): Promise<Answer>;
  claims(): Record<string, unknown>;
}

/** A world that trusts a provider on loopback. Time is moved with `passes`, for the kept keys as for the tokens. */
async function withProvider(run: (world: ProviderWorld) => Promise<void>): Promise<void> {
  let asked = 0;
  let body = '{"keys":[]}';
  let status = 200;
  const server = createServer((_request, response) => {
    asked++;
    response.writeHead(status, { 'content-type': 'application/json', location: '/elsewhere' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`;
  const clock: { now: Clock['now'] } = { now: systemClock.now };
  const wayOut = openWayOut({ network: systemNetwork({ clock: systemClock }), clock: systemClock });
  const keys = providerKeys({
    read: () => readDocument(wayOut, url),
    clock: { now: () => clock.now(), after: systemClock.after },
  });
  try {
    await withHttp(
      async (world) => {
        clock.now = world.clock.now;
        await run({
          ...world,
          publish(answer) {
            status = 'status' in answer ? answer.status : 200;
            body = 'text' in answer ? answer.text : 'keys' in answer ? JSON.stringify({ keys: answer.keys }) : '';
          },
          asked: () => asked,
          bearer: (value) => world.call('GET', '/organizations', { headers: { authorization: `Bearer ${value}` } }),
          claims: () => {
            const now = Math.floor(world.clock.now() / 1000);
            return { iss: issuer, aud: 'papers', sub: 'auth0|17', email: 'ida@example.org', iat: now, exp: now + 600 };
          },
        });
      },
      { provider: { issuer, audience: 'papers', keys } },
    );
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

test('A-7: RS, ES and EdDSA keys of the published set are believed, each with its own algorithm alone', () =>
  withProvider(async ({ publish, bearer, claims }) => {
    const algorithms = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'EdDSA'];
    const keys = await Promise.all(algorithms.map((alg) => newKey(`key-${alg}`, alg)));
    const unbound = await newKey('unbound', 'RS256', false);
    const secret = Buffer.from('a secret that is published is none');
    const oct = { kty: 'oct', kid: 'oct', alg: 'HS256', k: secret.toString('base64url') };
    publish({ keys: [...keys.map(({ jwk }) => jwk), unbound.jwk, oct] });
    for (const key of [...keys, unbound]) assert.is((await bearer(signed(key, claims()))).status, 200, key.kid);
    const bySecret = (kid: string, with_: string | Buffer): string => {
      const input = `${part({ alg: 'HS256', kid })}.${part(claims())}`;
      return `${input}.${createHmac('sha256', with_).update(input).digest('base64url')}`;
    };
    const [rs256] = keys;
    if (rs256 === undefined) throw new Error('six keys');
    const wrong: Record<string, string> = {
      'another algorithm of the family': signed(rs256, claims(), { alg: 'RS512' }),
      'a key under the id of another': signed({ ...rs256, kid: 'key-RS384' }, claims()),
      'a published secret': bySecret('oct', secret),
      'the public key as a secret': bySecret(rs256.kid, JSON.stringify(rs256.jwk)),
      'PSS with a key for PKCS': signed(rs256, claims(), { alg: 'PS256' }),
      'the address of a key': signed({ ...rs256, kid: 'mine' }, claims(), { jku: 'http://127.0.0.1:1/' }),
      'another issuer': signed(rs256, { ...claims(), iss: 'papergate' }),
      'another audience': signed(rs256, { ...claims(), aud: 'papergate' }),
      'no expiry': signed(rs256, { ...claims(), exp: undefined }),
      'an expiry 61 s ago': signed(rs256, { ...claims(), exp: Number(claims().iat) - 61 }),
    };
    for (const [name, token] of Object.entries(wrong)) assert.is((await bearer(token)).status, 401, name);
    assert.is((await bearer(signed(rs256, { ...claims(), exp: Number(claims().iat) - 50 }))).status, 200, 'the skew');
  }));

test('the set is read once for many tokens, again for a new key, and not for every made-up key id', () =>
  withProvider(async ({ publish, asked, bearer, claims, passes }) => {
    const [first, second] = [await newKey('first', 'EdDSA'), await newKey('second', 'EdDSA')];
    publish({ keys: [first.jwk] });
    const together = await Promise.all(Array.from({ length: 5 }, () => bearer(signed(first, claims()))));
    assert.equal(
      together.map(({ status }) => status),
      [200, 200, 200, 200, 200],
    );
    assert.is(asked(), 1);
    for (let made = 0; made < 5; made++) {
      assert.is((await bearer(signed({ ...first, kid: `made-up-${made}` }, claims()))).status, 401);
    }
    assert.is(asked(), 1);
    passes(31_000);
    publish({ keys: [first.jwk, second.jwk] });
    assert.is((await bearer(signed(second, claims()))).status, 200, 'a key published since');
    assert.is(asked(), 2);
    passes(10 * 60_000);
    publish({ keys: [second.jwk] });
    assert.is((await bearer(signed(first, claims()))).status, 401, 'a key withdrawn');
    assert.is((await bearer(signed(second, claims()))).status, 200);
    assert.is(asked(), 3);
  }));

test('C-32: a provider that cannot be asked locks out nobody whose key is known, for an hour; all else is 503', () =>
  withProvider(async ({ publish, asked, bearer, claims, passes, call, admin }) => {
    const key = await newKey('only', 'ES256');
    const other = await newKey('other', 'ES256');
    const failures = [
      { status: 500 },
      { status: 302 },
      { text: '<html>' },
      { text: '{}' },
      { text: 'x'.repeat(300_000) },
    ];
    for (const failure of failures) {
      publish(failure);
      passes(6_000);
      const answer = await bearer(signed(key, claims()));
      assert.is(answer.status, 503, JSON.stringify(failure).slice(0, 40));
      assert.is(answer.json.message, 'The identity provider cannot be reached');
      assert.ok(Number(answer.headers['retry-after']) >= 1);
    }
    const before = asked();
    assert.is((await bearer(signed(key, claims()))).status, 503);
    assert.is(asked(), before, 'not asked again at once');
    passes(6_000);
    publish({ keys: [key.jwk] });
    assert.is((await bearer(signed(key, claims()))).status, 200);
    publish({ status: 503 });
    passes(30 * 60_000);
    assert.is((await bearer(signed(key, claims()))).status, 200, 'known while it is away');
    assert.is((await bearer(signed(other, claims()))).status, 503, 'perhaps published since: nobody can say');
    passes(31 * 60_000);
    assert.is((await bearer(signed(key, claims()))).status, 503, 'it may have been withdrawn');
    assert.is((await call('GET', '/organizations', { as: admin })).status, 200, 'keys of our own go on');
  }));

test.run();
