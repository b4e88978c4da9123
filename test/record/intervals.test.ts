/** A stretch of the record: what began in it, and what hung when it began; page by page all of it, once. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { everyInterval, type IntervalRow, intervalsIn } from '../../api/record/intervals.ts';
import type { Database } from '../../runtime/database/database.ts';
import { withHttp } from '../http/world.ts';

const test = suite('stretches of the record');

/** Writes an interval from one minute to another; null still hangs. */
async function hangs(db: Database, organization: string, serial: string, since: number, until: number | null) {
  const row = {
    id: `${organization}-${serial}-${String(since).padStart(4, '0')}`,
    organization_id: organization,
    serial,
    ownership: 1,
    device_id: 'd',
    frame_name: serial,
    blind: null,
    shows: 'page' as const,
    upload_id: 'u',
    revision: 'page:1',
    picture_sha256: 'aa',
    grade: 'named' as const,
    since,
    until,
    ended: until === null ? null : ('replaced' as const),
  };
  await db('wall_intervals').insert(row);
}

const names = (rows: readonly IntervalRow[]): string => rows.map(({ serial, since }) => `${serial}${since}`).join(' ');

test('a stretch has what touches it, of all frames or of one, and nothing of another organization', () =>
  withHttp(async ({ db, admin, stranger }) => {
    const [mine, others] = [admin.organizationId, stranger.organizationId];
    for (const [serial, since, until] of [
      ['a', 10, 20],
      ['a', 20, 35],
      ['a', 50, null],
      ['b', 5, 30],
      ['b', 40, 45],
      ['c', 1, null],
      ['d', 70, 80],
      ['e', 12, 30],
    ] as const) {
      await hangs(db, mine, serial, since, until);
    }
    await hangs(db, others, 'x', 0, null);
    const stretch = { organizationId: mine, from: 30, to: 70 };
    assert.is(names(await intervalsIn(db, stretch, { limit: 10 })), 'c1 a20 b40 a50');
    assert.is(names(await intervalsIn(db, { ...stretch, serial: 'a' }, { limit: 10 })), 'a20 a50');
    assert.is(names(await intervalsIn(db, { ...stretch, serial: 'x' }, { limit: 10 })), '');
    assert.is(names(await intervalsIn(db, { ...stretch, organizationId: others }, { limit: 10 })), 'x0');
    assert.is(names(await intervalsIn(db, { ...stretch, from: 20, to: 21 }, { limit: 10 })), 'c1 b5 e12 a20');
  }));

test('pages put together are the whole, each interval once, also where many began at the same moment', () =>
  withHttp(async ({ db, admin }) => {
    const organizationId = admin.organizationId;
    for (let frame = 0; frame < 7; frame++) {
      for (const since of [0, 100, 200]) await hangs(db, organizationId, `f${frame}`, since, since + 100);
    }
    const stretch = { organizationId, from: 50, to: 300 };
    const whole = await intervalsIn(db, stretch, { limit: 100 });
    assert.is(whole.length, 21);
    for (const limit of [1, 3, 14]) {
      const put: IntervalRow[] = [];
      let after: IntervalRow | undefined;
      for (;;) {
        const page: readonly IntervalRow[] = await intervalsIn(db, stretch, { after, limit });
        put.push(...page);
        const last: IntervalRow | undefined = page.filter(({ since }) => since >= 50).at(-1);
        if (last === undefined) break;
        after = last;
      }
      assert.is(names(put), names(whole), `by ${limit}`);
    }
    const every: IntervalRow[] = [];
    for await (const row of everyInterval(db, stretch)) every.push(row);
    assert.is(names(every), names(whole));
  }));

test.run();
