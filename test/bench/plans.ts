/**
 * The rows that queries of the hot roads read among 1,000,000 uploads of 10,000 devices on PostgreSQL:
 * `node --import tsx test/bench/plans.ts`, with DATABASE_URL or Debian's PostgreSQL. Each is explained and executed; one
 * that reads a large table whole, or sorts more than 5,000 rows, fails the run unless test/plans/hot-roads.ts says why it
 * may. Then the questions of `papergate doctor --deep` are asked, and the number of findings has to be 0. UPLOADS and
 * DEVICES may be given.
 */
import { tables } from '../../api/service/open/service-tables.ts';
import { ask, invariants } from '../../cli/deep/invariants.ts';
import { readPostgres } from '../../cli/deep/read-rows.ts';
import { openDatabase } from '../../runtime/database/database.ts';
import { fillRows } from '../plans/fill-rows.ts';
import { roads } from '../plans/hot-roads.ts';
import { judgeRoad } from '../plans/judge-plan.ts';
import { postgresPrograms, startPostgres } from '../postgres-server.ts';

const uploads = Number(process.env.UPLOADS ?? 1_000_000);
const devices = Number(process.env.DEVICES ?? 10_000);
const programs = postgresPrograms();
if (programs === undefined) throw new Error('apt-get install postgresql');
const server = startPostgres(programs);
let problems = 0;
try {
  const db = await openDatabase({ url: server.url }, tables);
  const now = Date.now();
  await fillRows(db, { uploads, devices }, now);
  console.log(`filled in ${Math.round((Date.now() - now) / 1000)} s`);
  for (const road of roads) {
    for (const judged of await judgeRoad(db, road, { now, large: devices })) {
      problems += judged.problems.length;
      const figures = `${judged.ms.toFixed(2).padStart(9)} ms ${String(judged.read).padStart(9)} read ${String(judged.returned).padStart(7)} returned`;
      console.log(`${figures}  ${road.name}  ${judged.problems.join(', ').toUpperCase()}`);
      if (judged.problems.length > 0 || process.env.SHOW !== undefined)
        console.log(`    ${judged.sql.replace(/\s+/g, ' ').slice(0, 300)}`);
    }
  }
  const rows = await readPostgres(server.url);
  for (const invariant of invariants) {
    const { ids, tookMs, unasked } = await ask(rows, invariant, now);
    if (ids.length > 0 || unasked !== undefined) problems++;
    console.log(
      `${String(tookMs).padStart(9)} ms  doctor --deep: ${invariant.name} ${unasked ?? ids.slice(0, 2).join(' ')}`,
    );
  }
  await rows.close();
  await db.destroy();
} finally {
  server.stop();
}
process.exitCode = problems > 0 ? 1 : 0;
