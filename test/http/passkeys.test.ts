/** Passkeys: made in a session, proved once and by their own device, blocked when there may be a copy (T-100 to T-103). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type PlayedFault, type PlayedPasskey, playPasskey } from './played-passkey.ts';
import { type Answer, type HttpWorld, type Person, withHttp } from './world.ts';

const test = suite('passkeys');

const cookieOf = ({ headers }: Answer): string => String(headers['set-cookie']).split(';')[0] ?? '';

/** Returns the headers that a page of the console at `localhost` sends. */
const page = (world: HttpWorld, more: Record<string, string> = {}): Record<string, string> => ({
  host: `localhost:${world.port}`,
  origin: `http://localhost:${world.port}`,
  'sec-fetch-site': 'same-origin',
  'x-papergate-console': '1',
  ...more,
});

async function signedIn(world: HttpWorld, { key }: Person): Promise<string> {
  const answer = await world.call('POST', '/sessions', { json: { apiKey: key }, headers: page(world) });
  assert.is(answer.status, 201, answer.text);
  return cookieOf(answer);
}

const originOf = ({ port }: HttpWorld): string => `http://localhost:${port}`;

async function addPasskey(world: HttpWorld, cookie: string, device: PlayedPasskey, counter = 0): Promise<Answer> {
  const headers = page(world, { cookie });
  const { json: options } = await world.call('POST', '/passkeys/challenge', { headers });
  const response = device.make({ challenge: options.challenge, origin: originOf(world) }, { counter });
  return world.call('POST', '/passkeys', { headers, json: { name: 'Phone', response } });
}

const challengeFor = async (world: HttpWorld): Promise<string> =>
  (await world.call('POST', '/sessions/passkey/challenge', { headers: page(world) })).json.challenge;

interface Tried extends PlayedFault {
  readonly challenge?: string;
  readonly origin?: string;
  readonly rpId?: string;
  readonly headers?: Record<string, string>;
}

async function tryPasskey(world: HttpWorld, device: PlayedPasskey, tried: Tried = {}): Promise<Answer> {
  const { challenge = await challengeFor(world), origin = originOf(world), rpId, headers, ...fault } = tried;
  const response = device.sign({ challenge, origin, ...(rpId !== undefined && { rpId }) }, fault);
  return world.call('POST', '/sessions/passkey', { headers: { ...page(world), ...headers }, json: { response } });
}

const codeOf = ({ json }: Answer): string => json?.reasons?.[0]?.code ?? '';

test('a passkey is made in a session, listed, signs its person in without a name, and is removed', () =>
  withHttp(async (world) => {
    const { call, user } = world;
    const cookie = await signedIn(world, user);
    const device = playPasskey();
    const made = await addPasskey(world, cookie, device);
    assert.is(made.status, 201, made.text);
    assert.equal([made.json.name, made.json.address, made.json.worksHere], ['Phone', 'localhost', true]);
    const answer = await tryPasskey(world, device, { userHandle: user.accountId });
    assert.is(answer.status, 201, answer.text);
    assert.is(answer.json.way, 'passkey');
    const own = page(world, { cookie: cookieOf(answer) });
    assert.is((await call('GET', '/sessions/current', { headers: own })).json.account.id, user.accountId);
    const [listed] = (await call('GET', '/passkeys', { headers: own })).json;
    assert.ok(listed.usedAt !== null);
    assert.is((await call('DELETE', `/passkeys/${listed.id}`, { as: world.stranger })).status, 404);
    const [path, json] = [`/passkeys/${listed.id}`, { name: ' Phone of Oma ' }];
    assert.is((await call('PATCH', path, { as: world.stranger, json })).status, 404);
    assert.is((await call('PATCH', path, { headers: own, json: { name: 'x'.repeat(81) } })).status, 400);
    assert.is((await call('PATCH', path, { headers: own, json: { name: ' ' } })).status, 400);
    assert.is((await call('PATCH', path, { headers: own, json })).status, 204);
    assert.is((await call('GET', '/passkeys', { headers: own })).json[0].name, 'Phone of Oma');
    const second = cookieOf(await tryPasskey(world, device));
    assert.is((await call('DELETE', `/passkeys/${listed.id}`, { headers: own })).status, 204);
    assert.is((await call('GET', '/sessions/current', { headers: own })).status, 200, 'whoever removes it stays');
    const ended = await call('GET', '/sessions/current', { headers: page(world, { cookie: second }) });
    assert.is(ended.status, 401, 'sessions that began with it end');
    assert.is(codeOf(await tryPasskey(world, device)), 'passkey-unknown');
  }));

