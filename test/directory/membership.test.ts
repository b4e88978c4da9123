import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answer, type HttpWorld, type Person, withHttp } from '../http/world.ts';

const test = suite('membership');

const row = ({ db }: HttpWorld, id: string) => db('users').where({ id }).first();

test('A-11: POST replaces what the caller may write and clears the rest, PATCH merges; the membership stays', () =>
  withHttp(async (world) => {
    const { call, admin, user } = world;
    const full = {
      name: 'Uma',
      timezone: 'Europe/Berlin',
      avatar: 'https://example.org/u.png',
      meta: { a: 1, b: null },
      category: 'nurse',
      email: 'uma@example.net',
      inviteCode: 'come-and-join',
    };
    const path = `/users/${user.userId}`;
    assert.is((await call('PATCH', path, { as: admin, json: full })).status, 200);
    const merged = await call('PATCH', path, { as: admin, json: { name: 'Uma U' } });
    assert.equal([merged.json.id, merged.json.name, merged.json.email], [user.userId, 'Uma U', 'uma@example.net']);
    assert.is((await row(world, user.userId)).timezone, 'Europe/Berlin');
    assert.is((await row(world, user.userId)).meta, '{"a":1,"b":null}');

    // A member replaces the fields that members may set; the admin's fields are not touched.
    const own = await call('POST', path, { as: user, json: { name: 'Me' } });
    assert.equal([own.json.id, own.json.name, own.json.email], [user.userId, 'Me', 'uma@example.net']);
    const kept = await row(world, user.userId);
    assert.equal([kept.timezone, kept.avatar, kept.category, kept.meta], [null, null, 'nurse', '{"a":1,"b":null}']);
    assert.is((await call('POST', path, { as: user, json: { name: 'Me', category: 'doctor' } })).status, 403);

    await call('PATCH', path, { as: admin, json: { meta: { c: 2 } } });
    assert.is((await row(world, user.userId)).meta, '{"c":2}', 'one field, as a whole (C-46)');
    const replaced = await call('POST', path, { as: admin, json: { email: 'new@example.net' } });
    assert.equal([replaced.json.id, replaced.json.name, replaced.json.email], [user.userId, '', 'new@example.net']);
    const changed = await row(world, user.userId);
    const { category, meta, invite_code, invite_until, invite_sealed, role, organization_id } = changed;
    assert.equal([category, meta, invite_code, invite_until, invite_sealed], [null, '{}', null, null, null]);
    assert.equal([role, organization_id], ['user', admin.organizationId]);
  }));

test('A-9: the template row has id, name and age; nobody to see is 404', () =>
  withHttp(async ({ call, admin, stranger, random }) => {
    await call('PATCH', `/users/${admin.userId}`, { as: admin, json: { meta: { age: 41 } } });
    const one = await call('GET', `/usersnnn/${admin.userId}`, { as: admin });
    assert.equal(one.json, { id: admin.userId, name: 'Ada', age: 41 });
    const foreign = await call('GET', `/usersnnn/${admin.userId}`, { as: stranger });
    assert.is(foreign.status, 404);
    assert.is((await call('GET', `/usersnnn/${random.id()}`, { as: stranger })).text, foreign.text);
  }));

/** Somebody with a login of their own and no membership here. */
async function newcomer({ call, issuer, stranger }: HttpWorld): Promise<(json: object) => Promise<Answer>> {
  const authorization = `Bearer ${await issuer.issueToken(stranger.accountId)}`;
  return (json) => call('POST', '/users/join', { headers: { authorization }, json });
}

