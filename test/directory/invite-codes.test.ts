import { createHash } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { slowInviteHash } from '../../api/directory/invite-hash.ts';
import { Refusal } from '../../reasons/refusals.ts';
import { everythingStored } from '../database.ts';
import { type HttpWorld, withHttp } from '../http/world.ts';

const test = suite('invite codes');

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const redeem = ({ call, stranger }: HttpWorld, inviteCode: string) =>
  call('POST', '/users/join', { as: stranger, json: { inviteCode } });

test('T-13: a code that people chose is kept so that a stolen database does not tell it, and works', () =>
  withHttp(async (world) => {
    const { call, admin, user, address, db } = world;
    const set = (inviteCode: string | null) =>
      call('PATCH', `/users/${user.userId}`, { as: admin, json: { inviteCode } });
    assert.is((await set('come-and-join')).status, 200);
    const { invite_code } = await db('users').where({ id: user.userId }).first('invite_code');
    assert.match(invite_code, /^scrypt:[0-9a-f]{64}$/);
    const stored = await everythingStored(address);
    for (const text of ['come-and-join', sha256('come-and-join')]) assert.not.match(stored, text);
    assert.is((await redeem(world, 'come-and-joim')).status, 404);
    assert.is((await redeem(world, 'come-and-join')).json.id, user.userId);
    const used = await redeem(world, 'come-and-join');
    assert.is(used.status, 404, 'once');
    assert.match(used.json.message, /no longer valid: it was used/);
    assert.is((await set(null)).status, 200);
  }));

test('a code that was set by an earlier version works until its week is over', () =>
  withHttp(async (world) => {
    const { user, db, clock, passes } = world;
    const until = clock.now() + 60_000;
    const earlier = { invite_code: sha256('of-last-week'), invite_until: until };
    await db('users').where({ id: user.userId }).update(earlier);
    passes(60_001);
    const tooOld = await redeem(world, 'of-last-week');
    assert.is(tooOld.status, 404);
    assert.is(
      tooOld.json.message,
      'This invitation is no longer valid: it was used or withdrawn, or is more than seven days old',
    );
    assert.is(tooOld.json.hint, 'ask the person who invited you for a new one; each works once');
    assert.is((await redeem(world, 'never-was-one')).text, tooOld.text, 'who guesses learns of none that it was one');
    await db('users')
      .where({ id: user.userId })
      .update({ invite_until: clock.now() + 60_000 });
    assert.is((await redeem(world, 'of-last-week')).json.id, user.userId);
  }));

test('anyone who may not set a code is refused as ever', () =>
  withHttp(async ({ call, admin, user, patient, stranger }) => {
    const set = (as: typeof admin, userId: string) =>
      call('PATCH', `/users/${userId}`, { as, json: { inviteCode: 'come-and-join' } });
    assert.is((await set(user, admin.userId)).status, 403);
    assert.is((await set(patient, patient.userId)).status, 403);
    assert.is((await set(stranger, user.userId)).status, 404);
  }));

test('T-60: codes are hashed one at a time: of those who try many, another waits for one, and who brings too many is refused', async () => {
  const hash = slowInviteHash(Buffer.alloc(32, 1));
  const ended: string[] = [];
  const tries = (account: string, count: number): Promise<unknown>[] =>
    Array.from({ length: count }, (_, at) => hash(account, `guess-${at}`).then(() => ended.push(account)));
  const many = Promise.allSettled(tries('many', 14));
  await Promise.all(tries('other', 1));
  assert.ok(ended.indexOf('other') <= 2, `after ${ended.indexOf('other')} of the others`);
  const refused = (await many).flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  assert.is(refused.length, 4);
  for (const refusal of refused) assert.equal([refusal instanceof Refusal, refusal.code], [true, 'unavailable']);
  await Promise.all(tries('many', 1));
});

test('the hash of a code is another one in another service', async () => {
  const [one, other] = [slowInviteHash(Buffer.alloc(32, 1)), slowInviteHash(Buffer.alloc(32, 2))];
  assert.is(await one('a', 'come-and-join'), await one('b', 'come-and-join'));
  assert.is.not(await one('a', 'come-and-join'), await other('a', 'come-and-join'));
});

test.run();
