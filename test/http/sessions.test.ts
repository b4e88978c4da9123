/** Sessions of the console: how they begin, what they are worth to others, and how they end (T-69). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeSignInCode } from '../../api/directory/sessions.ts';
import { forgetOldRows } from '../../api/retention/forget-old-rows.ts';
import { type Answer, type HttpWorld, type Person, withHttp } from './world.ts';

const test = suite('sessions of the console');

const minuteMs = 60_000;
const dayMs = 24 * 3_600_000;

/** Returns the headers that the console's page sends with every call. */
const own = (cookie: string): Record<string, string> => ({ cookie, 'x-papergate-console': '1' });

const cookieOf = ({ headers }: Answer): string => String(headers['set-cookie']).split(';')[0] ?? '';

async function signedIn(world: HttpWorld, person: Person): Promise<string> {
  const answer = await world.call('POST', '/sessions', { json: { apiKey: person.key } });
  assert.is(answer.status, 201, answer.text);
  return cookieOf(answer);
}

const whoIs = (world: HttpWorld, headers: Record<string, string>): Promise<Answer> =>
  world.call('GET', '/sessions/current', { headers });

test('a link signs in once, within ten minutes, as the person it was made for', () =>
  withHttp(async (world) => {
    const { call, db, admin, user, passes } = world;
    const { code } = await makeSignInCode(db, world, user.accountId);
    const answer = await call('POST', '/sessions', { json: { code }, headers: { 'user-agent': 'Browser 1' } });
    assert.is(answer.status, 201, answer.text);
    assert.match(
      String(answer.headers['set-cookie']),
      /^papergate_session=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/,
    );
    assert.is(answer.headers['cache-control'], 'no-store');
    assert.is(answer.json.browser, 'Browser 1');
    const me = await whoIs(world, own(cookieOf(answer)));
    assert.is(me.json.account.id, user.accountId);
    assert.equal(
      me.json.memberships.map(({ userId, role }: { userId: string; role: string }) => [userId, role]),
      [[user.userId, 'user']],
    );
    assert.is(me.json.session.isCurrent, true);
    const again = await call('POST', '/sessions', { json: { code } });
    assert.equal([again.status, again.json.hint], [401, 'get another one: ./papergate console']);
    const late = await makeSignInCode(db, world, admin.accountId);
    passes(10 * minuteMs);
    assert.is((await call('POST', '/sessions', { json: { code: late.code } })).status, 401);
    const wrong = await call('POST', '/sessions', { json: { apiKey: '0'.repeat(64) } });
    assert.equal([wrong.status, wrong.headers['set-cookie']], [401, undefined]);
    assert.is((await call('POST', '/sessions', { json: {} })).status, 400);
  }));

test('T-69: the cookie counts for the console’s own page, and for nobody else’s', () =>
  withHttp(async (world) => {
    const cookie = await signedIn(world, world.admin);
    const { port } = world;
    const good: Record<string, string>[] = [
      {},
      { 'sec-fetch-site': 'same-origin' },
      { origin: `http://127.0.0.1:${port}` },
      { origin: `https://127.0.0.1:${port}`, 'sec-fetch-site': 'same-origin' },
    ];
    for (const headers of good) {
      const answer = await whoIs(world, { ...own(cookie), ...headers });
      assert.is(answer.status, 200, JSON.stringify(headers));
    }
    const bad: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: 'https://evil.example', 'x-forwarded-host': 'evil.example' },
      { origin: `http://127.0.0.1:${port + 1}` },
      { 'x-papergate-console': '' },
      { cookie: `${cookie}; ${cookie}` },
      { cookie: `${cookie}x` },
      { cookie: `other=${cookie.split('=')[1]}` },
    ];
    for (const headers of bad) {
      const answer = await whoIs(world, { ...own(cookie), ...headers });
      assert.is(answer.status, 401, JSON.stringify(headers));
    }
    assert.is((await whoIs(world, { cookie })).status, 401, 'without the header of our own');
    // A key that is sent beside it wins, as it does over a token.
    const key = await whoIs(world, { ...own(cookie), 'x-api-key': world.stranger.key });
    assert.equal([key.json.account.id, key.json.session], [world.stranger.accountId, null]);
  }));

