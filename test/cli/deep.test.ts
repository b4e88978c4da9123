/** `papergate doctor --deep`: each invariant sees its own damage and nothing else, and healthy rows have none. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tables } from '../../api/service/open/service-tables.ts';
import { checkStored } from '../../cli/deep/check-files.ts';
import type { RowReader } from '../../cli/deep/invariant.ts';
import { ask, invariants } from '../../cli/deep/invariants.ts';
import { readerOf } from '../../cli/deep/read-rows.ts';
import { type Database, openDatabase } from '../../runtime/database/database.ts';
import { sha256Of } from '../../runtime/digest.ts';
import { createDisk } from '../../testbed/offline/machine/disk.ts';
import { runSeed } from '../../testbed/offline/run-seed.ts';
import { withFolder } from '../journeys/world.ts';
import { fillTables } from '../schemas/fixture-rows.ts';
import { longTest } from '../some-times.ts';
import { readerOver } from './reader-over.ts';

const test = suite('doctor --deep');

const hourMs = 3_600_000;

/** Names of the invariants that find something, with the ids. */
async function findings(rows: RowReader, now: number): Promise<Readonly<Record<string, readonly string[]>>> {
  const found: Record<string, readonly string[]> = {};
  for (const invariant of invariants) {
    const { ids, unasked } = await ask(rows, invariant, now);
    if (unasked !== undefined) throw new Error(`${invariant.name}: ${unasked}`);
    if (ids.length > 0) found[invariant.name] = ids;
  }
  return found;
}

/** A home in which everything is as it should be, and the time there. */
async function fillHealthy(db: Database): Promise<number> {
  await fillTables(db);
  const synced = await db('callback_events').where({ id: 'callback-1' }).first();
  await db('callback_events').insert([
    { ...synced, id: 'callback-2', state: 'prepared' },
    { ...synced, id: 'callback-3', state: 'available', delivery_id: null },
  ]);
  return Number(synced.delivered_at) + 1_000;
}

async function copyRow(db: Database, table: string, change: Readonly<Record<string, unknown>>): Promise<void> {
  await db(table).insert({ ...(await db(table).first()), ...change });
}

const requests = (db: Database) => db('content_requests');
const deliveries = (db: Database) => db('deliveries');
const callback = (db: Database, state: string) => db('callback_events').where({ state });

/** The damage that breaks each invariant, and no other. */
const damages: Readonly<Record<string, (db: Database, now: number) => Promise<unknown>>> = {
  'request-state': async (db) => requests(db).update({ state: 'lost' }),
  'request-accepted-at': async (db) => requests(db).update({ state: 'receiving' }),
  'request-due': async (db) => requests(db).update({ due_at: 5 }),
  'newest-source': async (db) => db('paper_contents').delete(),
  'whole-source': async (db) => db('paper_contents').update({ text: 'of another message' }),
  'one-source': async (db) => {
    await db('papers').update({ sequence: 2 });
    await db('paper_contents').update({ sequence: 2, request_id: 'request-2' });
  },
  'one-sequence': async (db) =>
    copyRow(db, 'content_requests', { id: 'request-2', message_id: 'm2', state: 'revoked' }),
  'counted-sequence': async (db) => db('papers').update({ sequence: 0 }),
  generation: async (db) => requests(db).update({ generation: 2 }),
  'delivery-state': async (db) => deliveries(db).update({ state: 'lost' }),
  'ended-delivery-due': async (db) => deliveries(db).update({ due_at: 5 }),
  'open-delivery-due': async (db, now) => {
    await requests(db).update({ state: 'active', due_at: now });
    await deliveries(db).update({ state: 'prepared', due_at: null });
  },
  'delivery-of-ended-request': async (db, now) => deliveries(db).update({ state: 'prepared', due_at: now }),
  'one-open-delivery': async (db, now) => {
    await requests(db).update({ state: 'active', due_at: now });
    await deliveries(db).update({ state: 'prepared', due_at: now });
    await copyRow(db, 'deliveries', { id: 'delivery-2', assignment: 2, state: 'pending' });
  },
  'delivery-offer': async (db) => deliveries(db).update({ upload_id: null }),
  'proof-of-synced': async (db) => db('uploads').update({ cycle: 0, announced_at: null }),
  attempts: async (db) => deliveries(db).update({ attempts: 5 }),
  'delivery-in-window': async (db) => deliveries(db).update({ paper_id: 'another' }),
  'delivery-claim': async (db) => deliveries(db).update({ claimed_by: 'node-1' }),
  'callback-of-delivery': async (db) => callback(db, 'synced').delete(),
  'callback-of-request': async (db) => callback(db, 'available').delete(),
  'one-callback': async (db) => copyRow(db, 'callback_events', { id: 'callback-9' }),
  'callback-subject': async (db) => callback(db, 'prepared').update({ request_id: 'nobody’s' }),
  'callback-wait': async (db, now) => callback(db, 'prepared').update({ due_at: now + 3 * hourMs }),
  'callback-attempts': async (db) => callback(db, 'prepared').update({ attempts: 0 }),
  'one-offer': async (db) => copyRow(db, 'uploads', { id: 'upload-2', path: '/f/two' }),
  'counted-versions': async (db) => db('frames').update({ announced_version: 6 }),
  'version-of-offer': async (db) => db('uploads').update({ previous_version: 7 }),
  'proof-order': async (db) => db('uploads').update({ shown_at: null }),
  'owner-of-offer': async (db) => db('uploads').update({ ownership: 0 }),
  references: async (db) => db('devices').update({ paper_id: 'nobody’s' }),
  'times-to-come': async (db, now) => db('leases').update({ until_at: now + hourMs }),
};

