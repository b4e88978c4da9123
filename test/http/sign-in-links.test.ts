/** Sign-in links of administrators and by mail: whom they let in, where, and what becomes of them (T-104, T-105, T-107). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { LinkLetter } from '../../api/directory/mail-links.ts';
import { eventually } from '../journeys/world.ts';
import { type Answer, type HttpWorld, type Person, withHttp } from './world.ts';

const test = suite('sign-in links');

const hourMs = 3_600_000;

const own = (cookie: string): Record<string, string> => ({ cookie, 'x-papergate-console': '1' });
const cookieOf = ({ headers }: Answer): string => String(headers['set-cookie']).split(';')[0] ?? '';
const problemOf = ({ status, json }: Answer) => [status, json.reasons?.[0]?.code];

async function linkFor({ call }: HttpWorld, as: Person, { userId }: Person): Promise<string> {
  const made = await call('POST', `/users/${userId}/sign-in-link`, { as });
  assert.is(made.status, 201, made.text);
  return made.json.url.split('#link=')[1];
}

/** Makes a person of one organization a member of another one as well. */
async function alsoIn({ call, admin }: HttpWorld, person: Person, role: string): Promise<void> {
  const json = { organization: admin.organizationId, email: 'both@example.org', role };
  const { inviteCode } = (await call('POST', '/users', { as: admin, json })).json;
  const joined = await call('POST', '/users/join', { as: person, json: { inviteCode } });
  assert.is(joined.status, 200, joined.text);
}

test('T-105: an administrator’s link is looked at, signs its member in once within a day, and ends with the next one', () =>
  withHttp(async (world) => {
    const { call, admin, user, passes } = world;
    const replaced = await linkFor(world, admin, user);
    const code = await linkFor(world, admin, user);
    assert.equal(problemOf(await call('POST', '/sessions/link', { json: { code: replaced } })), [
      401,
      'sign-in-link-unknown',
    ]);
    const seen = await call('POST', '/sessions/link/look', { json: { code } });
    assert.equal(seen.json, { firstRun: false, organization: 'Ward One', name: 'Uma' });
    const all = await Promise.all(Array.from({ length: 4 }, () => call('POST', '/sessions/link', { json: { code } })));
    assert.equal(all.map(({ status }) => status).sort(), [201, 401, 401, 401]);
    const used = await call('POST', '/sessions/link/look', { json: { code } });
    assert.equal(problemOf(used), [401, 'sign-in-link-used'], 'its page says so before anything is typed');
    const session = all.find(({ status }) => status === 201);
    assert.is(session?.json.way, 'member-link');
    const links = (await call('GET', '/sessions/links', { as: user })).json;
    assert.equal([links.length, links[0].madeBy], [1, 'Ada'], 'the member sees who made it');
    assert.ok(links[0].usedAt !== null);
    const { entries } = (await call('GET', `/organizations/${admin.organizationId}/audit/`, { as: admin })).json;
    const actions = entries.map(({ action }: { action: string }) => action);
    assert.equal(actions.slice(0, 3), ['session.started', 'sign-in-link.made', 'sign-in-link.made']);
    const late = await linkFor(world, admin, user);
    passes(24 * hourMs);
    assert.equal(problemOf(await call('POST', '/sessions/link', { json: { code: late } })), [
      401,
      'sign-in-link-ended',
    ]);
  }));

test('T-105: links are made by administrators for members of theirs who joined, and are void once their maker no longer manages', () =>
  withHttp(async (world) => {
    const { call, db, admin, user, stranger } = world;
    const made = (as: Person, userId: string) => call('POST', `/users/${userId}/sign-in-link`, { as });
    assert.is((await made(user, admin.userId)).status, 403);
    assert.is((await made(stranger, user.userId)).status, 404);
    const json = { organization: admin.organizationId, email: 'ida@example.org' };
    const invited = (await call('POST', '/users', { as: admin, json })).json;
    assert.equal(problemOf(await made(admin, invited.id)), [409, 'not-joined']);
    const second = await world.join(admin.organizationId, 'admin', 'Bo');
    const code = await linkFor(world, second, admin);
    const withdrawn = await linkFor(world, admin, user);
    const [{ id }] = (await call('GET', '/sessions/links', { as: user })).json;
    assert.is((await call('DELETE', `/sessions/links/${id}`, { as: admin })).status, 404, 'somebody else’s');
    assert.is((await call('DELETE', `/sessions/links/${id}`, { as: user })).status, 204);
    const gone = await call('POST', '/sessions/link', { json: { code: withdrawn } });
    assert.equal(problemOf(gone), [401, 'sign-in-link-unknown']);
    await call('PATCH', `/users/${second.userId}`, { as: admin, json: { role: 'user' } });
    assert.equal(problemOf(await call('POST', '/sessions/link', { json: { code } })), [401, 'sign-in-link-unknown']);
    assert.is(await db('sessions').first('id'), undefined);
  }));

