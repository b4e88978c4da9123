import { createHmac, generateKeyPairSync, type KeyObject, sign as signBytes } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createLocalJWKSet, exportJWK } from 'jose';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openIssuer } from '../../api/directory/issuer.ts';
import { createKey } from '../../api/directory/keys.ts';
import type { IdentityProvider } from '../../api/directory/verify-token.ts';
import { tables } from '../../api/service/open/service-tables.ts';
import { openDatabase } from '../../runtime/database/database.ts';
import { type Answer, type HttpWorld, withHttp } from './world.ts';

const test = suite('authentication');
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token signed by hand, so that nothing keeps it from being wrong. */
function token(header: object, claims: object, sign: (input: Buffer) => Buffer): string {
  const input = `${part(header)}.${part(claims)}`;
  return `${input}.${sign(Buffer.from(input)).toString('base64url')}`;
}
const byEd25519 = (key: KeyObject) => (input: Buffer) => signBytes(null, input, key);
const bySecret = (secret: string | Buffer) => (input: Buffer) => createHmac('sha256', secret).update(input).digest();

const bearer = (world: HttpWorld, value: string): Promise<Answer> =>
  world.call('GET', '/organizations', { headers: { authorization: `Bearer ${value}` } });

async function localKey(world: HttpWorld): Promise<KeyObject> {
  const { createPrivateKey } = await import('node:crypto');
  return createPrivateKey(await readFile(join(world.dataFolder, 'token-issuer.key'), 'utf8'));
}

function goodClaims(world: HttpWorld): Record<string, unknown> {
  const now = Math.floor(world.clock.now() / 1000);
  return { iss: 'papergate', aud: 'papergate', sub: world.admin.accountId, iat: now, exp: now + 600 };
}

test('a token of the local issuer is its account, until it expires with 60 s of skew', () =>
  withHttp(async (world) => {
    const issued = await world.issuer.issueToken(world.admin.accountId);
    assert.is((await bearer(world, issued)).json[0].id, world.admin.organizationId);
    world.passes(24 * 3600 * 1000 + 50_000);
    assert.is((await bearer(world, issued)).status, 200);
    world.passes(12_000);
    const expired = await bearer(world, issued);
    assert.is(expired.status, 401);
    assert.is(expired.json.message, 'jwt expired');
  }));

test('the key of the issuer is kept for its owner alone, and survives a restart', () =>
  withHttp(async (world) => {
    const { mode } = await stat(join(world.dataFolder, 'token-issuer.key'));
    assert.is(mode & 0o777, 0o600);
    const again = await openIssuer(world.dataFolder, world.clock);
    assert.is(again.keyId, world.issuer.keyId);
    assert.is((await bearer(world, await again.issueToken(world.user.accountId))).status, 200);
  }));

test('a token whose issuer has another time is refused as one of the future, and one that proves nothing learns nothing', () =>
  withHttp(async (world) => {
    const right = byEd25519(await localKey(world));
    const header = { alg: 'EdDSA', kid: world.issuer.keyId };
    const now = Math.floor(world.clock.now() / 1000);
    const early = { iat: now + 120, exp: now + 600 };
    for (const times of [early, { nbf: now + 120 }]) {
      const { status, json } = await bearer(world, token(header, { ...goodClaims(world), ...times }, right));
      assert.is(status, 401);
      assert.match(json.hint, /^the token is from the future: .* clock of this service; set both clocks/);
      assert.is(json.reasons[0].code, 'token-of-future');
    }
    const { privateKey: otherKey } = generateKeyPairSync('ed25519');
    const forged = await bearer(world, token(header, { ...goodClaims(world), ...early }, byEd25519(otherKey)));
    assert.equal([forged.status, forged.json.reasons], [401, undefined]);
    const inTime = { iat: now + 50, exp: now + 600 };
    assert.is((await bearer(world, token(header, { ...goodClaims(world), ...inTime }, right))).status, 200);
  }));

