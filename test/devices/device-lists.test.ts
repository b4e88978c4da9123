import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { listedStatus } from '../../gateway/frames/list-status.ts';
import { frameStatus } from '../../gateway/frames/presence.ts';
import type { FrameRow } from '../../gateway/frames/registry.ts';
import { type HttpWorld, withHttp } from '../http/world.ts';

const test = suite('device lists');

/** Devices beside each other in the table, named by their number. */
async function furnish({ db, admin }: HttpWorld, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, number) => ({
    id: `d${number.toString(16).padStart(23, '0')}`,
    organization_id: admin.organizationId,
    kind: 'epd7',
    name: `Room ${String(count - number).padStart(5, '0')}`,
    name_order: `ROOM ${String(count - number).padStart(5, '0')}`,
    meta: '{}',
    details: '{}',
    assignment: 1,
    created_at: number,
    updated_at: number,
  }));
  await db.transaction((trx) => trx.batchInsert('devices', rows, 500));
}

const around = (now: number) => fc.oneof(fc.constant(null), fc.integer({ min: now - 4_000_000, max: now + 4_000_000 }));

test('A-12: in lists the status is the same as the pure function says, for any facts of a frame', () =>
  withHttp(async ({ db }) => {
    const now = 1_800_000_000_000;
    const serial = 'epd7-1';
    const times = { created_at: 1, updated_at: 1 };
    const plain = { spelling: serial, kind: 'epd7', activation: 'never', sleep_seconds: 60, reported_version: 0 };
    await db('frames').insert({ serial, ...plain, announced_version: 0, ...times });
    const weekMs = 7 * 86_400_000;
    const facts = fc.record({
      last_failure: fc.constantFrom(null, null, null, 'torn'),
      battery_mv: fc.constantFrom(null, 0, 4199, 4200, 5000),
      last_contact_at: around(now),
      // The grace is a minute, or a tenth of the sleep: both edges are met.
      asleep_until: fc.oneof(around(now), fc.constantFrom(now - 60_000, now - 60_001, now - 120_000, now - 120_001)),
      connected: fc.boolean(),
      since: fc.constantFrom(null, null, null, now - weekMs, now - weekMs + 1),
    });
    await fc.assert(
      fc.asyncProperty(facts, async ({ connected, since, ...row }) => {
        const frame =
          row.last_contact_at === null ? row : { ...row, last_contact_at: Math.min(row.last_contact_at, now) };
        await db('frames').where({ serial }).update(frame);
        await db('frame_conflicts').delete();
        if (since !== null) await db('frame_conflicts').insert({ serial, since, problem: 'two' });
        const { joins, status } = listedStatus(db, connected ? ['epd7-2', serial] : ['epd7-2'], now);
        const listed = await db
          .from(db.raw('(select ? as serial) as devices', [serial]))
          .joinRaw(joins('devices.serial'))
          .first({ status: db.raw(status.sql, [...status.bindings] as string[]) });
        const contested = since !== null && now < since + weekMs;
        assert.is(listed.status, frameStatus({ serial, ...frame } as FrameRow, connected, now, contested));
      }),
      { numRuns: 150, seed: 12 },
    );
    const { joins, status } = listedStatus(db, [], now);
    const nobody = db.from(db.raw(`(select 'epd7-x' as serial) as devices`)).joinRaw(joins('devices.serial'));
    assert.is(
      (await nobody.first({ status: db.raw(status.sql, [...status.bindings] as string[]) })).status,
      'offline',
      'a serial without a frame',
    );
  }));

test('lists are ordered and filtered by status, and ask the database the same whatever their length', () =>
  withHttp(async (world) => {
    const { call, admin, user, patient, onlyself, frames, db, random } = world;
    const organization = admin.organizationId;
    for (const [serial, status] of [
      ['epd7-a', 'online'],
      ['epd7-b', 'error'],
      ['epd7-c', 'offline'],
      ['epd7-d', 'online'],
    ] as const) {
      await frames.provision(serial, { status });
      await call('POST', `/devices/registerdevice/${serial}`, { as: admin, json: { enable: true, organization } });
      world.passes(5);
    }
    let asked = 0;
    db.on('query', () => asked++);
    const list = async (query: string, as = user): Promise<string> => {
      const answer = await call('GET', `/devices?${query}`, { as });
      assert.is(answer.status, 200, answer.text);
      return answer.json
        .map((row: { name: string; status: string }) => `${row.name.slice(-1)} ${row.status}`)
        .join(', ');
    };
    assert.is(await list(''), 'a online, b error, c offline, d online');
    const few = asked;
    assert.is(await list('sortBy=status,name:desc'), 'b error, c offline, d online, a online');
    assert.is(await list('sortBy=status:desc,createdAt&limit=3'), 'a online, d online, c offline');
    assert.is(await list('sortBy=status:desc,createdAt&limit=5000&offset=1'), 'd online, c offline, b error');
    assert.is(await list('status=online'), 'a online, d online');
    assert.is(await list('status=error&limit=5000'), 'b error');
    assert.is((await call('GET', '/devices?status=asleep', { as: user })).status, 400);
    assert.is((await call('GET', '/devices?sortBy=status;drop table devices', { as: user })).status, 400);
    const own = await db('devices').where({ serial: 'epd7-c' }).first();
    await db('devices').where({ id: own.id }).update({ patient: patient.userId });
    assert.is(await list('', patient), 'c offline');
    assert.is(await list('', onlyself), '');
    const theirs = { patient: onlyself.userId, serial: null, id: random.id(), name: 'z' };
    await db('devices').insert({ ...own, ...theirs });
    assert.is(await list('limit=90000', onlyself), 'z offline');
    asked = 0;
    await furnish(world, 400);
    const inserts = asked;
    await call('GET', '/devices?limit=400', { as: user });
    assert.ok(asked - inserts <= few, `${asked - inserts} queries for 400, ${few} for four`);
  }));

test('T-21: a list of any length is one JSON array in the right order, sent in portions', () =>
  withHttp(async (world) => {
    const { call, admin, db } = world;
    await furnish(world, 1234);
    const all = await call('GET', '/devices?limit=100000&sortBy=name', { as: admin });
    assert.is(all.headers['content-type'], 'application/json; charset=utf-8');
    assert.is(all.headers['content-length'], undefined, 'nobody has counted it');
    const names = all.json.map(({ name }: { name: string }) => name);
    assert.is(names.length, 1234);
    assert.equal(names, [...names].sort());
    assert.equal(
      Object.keys(all.json[700]).sort(),
      Object.keys((await call('GET', '/devices?limit=1', { as: admin })).json[0]).sort(),
    );
    const part = await call('GET', '/devices?limit=600&offset=600&sortBy=name', { as: admin });
    assert.equal(
      part.json.map(({ name }: { name: string }) => name),
      names.slice(600, 1200),
    );
    assert.equal((await call('GET', '/devices?limit=600&offset=1234', { as: admin })).json, []);
    await db('devices').delete();
    assert.equal((await call('GET', '/devices?limit=100000', { as: admin })).json, []);
  }));

test.run();