test('an invitation makes the person who redeems it that user, once, within seven days', () =>
  withHttp(async (world) => {
    const { call, admin, user, stranger, passes, db } = world;
    const organization = admin.organizationId;
    const join = await newcomer(world);
    const invite = (json: object, as: Person = admin) =>
      call('POST', '/users', { as, json: { organization, ...json } });
    const invited = await invite({ email: 'new@example.org', name: 'Nia', role: 'patient', category: 'relative' });
    assert.is(invited.status, 200);
    assert.is(invited.headers['cache-control'], 'no-store');
    const { inviteCode, ...shown } = invited.json;
    assert.is((await row(world, shown.id)).role, 'patient');
    assert.not.match(JSON.stringify(await db('users').select('*')), inviteCode);
    assert.is((await invite({ email: 'NEW@example.org' })).status, 409);
    assert.is((await invite({ email: 'x@example.org' }, user)).status, 403);
    assert.is((await invite({ email: 'x@example.org', role: 'owner' })).status, 400);

    const seen = () => call('GET', `/organizations/${organization}`, { as: stranger });
    assert.is((await seen()).status, 404);
    const wrong = await join({ inviteCode: `${inviteCode.slice(1)}A` });
    assert.is(wrong.status, 404);
    const joined = (await join({ inviteCode })).json;
    const { status, accountId, updatedAt, ...same } = joined;
    assert.equal([status, typeof accountId], ['accepted', 'string']);
    assert.equal({ ...same, status: 'invited', updatedAt: shown.updatedAt }, shown);
    assert.is((await seen()).status, 200);
    assert.equal((await call('GET', `/users/${shown.id}`, { as: stranger })).json[0].name, 'Nia');
    assert.is((await join({ inviteCode })).text, wrong.text, 'spent');
    assert.is(await accountsOf(world, 'new@example.org'), 0, 'what stood for the invited is gone');

    const second = (await invite({ email: 'two@example.org' })).json;
    assert.is((await join({ inviteCode: second.inviteCode })).status, 409, 'a member already');
    await call('PATCH', `/users/${second.id}`, { as: admin, json: { inviteCode: null } });
    assert.is((await join({ inviteCode: second.inviteCode })).text, wrong.text, 'withdrawn');

    // The same field hands a membership over to another login; keys of the former one end.
    assert.is((await call('DELETE', `/users/${shown.id}`, { as: admin })).status, 200);
    await call('PATCH', `/users/${user.userId}`, { as: admin, json: { inviteCode: 'come-and-join' } });
    passes(7 * 24 * 3600 * 1000 + 1);
    const late = await newcomer(world);
    assert.is((await late({ inviteCode: 'come-and-join' })).text, wrong.text, 'too old');
    await call('PATCH', `/users/${user.userId}`, { as: admin, json: { inviteCode: 'come-and-join' } });
    assert.is((await late({ inviteCode: 'come-and-join' })).json.id, user.userId);
    assert.is((await call('GET', '/organizations', { as: user })).status, 401);
  }));

async function accountsOf({ db }: HttpWorld, email: string): Promise<number> {
  return (await db('accounts').where({ email })).length;
}

test('codes can be tried ten times a minute from one address', () =>
  withHttp(
    async (world) => {
      const join = await newcomer(world);
      const statuses: number[] = [];
      for (let tried = 0; tried < 4; tried++)
        statuses.push((await join({ inviteCode: `guess-number-${tried}` })).status);
      assert.equal(statuses, [404, 404, 404, 429]);
    },
    { joinsPerMinute: 3 },
  ));

test('a user is removed with their keys, unless a device names them; nobody removes themselves', () =>
  withHttp(async (world) => {
    const { call, admin, user, patient, db } = world;
    const organization = admin.organizationId;
    const device = (await call('POST', '/devices', { as: admin, json: { organization, patient: patient.userId } }))
      .json;
    const needed = await call('DELETE', `/users/${patient.userId}`, { as: admin });
    assert.is(needed.status, 409);
    assert.is(needed.json.code, 'still-needed');
    assert.equal(needed.json.dependents, { devices: [device.id] });
    const elsewhere = (await call('POST', '/organizations', { as: admin, json: { kind: 'second' } })).json.id;
    const move = { as: admin, json: { organization: elsewhere } };
    assert.equal((await call('PATCH', `/users/${patient.userId}`, move)).json.dependents, { devices: [device.id] });
    await call('POST', `/devices/${device.id}`, { as: admin, json: { patient: null } });
    const removed = await call('DELETE', `/users/${patient.userId}`, { as: admin });
    assert.equal(removed.json, { success: true });
    assert.is((await call('GET', '/organizations', { as: patient })).status, 401);
    assert.is((await call('GET', `/users/${patient.userId}`, { as: admin })).status, 204);
    assert.is((await call('DELETE', `/users/${patient.userId}`, { as: admin })).status, 404);
    assert.is((await call('DELETE', `/users/${user.userId}`, { as: user })).status, 403);
    assert.is((await call('DELETE', `/users/${admin.userId}`, { as: admin })).status, 403);
    const invited = await call('POST', '/users', { as: admin, json: { organization, email: 'gone@example.org' } });
    assert.is(await accountsOf(world, 'gone@example.org'), 1);
    await call('DELETE', `/users/${invited.json.id}`, { as: admin });
    assert.is(await accountsOf(world, 'gone@example.org'), 0);
    assert.is((await db('users').where({ organization_id: organization })).length, 3);
  }));