test('T-104: what a link began opens its organization alone, and so does all that is made there', () =>
  withHttp(async (world) => {
    const { call, admin, stranger } = world;
    await alsoIn(world, stranger, 'user');
    const users = (await call('GET', `/users?organization=${admin.organizationId}`, { as: admin })).json;
    const { id: userId } = users.find(({ email }: { email: string }) => email === 'both@example.org');
    const code = await linkFor(world, admin, { ...stranger, userId });
    const headers = own(cookieOf(await call('POST', '/sessions/link', { json: { code } })));
    const opened = async (given: Record<string, string>): Promise<string[]> =>
      (await call('GET', '/sessions/current', { headers: given })).json.memberships.map(
        ({ organization }: { organization: { id: string } }) => organization.id,
      );
    assert.equal(await opened(headers), [admin.organizationId]);
    const there = `organization=${stranger.organizationId}`;
    assert.is((await call('GET', `/users?${there}`, { headers })).status, 404);
    const key = await call('POST', '/tokens', { headers, json: { name: 'planted' } });
    assert.is(key.status, 200, key.text);
    assert.equal(await opened({ 'x-api-key': key.json.raw }), [admin.organizationId], 'a key that it made');
    const invited = (
      await call('POST', '/users', {
        as: stranger,
        json: { organization: stranger.organizationId, email: 'c@example.org' },
      })
    ).json;
    const refused: readonly (readonly [string, string, object?])[] = [
      ['DELETE', `/accounts/${stranger.accountId}`],
      ['PATCH', `/accounts/${stranger.accountId}`, { firstName: 'Mallory' }],
      ['POST', '/organizations', { kind: 'home' }],
      ['POST', '/users/join', { inviteCode: invited.inviteCode }],
    ];
    for (const [method, path, json] of refused) {
      const answer = await call(method, path, { headers, ...(json && { json }) });
      assert.equal(problemOf(answer), [403, 'opens-one-organization'], `${method} ${path}`);
    }
    const whole = cookieOf(await call('POST', '/sessions', { json: { apiKey: stranger.key } }));
    const sessions = (await call('GET', '/sessions', { headers })).json;
    assert.is(sessions.length, 1, 'other sessions are not told');
    const { id } = (await call('GET', '/sessions/current', { headers: own(whole) })).json.session;
    assert.is((await call('DELETE', `/sessions/${id}`, { headers })).status, 404);
    const { json: keys } = await call('GET', '/tokens', { headers });
    assert.equal(
      keys.map(({ name }: { name: string }) => name),
      ['planted'],
    );
    assert.equal((await opened(own(whole))).length, 2);
  }));

interface Mailed {
  readonly letters: LinkLetter[];
  readonly codes: () => string[];
}

/** The address that the operator named. */
const named = 'http://papers.example';