test('a session ends after seven days without use, after thirty in all, when it is revoked and when the account ends', () =>
  withHttp(async (world) => {
    const { call, db, admin, user, stranger, passes } = world;
    const used = await signedIn(world, admin);
    const idle = await signedIn(world, admin);
    for (let day = 0; day < 29; day += 5) {
      assert.is((await whoIs(world, own(used))).status, 200, `day ${day}`);
      passes(5 * dayMs);
    }
    assert.is((await whoIs(world, own(idle))).status, 401);
    assert.is((await whoIs(world, own(used))).status, 401, 'thirty days are over');
    assert.is((await forgetOldRows(db, world.clock.now())).sessions, 2);

    const [here, there] = [await signedIn(world, admin), await signedIn(world, admin)];
    const { json: all } = await call('GET', '/sessions', { headers: own(here) });
    assert.is(all.length, 2);
    const other = all.find(({ isCurrent }: { isCurrent: boolean }) => !isCurrent).id;
    assert.is((await call('DELETE', `/sessions/${other}`, { as: user })).status, 404, 'a colleague’s');
    assert.is((await call('DELETE', `/sessions/${other}`, { headers: own(here) })).status, 204);
    assert.is((await whoIs(world, own(there))).status, 401);
    const out = await call('DELETE', '/sessions/current', { headers: own(here) });
    assert.match(String(out.headers['set-cookie']), /^papergate_session=; Path=\/; Max-Age=0;/);
    assert.is((await whoIs(world, own(here))).status, 401);

    const key = (await call('POST', '/tokens', { as: admin, json: { name: 'kitchen' } })).json;
    const byKey = await signedIn(world, { ...admin, key: key.raw });
    const beside = await signedIn(world, admin);
    assert.is((await call('DELETE', `/tokens/${key.id}`, { as: admin })).status, 204);
    assert.is((await whoIs(world, own(byKey))).status, 401, 'it ends with the key that began it');
    assert.is((await whoIs(world, own(beside))).status, 200);

    const gone = await signedIn(world, stranger);
    assert.is((await call('DELETE', `/accounts/${stranger.accountId}`, { as: stranger })).status, 200);
    assert.is((await whoIs(world, own(gone))).status, 401);
  }));

test('roles count as of now, and a member who was removed sees nothing', () =>
  withHttp(async (world) => {
    const { call, db, admin, user } = world;
    const { code } = await makeSignInCode(db, world, user.accountId);
    const cookie = cookieOf(await call('POST', '/sessions', { json: { code } }));
    const byKey = await signedIn(world, user);
    const list = () => call('GET', `/devices?organization=${user.organizationId}`, { headers: own(cookie) });
    assert.is((await list()).status, 200);
    assert.is((await call('DELETE', `/users/${user.userId}`, { as: admin })).status, 200);
    assert.equal((await whoIs(world, own(cookie))).json.memberships, []);
    assert.is((await whoIs(world, own(byKey))).status, 401, 'the key ended with the last membership');
    assert.is((await list()).status, 404);
  }));

test('attempts are counted by address, whatever is tried', () =>
  withHttp(
    async ({ call, admin }) => {
      for (let at = 0; at < 3; at++) {
        assert.is((await call('POST', '/sessions', { json: { code: `guess${at}` } })).status, 401);
      }
      const refused = await call('POST', '/sessions', { json: { apiKey: admin.key } });
      assert.is(refused.status, 429);
      assert.ok(Number(refused.headers['retry-after']) > 0);
    },
    { signInsPerMinute: 3 },
  ));

test('behind a trusted proxy the cookie is for its path and for https', () =>
  withHttp(
    async ({ call, admin }) => {
      const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-prefix': '/paper' };
      const { headers: answered } = await call('POST', '/sessions', { json: { apiKey: admin.key }, headers });
      assert.match(String(answered['set-cookie']), /; Path=\/paper\/; .*; Secure$/);
      const odd = { ...headers, 'x-forwarded-prefix': '/a"><script>' };
      const { headers: plain } = await call('POST', '/sessions', { json: { apiKey: admin.key }, headers: odd });
      assert.match(String(plain['set-cookie']), /; Path=\/; /);
    },
    { trustedProxies: [{ address: '127.0.0.1', prefix: 32, family: 'ipv4' }] },
  ));

test('a stranger’s headers choose neither path nor scheme', () =>
  withHttp(async ({ call, admin }) => {
    const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-prefix': '/paper' };
    const { headers: answered } = await call('POST', '/sessions', { json: { apiKey: admin.key }, headers });
    assert.match(String(answered['set-cookie']), /; Path=\/; (?!.*Secure)/);
  }));