async function withRows(run: (db: Database, folder: string) => Promise<void>): Promise<void> {
  await withFolder(async (folder, address) => {
    const db = await openDatabase(address, tables);
    try {
      await run(db, folder);
    } finally {
      await db.destroy();
    }
  });
}

test('each invariant finds the rows that break it, and no other invariant does', () =>
  withRows(async (db) => {
    const now = await fillHealthy(db);
    assert.equal(await findings(readerOver(db), now), {}, 'healthy rows');
    assert.equal(
      Object.keys(damages),
      invariants.map(({ name }) => name),
      'a damage for each, in their order',
    );
    for (const [name, damage] of Object.entries(damages)) {
      const trx = await db.transaction();
      try {
        await damage(trx, now);
        assert.equal(Object.keys(await findings(readerOver(trx), now)), [name]);
      } finally {
        await trx.rollback();
      }
    }
    assert.equal(await findings(readerOver(db), now), {}, 'healthy rows again');
  }));

longTest(test)('at every fifth commit of played days, crashes among them, no invariant is broken', async () => {
  const disk = await createDisk();
  const rows = readerOf(disk.sqlite);
  const latest = disk.sqlite.prepare(
    `select max(at) from (select max(updated_at) as at from content_requests union all select max(updated_at) from frames
       union all select max(updated_at) from deliveries union all select max(last_contact_at) from frames
       union all select max(created_at) from callback_events union all select max(offered_at) from uploads)`,
  );
  let [commits, asked] = [0, 0];
  const broken: unknown[] = [];
  const watched = {
    ...disk,
    open: (process: Parameters<typeof disk.open>[0], watch: Parameters<typeof disk.open>[1]) =>
      disk.open(process, {
        ...watch,
        after: () => {
          if (++commits % 5 === 0) {
            asked++;
            const now = Number(latest.pluck().get() ?? 0);
            for (const invariant of invariants) {
              const [row] = disk.sqlite.prepare(`select id from (${invariant.find(now)}) limit 1`).all();
              if (row !== undefined) broken.push([invariant.name, row]);
            }
          }
          return watch.after.call(watch);
        },
      }),
  };
  for (const seed of ['deep.1', 'deep.2', 'deep.3', 'deep.4', 'deep.5', 'deep.6', 'deep.7', 'deep.8']) {
    const verdict = await runSeed(seed, watched);
    assert.is(verdict.broken, undefined);
    assert.equal(broken, [], seed);
    assert.equal(await findings(rows, Number(latest.pluck().get())), {}, `${seed}, at its end`);
  }
  assert.ok(asked > 200, `${asked} of ${commits} commits were looked at`);
});

test('files: one that is not there, one with other bytes, in the folder, the database and a bucket', () =>
  withRows(async (db, folder) => {
    await fillHealthy(db);
    const rows = readerOver(db);
    const named = 'a1'.repeat(32);
    const all = ['files', 'pictures', 'firmware'].map((area) => `${area}/${named}`);
    const place = { home: 'folder', folderOf: (area: string) => join(folder, area) } as const;
    assert.equal(await checkStored(rows, place, { read: true }), { named: 3, missing: all, read: 0, damaged: [] });
    for (const area of ['files', 'pictures', 'firmware']) {
      await mkdir(join(folder, area), { recursive: true });
      await writeFile(join(folder, area, named), 'other bytes');
    }
    assert.equal(await checkStored(rows, place, { read: false }), { named: 3, missing: [], read: 0, damaged: [] });
    const inOrder = all.toSorted();
    const whole = await checkStored(rows, place, { read: true });
    assert.equal(whole, { named: 3, missing: [], read: 3, damaged: inOrder });
    let looks = 0;
    const slice = await checkStored(rows, place, { read: true, isOver: () => looks++ === 2 });
    assert.equal([slice.damaged, slice.next], [inOrder.slice(0, 2), inOrder[1]], 'a slice says where it stopped');
    const rest = await checkStored(rows, place, { read: true, after: slice.next });
    assert.equal([rest.damaged, rest.next], [inOrder.slice(2), undefined], 'and the next one goes on there');

    const past = join(folder, 'pictures', 'b2'.repeat(32));
    await writeFile(past, 'other bytes');
    const withPast = await checkStored(rows, place, { read: true });
    assert.equal([withPast.named, withPast.read, withPast.damaged.length], [3, 4, 4], 'a picture of the past');

    const kept = await checkStored(rows, { home: 'database' }, { read: true });
    assert.equal(kept, { named: 3, missing: all.slice(1), read: 1, damaged: all.slice(0, 1) });

    const bytes = Buffer.from('a picture');
    const digest = await sha256Of(bytes);
    await db('uploads').update({ picture_sha256: digest });
    const object = `p/pictures/${digest}-1`;
    await db('stored_objects').insert({ area: 'pictures', name: digest, size: bytes.length, object });
    const bucket = {
      put: async () => {},
      remove: async () => {},
      get: async (key: string) => (key === object ? bytes : undefined),
      async *list(prefix: string) {
        if (object.startsWith(prefix)) yield { key: object, modifiedAt: 0 };
      },
    };
    const stored = await checkStored(rows, { home: 's3', bucket, prefix: 'p/' }, { read: true });
    assert.equal(stored, { named: 3, missing: [all[0], all[2]], read: 1, damaged: [] });
  }));

test.run();
