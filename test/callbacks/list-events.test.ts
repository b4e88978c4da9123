/** The list of events that an integration asks for: whole, in an order that stays, and no event of anybody else's. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { listEvents } from '../../api/callbacks/list-events.ts';
import { oweCallback } from '../../api/callbacks/owe-callback.ts';
import { forgetOldRows } from '../../api/retention/forget-old-rows.ts';
import { type Database, isPostgres, type Transaction, transact } from '../../runtime/database/database.ts';
import { changeFact } from '../../runtime/database/service-facts.ts';
import { isOnPostgres } from '../database.ts';
import type { CallAnswer } from '../integration/answer-calls.ts';
import { type Connected, connect, push, type World, withWorld } from '../integration/integration-world.ts';

const test = suite('list of events');

const dayMs = 86_400_000;

interface Page {
  readonly events: readonly { readonly eventId: string; readonly messageId: string; readonly state: string }[];
  readonly next?: string;
  readonly more: boolean;
}

async function asked(world: World, { connectionId, bearer }: Connected, query: string): Promise<CallAnswer> {
  return await world.call('GET', `/connections/${connectionId}/events${query}`, { headers: bearer });
}

async function page(world: World, connected: Connected, query = ''): Promise<Page> {
  const answer = await asked(world, connected, query);
  if (answer.status !== 200) throw new Error(`not listed: ${answer.code}`);
  return answer.body as unknown as Page;
}

/** Follows the list to its end, as a receiver does. */
async function everything(world: World, connected: Connected, limit: number): Promise<readonly Page['events'][0][]> {
  const all: Page['events'][0][] = [];
  for (let query = `?limit=${limit}`; ; ) {
    const { events, next, more } = await page(world, connected, query);
    all.push(...events);
    if (!more) return all;
    query = `?limit=${limit}&after=${next}`;
  }
}

const bodies = async (world: World): Promise<string[]> =>
  (await world.db('callback_events').orderBy('id')).map(({ body }) => body);

/** An event of the first request, written in a transaction of somebody else's. */
async function oweIn(trx: Transaction, { clock, random }: World): Promise<void> {
  const request = await trx('content_requests').first();
  await oweCallback(trx, { request, state: 'unconfirmed' }, clock.now(), random);
}

test('every event is listed once, with the bytes of its callback, whatever became of that', () =>
  withWorld(async (world) => {
    const connected = await connect(world, await world.addPerson('user'));
    assert.equal(await page(world, connected), { events: [], more: false });
    for (const messageId of ['a', 'b', 'c']) await push(world, connected, { messageId, text: messageId });
    const [delivered, dropped, ...waiting] = await world.db('callback_events').orderBy('id');
    assert.is(waiting.length, 3);
    const ended = { due_at: null, attempts: 1 };
    await world
      .db('callback_events')
      .where({ id: delivered.id })
      .update({ ...ended, delivered_at: 1 });
    await world.db('callback_events').where({ id: dropped.id }).update(ended);
    for (const limit of [1, 2, 5, 500]) {
      const listed = await everything(world, connected, limit);
      assert.equal(
        listed.map((event) => JSON.stringify(event)),
        await bodies(world),
        `pages of ${limit}`,
      );
    }
    const { next, more } = await page(world, connected);
    assert.is(more, false);
    assert.equal(await page(world, connected, `?after=${next}`), { events: [], next, more: false }, 'it has them all');
    assert.equal((await page(world, connected, '?after=')).events.length, 5, 'an empty cursor begins at the oldest');
    for (const limit of ['0', '501', '-1', 'x', '1.5']) {
      assert.is((await asked(world, connected, `?limit=${limit}`)).code, 'invalid-request', limit);
    }
  }));

test('an event that is written under an earlier id, or committed late, comes behind those that were listed', () =>
  withWorld(async (world) => {
    const connected = await connect(world, await world.addPerson('user'));
    await push(world, connected, { messageId: 'a', text: 'a' });
    const late = async (meanwhile: () => Promise<Page>): Promise<Page> => {
      if (isPostgres(world.db)) {
        return await world.db.transaction(async (trx) => {
          await oweIn(trx, world);
          return await meanwhile();
        });
      }
      const before = await meanwhile();
      await transact(world.db, (trx) =>
        oweIn(trx, { ...world, random: { ...world.random, id: () => '0'.repeat(24) } }),
      );
      return before;
    };
    const before = await late(async () => {
      await push(world, connected, { messageId: 'b', text: 'b' });
      return await page(world, connected);
    });
    assert.equal(
      before.events.map(({ messageId, state }) => `${messageId} ${state}`),
      ['a available', 'a superseded', 'b available'],
    );
    const after = await page(world, connected, `?after=${before.next}`);
    assert.equal(
      after.events.map(({ state }) => state),
      ['unconfirmed'],
    );
    assert.is((await everything(world, connected, 2)).at(-1)?.state, 'unconfirmed', 'and stays there');
  }));