test('T-101: a challenge works once, within five minutes, for what it was made for', () =>
  withHttp(async (world) => {
    const cookie = await signedIn(world, world.user);
    const headers = page(world, { cookie });
    const device = playPasskey();
    await addPasskey(world, cookie, device);
    const challenge = await challengeFor(world);
    assert.is((await tryPasskey(world, device, { challenge })).status, 201);
    assert.is(codeOf(await tryPasskey(world, device, { challenge })), 'passkey-not-proved', 'a replay');
    const late = await challengeFor(world);
    world.passes(5 * 60_000);
    assert.is(codeOf(await tryPasskey(world, device, { challenge: late })), 'passkey-not-proved');
    const own = (await world.call('POST', '/passkeys/challenge', { headers })).json.challenge;
    assert.is(codeOf(await tryPasskey(world, device, { challenge: own })), 'passkey-not-proved', 'one for making');
    const response = playPasskey().make({ challenge: await challengeFor(world), origin: originOf(world) });
    const made = await world.call('POST', '/passkeys', { headers, json: { name: 'Phone', response } });
    assert.is(made.status, 400, 'one for signing in');
    const others = page(world, { cookie: await signedIn(world, world.stranger) });
    const { challenge: foreign } = (await world.call('POST', '/passkeys/challenge', { headers: others })).json;
    const stolen = playPasskey().make({ challenge: foreign, origin: originOf(world) });
    assert.is((await world.call('POST', '/passkeys', { headers, json: { name: 'x', response: stolen } })).status, 400);
    const stored: string[] = await world.db('passkey_challenges').pluck('hash');
    assert.not.ok(stored.includes(own), 'what is stored is a hash');
    await challengeFor(world);
    assert.is((await world.db('passkey_challenges').select('hash')).length, 4, 'what has ended is forgotten');
  }));

test('T-100: a passkey of another service, of another page or by a forged Host signs nobody in', () =>
  withHttp(async (world) => {
    const cookie = await signedIn(world, world.user);
    const device = playPasskey();
    await addPasskey(world, cookie, device);
    const wrong: readonly Tried[] = [
      { origin: 'https://evil.example' },
      { rpId: 'evil.example' },
      { forged: true },
      { verified: false },
      { type: 'webauthn.create' },
      { userHandle: world.admin.accountId },
    ];
    for (const tried of wrong) {
      const answer = await tryPasskey(world, device, tried);
      assert.equal([answer.status, codeOf(answer)], [401, 'passkey-not-proved'], JSON.stringify(tried));
      assert.is(answer.headers['set-cookie'], undefined);
    }
    const origin = 'https://evil.example';
    const forged = { host: 'evil.example', origin };
    const elsewhere = await tryPasskey(world, device, { origin, headers: forged });
    assert.equal([elsewhere.status, codeOf(elsewhere)], [401, 'passkey-unknown'], 'of a host that somebody made up');
    const foreign = await tryPasskey(world, device, { headers: { origin: 'https://evil.example' } });
    assert.is(foreign.status, 403, 'a page of another site');
    assert.is(codeOf(await tryPasskey(world, playPasskey())), 'passkey-unknown');
    const numbered = { host: `127.0.0.1:${world.port}`, origin: world.url };
    assert.is(codeOf(await tryPasskey(world, device, { headers: numbered })), 'passkey-needs-name');
    assert.is((await tryPasskey(world, device)).status, 201, 'and nothing of it has hurt');
  }));