test('an invitation makes an account for anyone who has none, once', () =>
  withHttp(async (world) => {
    const { call, admin, db } = world;
    const json = { organization: admin.organizationId, email: 'bea@example.org', role: 'user' };
    const { inviteCode, id } = (await call('POST', '/users', { as: admin, json })).json;
    const joined = await call('POST', '/sessions', { json: { inviteCode, name: 'Bea' } });
    assert.is(joined.status, 201, joined.text);
    const me = await whoIs(world, own(cookieOf(joined)));
    assert.equal(
      me.json.memberships.map(({ userId, role, name }: Record<string, string>) => [userId, role, name]),
      [[id, 'user', 'Bea']],
    );
    assert.is(me.json.account.email, 'bea@example.org');
    const accounts = (await db('accounts').pluck('id')).length;
    assert.is((await call('POST', '/sessions', { json: { inviteCode } })).status, 404, 'it is spent');
    assert.is((await call('POST', '/sessions', { json: { inviteCode: 'guessed-code' } })).status, 404);
    assert.is((await db('accounts').pluck('id')).length, accounts, 'no account is left of an attempt');
    const shown = (await call('GET', `/users/${id}`, { as: admin })).json[0];
    assert.is(shown.status, 'accepted');
  }));

test('T-69: nobody is signed in by a page of another site, to whose account ever', () =>
  withHttp(async (world) => {
    const { call, admin, db, port } = world;
    const { code } = await makeSignInCode(db, world, admin.accountId);
    const others: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: `http://127.0.0.1:${port}`, 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'none' },
    ];
    for (const headers of others) {
      for (const json of [{ apiKey: admin.key }, { code }]) {
        const answer = await call('POST', '/sessions', { json, headers });
        assert.equal([answer.status, answer.headers['set-cookie']], [403, undefined], JSON.stringify(headers));
      }
    }
    const form = { 'content-type': 'text/plain' };
    const plain = await call('POST', '/sessions', { body: JSON.stringify({ apiKey: admin.key }), headers: form });
    assert.is(plain.status, 415, 'what a form can send without a preflight');
    const headers = { origin: `http://127.0.0.1:${port}`, 'sec-fetch-site': 'same-origin' };
    assert.is((await call('POST', '/sessions', { json: { code }, headers })).status, 201, 'it was not used up');
  }));

test('behind a proxy that changes Host, the refusal names header and setting, and the word of a browser suffices', () =>
  withHttp(async ({ call, admin, port }) => {
    const json = { apiKey: admin.key };
    const page = 'http://papers.lan:8051';
    for (const host of ['papers.lan', `127.0.0.1:${port}`]) {
      const refused = await call('POST', '/sessions', { json, headers: { origin: page, host } });
      assert.is(refused.status, 403);
      const [{ sentence }] = refused.json.reasons ?? [{ sentence: refused.json.hint }];
      assert.match(sentence, new RegExp(`at ${page}, and its request arrived for http://${host}:`));
      assert.match(sentence, /Host header with the port .*\$http_host.*PAPERGATE_PUBLIC_URL/);
    }
    const site = { origin: page, host: 'papers.lan', 'sec-fetch-site': 'same-origin' };
    assert.is(
      (await call('POST', '/sessions', { json, headers: site })).status,
      201,
      'the same host, without its port',
    );
    const other = { ...site, origin: 'http://evil.lan:8051' };
    assert.is((await call('POST', '/sessions', { json, headers: other })).status, 403);
    const sibling = { origin: page, host: 'papers.lan', 'sec-fetch-site': 'same-site' };
    assert.is(
      (await call('POST', '/sessions', { json, headers: sibling })).status,
      403,
      'another service of this machine',
    );
  }));

test('a code that many try at once signs one of them in', () =>
  withHttp(async (world) => {
    const { call, db, user } = world;
    const { code } = await makeSignInCode(db, world, user.accountId);
    const all = await Promise.all(Array.from({ length: 8 }, () => call('POST', '/sessions', { json: { code } })));
    assert.equal(all.map(({ status }) => status).sort(), [201, 401, 401, 401, 401, 401, 401, 401]);
  }));

test('T-69: two tabs share a session, a second sign-in is another one, and a cookie that was brought along is not a session', () =>
  withHttp(async (world) => {
    const { call, admin } = world;
    const brought = { cookie: `papergate_session=${'A'.repeat(43)}` };
    const first = await call('POST', '/sessions', { json: { apiKey: admin.key }, headers: brought });
    assert.is.not(cookieOf(first), brought.cookie, 'fixation');
    const second = await call('POST', '/sessions', {
      json: { apiKey: admin.key },
      headers: { cookie: cookieOf(first) },
    });
    assert.is.not(cookieOf(second), cookieOf(first));
    const tabs = await Promise.all(Array.from({ length: 4 }, () => whoIs(world, own(cookieOf(first)))));
    assert.equal(new Set(tabs.map(({ json }) => json.session.id)).size, 1);
    assert.is((await call('DELETE', '/sessions/current', { headers: own(cookieOf(first)) })).status, 204);
    assert.is((await whoIs(world, own(cookieOf(first)))).status, 401, 'the other tab, at its next call');
    assert.is((await whoIs(world, own(cookieOf(second)))).status, 200);
  }));