test('T-24 to T-27: tokens that prove nothing are all 401', () =>
  withHttp(async (world) => {
    const key = await localKey(world);
    const { publicKey, privateKey: otherKey } = generateKeyPairSync('ed25519');
    const claims = goodClaims(world);
    const now = Math.floor(world.clock.now() / 1000);
    const header = { alg: 'EdDSA', kid: world.issuer.keyId };
    const right = byEd25519(key);
    const pem = world.issuer.publicKey.export({ type: 'spki', format: 'pem' });
    const der = world.issuer.publicKey.export({ type: 'spki', format: 'der' });
    const jwk = await exportJWK(world.issuer.publicKey);
    const without = (claim: string): object =>
      Object.fromEntries(Object.entries(claims).filter(([name]) => name !== claim));
    const attacks: Record<string, string> = {
      'no token': '',
      'not a token': 'a.b.c',
      'alg none': token({ alg: 'none', kid: header.kid }, claims, () => Buffer.alloc(0)),
      'alg None with a signature': token({ alg: 'None', kid: header.kid }, claims, right),
      'no alg': token({ kid: header.kid }, claims, right),
      'HS256, public key as PEM': token({ ...header, alg: 'HS256' }, claims, bySecret(pem)),
      'HS256, public key as DER': token({ ...header, alg: 'HS256' }, claims, bySecret(der)),
      'HS256, public key as raw bytes': token({ ...header, alg: 'HS256' }, claims, bySecret(String(jwk.x))),
      'HS256, public key as JWK': token({ ...header, alg: 'HS256' }, claims, bySecret(JSON.stringify(jwk))),
      'another name of the algorithm': token({ ...header, alg: 'Ed25519' }, claims, right),
      'another key': token(header, claims, byEd25519(otherKey)),
      'no key id': token({ alg: 'EdDSA' }, claims, right),
      'key id of nobody': token({ alg: 'EdDSA', kid: '../../etc/passwd' }, claims, right),
      'key in the token': token(
        { ...header, kid: 'mine', jwk: await exportJWK(publicKey) },
        claims,
        byEd25519(otherKey),
      ),
      'address in the token': token({ ...header, kid: 'mine', jku: world.url }, claims, byEd25519(otherKey)),
      'unknown critical header': token({ ...header, crit: ['x'], x: 1 }, claims, right),
      'changed claims': `${part(header)}.${part({ ...claims, sub: world.stranger.accountId })}.${token(header, claims, right).split('.')[2]}`,
      'wrong issuer': token(header, { ...claims, iss: 'elsewhere' }, right),
      'no issuer': token(header, without('iss'), right),
      'wrong audience': token(header, { ...claims, aud: ['elsewhere'] }, right),
      'no audience': token(header, without('aud'), right),
      expired: token(header, { ...claims, exp: now - 61 }, right),
      'no expiry': token(header, without('exp'), right),
      'expiry as text': token(header, { ...claims, exp: String(now + 600) }, right),
      'expiry in a thousand years': token(header, { ...claims, exp: now + 3.2e10 }, right),
      'not yet valid': token(header, { ...claims, nbf: now + 120 }, right),
      'no subject': token(header, without('sub'), right),
      'subject of nobody': token(header, { ...claims, sub: '7f1ab3c0-4444-4444-8444-000000000000' }, right),
      'subject that is a user id': token(header, { ...claims, sub: world.admin.userId }, right),
    };
    for (const [name, attack] of Object.entries(attacks)) {
      const answer = await bearer(world, attack);
      assert.is(answer.status, 401, name);
      assert.is(answer.json.code, 'not-authenticated', name);
    }
    assert.is((await bearer(world, token(header, claims, right))).status, 200, 'the same by the rules');
    assert.is((await bearer(world, token(header, { ...claims, exp: now - 30 }, right))).status, 200, 'within the skew');
  }));

