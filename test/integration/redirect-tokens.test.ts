/** The token that a settings page takes along to a login elsewhere: whom it serves, for how long, how often. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type World, withWorld } from './integration-world.ts';

const test = suite('redirect tokens');

const token = (paperId: string) => `/v1/papers/${paperId}/plugin-redirect-token`;
const redeem = (paperId: string) => `/v1/papers/${paperId}/plugin-redirect-redeem`;
const ok = { status: 200, body: { ok: true } };

async function made({ call, paperId }: World, as: Awaited<ReturnType<World['addPerson']>>): Promise<string> {
  const { status, body } = await call('POST', token(paperId), { as });
  assert.is(status, 200);
  return String(body.tempToken);
}

test('a token works once, for its user and its paper, within ten minutes', () =>
  withWorld(async (world) => {
    const { call, clock, addPerson, addPaper, paperId, db } = world;
    const [ada, bob] = [await addPerson('user'), await addPerson('admin')];
    const spent = async (as: typeof ada, tempToken: unknown, id = paperId) => {
      const { status, code } = await call('POST', redeem(id), { as, body: { tempToken } });
      return [status, code];
    };
    const refused = [400, 'redirect-token-spent'];
    const first = await made(world, ada);
    assert.equal(await spent(bob, first), refused);
    assert.equal(await spent(ada, first, await addPaper({})), refused);
    assert.equal(await spent(ada, 'x'), refused);
    assert.equal(await spent(ada, undefined), [400, 'invalid-request']);
    assert.equal(await call('POST', redeem(paperId), { as: ada, body: { tempToken: first, more: 1 } }), ok);
    assert.equal(await spent(ada, first), refused);

    // The older name of the field.
    const second = await made(world, ada);
    assert.equal(await call('POST', redeem(paperId), { as: ada, body: { token: second } }), ok);

    const third = await call('POST', token(paperId), { as: ada });
    assert.is(third.body.expiresAt, new Date(clock.now() + 600_000).toISOString());
    clock.passes(600_000);
    assert.equal(await spent(ada, third.body.tempToken), refused);
    await made(world, ada);
    const rows = await db('redirect_tokens');
    assert.is(rows.length, 1, 'what is over goes when another comes');
    assert.not.match(JSON.stringify(rows), String(third.body.tempToken));
  }));

test('A-8: strangers, and those who may not change the paper, get none', () =>
  withWorld(async ({ call, addPerson, addOrganization, paperId }) => {
    const people = [
      await addPerson('admin', await addOrganization()),
      await addPerson('patient'),
      await addPerson('onlyself'),
    ];
    for (const as of people) {
      for (const path of [token(paperId), redeem(paperId), token('x')]) {
        const { status, code } = await call('POST', path, { as, body: { tempToken: 'x' } });
        assert.equal([status, code], [403, 'paper-access-denied']);
      }
    }
  }));

test.run();
