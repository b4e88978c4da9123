/** `kill -9` of a real service process in the midst of a job over a thousand frames: the next one finishes it. */
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tables } from '../../api/service/open/service-tables.ts';
import { systemClock } from '../../runtime/clock.ts';
import { type Database, type DatabaseAddress, openDatabase } from '../../runtime/database/database.ts';
import { systemRandom } from '../../runtime/random.ts';
import { callApi } from '../call-api.ts';
import { eventually, withFolder } from '../journeys/world.ts';
import { withProcesses } from './serving.ts';

const test = suite('a job and kill');
const frames = 1_000;

/** Looks into the rows while no process has them, or beside one on PostgreSQL. */
async function inRows<Result>(rows: DatabaseAddress, look: (db: Database) => Promise<Result>): Promise<Result> {
  const db = await openDatabase(rows, tables);
  try {
    return await look(db);
  } finally {
    await db.destroy();
  }
}

async function hangFrames(db: Database, organization: string): Promise<void> {
  const random = systemRandom(systemClock);
  const rows = Array.from({ length: frames }, (_, at) => ({
    id: random.id(),
    organization_id: organization,
    assignment: 1,
    meta: '{}',
    details: '{}',
    name: `Frame ${at}`,
    created_at: 1,
    updated_at: 1,
  }));
  await db.batchInsert('devices', rows, 100);
}

interface Shown {
  readonly id: string;
  readonly state: string;
  readonly handed: number;
  readonly frames: Readonly<Record<string, number>>;
}

test('the job goes on after the kill of its process, and gives each of a thousand frames the paper once', () =>
  withFolder((folder, own) =>
    withProcesses(async ({ serve }) => {
      const data = join(folder, 'data');
      const rows = 'url' in own ? own : { file: join(data, 'papergate.sqlite') };
      const founded = await serve(data, { found: true }, [], rows);
      const { organizationId: organization, apiKey } = founded;
      const device = await callApi<{ id: string }>({ url: founded.http, apiKey }, 'POST', '/devices/', {
        organization,
      });
      const made = { deviceId: device.id, kind: 'image', organization, meta: { title: 'Hall' } };
      const { id: paper } = await callApi<{ id: string }>({ url: founded.http, apiKey }, 'POST', '/papers/', made);
      await founded.end('SIGTERM');
      await inRows(rows, async (db) => {
        await db('devices').where({ id: device.id }).delete();
        await hangFrames(db, organization);
      });

      const base = `/organizations/${organization}/jobs/`;
      const first = await serve(data, {}, [], rows);
      const asked = { name: 'Hall', paper, all: true };
      const { id } = await callApi<Shown>({ url: first.http, apiKey }, 'POST', base, asked);
      // Nobody asks again how far it is: the browser that started it is gone.
      const before = await eventually('a part of the frames has it', async () => {
        const job = await callApi<Shown>({ url: first.http, apiKey }, 'GET', `${base}${id}`);
        return job.handed >= 50 && job;
      });
      assert.is(await first.end('SIGKILL'), 'SIGKILL');
      assert.ok(before.handed < frames, `killed in its midst: ${before.handed}`);

      const second = await serve(data, {}, [], rows);
      const after = await eventually('all of them have it', async () => {
        const job = await callApi<Shown>({ url: second.http, apiKey }, 'GET', `${base}${id}`);
        return job.state === 'finished' && job;
      });
      assert.equal([after.handed, after.frames.proven, after.frames.failed], [frames, frames, 0]);
      await second.end('SIGTERM');
      await inRows(rows, async (db) => {
        const devices = await db('devices').select('paper_id', 'assignment');
        assert.ok(
          devices.every((row) => row.paper_id === paper && row.assignment === 2),
          'each changed once',
        );
        assert.is(await count(db, 'audit_entries', { action: 'device.changed' }), frames);
        assert.is(await count(db, 'job_items', { state: 'proven' }), frames);
      });
    }),
  ));

async function count(db: Database, table: string, where: Readonly<Record<string, string>>): Promise<number> {
  const [row] = await db(table).where(where).count({ count: '*' });
  return Number(row?.count);
}

test.run();
