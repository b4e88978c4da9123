import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { lookAtDeadlines } from '../../api/deadlines/look-at-deadlines.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { hourMs, minuteMs } from '../alerts/alert-world.ts';
import { withDeadlines } from './deadline-world.ts';

const test = suite('deadlines/killed-between');

test('a look that is cut off between its writes leaves nothing half, and the next one makes up for it', async () => {
  let undone = 0;
  // The state is written first; then the event draws an id, and then the notice.
  for (let cut = 1; cut <= 3; cut++) {
    await withDeadlines(async (world) => {
      const channel = await world.addChannel();
      const frame = await world.addFrame();
      await world.submit('menu');
      const by = world.clock.now() + hourMs;
      await world.addDeadline({ by });
      await frame.wakes({ fetches: false, shows: false });
      await world.watch.stop();
      await world.line.stop();
      world.clock.passes(minuteMs);
      await world.db('frames').update({ asleep_until: by + minuteMs, updated_at: world.clock.now() });
      let drawn = 0;
      const id = (): string => {
        // A transaction that failed is run again by itself: that one ends, too.
        if (++drawn >= cut) throw new Error('the process ended here');
        return world.random.id();
      };
      const dying = { ...world.watchDeps, logger: silentLogger, random: { ...world.random, id } };
      await lookAtDeadlines(dying, { reported: [frame.serial], everything: false });
      const [half] = await world.occurrences();
      const kinds = await world.events();
      if (half?.state === 'planned') undone += 1;
      assert.is(half?.state === 'unavoidable', kinds.includes('deadline.will-miss'), `cut ${cut}: both or neither`);
      assert.is(
        (await world.notices()).length,
        kinds.includes('deadline.will-miss') ? 1 : 0,
        `cut ${cut}: and its notice`,
      );
      // Another process goes on, once what it could not judge is due again.
      world.clock.passes(3 * minuteMs);
      await lookAtDeadlines(world.watchDeps, { reported: [], everything: true });
      await world.watchDeps.drain.idle();
      assert.equal(await world.events(), ['deadline.will-miss'], `cut ${cut}`);
      assert.equal(
        (await world.notices()).map(({ target_id }) => target_id),
        [channel],
        `cut ${cut}`,
      );
    });
  }
  assert.is(undone, 2, 'looks that were cut off; the third one draws no third id');
});

test.run();
