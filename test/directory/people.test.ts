/** Users and accounts as they are read: by role, under the provider's ids, with addresses that are some. */
import { generateKeyPairSync, sign as signBytes } from 'node:crypto';
import { createLocalJWKSet, exportJWK } from 'jose';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { IdentityProvider } from '../../api/directory/verify-token.ts';
import { everythingStored } from '../database.ts';
import { type HttpWorld, type Person, withHttp } from '../http/world.ts';

const test = suite('people');

/** An identity provider with one key, and tokens of it. */
function playProvider(): {
  provider: IdentityProvider;
  sign: (world: HttpWorld, claims: object) => Record<string, string>;
} {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const known = exportJWK(publicKey).then((jwk) => createLocalJWKSet({ keys: [{ ...jwk, kid: 'one', alg: 'RS256' }] }));
  const provider: IdentityProvider = {
    issuer: 'https://login.example.org/',
    audience: 'papers',
    keys: async (header, input) => (await known)(header, input),
  };
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return {
    provider,
    sign({ clock }, claims) {
      const now = Math.floor(clock.now() / 1000);
      const said = { iss: provider.issuer, aud: 'papers', iat: now, exp: now + 600, ...claims };
      const input = `${part({ alg: 'RS256', kid: 'one' })}.${part(said)}`;
      return {
        authorization: `Bearer ${input}.${signBytes('sha256', Buffer.from(input), privateKey).toString('base64url')}`,
      };
    },
  };
}

test('A-6: a user is read as written, on both surfaces; the code of an invitation by admins alone', () =>
  withHttp(async ({ call, admin, user, patient, onlyself, stranger, address, passes }) => {
    const organization = admin.organizationId;
    const made = {
      organization,
      email: 'nia@example.org',
      name: 'Nia',
      role: 'patient',
      category: 'patient',
      timezone: 'Europe/Berlin',
      avatar: 'https://example.org/nia.png',
      meta: { birthday: '1950-01-01' },
    };
    const created = (await call('POST', '/users', { as: admin, json: made })).json;
    const { id, inviteCode, status, createdAt, updatedAt, ...rest } = created;
    assert.equal(rest, made);
    assert.is(status, 'invited');
    assert.not.match(await everythingStored(address), inviteCode, 'T-13');
    const readBy = async (as: Person) => [
      (await call('GET', `/users/${id}`, { as })).json?.[0],
      (await call('GET', `/v1/users/${id}`, { as })).json,
      (await call('GET', `/users?organization=${organization}&search=${id}`, { as })).json[0],
      (await call('GET', `/v1/users?organization=${organization}&search=${id}`, { as })).json.results[0],
    ];
    const shown = { ...made, id, status: 'invited', createdAt, updatedAt };
    for (const [as, expected] of [
      [admin, { ...shown, inviteCode }],
      [user, shown],
    ] as const) {
      for (const read of await readBy(as)) {
        const { age: _, ...one } = read;
        assert.equal(one, expected);
      }
    }
    for (const as of [patient, onlyself]) {
      const [one, , listed] = await readBy(as);
      assert.equal([one, listed], [undefined, undefined]);
    }
    const own = (await call('GET', `/users/${patient.userId}`, { as: patient })).json[0];
    assert.equal([own.role, own.status, own.accountId], ['patient', 'accepted', patient.accountId]);

    assert.is((await call('POST', '/users/join', { as: stranger, json: { inviteCode } })).json.status, 'accepted');
    const [joined] = (await call('GET', `/users/${id}`, { as: admin })).json;
    assert.equal([joined.status, joined.accountId, joined.inviteCode], ['accepted', stranger.accountId, undefined]);
    // The code of a person who has joined already is returned as well, as long as it works.
    await call('PATCH', `/users/${user.userId}`, { as: admin, json: { inviteCode: 'come-and-join' } });
    const code = async () => (await call('GET', `/users/${user.userId}`, { as: admin })).json[0].inviteCode;
    assert.is(await code(), 'come-and-join');
    passes(7 * 24 * 3600 * 1000 + 1);
    assert.is(await code(), undefined);
  }));

test('a user whom nobody is to log in as needs no address, and has no invitation', () =>
  withHttp(async ({ call, admin }) => {
    const json = {
      organization: admin.organizationId,
      role: 'patient',
      category: 'patient',
      meta: { firstName: 'Pat' },
    };
    for (const email of [undefined, null]) {
      const created = await call('POST', '/users', { as: admin, json: { ...json, email } });
      assert.is(created.status, 200, created.text);
      assert.is(created.json.email, `${created.json.id}@no-address.invalid`);
      for (const field of ['status', 'inviteCode', 'accountId']) assert.is(created.json[field], undefined, field);
      assert.equal(created.json.meta, json.meta);
    }
  }));