test('T-102: a counter that goes back blocks the passkey, ends its sessions and is reported; nobody without its key can do that', () =>
  withHttp(async (world) => {
    const { call, db, user, admin } = world;
    const cookie = await signedIn(world, user);
    const device = playPasskey();
    await addPasskey(world, cookie, device, 5);
    const first = await tryPasskey(world, device, { counter: 8 });
    assert.is(first.status, 201, first.text);
    assert.is(codeOf(await tryPasskey(world, device, { counter: 1, forged: true })), 'passkey-not-proved');
    assert.is(
      (await tryPasskey(world, device, { counter: 9 })).status,
      201,
      'whoever knows its id alone blocks nothing',
    );
    const copied = await tryPasskey(world, device, { counter: 9 });
    assert.equal([copied.status, codeOf(copied)], [401, 'passkey-copied']);
    assert.is(codeOf(await tryPasskey(world, device, { counter: 20 })), 'passkey-blocked');
    const ended = await call('GET', '/sessions/current', { headers: page(world, { cookie: cookieOf(first) }) });
    assert.is(ended.status, 401);
    const [listed] = (await call('GET', '/passkeys', { headers: page(world, { cookie }) })).json;
    assert.ok(listed.blockedAt !== null);
    const entries = (await call('GET', `/organizations/${user.organizationId}/audit/`, { as: admin })).json;
    const actions = entries.entries.map(({ action }: { action: string }) => action);
    assert.equal(actions.slice(0, 2), ['session.refused', 'passkey.blocked']);
    assert.is((await db('passkeys').first('counter')).counter, 9);
  }));

test('T-103: a passkey ends with the API key by which its session began, and no key makes one', () =>
  withHttp(async (world) => {
    const { call, user } = world;
    const { id, raw } = (await call('POST', '/tokens', { as: user, json: { name: 'kitchen' } })).json;
    const headers = page(world, { 'x-api-key': raw });
    assert.is((await call('POST', '/passkeys/challenge', { headers })).status, 403);
    const cookie = await signedIn(world, { ...user, key: raw });
    const device = playPasskey();
    await addPasskey(world, cookie, device);
    assert.is((await call('GET', '/passkeys', { as: user })).json[0].endsWithKey, 'kitchen');
    const session = page(world, { cookie: cookieOf(await tryPasskey(world, device)) });
    assert.is((await call('DELETE', `/tokens/${id}`, { as: user })).status, 204);
    assert.is((await call('GET', '/sessions/current', { headers: session })).status, 401);
    assert.is(codeOf(await tryPasskey(world, device)), 'passkey-unknown');
  }));

test('attempts and challenges are counted by address, and an account has twenty passkeys', () =>
  withHttp(async (world) => {
    const cookie = await signedIn(world, world.user);
    for (let at = 0; at < 20; at++) assert.is((await addPasskey(world, cookie, playPasskey())).status, 201);
    const more = await addPasskey(world, cookie, playPasskey());
    assert.equal([more.status, codeOf(more)], [409, 'many-passkeys']);
    await withHttp(
      async (limited) => {
        const asked = () => limited.call('POST', '/sessions/passkey/challenge', { headers: page(limited) });
        for (let at = 0; at < 3; at++) assert.is((await asked()).status, 200);
        assert.is((await asked()).status, 429);
        const challenge = 'AA';
        for (let at = 0; at < 3; at++) await tryPasskey(limited, playPasskey(), { challenge });
        assert.is((await tryPasskey(limited, playPasskey(), { challenge })).status, 429);
      },
      { signInsPerMinute: 3 },
    );
  }));

test.run();