function withMail(run: (world: HttpWorld, mailed: Mailed) => Promise<void>, publicUrl = named): Promise<void> {
  const letters: LinkLetter[] = [];
  const codes = () => letters.flatMap(({ text }) => [...text.matchAll(/#link=([\w-]+)/g)].map(([, code = '']) => code));
  const sendLinks = async (letter: LinkLetter): Promise<void> => {
    letters.push(letter);
  };
  return withHttp((world) => run(world, { letters, codes }), { sendLinks, ...(publicUrl !== '' && { publicUrl }) });
}

test('T-107: a link by mail works in the browser that asked, once within a quarter of an hour, and a forged Host does not lead it away', () =>
  withMail(async (world, { letters, codes }) => {
    const { call, user, passes } = world;
    const asked = await call('POST', '/sessions/mail', {
      json: { email: 'UMA@example.org', language: 'de' },
      headers: { host: 'evil.example' },
    });
    assert.equal([asked.status, asked.json], [202, { minutes: 15 }]);
    await eventually('a letter', async () => letters.length === 1);
    const [letter] = letters;
    assert.equal(letter?.to, ['UMA@example.org']);
    assert.match(letter?.text ?? '', /^Mit diesem Link melden Sie sich bei Ward One an:/);
    assert.ok(letter?.text.includes(`${named}/console/#link=`), letter?.text);
    const [code = ''] = codes();
    const elsewhere = await call('POST', '/sessions/link', { json: { code } });
    assert.equal(problemOf(elsewhere), [401, 'sign-in-link-elsewhere'], 'forwarded to somebody');
    const stranger = await call('POST', '/sessions/mail', { json: { email: 'nobody@example.org' } });
    const headers = { cookie: cookieOf(stranger) };
    assert.is((await call('POST', '/sessions/link', { json: { code }, headers })).status, 401, 'another browser');
    const cookie = { cookie: cookieOf(asked) };
    const session = await call('POST', '/sessions/link', { json: { code, stays: true }, headers: cookie });
    assert.is(session.status, 201, session.text);
    assert.equal([session.json.way, session.json.stays], ['mail', true]);
    const me = await call('GET', '/sessions/current', { headers: own(cookieOf(session)) });
    assert.is(me.json.account.id, user.accountId);
    assert.is((await call('POST', '/sessions/link', { json: { code }, headers: cookie })).status, 401, 'twice');
    await call('POST', '/sessions/mail', { json: { email: 'uma@example.org' }, headers: cookie });
    await eventually('another letter', async () => letters.length === 2);
    passes(15 * 60_000);
    const late = await call('POST', '/sessions/link', { json: { code: codes()[1] }, headers: cookie });
    assert.equal(problemOf(late), [401, 'sign-in-link-ended']);
  }));

test('T-107: nobody learns who is here; an address gets three links an hour, one that was invited none', () =>
  withMail(async (world, { letters }) => {
    const { call, admin, stranger } = world;
    await alsoIn(world, stranger, 'user');
    const json = { organization: admin.organizationId, email: 'ida@example.org' };
    await call('POST', '/users', { as: admin, json });
    const ask = (email: string) => call('POST', '/sessions/mail', { json: { email } });
    const answers: Answer[] = [];
    for (const email of ['ada@example.org', 'nobody@example.org', 'ida@example.org']) answers.push(await ask(email));
    const [first, ...others] = answers.map(({ status, text, headers }) => {
      const shape = String(headers['set-cookie']).replace(/=[\w-]{43}/, '');
      return [status, text, shape];
    });
    for (const other of others) assert.equal(other, first);
    for (let at = 0; at < 4; at++) await ask('ada@example.org');
    await ask('both@example.org');
    await eventually('the letters', async () => letters.some(({ to }) => to[0] === 'both@example.org'));
    assert.equal(letters.map(({ to }) => to[0]).sort(), [
      ...Array.from({ length: 3 }, () => 'ada@example.org'),
      'both@example.org',
    ]);
    // The address that one organization wrote for a member lets nobody into the other ones of their account.
    const { organization_id: organizationId } = await world
      .db('sign_in_links')
      .where({ account_id: stranger.accountId })
      .first();
    assert.is(organizationId, admin.organizationId);
  }));

test('where no setting names an address, no mail leads others to their own machine', () =>
  withMail(async ({ call, url }, { letters }) => {
    for (const email of ['ada@example.org', 'nobody@example.org']) {
      const json = { email };
      const asked = await call('POST', '/sessions/mail', { json, headers: { host: '192.168.1.10:3000' } });
      assert.equal(problemOf(asked), [409, 'mail-link-leads-nowhere'], 'the same, whoever is here');
      assert.match(asked.text, /PAPERGATE_HOST/);
    }
    assert.is(letters.length, 0);
    assert.is((await call('POST', '/sessions/mail', { json: { email: 'ada@example.org' } })).status, 202);
    await eventually('a letter', async () => letters.length === 1);
    assert.ok(letters[0]?.text.includes(`${url}/console/#link=`), 'on this machine it leads here');
  }, ''));

test('without mail there is no such way', () =>
  withHttp(async ({ call }) => {
    assert.is((await call('GET', '/sessions/ways')).json.mail, false);
    assert.is((await call('POST', '/sessions/mail', { json: { email: 'ada@example.org' } })).status, 404);
  }));

test.run();