test('anyone who sends back their own record as they read it changes nothing, whatever their role', () =>
  withHttp(async ({ call, admin, user, patient }) => {
    for (const person of [user, patient]) {
      await call('PATCH', `/users/${person.userId}`, { as: admin, json: { meta: { a: [1] }, category: 'nurse' } });
      const { role, category, email, organization, name, meta } = (
        await call('GET', `/users/${person.userId}`, { as: person })
      ).json[0];
      const said = { role, category, email, organization, meta };
      for (const method of ['PATCH', 'POST']) {
        const change = (json: object) =>
          call(method, `/users/${person.userId}`, { as: person, json: { ...said, name, ...json } });
        assert.is((await change({})).status, 200);
        for (const other of [
          { role: 'admin' },
          { category: 'doctor' },
          { email: null },
          { meta: { a: [2] } },
          { inviteCode: null },
        ]) {
          assert.is((await change(other)).status, 403, JSON.stringify(other));
        }
      }
    }
  }));

test('every member reads which organizations they are in', () =>
  withHttp(async ({ call, admin, user, patient, onlyself, stranger }) => {
    for (const as of [admin, user, patient, onlyself]) {
      const listed = await call('GET', '/organizations', { as });
      assert.equal(
        listed.json.map(({ id }: { id: string }) => id),
        [admin.organizationId],
      );
      assert.equal((await call('GET', `/organizations/${admin.organizationId}`, { as })).json, listed.json[0]);
    }
    assert.is((await call('GET', `/organizations/${admin.organizationId}`, { as: stranger })).status, 404);
  }));

test('lists are ordered as dictionaries are, not by the codes of characters', () =>
  withHttp(async ({ call, admin }) => {
    const organization = admin.organizationId;
    const names = ['Zoë', 'émile', 'Eva', 'Ärzte', 'anna', 'Øle', 'Oskar', 'ole'];
    const json = { organization, deviceId: '', kind: 'image' };
    for (const name of names) {
      await call('POST', '/users', { as: admin, json: { organization, name, category: 'nurse' } });
      const device = (await call('POST', '/devices', { as: admin, json: { organization } })).json.id;
      await call('POST', `/devices/${device}`, { as: admin, json: { meta: { name } } });
      await call('POST', '/papers', { as: admin, json: { ...json, deviceId: device, meta: { title: name } } });
    }
    const read = async (path: string, field: string): Promise<string[]> => {
      const { json: answer } = await call('GET', path, { as: admin });
      const rows: Record<string, string>[] = answer.results ?? answer;
      return rows.map((row) => row[field] ?? '').filter((name) => names.includes(name));
    };
    const ordered = [
      await read(`/users?organization=${organization}&sortBy=name`, 'name'),
      await read(`/devices?organization=${organization}&sortBy=name`, 'name'),
      await read(`/papers?organization=${organization}&sortBy=title`, 'title'),
    ];
    for (const found of ordered) {
      assert.equal(
        found.filter((name) => !/^[oø]le$/i.test(name)),
        ['anna', 'Ärzte', 'émile', 'Eva', 'Oskar', 'Zoë'],
      );
      const places = ['Øle', 'ole'].map((name) => found.indexOf(name));
      assert.ok(
        places.every((at) => at > found.indexOf('Eva') && at < found.indexOf('Oskar')),
        found.join(' '),
      );
    }
    const back = await read(`/users?organization=${organization}&sortBy=name:desc`, 'name');
    assert.equal([back[0], back.at(-1)], ['Zoë', 'anna']);
  }));

test('A-5: an account is found by what its provider calls it, as by our id, and by the same people', async () => {
  const { provider, sign } = playProvider();
  await withHttp(
    async (world) => {
      const { call, admin, stranger, db } = world;
      const headers = sign(world, { sub: 'auth0|abc123', email: 'ida@example.org', name: 'Ida' });
      const path = `/accounts/${encodeURIComponent('auth0|abc123')}`;
      const own = await call('GET', path, { headers });
      assert.is(own.status, 200, own.text);
      assert.equal([own.json.providerId, own.json.email, own.json.roles], ['auth0|abc123', 'ida@example.org', []]);
      for (const id of [own.json.id, 'current', 'auth0|abc123']) {
        assert.equal((await call('GET', `/accounts/${id}`, { headers })).json, own.json, id);
      }
      const hidden = await call('GET', path, { as: stranger });
      const nobody = await call('GET', `/accounts/${encodeURIComponent('auth0|nobody')}`, { as: stranger });
      assert.equal([hidden.status, hidden.text], [404, nobody.text], 'A-8');
      const { inviteCode } = (
        await call('POST', '/users', {
          as: admin,
          json: { organization: admin.organizationId, email: 'ida@example.org' },
        })
      ).json;
      await call('POST', '/users/join', { headers, json: { inviteCode } });
      const seen = await call('GET', path, { as: admin });
      assert.equal([seen.status, seen.json.id, seen.json.roles], [200, own.json.id, ['user']]);
      assert.is((await call('GET', path, { as: stranger })).status, 404);
      // What stands for somebody who has not come is nobody's name.
      const subjects = await db('accounts').where('subject', 'like', 'invited|%').select('subject');
      for (const { subject } of subjects) {
        assert.is((await call('GET', `/accounts/${encodeURIComponent(subject)}`, { as: admin })).status, 404);
      }
    },
    { provider },
  );
});

