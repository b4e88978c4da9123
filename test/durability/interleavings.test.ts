/** A submission is held at each of its lines while somebody else comes by; then it goes on (FACT-14). */

import { createHash } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openDurableFolder } from '../../runtime/disk/durable-folder.ts';
import type { CallAnswer } from '../integration/answer-calls.ts';
import { type Connected, connect, push, type World, withWorld } from '../integration/integration-world.ts';
import { withFolder } from '../journeys/world.ts';
import { callbackPoints, intakePoints, placedPoints, writerPoints } from './failpoints.ts';

const test = suite('interleavings');

const picture = (word: string): string => Buffer.from(`picture ${word}`).toString('base64');
const first = { messageId: 'first', text: 'first', imageBase64: picture('first') };

/** Both answers, and which of them came first. */
interface Met {
  readonly held: CallAnswer;
  readonly came: CallAnswer;
  readonly order: readonly ('held' | 'came')[];
}

interface Meeting {
  readonly world: World;
  readonly connected: Connected;
  /** Submits `first`, and runs the rival while it is held at the point. */
  meet(rival: () => Promise<CallAnswer>): Promise<Met>;
}

async function atPoint(point: string, story: (meeting: Meeting) => Promise<void>): Promise<void> {
  let arrive = (): void => {};
  let release = (): void => {};
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isArmed = false;
  const at = (name: string): Promise<void> | undefined => {
    if (!isArmed || name !== point) return undefined;
    isArmed = false;
    arrive();
    return released;
  };
  await withFolder((folder) =>
    withWorld(
      async (world) => {
        Object.assign(world.files, await openDurableFolder(folder, at));
        const connected = await connect(world, await world.addPerson('user'));
        await push(world, connected, { messageId: 'before', text: 'before', imageBase64: picture('before') });
        const meet: Meeting['meet'] = async (rival) => {
          isArmed = true;
          const order: ('held' | 'came')[] = [];
          const held = push(world, connected, first).finally(() => order.push('held'));
          await arrived;
          const came = rival().finally(() => order.push('came'));
          // The rival waits for the holder of the writer; elsewhere it overtakes.
          if ((writerPoints as readonly string[]).includes(point)) await turns(20);
          else await came;
          release();
          return { held: await held, came: await came, order };
        };
        await story({ world, connected, meet });
        await keepsItsPromises(world, point);
      },
      { at },
    ),
  );
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Checks the promises that hold whatever came in between. */
async function keepsItsPromises(world: World, point: string): Promise<void> {
  const requests = await world.db('content_requests').orderBy('sequence');
  const ids = requests.map(({ connection_id, generation, message_id }) =>
    [connection_id, generation, message_id].join(),
  );
  assert.is(new Set(ids).size, ids.length, `INV-05 ${point}`);
  assert.is(new Set(requests.map(({ sequence }) => sequence)).size, requests.length, `INV-16 ${point}`);
  const accepted = requests.filter(({ accepted_at }) => accepted_at !== null);
  const source = await world.db('paper_contents').where({ paper_id: world.paperId }).first();
  const last = accepted.at(-1);
  assert.equal(
    [source.request_id, source.text, source.image_key],
    [last.id, last.text, last.image_key],
    `INV-20 ${point}`,
  );
  const standing = accepted.filter(({ state }) => state !== 'superseded' && state !== 'revoked');
  assert.ok(standing.length <= 1, `INV-18 ${point}`);
  for (const { image_key } of accepted.filter(({ image_key }) => image_key !== null)) {
    const bytes = await world.files.get(image_key);
    assert.is(bytes && createHash('sha256').update(bytes).digest('hex'), image_key, `INV-03 ${point}`);
  }
  const events: string[] = (await world.db('callback_events')).map(({ request_id, state }) => `${request_id} ${state}`);
  assert.is(new Set(events).size, events.length, `INV-21 ${point}`);
  for (const { id, state } of accepted) {
    assert.ok(events.includes(`${id} available`) || events.includes(`${id} superseded`), `INV-22 ${point}`);
    if (state === 'superseded') assert.ok(events.includes(`${id} superseded`), `INV-22 ${point}`);
  }
}

test('every line that is named in the code is visited by these tests, and the other way round', () => {
  assert.equal(placedPoints().sort(), [...intakePoints, ...callbackPoints].sort());
});

for (const point of intakePoints) {
  test(`${point}: the same submission meets itself (INV-05)`, () =>
    atPoint(point, async ({ world, connected, meet }) => {
      const { held, came } = await meet(() => push(world, connected, first));
      assert.equal([held.status, came.status], [202, 202]);
      assert.is(held.body.requestId, came.body.requestId);
    }));

  test(`${point}: another content comes under the same id (INV-07, INV-11)`, () =>
    atPoint(point, async ({ world, connected, meet }) => {
      const { held, came } = await meet(() => push(world, connected, { ...first, text: 'another' }));
      // Whoever opens the intake has the id.
      const isTaken = point !== 'intake.checked';
      assert.equal([held.status, came.status], isTaken ? [202, 409] : [409, 202]);
    }));

  test(`${point}: newer content of another connection replaces it (INV-17, INV-19)`, () =>
    atPoint(point, async ({ world, meet }) => {
      const other = await connect(world, await world.addPerson('user'));
      const { held, came } = await meet(() => push(world, other, { messageId: 'newer', text: 'newer' }));
      assert.equal([held.status, came.status], [202, 202]);
      const source = await world.db('paper_contents').where({ paper_id: world.paperId }).first();
      // Before its intake was opened it is the newer one itself.
      assert.is(source.text, point === 'intake.checked' ? 'first' : 'newer');
    }));

  test(`${point}: its connection is revoked (INV-53)`, () =>
    atPoint(point, async ({ world, connected, meet }) => {
      const { connectionId, bearer } = connected;
      const { held, came, order } = await meet(() =>
        world.call('DELETE', `/connections/${connectionId}`, { headers: bearer }),
      );
      // Committed before the revocation is not enough: after the 204 there is no 202. Who holds the writer is first.
      assert.equal(
        [came.status, held.status],
        [204, point.startsWith('acceptance.') && point !== 'acceptance.committed' ? 202 : 401],
      );
      if (held.status === 202) assert.is(order[0], 'held');
      const requests = await world.db('content_requests').whereNotIn('state', ['revoked', 'superseded']);
      assert.equal(requests, [], 'nothing of it goes on');
      assert.equal(await world.db('callback_events').whereNotNull('due_at'), []);
      assert.is((await push(world, connected, first)).status, 401);
    }));
}

test.run();
