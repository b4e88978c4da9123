/** Nodes behind PgBouncer in transaction mode: they work with a direct address for notifications, and are refused without. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checkListening } from '../../cluster/nodes/check-listening.ts';
import { systemClock } from '../../runtime/clock.ts';
import { openDatabase } from '../../runtime/database/database.ts';
import { systemRandom } from '../../runtime/random.ts';
import { eventually, refusedWith } from '../journeys/world.ts';
import { postgresPrograms, startPostgres } from '../postgres-server.ts';
import { longTest, unlessUnable } from '../some-times.ts';
import { startLoad } from './balanced-load.ts';
import { clusterProblem, withBalancedNodes } from './balanced-nodes.ts';
import { poolerProblem, startPooler } from './pooler.ts';

const pooledTest = suite('nodes behind PgBouncer');
const unable = clusterProblem() ?? poolerProblem();
const test = unlessUnable(pooledTest, unable);

async function listensAt(url: string, rows: string): Promise<void> {
  const db = await openDatabase({ url: rows }, []);
  const deps = { db, clock: systemClock, random: systemRandom(systemClock) };
  await checkListening({ url, variable: 'DATABASE_URL' }, deps).finally(() => db.destroy());
}

test('notifications through a pooler do not arrive, which is said with what to do', async () => {
  const postgres = startPostgres(postgresPrograms() ?? '');
  const pooler = await startPooler(postgres);
  try {
    await listensAt(postgres.url, postgres.url);
    const said = await refusedWith(listensAt(pooler.url, postgres.url));
    assert.match(said, /^DATABASE_URL: notifications do not arrive on a connection to it.*\nset DATABASE_DIRECT_URL/);
  } finally {
    pooler.stop();
    postgres.stop();
  }
});

longTest(test)('two nodes carry a picture to its frames with a pooler between them and the database', () =>
  withBalancedNodes({ nodes: 2, pooler: startPooler }, async (cluster) => {
    const load = await startLoad(cluster, { frames: 4, pushEveryMs: 1_500, sleepMs: 700 });
    try {
      await eventually('pushes are acknowledged', async () => load.counts().acknowledged.length >= 8, 60_000);
      const { lost, falselySynced, callbacksLost, synced } = await load.reckon();
      assert.equal({ lost, falselySynced, callbacksLost }, { lost: [], falselySynced: [], callbacksLost: [] });
      assert.ok(synced >= 4);
    } finally {
      await load.stop();
    }
  }),
);

pooledTest.run();