test('isMfaEnabled is what the token says, and false where it says nothing', async () => {
  const { provider, sign } = playProvider();
  await withHttp(
    async (world) => {
      const { call, admin, issuer } = world;
      for (const [claims, expected] of [
        [{}, false],
        [{ amr: [] }, false],
        [{ amr: 'mfa' }, false],
        [{ amr: ['mfa'] }, true],
        [{ amr: ['pwd', 'mfa', 'otp'] }, true],
        [{ amr: ['pwd', 'otp'] }, true],
        [{ amr: ['hwk', 'fpt'] }, true],
        [{ amr: ['pwd'] }, false],
        [{ amr: ['pwd', 'pin'] }, false],
        [{ amr: ['pwd', 'something-of-ours'] }, false],
        [{ amr: ['constructor'] }, false],
        [{ acr: 'http://schemas.openid.net/pape/policies/2007/06/multi-factor' }, true],
        [{ acr: '1' }, false],
        [{ acr: '1', amr: ['pwd'] }, false],
      ] as const) {
        const headers = sign(world, { sub: 'auth0|17', email: 'ida@example.org', ...claims });
        const { json } = await call('GET', '/accounts/current', { headers });
        assert.is(json.isMfaEnabled, expected, JSON.stringify(claims));
      }
      assert.is((await call('GET', '/accounts/current', { as: admin })).json.isMfaEnabled, false, 'a key');
      const local = { authorization: `Bearer ${await issuer.issueToken(admin.accountId)}` };
      assert.is((await call('GET', '/accounts/current', { headers: local })).json.isMfaEnabled, false);
    },
    { provider },
  );
});

test('an email address that is shown is one; otherwise it leads nowhere', async () => {
  const { provider, sign } = playProvider();
  const nowhere = ({ id }: { id: string }): string => `${id}@no-address.invalid`;
  await withHttp(
    async (world) => {
      const { call, admin, user, db } = world;
      for (const [sub, email] of Object.entries({ a: undefined, b: '', c: 'nobody', d: 17, e: 'x'.repeat(400) })) {
        const headers = sign(world, { sub, email });
        const account = await call('GET', '/accounts/current', { headers });
        assert.equal([account.status, account.json.email], [200, nowhere(account.json)], account.text);
        const made = await call('POST', '/organizations', { headers, json: { kind: 'home' } });
        assert.equal([made.status, made.json.email], [200, nowhere(made.json)], made.text);
        const [self] = (await call('GET', `/users?organization=${made.json.id}`, { headers })).json;
        assert.is(self.email, nowhere(self));
      }
      await call('PATCH', `/users/${user.userId}`, { as: admin, json: { email: null } });
      // As an earlier version took it.
      await db('organizations').where({ id: admin.organizationId }).update({ email: 'nowhere' });
      for (const path of ['', '/v1']) {
        const answer = (await call('GET', `${path}/users/${user.userId}`, { as: admin })).json;
        const one = answer[0] ?? answer;
        assert.is(one.email, nowhere(one), path);
        const found = (await call('GET', `${path}/organizations/${admin.organizationId}`, { as: admin })).json;
        assert.is(found.email, nowhere(found), path);
      }
    },
    { provider },
  );
});

test('an account is changed and ended by its owner; what is in use keeps an admin', () =>
  withHttp(async ({ call, admin, user, patient, stranger, db }) => {
    const change = { firstName: 'Uma', lastName: 'Thorn', meta: { language: 'de' } };
    const changed = await call('PATCH', '/accounts/current', { as: user, json: change });
    assert.equal(
      [changed.json.firstName, changed.json.lastName, changed.json.meta],
      ['Uma', 'Thorn', { language: 'de' }],
    );
    const seen = await call('GET', `/accounts/${user.accountId}`, { as: admin });
    assert.equal([seen.json.lastName, seen.json.meta], ['Thorn', undefined]);
    assert.is((await call('PATCH', `/accounts/${user.accountId}`, { as: admin, json: change })).status, 403);
    assert.is((await call('DELETE', `/accounts/${user.accountId}`, { as: admin })).status, 403);
    assert.is((await call('DELETE', `/accounts/${user.accountId}`, { as: stranger })).status, 404);

    const device = await call('POST', '/devices', {
      as: admin,
      json: { organization: admin.organizationId, patient: patient.userId },
    });
    const needed = await call('DELETE', '/accounts/current', { as: patient });
    assert.equal([needed.status, needed.json.dependents], [409, { devices: [device.json.id] }]);
    assert.is((await call('DELETE', '/accounts/current', { as: admin })).status, 409, 'the last admin');
    assert.is((await call('DELETE', '/accounts/current', { as: user })).status, 200);
    assert.is((await call('GET', '/organizations', { as: user })).status, 401, 'the key ended with it');
    assert.equal(await db('accounts').where({ id: user.accountId }), []);
    assert.is((await call('DELETE', '/accounts/current', { as: stranger })).status, 200);
    assert.equal(await db('organizations').where({ id: stranger.organizationId }), [], 'nobody was left in it');
    await call('PATCH', `/users/${patient.userId}`, { as: admin, json: { role: 'admin' } });
    assert.is((await call('DELETE', '/accounts/current', { as: admin })).status, 200);
  }));

test.run();
