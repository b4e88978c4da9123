import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { lookAtDeadlines } from '../../api/deadlines/look-at-deadlines.ts';
import { hourMs, minuteMs } from '../alerts/alert-world.ts';
import { withDeadlines } from './deadline-world.ts';

const test = suite('deadlines/killed-between');

/** The statements after which a process may end: each write of a look, the first, the second, and so on. */
const writes = /^(insert into|update) [`"](deadline_\w+)/;

test('a look that is cut off at any of its writes leaves nothing half, and the next one makes up for it', async () => {
  let undone = 0;
  for (let cut = 1; cut < 8; cut++) {
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
      let count = 0;
      const breakOff = ({ sql }: { readonly sql: string }): void => {
        if (writes.test(sql) && ++count === cut) throw new Error('the process ended here');
      };
      world.db.on('query', breakOff);
      await lookAtDeadlines(world.watchDeps, { reported: [frame.serial], everything: true }).catch(() => undefined);
      world.db.removeListener('query', breakOff);
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
  assert.ok(undone > 2, `${undone} looks were cut off before they were done`);
});

test.run();