test('the use of a session is written down once an hour', () =>
  withHttp(async (world) => {
    const cookie = await signedIn(world, world.admin);
    const usedAt = async (): Promise<number> => (await world.db('sessions').first('used_at')).used_at;
    const before = await usedAt();
    world.passes(59 * minuteMs);
    await whoIs(world, own(cookie));
    assert.is(await usedAt(), before);
    world.passes(minuteMs);
    await whoIs(world, own(cookie));
    assert.ok((await usedAt()) >= before + 60 * minuteMs);
  }));

test('of one account, the fifty-first session takes the place of the one that was not used for longest', () =>
  withHttp(async (world) => {
    const first = await signedIn(world, world.user);
    world.passes(1_000);
    for (let at = 0; at < 50; at++) await signedIn(world, world.user);
    assert.is((await whoIs(world, own(first))).status, 401);
    assert.is((await world.call('GET', '/sessions', { as: world.user })).json.length, 50);
  }));

test('the link of the first run makes the organization once, and is not used up by a mistake', () =>
  withHttp(async (world) => {
    const { call, db } = world;
    const { code } = await makeSignInCode(db, world, null);
    const first = { code, organizationName: 'Home', name: 'Ada', email: 'ada@example.org' };
    assert.equal((await call('GET', '/sessions/ways')).json, { firstRun: false, provider: null, mail: false });
    assert.is((await call('POST', '/sessions', { json: first })).status, 409, 'there is an organization');
    assert.is((await call('POST', '/sessions', { json: { code } })).status, 401, 'it signs nobody in');
    assert.is((await call('POST', '/sessions', { json: { ...first, email: 'no address' } })).status, 400);
    assert.is((await call('POST', '/sessions', { json: { ...first, code: 'unknown' } })).status, 401);
    const { code: persons } = await makeSignInCode(db, world, world.user.accountId);
    assert.is((await call('POST', '/sessions', { json: { ...first, code: persons } })).status, 401, 'another link');
    const left = await db('sign_in_codes').select('account_id');
    assert.equal(left.length, 2, 'nothing was used up');
  }));

test('T-108: anyone who stays signed in has a year without use, sliding; it is listed, can be taken back, and ends as others do', () =>
  withHttp(async (world) => {
    const { call, db, admin, passes } = world;
    const answer = await call('POST', '/sessions', { json: { apiKey: admin.key, stays: true } });
    assert.match(String(answer.headers['set-cookie']), /; Max-Age=31536000; HttpOnly; SameSite=Strict$/);
    assert.is(answer.json.stays, true);
    const cookie = cookieOf(answer);
    for (let month = 0; month < 15; month++) {
      passes(30 * dayMs);
      const me = await whoIs(world, own(cookie));
      assert.is(me.status, 200, `month ${month}`);
      assert.match(String(me.headers['set-cookie']), /Max-Age=31536000/, 'the browser keeps it for as long again');
    }
    assert.is((await forgetOldRows(db, world.clock.now())).sessions, 0);
    const keep = (given: string, stays: boolean) =>
      call('PATCH', '/sessions/current', { headers: own(given), json: { stays } });
    const short = await signedIn(world, admin);
    const kept = await keep(short, true);
    assert.equal([kept.json.stays, kept.json.isCurrent], [true, true]);
    const { json: listed } = await call('GET', '/sessions', { headers: own(cookie) });
    assert.equal(
      listed.map(({ stays }: { stays: boolean }) => stays),
      [true, true],
    );
    const usual = await keep(short, false);
    assert.match(String(usual.headers['set-cookie']), /Max-Age=2592000/);
    passes(8 * dayMs);
    assert.is((await whoIs(world, own(short))).status, 401, 'seven days, as without it');
    assert.is((await call('PATCH', '/sessions/current', { as: admin, json: { stays: true } })).status, 404);
    passes(366 * dayMs);
    assert.is((await whoIs(world, own(cookie))).status, 401, 'a year without use');
  }));

test.run();
