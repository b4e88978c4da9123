/** While another process has SQLite's lock, what only reads is answered, and what writes waits or is refused. */
import Sqlite from 'better-sqlite3';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { furnish } from './matrix.ts';
import { type HttpWorld, withHttp } from './world.ts';

const test = suite('locked database');

/** On SQLite alone: PostgreSQL's locks are its server's to wait for. */
const withLock = (run: (world: HttpWorld, other: Sqlite.Database) => Promise<void>): Promise<void> =>
  withHttp(
    async (world) => {
      if ('url' in world.address) throw new Error('this is about the lock of SQLite');
      const other = new Sqlite(world.address.file, { timeout: 0 });
      try {
        await run(world, other);
      } finally {
        other.close();
      }
    },
    { callsPerMinute: 1_000 },
  );

test('T-68: reads are answered while a write waits, and the write is made when the lock is gone', () =>
  withLock(async ({ call, admin }, other) => {
    const { organizationId: organization } = admin;
    other.exec('begin immediate');
    const write = call('POST', '/devices', { as: admin, json: { organization } });
    for (const path of ['/iotdevice/status/api', '/devices', '/papers', `/organizations/${organization}`]) {
      assert.is((await call('GET', path, { as: admin })).status, 200, path);
    }
    other.exec('commit');
    const made = await write;
    assert.is(made.status, 200, made.text);
    assert.is((await call('GET', `/devices/${made.json.id}`, { as: admin })).status, 200);
  }));

test('T-68, INV-09: a lock that stays ends in 503 with a time to come back; nothing is half-written, no id is used up', () =>
  withLock(async (world, other) => {
    const { call, admin, db } = world;
    const { ids, bearer } = await furnish(world, admin);
    const { organizationId: organization } = admin;
    const path = `/v1/integration-papers/connections/${ids.connection}/content`;
    const push = (text: string) =>
      call('POST', path, { headers: { authorization: bearer }, json: { messageId: 'm-1', text } });
    const devices = async () => (await db('devices')).length;
    const before = await devices();
    other.exec('begin immediate');
    const refused = await Promise.all([push('Hello'), call('POST', '/devices', { as: admin, json: { organization } })]);
    for (const { status, headers, json } of refused) {
      assert.equal([status, json.message], [503, 'Another process holds the lock on the database']);
      assert.ok(Number(headers['retry-after']) >= 1);
    }
    assert.equal(await db('content_requests'), []);
    other.exec('commit');
    assert.is(await devices(), before);
    assert.is((await push('Hello, corrected')).status, 202);
  }));

test.run();