function playProvider(kid: string): { provider: IdentityProvider; sign: (claims: object) => string } {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const known = exportJWK(publicKey).then((jwk) => createLocalJWKSet({ keys: [{ ...jwk, kid, alg: 'RS256' }] }));
  return {
    provider: {
      issuer: 'https://login.example.org/',
      audience: 'papers',
      keys: async (header, input) => (await known)(header, input),
    },
    sign: (claims) => token({ alg: 'RS256', kid }, claims, (input) => signBytes('sha256', input, privateKey)),
  };
}

test('A-5: whom the identity provider vouches for gets an account once, and founds an organization with it', async () => {
  const { provider, sign } = playProvider('idp-1');
  await withHttp(
    async (world) => {
      const claims = {
        ...goodClaims(world),
        iss: provider.issuer,
        aud: 'papers',
        sub: 'auth0|17',
        email: 'ida@example.org',
        name: 'Ida',
      };
      const headers = { authorization: `Bearer ${sign(claims)}` };
      assert.equal((await world.call('GET', '/organizations', { headers })).json, []);
      const created = await world.call('POST', '/organizations', { headers, json: { kind: 'home' } });
      assert.is(created.status, 200);
      assert.is(created.json.email, 'ida@example.org');
      assert.equal((await world.call('GET', '/organizations', { headers })).json, [created.json]);
      const accounts = await world.db('accounts').where({ email: 'ida@example.org' });
      assert.is(accounts.length, 1);

      // A subject of the provider that reads like a local account is not that account.
      const posing = sign({ ...claims, sub: world.admin.accountId });
      assert.equal((await bearer(world, posing)).json, []);
      // The issuers are not mixed up either: each key speaks for its own.
      assert.is((await bearer(world, sign(goodClaims(world)))).status, 401);
    },
    { provider },
  );
});

test('C-38: keys are 64 lowercase hex characters; everything else is 401 alike', () =>
  withHttp(async (world) => {
    const { key } = world.admin;
    const wrong = [
      '',
      key.slice(1),
      `${key}0`,
      key.toUpperCase(),
      ` ${key}x`,
      `${key.slice(0, -1)}g`,
      '0'.repeat(64),
      "' or 1=1 --",
    ];
    const answers = new Set<string>();
    for (const value of wrong) {
      const answer = await world.call('GET', '/organizations', { headers: { 'x-api-key': value } });
      assert.is(answer.status, 401, value);
      answers.add(answer.text);
    }
    assert.is(answers.size, 1);
    assert.is((await world.call('GET', '/organizations', { headers: { 'x-api-key': key } })).status, 200);
    const asBearer = await bearer(world, key);
    assert.is(asBearer.status, 401, 'a key is no bearer token');
  }));

test('C-41: with both credentials a valid key wins, a wrong key falls through to the token', () =>
  withHttp(async (world) => {
    const authorization = `Bearer ${await world.issuer.issueToken(world.stranger.accountId)}`;
    const seen = async (headers: Record<string, string>): Promise<string> =>
      (await world.call('GET', '/organizations', { headers })).json[0].id;
    assert.is(await seen({ authorization, 'x-api-key': world.admin.key }), world.admin.organizationId);
    assert.is(await seen({ authorization, 'x-api-key': '0'.repeat(64) }), world.stranger.organizationId);
    const wrongToken = { authorization: 'Bearer a.b.c', 'x-api-key': world.admin.key };
    assert.is(await seen(wrongToken), world.admin.organizationId);
  }));

