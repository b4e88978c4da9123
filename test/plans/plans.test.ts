/** The plans of the hot roads among 20,000 uploads on PostgreSQL: none reads a large table whole. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tables } from '../../api/service-context.ts';
import { openDatabase } from '../../runtime/database.ts';
import { isOnPostgres } from '../database.ts';
import { withFolder } from '../journeys/world.ts';
import { fillRows } from './fill-rows.ts';
import { roads } from './hot-roads.ts';
import { judgeRoad } from './judge-plan.ts';

const test = suite('plans on PostgreSQL');
const now = 1_790_000_000_000;
const whole = 'select count(*) from uploads where reason is null';

(isOnPostgres ? test : test.skip)('no hot road reads or sorts a large table whole, and one that does is found', () =>
  withFolder(async (_folder, address) => {
    const db = await openDatabase(address, tables);
    try {
      await fillRows(db, { uploads: 20_000, devices: 100 }, now);
      const problems: string[] = [];
      for (const road of roads) {
        const judged = await judgeRoad(db, road, { now, large: 5_000 });
        assert.ok(judged.length > 0, `${road.name} asks nothing`);
        for (const { sql, problems: found } of judged)
          problems.push(...found.map((problem) => `${road.name} ${problem}: ${sql}`));
      }
      assert.equal(problems, []);
      const careless = { name: 'careless', go: (trx: typeof db) => trx.raw(whole) };
      const [found] = await judgeRoad(db, careless, { now, large: 5_000 });
      assert.equal(found?.problems, ['reads all of uploads']);
    } finally {
      await db.destroy();
    }
  }),
);

test.run();
