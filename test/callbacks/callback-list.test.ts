/** The callbacks of a paper as people see them: every attempt, and one that is sent again. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createOutbox } from '../../api/callbacks/drain-outbox.ts';
import { type CallbackShown, listCallbacks } from '../../api/callbacks/read-callbacks.ts';
import type { Attempt, Callback } from '../../api/callbacks/send-callback.ts';
import { withAttempt } from '../../api/callbacks/tried-attempts.ts';
import type { ConnectionShown } from '../../api/routes/integration/connection-list-route.ts';
import { alone } from '../../cluster/alone.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { wordsOf } from '../../reasons/words.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { connect, push, sealKey, type World, withWorld } from '../integration/integration-world.ts';

const test = suite('list of callbacks');

const hourMs = 3_600_000;

/** An outbox whose receiver gives the answers in `attempts`, one after the other. */
function outboxWith({ db, clock, random, deps }: World, attempts: Attempt[]) {
  const sent: Callback[] = [];
  const outbox = createOutbox({
    db,
    clock,
    random,
    async send(callback) {
      sent.push(callback);
      return attempts.shift() ?? { delivered: true, status: 204 };
    },
    sealKey,
    rules: deps.settings,
    logger: silentLogger,
    cluster: alone,
  });
  return {
    sent,
    async send(): Promise<void> {
      await outbox.drain();
      await outbox.idle();
    },
  };
}

test('every attempt is listed with its time, its status and what was wrong, and never a credential', async () => {
  await withWorld(async (world) => {
    const person = await world.addPerson('user');
    const connected = await connect(world, person);
    const { sent, send } = outboxWith(world, [
      { delivered: false, problem: reasonOf('answer-status', { status: 500 }), status: 500 },
      { delivered: false, problem: reasonOf('network-refused') },
    ]);
    const list = async (): Promise<CallbackShown[]> => {
      const answer = await world.call('GET', `/papers/${world.paperId}/callbacks`, { as: person });
      return answer.body.callbacks as CallbackShown[];
    };
    assert.equal(await list(), []);
    await push(world, connected, { messageId: 'a', text: 'a' });
    const begun = world.clock.now();
    await send();
    world.clock.passes(hourMs);
    await send();
    const [waiting] = await list();
    assert.equal([waiting?.outcome, waiting?.state, waiting?.messageId], ['waiting', 'available', 'a']);
    const sentence = wordsOf(reasonOf('network-refused'));
    const refused = { problem: sentence, problems: [{ code: 'network-refused', sentence }] };
    const problems = [{ code: 'answer-status', parameters: { status: 500 }, sentence: 'status 500' }];
    assert.equal(waiting?.attempts, [
      { at: new Date(begun).toISOString(), tookMs: 0, status: 500, problem: 'status 500', problems },
      { at: new Date(begun + hourMs).toISOString(), tookMs: 0, ...refused },
    ]);
    assert.is(waiting?.attemptCount, 2);
    assert.ok(String(waiting?.nextAttemptAt) > new Date(begun + hourMs).toISOString());
    world.clock.passes(hourMs);
    await send();
    const all = await list();
    const [delivered] = all;
    assert.equal(
      [delivered?.outcome, delivered?.attempts.length, delivered?.attempts[2]?.status],
      ['delivered', 3, 204],
    );
    assert.is(delivered?.problem, undefined);
    for (const secret of [connected.callbackToken, connected.token])
      assert.not.ok(JSON.stringify(all).includes(secret));
    await push(world, connected, { messageId: 'b', text: 'b' });
    const [newest, ...more] = await listCallbacks(world.db, world.paperId, { limit: 1 });
    assert.equal(more, []);
    const older = await listCallbacks(world.db, world.paperId, { limit: 9, before: newest?.eventId });
    assert.ok(older.length > 0 && older.every(({ eventId }) => eventId < (newest?.eventId ?? '')));
    assert.is(sent.length, 3);
  });
});

test('a callback is sent again under the same eventId, as long as its connection may act and for seven days', async () => {
  await withWorld(async (world) => {
    const person = await world.addPerson('user');
    const connected = await connect(world, person);
    const { sent, send } = outboxWith(world, []);
    await push(world, connected, { messageId: 'a', text: 'a' });
    await send();
    const { eventId } = JSON.parse(sent[0]?.body ?? '');
    const again = (id: string, as = person) =>
      world.call('POST', `/papers/${world.paperId}/callbacks/${id}/again`, { as });
    const made = await again(eventId);
    assert.equal([made.status, made.body.outcome, made.body.attemptCount], [202, 'waiting', 1]);
    await send();
    assert.equal(
      sent.map(({ body }) => body),
      [sent[0]?.body, sent[0]?.body],
    );
    const reader = await world.addPerson('onlyself');
    assert.is((await again(eventId, reader)).status, 403);
    for (const unknown of ['0'.repeat(24), 'x']) assert.is((await again(unknown)).status, 404);
    await world.call('DELETE', `/papers/${world.paperId}/connection`, { as: person });
    const ended = await again(eventId);
    assert.equal([ended.status, ended.code], [409, 'conflict']);
    world.clock.passes(8 * 24 * hourMs);
    assert.is((await again(eventId)).status, 409);
    await send();
    assert.is(sent.length, 2);
  });
});

test('connections are listed with their state, their owner and their latest requests', async () => {
  await withWorld(async (world) => {
    const [person, other] = [await world.addPerson('user'), await world.addPerson('admin')];
    const connected = await connect(world, person);
    await push(world, connected, { messageId: 'a', text: 'a' });
    const list = async (as = person) =>
      (await world.call('GET', `/papers/${world.paperId}/connections`, { as })).body.connections as ConnectionShown[];
    const [mine] = await list();
    assert.equal(
      [mine?.connectionId, mine?.isOwn, mine?.state, mine?.origin, mine?.latest.state],
      [connected.connectionId, true, 'active', 'https://notes.example', 'accepted'],
    );
    assert.equal(
      mine?.requests.map(({ messageId, state, hasText, hasPicture }) => [messageId, state, hasText, hasPicture]),
      [['a', 'accepted', true, false]],
    );
    assert.is((await list(other))[0]?.isOwn, false);
    world.clock.passes(hourMs);
    await world.call('DELETE', `/papers/${world.paperId}/connection`, { as: person });
    const [ended] = await list();
    assert.equal([ended?.state, ended?.connectedAt], ['revoked', mine?.connectedAt], 'its end is not its beginning');
  });
});

test('a row keeps no more attempts than seven days make, and no endless sentence', () => {
  let tried = '[]';
  for (let at = 0; at < 300; at++) tried = withAttempt(tried, { at, ms: 1, problem: 'x'.repeat(1_000) });
  const kept = JSON.parse(tried);
  assert.equal([kept.length, kept[0].at, kept.at(-1).problem.length], [250, 50, 200]);
});

test.run();