test('of two admins who remove or demote each other at once, one remains', () =>
  withHttp(async ({ call, admin, join, db }) => {
    const other = await join(admin.organizationId, 'admin', 'Ben');
    const answers = await Promise.all([
      call('DELETE', `/users/${other.userId}`, { as: admin }),
      call('PATCH', `/users/${admin.userId}`, { as: other, json: { role: 'user' } }),
    ]);
    const statuses = answers.map(({ status }) => status).sort();
    assert.is(statuses[0], 200);
    assert.ok([401, 403, 404].includes(statuses[1] ?? 0), String(statuses));
    const admins = await db('users').where({ organization_id: admin.organizationId, role: 'admin' });
    assert.is(admins.length, 1);
  }));

test('C-40: a key goes on with the memberships that its owner has left, and ends with the last', () =>
  withHttp(async (world) => {
    const { call, admin, user, issuer, stranger } = world;
    const authorization = `Bearer ${await issuer.issueToken(user.accountId)}`;
    const own = async (name: string) =>
      (await call('POST', '/organizations', { headers: { authorization }, json: { kind: name } })).json.id;
    const seen = async (as: Person): Promise<string[]> =>
      (await call('GET', '/organizations', { as })).json.map(({ id }: { id: string }) => id);
    const second = await own('second');
    const third = await own('third');
    assert.is((await call('DELETE', `/users/${user.userId}`, { as: admin })).status, 200, 'by an admin');
    assert.equal(await seen(user), [second, third]);
    assert.is((await call('DELETE', `/organizations/${second}`, { as: user })).status, 200, 'with the organization');
    assert.equal(await seen(user), [third]);
    assert.is((await call('GET', '/tokens', { as: user })).json.length, 1);

    const fourth = await own('fourth');
    const [place] = (await call('GET', `/users?organization=${third}`, { as: user })).json;
    await call('PATCH', `/users/${place.id}`, { as: user, json: { inviteCode: 'take-my-place' } });
    const taken = await call('POST', '/users/join', { as: stranger, json: { inviteCode: 'take-my-place' } });
    assert.is(taken.status, 200, 'handed over');
    assert.equal(await seen(user), [fourth]);
    assert.equal(await seen(stranger), [stranger.organizationId, third]);
    assert.is((await call('DELETE', `/organizations/${fourth}`, { as: user })).status, 200);
    assert.is((await call('GET', '/organizations', { as: user })).status, 401, 'none is left');
  }));

test('C-40: of two memberships that end at once, neither takes the key with it that the third one keeps', () =>
  withHttp(async ({ call, admin, user, issuer, join }) => {
    const authorization = `Bearer ${await issuer.issueToken(user.accountId)}`;
    const created = await call('POST', '/organizations', { headers: { authorization }, json: { kind: 'second' } });
    const kept = await call('POST', '/organizations', { headers: { authorization }, json: { kind: 'third' } });
    const other = await join(created.json.id, 'admin', 'Ben');
    const [place] = (await call('GET', `/users?organization=${created.json.id}&name=Uma`, { as: other })).json;
    const answers = await Promise.all([
      call('DELETE', `/users/${user.userId}`, { as: admin }),
      call('DELETE', `/users/${place.id}`, { as: other }),
    ]);
    assert.equal(
      answers.map(({ status }) => status),
      [200, 200],
    );
    const seen = await call('GET', '/organizations', { as: user });
    assert.equal(
      seen.json.map(({ id }: { id: string }) => id),
      [kept.json.id],
    );
  }));

test('an organization is removed when nothing is in it but its admin; until then it says what is', () =>
  withHttp(async ({ call, admin, stranger, db, random }) => {
    const organization = (await call('POST', '/organizations', { as: admin, json: { kind: 'ward', name: 'Ward' } }))
      .json;
    const path = `/organizations/${organization.id}`;
    const device = (await call('POST', '/devices', { as: admin, json: { organization: organization.id } })).json;
    const json = { organization: organization.id, deviceId: device.id, kind: 'image' };
    const paper = (await call('POST', '/papers', { as: admin, json })).json;
    const email = 'nia@example.org';
    const invited = await call('POST', '/users', { as: admin, json: { organization: organization.id, email } });
    const needed = await call('DELETE', path, { as: admin });
    assert.is(needed.status, 409);
    assert.equal(needed.json.dependents, { devices: [device.id], papers: [paper.id], users: [invited.json.id] });
    const foreign = await call('DELETE', path, { as: stranger });
    assert.is(foreign.status, 404);
    assert.is((await call('DELETE', `/organizations/${random.id()}`, { as: stranger })).text, foreign.text);

    await call('DELETE', `/devices/${device.id}`, { as: admin });
    await call('DELETE', `/users/${invited.json.id}`, { as: admin });
    await db('papers').where({ id: paper.id }).delete();
    const removed = await call('DELETE', path, { as: admin });
    assert.is(removed.status, 200);
    assert.is(removed.json.id, organization.id);
    assert.is((await call('GET', path, { as: admin })).status, 404);
    assert.is((await call('GET', '/organizations', { as: admin })).json.length, 1);
    assert.is((await db('users').where({ organization_id: organization.id })).length, 0);
  }));

