/** Pairings: another device of one's own is let in by the number that it shows, and a stranger's is not (T-106). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answer, type HttpWorld, type Person, withHttp } from './world.ts';

const test = suite('pairings');

const own = (cookie: string): Record<string, string> => ({ cookie, 'x-papergate-console': '1' });
const cookieOf = ({ headers }: Answer): string => String(headers['set-cookie']).split(';')[0] ?? '';
const problemOf = ({ status, json }: Answer) => [status, json.reasons?.[0]?.code];

async function signedIn({ call }: HttpWorld, { key }: Person): Promise<Record<string, string>> {
  return own(cookieOf(await call('POST', '/sessions', { json: { apiKey: key } })));
}

interface Begun {
  readonly id: string;
  readonly code: string;
}

async function begin({ call }: HttpWorld, headers: Record<string, string>): Promise<Begun> {
  const { status, text, json } = await call('POST', '/sessions/pairings', { headers });
  assert.is(status, 201, text);
  return { id: json.id, code: json.url.split('#pair=')[1] };
}

const scan = ({ call }: HttpWorld, code: string): Promise<Answer> =>
  call('POST', '/sessions/pairing/scan', { json: { code }, headers: { 'user-agent': 'Phone 1' } });

const claim = ({ call }: HttpWorld, ticket: string, stays = false): Promise<Answer> =>
  call('POST', '/sessions/pairing', { json: { ticket, stays } });

test('a device shows a number, the first one chooses it, and only then is it signed in, as the same person', () =>
  withHttp(async (world) => {
    const { call, user } = world;
    const headers = await signedIn(world, user);
    const { id, code } = await begin(world, headers);
    const look = () => call('GET', `/sessions/pairings/${id}`, { headers });
    assert.equal([(await look()).json.state, (await look()).json.choices], ['open', []]);
    const { json: scanned } = await scan(world, code);
    assert.equal((await claim(world, scanned.ticket)).json, { isSignedIn: false });
    const { state, browser, choices } = (await look()).json;
    assert.equal([state, browser, new Set(choices).size], ['scanned', 'Phone 1', 3]);
    assert.ok(choices.includes(scanned.number));
    const confirm = (number: number) => call('POST', `/sessions/pairings/${id}/confirm`, { headers, json: { number } });
    assert.equal((await confirm(scanned.number)).json, { isRight: true });
    const claims = await Promise.all([claim(world, scanned.ticket, true), claim(world, scanned.ticket, true)]);
    assert.equal(claims.map(({ status }) => status).sort(), [200, 401], 'once');
    const signed = claims.find(({ status }) => status === 200);
    assert.equal(signed?.json, { isSignedIn: true });
    const me = await call('GET', '/sessions/current', { headers: own(cookieOf(signed as Answer)) });
    assert.equal([me.json.account.id, me.json.session.way, me.json.session.stays], [user.accountId, 'pairing', true]);
    assert.is((await look()).json.state, 'done');
    const { entries } = (await call('GET', `/organizations/${user.organizationId}/audit/`, { as: world.admin })).json;
    assert.equal([entries[0].action, entries[0].values?.by ?? entries[0].detail?.by], ['session.started', 'pairing']);
  }));

test('T-106: somebody who photographs the code has nothing without the number, and a wrong number ends it for both', () =>
  withHttp(async (world) => {
    const { call, user, passes } = world;
    const headers = await signedIn(world, user);
    const { id, code } = await begin(world, headers);
    const { json: strangers } = await scan(world, code);
    assert.equal(problemOf(await scan(world, code)), [401, 'pairing-taken'], 'the person’s own device says so');
    for (let at = 0; at < 3; at++) assert.equal((await claim(world, strangers.ticket)).json, { isSignedIn: false });
    const { choices } = (await call('GET', `/sessions/pairings/${id}`, { headers })).json;
    const wrong = choices.find((one: number) => one !== strangers.number);
    const confirm = (number: number) => call('POST', `/sessions/pairings/${id}/confirm`, { headers, json: { number } });
    assert.equal((await confirm(wrong)).json, { isRight: false });
    assert.equal((await confirm(strangers.number)).json, { isRight: false }, 'nobody guesses twice');
    assert.equal(problemOf(await claim(world, strangers.ticket)), [401, 'pairing-ended']);
    const { entries } = (await call('GET', `/organizations/${user.organizationId}/audit/`, { as: world.admin })).json;
    assert.is(entries[0].action, 'pairing.refused');

    const second = await begin(world, headers);
    const { json: cancelled } = await scan(world, second.code);
    assert.is((await call('DELETE', `/sessions/pairings/${second.id}`, { headers })).status, 204);
    assert.equal(problemOf(await claim(world, cancelled.ticket)), [401, 'pairing-ended']);

    const late = await begin(world, headers);
    passes(2 * 60_000);
    assert.equal(problemOf(await scan(world, late.code)), [401, 'pairing-ended']);
    assert.is((await call('GET', `/sessions/pairings/${late.id}`, { headers })).json.state, 'refused');
    const slow = await begin(world, headers);
    const { json: waiting } = await scan(world, slow.code);
    passes(2 * 60_000);
    assert.equal(
      (await call('POST', `/sessions/pairings/${slow.id}/confirm`, { headers, json: { number: waiting.number } })).json,
      { isRight: false },
    );
    assert.equal(problemOf(await claim(world, waiting.ticket)), [401, 'pairing-ended']);
    assert.equal(problemOf(await scan(world, 'guessed')), [401, 'pairing-ended']);
  }));

test('T-106: a pairing is its own session’s: it ends with it, no other one chooses for it, and what it let in ends with the key', () =>
  withHttp(async (world) => {
    const { call, user, admin } = world;
    const [headers, others] = [await signedIn(world, user), await signedIn(world, admin)];
    const first = await begin(world, headers);
    const { json: scanned } = await scan(world, first.code);
    const path = `/sessions/pairings/${first.id}`;
    assert.is((await call('GET', path, { headers: others })).status, 404);
    const json = { number: scanned.number };
    assert.is((await call('POST', `${path}/confirm`, { headers: others, json })).status, 404);
    assert.is((await call('POST', '/sessions/pairings', { as: user })).status, 403, 'a key has no session');
    assert.is((await call('POST', `${path}/confirm`, { headers, json })).status, 200);
    assert.is((await call('DELETE', '/sessions/current', { headers })).status, 204);
    assert.equal(problemOf(await claim(world, scanned.ticket)), [401, 'pairing-ended'], 'it ended with its session');

    const key = (await call('POST', '/tokens', { as: user, json: { name: 'kitchen' } })).json;
    const byKey = await signedIn(world, { ...user, key: key.raw });
    const second = await begin(world, byKey);
    const { json: phone } = await scan(world, second.code);
    await call('POST', `/sessions/pairings/${second.id}/confirm`, { headers: byKey, json: { number: phone.number } });
    const session = own(cookieOf(await claim(world, phone.ticket)));
    assert.is((await call('GET', '/sessions/current', { headers: session })).status, 200);
    assert.is((await call('DELETE', `/tokens/${key.id}`, { as: user })).status, 204);
    assert.is((await call('GET', '/sessions/current', { headers: session })).status, 401);
    const foreign = { origin: 'https://evil.example' };
    assert.is((await call('POST', '/sessions/pairing/scan', { json: { code: 'x' }, headers: foreign })).status, 403);
  }));

test.run();
