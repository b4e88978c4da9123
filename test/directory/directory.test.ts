import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withHttp } from '../http/world.ts';

const test = suite('directory');

test('C-42: who creates an organization is its admin', () =>
  withHttp(async ({ call, user }) => {
    const created = await call('POST', '/organizations', { as: user, json: { kind: 'practice', name: 'Praxis' } });
    assert.is(created.status, 200);
    assert.is(created.json.name, 'Praxis');
    assert.is(created.json.kind, 'practice');
    const change = { organization: created.json.id, name: 'Praxis am See', meta: { floor: null } };
    const changed = await call('PATCH', `/organizations/${created.json.id}`, { as: user, json: change });
    assert.is(changed.json.name, 'Praxis am See');
    assert.equal(changed.json.meta, { floor: null });
    const again = await call('POST', `/organizations/${created.json.id}`, {
      as: user,
      json: { organization: created.json.id, kind: 'home' },
    });
    assert.is(again.json.kind, 'home');
    assert.is(again.json.name, 'Praxis am See');
  }));

test('organizations: members read, admins change, others cannot tell them from nothing', () =>
  withHttp(async ({ call, admin, user, patient, onlyself, stranger, random }) => {
    const path = `/organizations/${admin.organizationId}`;
    const json = { organization: admin.organizationId, name: 'New' };
    assert.is((await call('GET', path)).status, 401);
    for (const [person, read, change] of [
      [admin, 200, 200],
      [user, 200, 403],
      [patient, 200, 403],
      [onlyself, 200, 403],
      [stranger, 404, 404],
    ] as const) {
      assert.is((await call('GET', path, { as: person })).status, read);
      assert.is((await call('PATCH', path, { as: person, json })).status, change);
      assert.is((await call('POST', path, { as: person, json })).status, change);
    }
    const foreign = await call('GET', path, { as: stranger });
    assert.is((await call('GET', `/organizations/${random.id()}`, { as: stranger })).text, foreign.text);
    assert.is((await call('GET', '/organizations/nonsense', { as: stranger })).status, 400);
    const elsewhere = { organization: stranger.organizationId, name: 'Mine now' };
    assert.is((await call('PATCH', path, { as: admin, json: elsewhere })).status, 400);
  }));

test('A-10: one user is a list of one with an age; nobody to see is 204; a malformed id is 400', () =>
  withHttp(async ({ call, admin, stranger, random, clock }) => {
    const birthday = new Date(clock.now() - 30.5 * 365.2425 * 86_400_000).toISOString();
    await call('PATCH', `/users/${admin.userId}`, { as: admin, json: { meta: { birthday } } });
    const one = await call('GET', `/users/${admin.userId}`, { as: admin });
    const [{ id, name, email, age }, ...others] = one.json;
    assert.equal([id, name, email, age, others], [admin.userId, 'Ada', 'ada@example.org', 30, []]);
    for (const id of [admin.userId, random.id()]) {
      const hidden = await call('GET', `/users/${id}`, { as: stranger });
      assert.is(hidden.status, 204);
      assert.is(hidden.text, '');
    }
    assert.is((await call('GET', '/users/42', { as: admin })).status, 400);
  }));

test('users are listed for an organization; patients and onlyself find themselves alone', () =>
  withHttp(async ({ call, admin, user, patient, onlyself, stranger, random }) => {
    const list = `/users?organization=${admin.organizationId}`;
    const names = async (query: string, as = admin): Promise<string[]> =>
      (await call('GET', `${list}${query}`, { as })).json.map(({ name }: { name: string }) => name);
    assert.equal((await names('&sortBy=name:asc')).sort(), ['Ada', 'Ole', 'Pia', 'Uma']);
    assert.equal(await names('&sortBy=name:desc&limit=2'), ['Uma', 'Pia']);
    assert.equal(await names('&sortBy=name&limit=2&page=2'), ['Pia', 'Uma']);
    assert.equal(await names('&sortBy=name&limit=1&offset=1'), ['Ole']);
    assert.equal(await names('&search=UMA@'), ['Uma']);
    assert.equal(await names('&name=i'), ['Pia']);
    assert.equal(await names(`&search=${user.userId}`), ['Uma']);
    assert.equal(await names(`&search=${stranger.userId}`), [], 'somebody elsewhere');
    assert.equal(await names(`&search=${user.userId}`, patient), []);
    assert.equal(await names('&role=onlyself'), ['Ole']);
    assert.equal(await names('', patient), ['Pia']);
    assert.equal(await names('', onlyself), ['Ole']);
    assert.is((await names('', user)).length, 4);
    assert.is((await call('GET', '/users', { as: admin })).status, 400);
    const foreign = await call('GET', list, { as: stranger });
    assert.is(foreign.status, 404);
    assert.is((await call('GET', `/users?organization=${random.id()}`, { as: stranger })).text, foreign.text);
  }));