test('bad input: a clear 400 that names the field, and nothing changed', () =>
  withHttp(async ({ call, admin, user, db }) => {
    const dump = async () => JSON.stringify(await Promise.all(['users', 'organizations'].map((name) => db(name))));
    const before = await dump();
    const organization = admin.organizationId;
    const userPath = `/users/${user.userId}`;
    const path = `/organizations/${organization}`;
    const bad: [method: string, path: string, body: unknown, field: RegExp][] = [
      ...['POST', 'PATCH'].flatMap((method): [string, string, unknown, RegExp][] => [
        [method, userPath, { name: 7 }, /^name: /],
        [method, userPath, { name: 'x'.repeat(201) }, /^name: /],
        [method, userPath, { email: 'nobody' }, /^email: /],
        [method, userPath, { role: 'root' }, /^role: /],
        [method, userPath, { category: null }, /^category: /],
        [method, userPath, { meta: [] }, /^meta: /],
        [method, userPath, { organization: 'mine' }, /^organization: /],
        [method, userPath, { inviteCode: 'short' }, /^inviteCode: /],
        [method, userPath, { shoeSize: 44 }, /^shoeSize: no such field/],
        [method, path, { organization, kind: {} }, /^kind: /],
        [method, path, { name: 'no organization' }, /^organization: /],
        [method, path, { organization, email: 'a@example.org' }, /^email: no such field/],
      ]),
      ['POST', '/organizations', {}, /^kind: /],
      ['POST', '/organizations', { kind: 'x', id: organization }, /^id: no such field/],
      ['POST', '/users', { organization }, /^email: /],
      ['POST', '/users/join', { inviteCode: 12345678 }, /^inviteCode: /],
      ['PATCH', `/users/${user.userId.toUpperCase()}`, {}, /^userId: /],
      ['GET', `/accounts/${'4'.repeat(321)}`, undefined, /^accountId: /],
      ['GET', `/users?organization=${organization}&search=%00`, undefined, /^search: /],
      ['GET', `/users?organization=${organization}&sortBy=password`, undefined, /^sortBy: /],
      ['GET', `/users?organization=${organization}&limit=0`, undefined, /^limit: /],
      ['GET', `/users?organization=${organization}&organization=${organization}`, undefined, /^organization: /],
      ['GET', '/users?organization=%27', undefined, /^organization: /],
    ];
    for (const [method, where, json, field] of bad) {
      const answer = await call(method, where, { as: admin, ...(json === undefined ? {} : { json }) });
      const what = `${method} ${where} ${JSON.stringify(json)}: ${answer.text}`;
      assert.is(answer.status, 400, what);
      assert.match(answer.json.hint, field, what);
    }
    const raw: [body: string, message: RegExp][] = [
      ['{"meta":{"deep":{"a\\u0000":1}}}', /meta\.deep/],
      ['{"meta":{"note":"a\\u0000b"}}', /meta\.note/],
      ['{"meta":{"__proto__":{"role":"admin"}}}', /meta\.__proto__/],
      ['{"meta":{"list":[{"constructor":1}]}}', /meta\.list\.0\.constructor/],
      ['{"meta":{"n":1e999}}', /meta\.n/],
      [`{"meta":${'{"a":'.repeat(70)}1${'}'.repeat(70)}}`, /nested too deeply/],
    ];
    for (const [body, says] of raw) {
      const headers = { 'content-type': 'application/json' };
      const answer = await call('PATCH', userPath, { as: admin, headers, body });
      assert.is(answer.status, 400, body);
      assert.match(`${answer.json.message} ${answer.json.hint}`, says, body);
    }
    assert.is(await dump(), before);
    // C-11: clients in the field may tell more.
    const more = await call('PATCH', `/v1${userPath}`, { as: admin, json: { name: 'Una', shoeSize: 44 } });
    assert.equal([more.status, more.json.name], [200, 'Una']);
  }));

test.run();
