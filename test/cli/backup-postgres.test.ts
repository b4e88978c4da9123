/** Backups of a service on PostgreSQL: made beside it, restored into an empty database, or into one on SQLite and back. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createOrganization } from '../../api/directory/create-organization.ts';
import { openContext, openFiles, type ServiceContext } from '../../api/service/open/service-context.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { versionStride } from '../../gateway/after-restore.ts';
import { recordFrameEvent } from '../../gateway/frames/event-log.ts';
import { frameRegistry } from '../../gateway/frames/registry.ts';
import { authorityOfFrames } from '../../gateway/identity/authority-of-frames.ts';
import { writeOffer } from '../../gateway/pictures/offer-picture.ts';
import { uploadLog } from '../../gateway/pictures/upload-log.ts';
import { transact } from '../../runtime/database/database.ts';
import { changeFact } from '../../runtime/database/service-facts.ts';
import { ownDatabase } from '../database.ts';
import { postgresPrograms, startPostgres } from '../postgres-server.ts';
import { longTest, unlessUnable } from '../some-times.ts';
import { papergate, withScratchFolder } from './papergate.ts';

type Environment = Record<string, string>;

const postgresTest = suite('papergate backup on PostgreSQL');
const programs = postgresPrograms();
const test = unlessUnable(
  postgresTest,
  programs === undefined ? 'the programs of PostgreSQL are not here (apt-get install postgresql)' : undefined,
);
const serial = 'epd7-0000000000e1';

interface Databases {
  readonly scratch: string;
  /** The environment of a service that is used, on PostgreSQL. */
  readonly used: Environment;
  /** The environment of one over an empty database, and a folder that is not there. */
  fresh(name: string): Promise<Environment>;
}

function withDatabases(run: (databases: Databases) => Promise<void>): Promise<void> {
  const server = startPostgres(programs ?? '');
  const before = process.env.DATABASE_URL;
  process.env.DATABASE_URL = server.url;
  return withScratchFolder(async (scratch) => {
    const fresh = async (name: string): Promise<Environment> => {
      const { address } = await ownDatabase('');
      const DATABASE_URL = 'url' in address ? address.url : '';
      return { PAPERGATE_DATA: join(scratch, name), PAPERGATE_LOG_LEVEL: 'silent', DATABASE_URL };
    };
    const used = await fresh('data');
    await opened(used, fill);
    await run({ scratch, used, fresh });
  }).finally(() => {
    if (before === undefined) delete process.env.DATABASE_URL;
    else process.env.DATABASE_URL = before;
    server.stop();
  });
}

async function opened<Value>(env: Environment, use: (context: ServiceContext) => Promise<Value>): Promise<Value> {
  const context = await openContext(readSettings(env));
  try {
    return await use(context);
  } finally {
    await context.close();
  }
}

async function fill(context: ServiceContext): Promise<void> {
  const { db, clock, random } = context;
  const admin = { name: 'Ada', email: 'ada@example.org' };
  await createOrganization(db, context, { name: 'Zuhause – ünïcode 🖼', email: admin.email, kind: null, admin });
  await authorityOfFrames(context, clock.now());
  const files = await openFiles(context, 'pictures', () => {});
  const sha256 = await files.put(Buffer.from('a picture'));
  await frameRegistry(db).provision(serial, undefined, clock.now());
  const picture = { serial, revision: 'r', sha256, bytes: 9, format: '1bpp', panel: 'epd7' } as never;
  await transact(db, async (trx) => {
    const { id, file_version: version } = await writeOffer(trx, picture, { now: clock.now(), random });
    const log = uploadLog(trx);
    await log.announced(id, clock.now(), true);
    await log.fetched(id, version, clock.now());
    await log.shown(id, version, clock.now(), 'named');
  });
}

/** Returns the facts that a service has about the one frame, and about its people. */
const known = (env: Environment) =>
  opened(env, async (context) => {
    const [upload] = await context.db('uploads').where({ serial, showing_of: null });
    const kept = await context.db('uploads').where({ serial }).whereNotNull('showing_of');
    const people = await context.db('users').select('email');
    const marks = await context.db('service_facts').where({ name: 'restored' });
    const files = await openFiles(context, 'pictures', () => {});
    const picture = (await files.get(upload.picture_sha256))?.toString();
    return { upload, kept: kept.length, people, marks, picture };
  });

async function done(env: Environment, ...args: readonly string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await papergate(env, 'backup', ...args, '--json');
  assert.is(code, 0, stderr);
  return JSON.parse(stdout);
}

async function refused(env: Environment, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await papergate(env, 'backup', ...args);
  assert.equal([code, stdout], [1, ''], stderr);
  return stderr;
}

