/** One organization's pages that never end, and the line for everybody else (T-60). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { longTest } from '../some-times.ts';
import { type LineWorld, withLine } from './delivery-world.ts';

const test = suite('a line that is fair');

/** A paper of another organization with a frame that shows it. */
async function stranger(world: LineWorld, kind: string): Promise<{ paperId: string; deviceId: string }> {
  const { db } = world;
  const organization_id = await world.addOrganization();
  const paperId = await world.addPaper({ url: 'https://stranger.example/' }, kind);
  const { deviceId } = await world.addFrame(null);
  await db('papers').where({ id: paperId }).update({ organization_id });
  await db('devices').where({ id: deviceId }).update({ organization_id, paper_id: paperId });
  return { paperId, deviceId };
}

/** Renders of everything but this paper last until `end`. */
function holdAllBut(world: LineWorld, held: { paperId: string }): { end: () => void } {
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  world.renders.with = async ({ paperId }) => {
    if (paperId !== held.paperId) await ended;
    return { ok: true, file: Buffer.from(paperId) };
  };
  return { end };
}

async function untilOffered(world: LineWorld, paperId: string): Promise<void> {
  for (;;) {
    world.line.nudge();
    if ((await world.db('shown_pictures').where({ paper_id: paperId })).length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

test('T-60: forty websites that never end hold up no other organization’s paper', async () => {
  await withLine(async (world) => {
    const waits = { paperId: '' };
    const { end } = holdAllBut(world, waits);
    for (let at = 0; at < 40; at++) {
      await world.addFrame(await world.addPaper({ url: `https://drips.example/${at}` }, 'website'));
    }
    world.line.nudge();
    while (world.renders.wanted.length < 16) await new Promise((resolve) => setTimeout(resolve, 5));
    ({ paperId: waits.paperId } = await stranger(world, 'website'));
    await untilOffered(world, waits.paperId);
    assert.is(world.renders.wanted.length, 17, 'of one organization sixteen are under way');
    const organizations = world.renders.wanted.map(({ sharer }) => sharer[0]);
    assert.is(new Set(organizations).size, 2);
    end();
    await world.settles();
    assert.is(world.renders.wanted.length, 41);
  });
});

test('T-60: content for a hundred and fifty frames whose page never ends holds up no other organization’s delivery', async () => {
  await withLine(async (world) => {
    const waits = await stranger(world, 'plugin');
    await world.settles();
    const { end } = holdAllBut(world, waits);
    for (let at = 0; at < 150; at++) await world.addFrame();
    const { db, clock, random, line } = world;
    const submitted = world.submit('one');
    const request = async () => db('content_requests').first('id');
    while ((await request()) === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
    const { id } = await request();
    while ((await db('deliveries').where({ request_id: id })).length < 150) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const times = { due_at: clock.now(), created_at: clock.now(), updated_at: clock.now() };
    const whose = { request_id: id, paper_id: waits.paperId, device_id: waits.deviceId, assignment: 1 };
    const frame = { serial: 'epd7-000000000001', frame_name: 'Stranger' };
    const delivery = { id: random.id(), ...whose, ...frame, state: 'pending', attempts: 0, ...times };
    await db('deliveries').insert(delivery);
    while ((await db('deliveries').where({ id: delivery.id }).first('attempts')).attempts === 0) {
      line.nudge();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    assert.is((await db('deliveries').where({ state: 'pending' }).where('attempts', '>', 0)).length, 17);
    end();
    await submitted;
  });
});

longTest(test)(
  'content that waited for a sixteenth attempt of its organization to end reaches every frame',
  async () => {
    await withLine(async (world) => {
      for (let at = 0; at < 140; at++) await world.addFrame();
      const request = await world.submit('one');
      await world.settles();
      const states = (await world.deliveries(request)).map(({ state }) => state);
      assert.equal([states.length, new Set(states)], [140, new Set(['prepared'])]);
    });
  },
);

test.run();
