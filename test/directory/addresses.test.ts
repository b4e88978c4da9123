import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { othersWait } from '../database.ts';
import { withHttp } from '../http/world.ts';

const test = suite('addresses');

test('C-35: an address that another user of the organization has is refused, however it is taken', () =>
  withHttp(async ({ call, admin, user, patient, stranger, db }) => {
    const row = (id: string) => db('users').where({ id }).first();
    const before = await row(user.userId);
    const take = (method: string, id: string, email: string | null) =>
      call(method, `/users/${id}`, { as: admin, json: { email } });
    for (const method of ['PATCH', 'POST']) {
      for (const email of ['pia@example.org', 'PIA@example.org']) {
        const { status, json } = await take(method, user.userId, email);
        assert.equal([status, json.code], [409, 'conflict'], `${method} ${email}`);
      }
    }
    assert.equal(await row(user.userId), before, 'nothing was changed');
    // One's own, in other letters; one of another organization; none, which several may have.
    for (const email of ['UMA@example.org', 'stan@example.org', 'uma@example.org']) {
      assert.is((await take('PATCH', user.userId, email)).status, 200, email);
    }
    for (const { userId } of [user, patient]) assert.is((await take('PATCH', userId, null)).status, 200);
    assert.is((await take('PATCH', user.userId, 'pia@example.org')).status, 200, 'it is free again');
    assert.is((await take('PATCH', patient.userId, 'pia@example.org')).status, 409);
    assert.is((await call('GET', '/organizations', { as: stranger })).status, 200);
  }));

test('C-35: nobody is moved to where somebody has their address', () =>
  withHttp(async ({ call, admin, join, db }) => {
    const made = await call('POST', '/organizations', { as: admin, json: { kind: 'clinic' } });
    const organization = made.json.id;
    const [here, there] = [await join(admin.organizationId, 'user', 'Kim'), await join(organization, 'user', 'Kim')];
    const move = () => call('PATCH', `/users/${here.userId}`, { as: admin, json: { organization } });
    assert.is((await move()).status, 409);
    await db('users').where({ id: there.userId }).update({ email: 'other@example.org' });
    assert.is((await move()).status, 200);
  }));

test('C-35: of two who take one address at once, one does', () =>
  withHttp(async ({ call, admin, user, patient, db }) => {
    const take = ({ userId }: { readonly userId: string }) =>
      call('PATCH', `/users/${userId}`, { as: admin, json: { email: 'one@example.org' } });
    const answers = await db.transaction(async (trx) => {
      await trx('organizations').where({ id: admin.organizationId }).forUpdate().first();
      const asked = [take(user), take(patient)];
      await othersWait(db, 2);
      return { asked };
    });
    const statuses = (await Promise.all(answers.asked)).map(({ status }) => status);
    assert.equal(statuses.sort(), [200, 409]);
  }));

test.run();