longTest(test)(
  'a backup goes into an empty database, to SQLite and back; what was proven is kept, and proves nothing after it',
  () =>
    withDatabases(async ({ scratch, used, fresh }) => {
      const file = join(scratch, 'b.tar');
      const before = await known(used);
      await done(used, 'create', '--out', file);
      assert.equal(
        readdirSync(String(used.PAPERGATE_DATA)).filter((name) => name.startsWith('papergate.sqlite')),
        [],
      );
      const checked = await done(used, 'check', file);
      assert.equal([checked.organizations, checked.frames], [1, 1]);

      const restored = await fresh('restored');
      const { DATABASE_URL: _, ...sqlite } = { ...(await fresh('sqlite')) };
      const back = await fresh('back');
      await done(restored, 'restore', file);
      await done(sqlite, 'restore', file);
      const again = join(scratch, 'c.tar');
      await done(sqlite, 'create', '--out', again);
      await done(back, 'restore', again);
      for (const env of [restored, sqlite, back]) {
        const now = await known(env);
        assert.equal([now.people, now.picture, now.marks], [before.people, 'a picture', []]);
        assert.ok(now.upload.file_version >= before.upload.file_version + versionStride);
        assert.is.not(now.upload.path, before.upload.path);
        assert.equal([now.upload.fetched_at, now.upload.shown_at, now.upload.announced_at], [null, null, null]);
        assert.is(now.kept, 1, 'what was on the glass stays in its history');
        const once = await known(env);
        assert.equal(once.upload, now.upload, 'a second start changes nothing');
      }
      assert.not(existsSync(join(String(restored.PAPERGATE_DATA), 'papergate.sqlite')));
    }),
);

longTest(test)('rows that change while they are copied are copied as of one moment', () =>
  withDatabases(async ({ scratch, used }) => {
    const file = join(scratch, 'b.tar');
    await opened(used, async ({ db, random, clock }) => {
      let isOver = false;
      // Each transaction moves one from the first to the second: their sum is the same at every moment.
      await db('service_facts').insert([
        { name: 'moved one', value: '1000' },
        { name: 'moved two', value: '0' },
      ]);
      const moving = (async () => {
        for (let at = 1; !isOver; at++) {
          await transact(db, async (trx) => {
            await changeFact(trx, 'moved one', String(1000 - at));
            await recordFrameEvent(trx, random, { serial, type: 'log', at: clock.now(), payload: { at } });
            await changeFact(trx, 'moved two', String(at));
          });
        }
      })();
      await done(used, 'create', '--out', file);
      isOver = true;
      await moving;
    });
    const { DATABASE_URL: _, ...sqlite } = used;
    const folder = join(scratch, 'sqlite');
    await done({ ...sqlite, PAPERGATE_DATA: folder }, 'restore', file);
    const rows = new Sqlite(join(folder, 'papergate.sqlite'), { readonly: true });
    const facts = rows.prepare("select value from service_facts where name like 'moved %'").pluck().all();
    const events = rows.prepare("select count(*) from frame_events where type = 'log'").pluck().get();
    rows.close();
    assert.is(
      facts.reduce((sum: number, value) => sum + Number(value), 0),
      1000,
    );
    assert.ok(facts.includes(String(events)), 'as many events as the facts say');
  }),
);

longTest(test)(
  'a database that holds something, and one of a newer version, are refused, and the folder stays as it was',
  () =>
    withDatabases(async ({ scratch, used, fresh }) => {
      const file = join(scratch, 'b.tar');
      await done(used, 'create', '--out', file);
      const other = { ...used, PAPERGATE_DATA: join(scratch, 'other') };
      assert.match(await refused(other, 'restore', file), /the database is not empty, it has rows in \w+/);
      assert.equal(readdirSync(other.PAPERGATE_DATA), []);
      assert.match(await refused(used, 'restore', file), /data is not empty/);

      const newer = await fresh('newer');
      await opened(newer, async ({ db }) => {
        await db('migrations').insert({ name: 'papers-of-tomorrow', batch: 2, migration_time: new Date() });
      });
      assert.match(await refused(newer, 'create', '--out', join(scratch, 'n.tar')), /is one of a newer version/);
      const into = { ...newer, PAPERGATE_DATA: join(scratch, 'into') };
      assert.match(await refused(into, 'restore', file), /is one of a newer version/);
      assert.equal(readdirSync(into.PAPERGATE_DATA), []);
      assert.not(existsSync(join(scratch, 'n.tar')));
      assert.equal((await known(used)).people.length, 1, 'and it goes on');
    }),
);

postgresTest.run();