test('A-7, C-39: a key is shown once, kept as a hash, listed without its value, and ends at once when deleted', () =>
  withHttp(async (world) => {
    const { call, admin } = world;
    const created = await call('POST', '/tokens', { as: admin, json: { name: 'Home Assistant' } });
    assert.is(created.status, 200);
    assert.equal(Object.keys(created.json).sort(), ['createdAt', 'id', 'name', 'raw']);
    assert.match(created.json.raw, /^[0-9a-f]{64}$/);
    const rows = JSON.stringify(await world.db('api_keys').select('*'));
    assert.not.match(rows, created.json.raw);

    const { raw, ...shown } = created.json;
    const listed = await call('GET', '/tokens', { as: admin });
    assert.equal(listed.json[1], shown);
    assert.equal((await call('GET', `/tokens/${shown.id}`, { as: admin })).json, shown);

    const byKey = { ...admin, key: raw };
    assert.is((await call('GET', '/organizations', { as: byKey })).json[0].id, admin.organizationId);
    const foreign = await call('DELETE', `/tokens/${shown.id}`, { as: world.stranger });
    const random = await call('DELETE', `/tokens/${world.random.id()}`, { as: world.stranger });
    assert.is(foreign.status, 404);
    assert.is(foreign.text, random.text);
    const deleted = await call('DELETE', `/tokens/${shown.id}`, { as: admin });
    assert.is(deleted.status, 204);
    assert.is(deleted.text, '');
    assert.is((await call('GET', '/organizations', { as: byKey })).status, 401);
  }));

test('C-40: a key acts with the role its owner has at that moment', () =>
  withHttp(async ({ call, admin, user }) => {
    const json = { organization: admin.organizationId };
    assert.is((await call('POST', '/devices', { as: user, json })).status, 200);
    const demoted = await call('PATCH', `/users/${user.userId}`, { as: admin, json: { role: 'patient' } });
    assert.is(demoted.status, 200);
    assert.is((await call('POST', '/devices', { as: user, json })).status, 403);
    assert.is((await call('POST', '/tokens', { as: user, json: { name: 'x' } })).status, 403);
  }));

test('C-38, C-40: what another process writes about a key or a membership counts at the very next call', () =>
  withHttp(async ({ address, call, admin, user }) => {
    const created = await call('POST', '/devices', { as: admin, json: { organization: admin.organizationId } });
    const read = async () => (await call('GET', `/devices/${created.json.id}`, { as: user })).status;
    const elsewhere = await openDatabase(address, tables);
    try {
      const becomes = (role: string) => elsewhere('users').where({ id: user.userId }).update({ role });
      assert.is(await read(), 200);
      await becomes('patient');
      assert.is(await read(), 404);
      await becomes('user');
      assert.is(await read(), 200);
      await elsewhere('api_keys').where({ user_id: user.userId }).delete();
      assert.is(await read(), 401);
    } finally {
      await elsewhere.destroy();
    }
  }));

test('T-23: an account has a hundred keys at most, also when it asks for many at once; ending one makes room', () =>
  withHttp(
    async ({ call, admin, user, db, clock, random }) => {
      const ask = (as = admin) => call('POST', '/tokens', { as, json: { name: 'one more' } });
      const made = await Promise.all(Array.from({ length: 105 }, () => ask()));
      // One was there before.
      assert.is(made.filter(({ status }) => status === 200).length, 99);
      const refused = made.find(({ status }) => status !== 200);
      assert.equal([refused?.status, refused?.json.code], [409, 'conflict']);
      assert.is(refused?.json.message, 'An account has at most 100 API keys');
      assert.is(refused?.json.hint, 'end one that is no longer used: DELETE /tokens/ID');
      assert.is((await ask(user)).status, 200);
      const [listed] = (await call('GET', '/tokens', { as: admin })).json;
      assert.is(
        (await call('DELETE', `/tokens/${made.find(({ status }) => status === 200)?.json.id}`, { as: admin })).status,
        204,
      );
      assert.is((await ask()).status, 200);
      assert.is((await ask()).status, 409);
      // What exists beyond that goes on.
      const { user_id } = await db('api_keys').where({ id: listed.id }).first('user_id');
      await createKey(db, { clock, random }, { userId: user_id, name: 'by the operator' });
      assert.is((await call('GET', '/tokens', { as: admin })).json.length, 101);
    },
    { callsPerMinute: 1_000 },
  ));

test.run();