test('many who ask at once, of several nodes, give each event one place and see no place before those in front of it', () =>
  withWorld(async (world) => {
    const connected = await connect(world, await world.addPerson('user'));
    await push(world, connected, { messageId: 'a', text: 'a' });
    const connection = { id: connected.connectionId, generation: 1 };
    const told = new Map<string, string[]>();
    const reader = async (name: string): Promise<void> => {
      const seen: string[] = [];
      for (let after: string | undefined, left = 12; left > 0; left--) {
        const { events, next } = await listEvents(world.db, connection, { after, limit: 3 });
        seen.push(...events.map(({ eventId }) => eventId));
        after = next;
      }
      told.set(name, seen);
    };
    const writer = async (db: Database): Promise<void> => {
      for (let left = 10; left > 0; left--) await transact(db, (trx) => oweIn(trx, world));
    };
    await Promise.all([reader('one'), writer(world.db), reader('other'), writer(world.db)]);
    const whole = (await everything(world, connected, 7)).map(({ eventId }) => eventId);
    assert.is(whole.length, 21);
    assert.is(new Set(whole).size, 21);
    for (const [name, seen] of told) assert.equal(seen, whole.slice(0, seen.length), name);
    const places = (await world.db('callback_events').orderBy('listed')).map(({ listed }) => listed);
    assert.equal(
      places,
      whole.map((_, at) => at + 1),
    );
  }));

test('a row that another statement holds is left for the next page, and holds up nobody', async () => {
  if (!isOnPostgres) return;
  await withWorld(async (world) => {
    const connected = await connect(world, await world.addPerson('user'));
    for (const messageId of ['a', 'b']) await push(world, connected, { messageId, text: messageId });
    const [first] = await world.db('callback_events').orderBy('id');
    const held = await world.db.transaction(async (trx) => {
      await trx('callback_events').where({ id: first.id }).forUpdate().first();
      return await page(world, connected);
    });
    assert.equal(
      held.events.map(({ state }) => state),
      ['superseded', 'available'],
    );
    const { events } = await page(world, connected, `?after=${held.next}`);
    assert.equal(
      events.map(({ eventId }) => eventId),
      [first.id],
    );
  });
});

test('more events than are given a place at once are listed all the same', () =>
  withWorld(async (world) => {
    const connected = await connect(world, await world.addPerson('user'));
    await push(world, connected, { messageId: 'a', text: 'a' });
    const [row] = await world.db('callback_events');
    const copies = Array.from({ length: 2_100 }, (_, at) => ({ ...row, id: `f${String(at).padStart(23, '0')}` }));
    await world.db.batchInsert('callback_events', copies, 50);
    assert.is((await everything(world, connected, 500)).length, 2_101);
  }));

test('a cursor that may have missed something is refused with what to do: one that is made up, of others, or of before a restore', () =>
  withWorld(async (world) => {
    const person = await world.addPerson('user');
    const connected = await connect(world, person);
    const other = await connect(world, await world.addPerson('user'));
    for (const one of [connected, other]) await push(world, one, { messageId: 'a', text: 'a' });
    const { next = '', events } = await page(world, connected);
    const refused = async (one: Connected, cursor: string): Promise<void> => {
      const answer = await asked(world, one, `?after=${cursor}`);
      assert.equal([answer.status, answer.code], [410, 'cursor-unknown'], cursor);
    };
    for (const cursor of ['x', events[0]?.eventId ?? '', next.slice(1), `${next}AA`, '%F0%9F%91%B5', 'a'.repeat(200)]) {
      await refused(connected, cursor);
    }
    await refused(other, next);
    await changeFact(world.db, 'restored at', '1700000000000');
    await refused(connected, next);
    const again = await page(world, connected);
    assert.equal(again.events, events, 'the same events, under a cursor of now');
    assert.is.not(again.next, next);
    assert.equal((await page(world, connected, `?after=${again.next}`)).events, []);

    await world.call('DELETE', `/connections/${connected.connectionId}`, { headers: connected.bearer });
    assert.is((await asked(world, connected, '')).code, 'connection-unauthorized');
    const reconnected = await connect(world, person);
    assert.is(reconnected.connectionId, connected.connectionId);
    assert.equal(await page(world, reconnected), { events: [], more: false }, 'nothing of the former connection');
    await refused(reconnected, String(again.next));
  }));

test('INV-71: events go after 30 days; the newest that was listed stays, so that a quiet integration keeps its cursor', () =>
  withWorld(async (world) => {
    const connected = await connect(world, await world.addPerson('user'));
    for (const messageId of ['a', 'b']) await push(world, connected, { messageId, text: messageId });
    const { next: first } = await page(world, connected, '?limit=1');
    const { next } = await page(world, connected);
    world.clock.passes(30 * dayMs - 1);
    await push(world, connected, { messageId: 'c', text: 'c' });
    assert.is((await forgetOldRows(world.db, world.clock.now())).callbacks, 0);
    assert.is((await everything(world, connected, 9)).length, 5);
    world.clock.passes(1);
    assert.is((await forgetOldRows(world.db, world.clock.now())).callbacks, 3);
    assert.is((await asked(world, connected, `?after=${first}`)).code, 'cursor-unknown', 'some behind it are gone');
    const { events, next: last } = await page(world, connected);
    assert.equal(
      events.map(({ messageId }) => messageId),
      ['b', 'c'],
    );
    world.clock.passes(60 * dayMs);
    assert.is((await forgetOldRows(world.db, world.clock.now())).callbacks, 1);
    assert.equal((await page(world, connected, `?after=${last}`)).events, [], 'nothing happened since');
    assert.is((await asked(world, connected, `?after=${next}`)).code, 'cursor-unknown');
    await world.call('DELETE', `/connections/${connected.connectionId}`, { headers: connected.bearer });
    assert.is((await forgetOldRows(world.db, world.clock.now())).callbacks, 1);
    assert.equal(await world.db('callback_events'), []);
  }));

test.run();
