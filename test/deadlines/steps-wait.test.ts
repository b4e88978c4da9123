/** Steps that were begun wait while their deadline is well again. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hourMs, minuteMs } from '../alerts/alert-world.ts';
import { withDeadlines } from './deadline-world.ts';

const test = suite('deadlines/steps-wait');

test('a later step waits while it is planned again, and counts from when it is at stake once more (DL-21)', () =>
  withDeadlines(async (world) => {
    const { clock, db } = world;
    const channel = await world.addChannel();
    const poster = await world.addPaper({ text: 'poster' }, 'text');
    const other = await world.addFrame(poster);
    const frame = await world.addFrame();
    await world.submit('menu');
    const by = clock.now() + 5 * hourMs;
    await world.sleeps(frame.serial, clock.now() + 2 * hourMs);
    await db('frames').where({ serial: frame.serial }).update({ last_failure: 'fetch', updated_at: clock.now() });
    await world.addDeadline({
      by,
      devices: [frame.deviceId],
      steps: [
        { when: { state: 'at-risk' }, to: { channel }, urgent: false },
        { when: { minutesLater: 10 }, to: { device: other.deviceId }, urgent: false },
      ],
    });
    const state = async () => (await world.occurrences())[0]?.state;
    const hung = async () => (await db('devices').where({ id: other.deviceId }).first('paper_id')).paper_id;
    assert.is(await state(), 'at-risk');
    assert.is(world.sent.length, 1);
    await world.line.stop();
    await world.passes(2 * minuteMs);
    const set = async (last_failure: string | null) => {
      await db('frames').where({ serial: frame.serial }).update({ last_failure, updated_at: clock.now() });
      world.watch.nudge();
      await world.watch.idle();
    };
    await set(null);
    assert.is(await state(), 'planned');
    await world.passes(30 * minuteMs);
    assert.is(await hung(), poster, 'it shows what it showed');
    await set('fetch');
    assert.is(await state(), 'at-risk');
    await world.passes(9 * minuteMs);
    assert.is(await hung(), poster);
    await world.passes(2 * minuteMs);
    assert.is(await hung(), world.paperId);
  }));

test.run();
