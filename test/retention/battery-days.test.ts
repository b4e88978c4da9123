/** A battery's days are forgotten like the events beside them. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { forgetOldRows } from '../../api/retention/forget-old-rows.ts';
import { openContext } from '../../api/service/open/service-context.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { frameRegistry } from '../../gateway/frames/registry.ts';
import { environmentOf, withFolder } from '../journeys/world.ts';

const test = suite('battery days');

test('INV-71: a battery’s days are kept for 90 days, and forgetting twice forgets nothing more', async () => {
  await withFolder(async (folder, rows) => {
    const context = await openContext(readSettings(environmentOf(folder, rows)));
    const today = 20_800;
    const now = today * 86_400_000 + 5;
    await frameRegistry(context.db).provision('epd7-b0c1d2e3f405', undefined, now);
    for (const age of [0, 89, 90, 91, 400]) {
      const row = { serial: 'epd7-b0c1d2e3f405', day: today - age, samples: 1, min_mv: 4800, sum_mv: 4800 };
      await context.db('battery_days').insert(row);
    }
    for (let time = 0; time < 2; time++) {
      await forgetOldRows(context.db, now);
      const ages = (await context.db('battery_days').orderBy('day', 'desc')).map(({ day }) => today - day);
      assert.equal(ages, [0, 89, 90]);
    }
    await context.close();
  });
});

test.run();
