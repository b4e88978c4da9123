/** The plans of the hot roads among 20,000 uploads on PostgreSQL: none reads a large table whole. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tables } from '../../api/service/open/service-tables.ts';
import { openDatabase } from '../../runtime/database/database.ts';
import { postgresPrograms, startPostgres } from '../postgres-server.ts';
import { longTest, unlessUnable } from '../some-times.ts';
import { fillRows } from './fill-rows.ts';
import { roads } from './hot-roads.ts';
import { judgeRoad } from './judge-plan.ts';

const test = suite('plans on PostgreSQL');
const now = 1_790_000_000_000;
const whole = 'select count(*) from uploads where reason is null';

const programs = postgresPrograms();
const onPostgres = longTest(unlessUnable(test, programs === undefined ? 'no PostgreSQL is installed' : undefined));

onPostgres('no hot road reads or sorts a large table whole, and one that does is found', async () => {
  const server = startPostgres(programs ?? '');
  const db = await openDatabase({ url: server.url }, tables);
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
    server.stop();
  }
});

test.run();
