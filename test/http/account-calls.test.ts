/** The calls that the vendor's application makes about accounts, users and organizations, as it makes them. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createKey } from '../../api/directory/keys.ts';
import { withHttp } from './world.ts';

const test = suite('account calls');

test('C-61: the application reads its account and keeps there what it keeps, under any of its ids', () =>
  withHttp(async ({ call, user }) => {
    const current = await call('GET', '/v1/accounts/current', { as: user });
    assert.is(current.status, 200, current.text);
    assert.equal(current.json.app_metadata, {});
    assert.equal(current.json.multifactor, []);
    assert.equal(current.json.identities, []);
    const { user_id } = current.json;
    const form = {
      language: 'de',
      family_name: 'Thorn',
      given_name: ' Uma ',
      debug: true,
      email: 'uma@example.org',
      demo: undefined,
      id: user_id,
      notification: { mail: false },
    };
    for (const method of ['POST', 'PATCH']) {
      const saved = await call(method, `/v1/accounts/${user_id}`, { as: user, json: form });
      assert.is(saved.status, 200, saved.text);
    }
    for (const id of ['current', user_id]) {
      const { json } = await call('GET', `/v1/accounts/${id}`, { as: user });
      assert.equal(json.app_metadata, { language: 'de', debug: true });
      assert.equal([json.given_name, json.family_name, json.email], ['Uma', 'Thorn', 'uma@example.org']);
      assert.equal([json.name, json.notification], ['Uma Thorn', { mail: false }]);
    }
    const language = await call('POST', `/v1/accounts/${user_id}`, {
      as: user,
      json: { language: 'en', given_name: '' },
    });
    assert.equal(language.json.app_metadata, { language: 'en', debug: true });
    assert.is(language.json.given_name, 'Uma');
    const elsewhere = await call('POST', `/v1/accounts/${user_id}`, { as: user, json: { email: 'other@example.org' } });
    assert.is(elsewhere.status, 409, 'the address is the identity provider’s');
  }));

test('C-61: the application finds its own user in each organization, and names people by their accounts', () =>
  withHttp(async ({ call, admin, user, onlyself, stranger }) => {
    const { organizationId: organization } = admin;
    for (const as of [admin, user, onlyself]) {
      const { status, json } = await call('GET', `/v1/users/current?organization=${organization}`, { as });
      assert.equal([status, json.id, json.organization, json.owner], [200, as.userId, organization, as.accountId]);
      assert.is(json.auth0User.name, json.name);
      assert.is((await call('GET', '/v1/users/current', { as })).json.id, as.userId);
    }
    assert.is((await call('GET', `/v1/users/current?organization=${organization}`, { as: stranger })).status, 404);
    assert.is((await call('GET', '/v1/users/current')).status, 401);
    const { results } = (await call('GET', `/v1/users?organization=${organization}`, { as: admin })).json;
    assert.ok(results.every((one: { owner?: string }) => Boolean(one.owner)));
  }));

test('C-61: the application invites somebody, who looks at the invitation and takes it', () =>
  withHttp(async ({ call, admin, stranger, onlyself }) => {
    const { organizationId: organization } = admin;
    const json = { email: 'nia@example.org', category: 'relative', role: 'user', organization };
    const { id } = (await call('POST', '/v1/users', { as: admin, json })).json;
    const pending = (await call('GET', `/v1/users/${id}`, { as: admin })).json;
    assert.equal([pending.status, pending.owner, pending.auth0User], ['invited', undefined, undefined]);
    const path = `/v1/users/invite/${pending.inviteCode}`;
    const look = await call('GET', path, { as: stranger });
    assert.equal([look.status, look.json.organizationData], [200, { id: organization, name: 'Ward One' }], look.text);
    assert.is((await call('GET', path, { as: onlyself })).status, 409, 'they are a member');
    for (const code of ['wrong-code-of-nobody', 'x', '%20']) {
      assert.is((await call('GET', `/v1/users/invite/${code}`, { as: stranger })).status, 404, code);
    }
    const accept = { organization, inviteCode: pending.inviteCode, status: 'accepted' };
    const joined = await call('POST', '/v1/users/invite', { as: stranger, json: accept });
    assert.equal([joined.status, joined.json.id, joined.json.owner], [200, id, stranger.accountId], joined.text);
    assert.is((await call('POST', '/v1/users/invite', { as: stranger, json: accept })).status, 404, 'once');
    assert.is((await call('GET', `/v1/users/current?organization=${organization}`, { as: stranger })).json.id, id);
  }));

test('C-61: the application writes down a patient, and sends the whole form back', () =>
  withHttp(async ({ call, admin }) => {
    const json = {
      organization: admin.organizationId,
      role: 'patient',
      category: 'patient',
      timezone: 'Europe/Berlin',
      meta: { firstName: 'Pat', lastName: 'Lee', birthdate: '1950-01-01', gender: 'f' },
    };
    const made = await call('POST', '/v1/users', { as: admin, json });
    assert.is(made.status, 200, made.text);
    assert.is(made.json.status, undefined, 'nobody is invited');
    const form = { ...made.json, meta: { ...made.json.meta, firstName: 'Patricia' } };
    const saved = await call('POST', `/v1/users/${made.json.id}`, { as: admin, json: form });
    assert.equal(
      [saved.status, saved.json.meta.firstName, saved.json.timezone],
      [200, 'Patricia', 'Europe/Berlin'],
      saved.text,
    );
    const [{ age }] = (await call('GET', `/users/${made.json.id}`, { as: admin })).json;
    assert.ok(age > 70, `A-9: ${age}`);
  }));

test('C-61: what is not this service’s to do is refused so that the application goes on', () =>
  withHttp(async ({ call, admin, user }) => {
    for (const [method, path, status] of [
      ['POST', '/v1/accounts/current/mfa/enroll', 409],
      ['POST', '/v1/accounts/current/mfa/disable', 409],
      ['POST', '/v1/users/current/send-verification-email', 409],
      ['GET', '/v1/organizations/all', 403],
    ] as const) {
      const answer = await call(method, path, { as: admin });
      assert.equal([answer.status, answer.json.code], [status, status], path);
      assert.is((await call(method, path)).status, 401, path);
    }
    assert.is((await call('DELETE', '/v1/accounts/deleteCurrent', { as: user })).status, 200);
    assert.is((await call('GET', '/v1/accounts/current', { as: user })).status, 401);
  }));

test('C-61: a field that the application posts of a user is all that changes', () =>
  withHttp(async ({ call, admin, user }) => {
    const path = `/v1/users/${user.userId}`;
    const before = (await call('GET', path, { as: admin })).json;
    const posted = await call('POST', path, { as: admin, json: { category: 'relative' } });
    assert.is(posted.status, 200, posted.text);
    const { updatedAt: _, ...changed } = (await call('GET', path, { as: admin })).json;
    const { updatedAt: __, ...unchanged } = before;
    assert.equal(changed, { ...unchanged, category: 'relative' });
  }));

test('C-61: who has a key of an operator alone ends their account too, and is known once they take an invitation', () =>
  withHttp(async (world) => {
    const { call, admin, stranger, db } = world;
    const { organizationId: organization } = admin;
    const invite = (as: typeof admin, to: string) =>
      call('POST', '/v1/users', { as, json: { name: 'Kay', meta: {}, organization: to, role: 'user' } });
    const { id } = (await invite(admin, organization)).json;
    const { raw: key } = await createKey(db, world, { userId: id, name: 'of the operator' });
    const asKey = { headers: { 'x-api-key': key } };
    const json = { email: 'kay@example.org', organization: stranger.organizationId, role: 'user' };
    const { inviteCode } = (await call('POST', '/users', { as: stranger, json })).json;
    const joined = await call('POST', '/v1/users/invite', { ...asKey, json: { inviteCode } });
    assert.equal([joined.status, joined.json.status], [200, 'accepted'], joined.text);
    assert.ok(joined.json.owner);
    const ended = await call('DELETE', '/v1/accounts/deleteCurrent', asKey);
    assert.is(ended.status, 200, ended.text);
    assert.is((await call('GET', '/v1/accounts/current', asKey)).status, 401);
    assert.is((await call('GET', `/v1/users/${id}`, { as: admin })).status, 404);
  }));

test.run();