test('T-20: search, sort and paging take no SQL, and no invalid number', () =>
  withHttp(async ({ call, admin }) => {
    const list = (query: Record<string, string>) =>
      call('GET', `/users?${new URLSearchParams({ organization: admin.organizationId, ...query })}`, { as: admin });
    const hostile = [
      "' or 1=1 --",
      "'; drop table users; --",
      '%',
      '_',
      '\\',
      '%%%',
      '" or ""="',
      "\\' or 1=1 --",
      '$1',
      ':name',
      '?',
    ];
    for (const text of hostile) {
      for (const query of [{ search: text }, { name: text }, { role: text }]) {
        const answer = await list(query);
        assert.is(answer.status, 200, text);
        assert.equal(answer.json, [], text);
      }
      const sorted = await list({ sortBy: text });
      assert.is(sorted.status, 400, text);
      assert.not.match(sorted.text, /select|sqlite/i);
    }
    for (const sortBy of [
      'password',
      'name:up',
      'name:asc:asc',
      'name desc',
      '__proto__',
      'constructor',
      'name,account_id',
    ]) {
      assert.is((await list({ sortBy })).status, 400, sortBy);
    }
    for (const value of ['0', '-1', '1.5', '1e3', '100001', 'ten', ' 1', '']) {
      assert.is((await list({ limit: value })).status, 400, value);
      assert.is((await list({ page: value })).status, 400, value);
    }
    assert.is((await list({ offset: '100001' })).status, 400);
    assert.is((await list({ offset: 'null' })).json.length, 4);
    assert.is((await list({ search: 'x'.repeat(201) })).status, 400);
  }));

test('T-17: nobody raises their own rights; the table of fields by role', () =>
  withHttp(async ({ call, admin, user, patient, onlyself, stranger, db }) => {
    const patch = async (as: typeof admin, id: string, json: object): Promise<number> =>
      (await call('PATCH', `/users/${id}`, { as, json })).status;
    const ownChanges = [{ name: 'N' }, { timezone: 'Europe/Berlin' }, { avatar: 'https://example.org/a.png' }];
    const adminChanges = [
      { category: 'nurse' },
      { email: 'new@example.org' },
      { inviteCode: 'come-and-join' },
      { meta: { a: 1 } },
      { role: 'admin' },
      { organization: stranger.organizationId },
      { name: 'N', role: 'admin' },
    ];
    for (const change of ownChanges) {
      for (const person of [admin, user, patient]) assert.is(await patch(person, person.userId, change), 200);
      assert.is(await patch(onlyself, onlyself.userId, change), 403);
      assert.is(await patch(user, patient.userId, change), 403);
      assert.is(await patch(patient, user.userId, change), 404);
      assert.is(await patch(stranger, user.userId, change), 404);
      assert.is(await patch(admin, onlyself.userId, change), 200);
    }
    for (const change of adminChanges) {
      for (const person of [user, patient, onlyself]) {
        assert.is(await patch(person, person.userId, change), 403, JSON.stringify(change));
      }
    }
    assert.is(await patch(admin, admin.userId, { role: 'user' }), 403);
    assert.is(await patch(admin, admin.userId, { role: 'admin', category: 'doctor' }), 200);
    assert.is(await patch(admin, user.userId, { role: 'patient', email: null, inviteCode: null }), 200);
    assert.is(await patch(admin, user.userId, { role: 'owner' }), 400);
    assert.is(await patch(admin, user.userId, { timezone: 'Mars/Base' }), 400);
    assert.is(await patch(admin, user.userId, { avatar: 'javascript:alert(1)' }), 400);
    // Fields that no update has are refused by their names.
    for (const field of ['id', 'createdAt', 'accountId', 'isMfaEnabled']) {
      const answer = await call('PATCH', `/users/${user.userId}`, { as: admin, json: { [field]: admin.accountId } });
      assert.is(answer.status, 400, field);
      assert.is(answer.json.hint, `${field}: no such field`);
    }
    const row = await db('users').where({ id: user.userId }).first();
    assert.is(row.account_id, user.accountId);
    assert.is(row.role, 'patient');
  }));

test('T-17: moving somebody to another organization needs an admin of both', () =>
  withHttp(async ({ call, admin, user, stranger, random }) => {
    const move = (organization: string) =>
      call('PATCH', `/users/${user.userId}`, { as: admin, json: { organization } });
    const foreign = await move(stranger.organizationId);
    assert.is(foreign.status, 404);
    assert.is((await move(random.id())).text, foreign.text);
    const mine = await call('POST', '/organizations', { as: admin, json: { kind: 'second' } });
    assert.is((await move(mine.json.id)).status, 200);
    const listed = await call('GET', `/users?organization=${mine.json.id}&role=user`, { as: admin });
    assert.is(listed.json[0].id, user.userId);
  }));

test("A-5: one's own account, or any of the organization for its admins", () =>
  withHttp(async ({ call, admin, user, stranger }) => {
    const own = await call('GET', `/accounts/${user.accountId}`, { as: user });
    assert.is(own.status, 200);
    assert.equal(own.json.roles, ['user']);
    assert.match(own.json.organizationId, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const { meta, ...shown } = own.json;
    assert.equal(meta, {});
    assert.equal((await call('GET', `/accounts/${user.accountId}`, { as: admin })).json, shown);
    const foreign = await call('GET', `/accounts/${admin.accountId}`, { as: stranger });
    assert.is(foreign.status, 404);
    const random = await call('GET', '/accounts/7f1ab3c0-4444-4444-8444-000000000000', { as: stranger });
    assert.is(random.text, foreign.text);
    assert.is((await call('GET', `/accounts/${admin.accountId}`, { as: user })).text, foreign.text);
  }));

test.run();
