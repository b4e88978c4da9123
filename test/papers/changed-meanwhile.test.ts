/**
 * Two people change one paper: a person who names the version that they read gets a conflict when somebody else was
 * faster.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type HttpWorld, withHttp } from '../http/world.ts';

const test = suite('papers changed meanwhile');

async function textPaper({ call, admin }: HttpWorld): Promise<{ id: string; updatedAt: string; body: object }> {
  const { organizationId: organization } = admin;
  const { json: device } = await call('POST', '/devices', { as: admin, json: { organization } });
  const body = { organization, deviceId: device.id, kind: 'text' };
  const { json } = await call('POST', '/papers', { as: admin, json: { ...body, meta: { text: 'One' } } });
  return { id: json.id, updatedAt: json.updatedAt, body };
}

test('a change of what was read goes through, and one of what is older is refused and changes nothing', () =>
  withHttp(async (world) => {
    const { call, admin, user } = world;
    const { id, updatedAt, body } = await textPaper(world);
    const change = (as: typeof admin, text: string, unchangedSince?: string) =>
      call('POST', `/papers/${id}`, { as, json: { ...body, meta: { text }, unchangedSince } });
    const first = await change(admin, 'Two', updatedAt);
    assert.equal([first.status, first.json.meta.text], [200, 'Two']);
    // The clock of this world stands still, and yet the two times differ.
    assert.ok(first.json.updatedAt > updatedAt);
    const second = await change(user, 'Three', updatedAt);
    assert.equal([second.status, second.json.code], [409, 'changed-meanwhile']);
    assert.match(second.json.hint, /updatedAt/);
    assert.is((await call('GET', `/papers/${id}`, { as: admin })).json.meta.text, 'Two');
    assert.is((await change(user, 'Three', first.json.updatedAt)).status, 200);
    assert.is((await change(user, 'Four')).status, 200, 'who names nothing is not held up');
    const wrong = await change(user, 'Five', 'yesterday');
    assert.is(wrong.status, 400);
    assert.match(wrong.json.hint, 'unchangedSince');
  }));

test('of two changes at once that name the same time, one is made', () =>
  withHttp(async (world) => {
    const { call, admin } = world;
    const { id, updatedAt, body } = await textPaper(world);
    const changes = ['A', 'B', 'C', 'D'].map((text) =>
      call('POST', `/papers/${id}`, { as: admin, json: { ...body, meta: { text }, unchangedSince: updatedAt } }),
    );
    const statuses = (await Promise.all(changes)).map(({ status }) => status);
    assert.equal(statuses.sort(), [200, 409, 409, 409]);
  }));

test.run();
