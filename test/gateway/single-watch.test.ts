/** Of several nodes one watches who stays away, and a step that two nodes do at once is done once. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { markDuePictures } from '../../api/delivery/mark-due-pictures.ts';
import { alone } from '../../cluster/alone.ts';
import { LeaseLost, type SingleTask } from '../../cluster/cluster.ts';
import { traitsAmong } from '../../gateway/frames/dialect-traits.ts';
import { watchMs, watchPresence } from '../../gateway/frames/watch-presence.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { type LineWorld, withLine } from '../delivery/delivery-world.ts';

const test = suite('single watch');
const hourMs = 3_600_000;

/** A frame that is hours late, and the alerts about it. */
async function lateFrame(world: LineWorld) {
  const { db, clock } = world;
  const { serial } = await world.addFrame();
  const at = clock.now();
  await db('frames')
    .where({ serial })
    .update({ asleep_until: at, last_contact_at: at - hourMs });
  await db('frame_watch').insert({ serial, due_at: at + hourMs, excused: 1, periods: '[]' });
  return {
    alerts: async () => (await db('frame_events').where({ serial, type: 'alert' })).length,
    dueAt: async () => (await db('frame_watch').where({ serial }).first('due_at')).due_at,
  };
}

/** Starts a watch, and returns what it logged as faults. */
function watchOf(
  { db, clock, random }: LineWorld,
  single: SingleTask,
): { readonly faults: string[]; stop(): Promise<void> } {
  const faults: string[] = [];
  const logger = { ...silentLogger, error: (_fields: unknown, message: string) => void faults.push(message) };
  const watch = watchPresence({
    db,
    clock,
    random,
    logger,
    isConnected: () => false,
    single,
    traitsOf: traitsAmong({}),
  });
  watch.start();
  return { faults, stop: watch.stop };
}

/** Time passes until the frame is hours late, and every watch looks. */
async function longAway({ clock }: LineWorld): Promise<void> {
  clock.passes(2 * hourMs);
  for (let look = 0; look < 3; look++) {
    for (let turn = 0; turn < 30; turn++) await new Promise((resolve) => setTimeout(resolve, 0));
    clock.passes(watchMs);
  }
}

test('a node that does not do the single tasks tells of no outage; the one that does tells of it once', () =>
  withLine(async (world) => {
    const late = await lateFrame(world);
    const idle = watchOf(world, { ...alone.single, isOurs: () => false });
    await longAway(world);
    await idle.stop();
    assert.is(await late.alerts(), 0);
    const busy = [watchOf(world, alone.single), watchOf(world, alone.single)];
    await longAway(world);
    for (const watch of busy) await watch.stop();
    assert.is(await late.alerts(), 1);
  }));

test('a node that finds in its transaction that another one has taken over writes nothing, and calls that no fault', () =>
  withLine(async (world) => {
    const late = await lateFrame(world);
    const before = await late.dueAt();
    let tries = 0;
    const lost: SingleTask = {
      ...alone.single,
      transact() {
        tries++;
        return Promise.reject(new LeaseLost({ name: 'single tasks', epoch: 1 }));
      },
    };
    const watch = watchOf(world, lost);
    await longAway(world);
    await watch.stop();
    assert.ok(tries > 0, 'it tried');
    assert.equal([await late.alerts(), await late.dueAt(), watch.faults], [0, before, []]);
  }));

test('a wake that another node has seen to since it was read is not seen to again', () =>
  withLine(async (world) => {
    const { db, clock, lineDeps } = world;
    const paper = await world.addPaper({ orientation: 'landscape', url: 'https://site.example/' }, 'website');
    const { serial, deviceId } = await world.addFrame(paper);
    await world.settles();
    await db('frames')
      .where({ serial })
      .update({ asleep_until: clock.now() + 60_000 });
    const later = { ...clock, now: () => clock.now() + 500 };
    await Promise.all([markDuePictures(lineDeps), markDuePictures({ ...lineDeps, clock: later })]);
    const row = await db('shown_pictures').where({ device_id: deviceId }).first('render_due_at', 'render_for');
    assert.equal(row, { render_due_at: clock.now(), render_for: clock.now() + 60_000 });
  }));

test.run();
