import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { forgetOldRows } from '../../api/retention/forget-old-rows.ts';
import { commandLog } from '../../gateway/commands/command-log.ts';
import { withLine } from '../delivery/delivery-world.ts';

const test = suite('forgetting commands');
const dayMs = 86_400_000;

test('INV-71: commands are forgotten with the events about them, after 90 days', async () => {
  await withLine(async (world) => {
    const { serial } = await world.addFrame();
    const now = world.clock.now();
    const over = {
      sent_at: null,
      answered_at: null,
      answer: null,
      data: null,
      state: 'expired',
      name: 'reboot',
    } as const;
    for (const [id, days] of [
      ['old', 91],
      ['young', 89],
    ] as const) {
      const created_at = now - days * dayMs;
      await commandLog(world.db).insert({ ...over, id, serial, created_at, expires_at: created_at + dayMs });
    }
    assert.is((await forgetOldRows(world.db, now)).commands, 1);
    assert.equal(await world.db('frame_commands').pluck('id'), ['young']);
  });
});

test.run();
