/** Moving a service: rows from SQLite to PostgreSQL, killed in the middle, then its files and keys; nothing is lost, and the way back stays. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import knex from 'knex';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createOrganization } from '../../api/directory/create-organization.ts';
import { openContext, openFiles } from '../../api/service/open/service-context.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { holdFolder } from '../../cli/ground/hold-folder.ts';
import { holdDatabase } from '../../cluster/nodes/hold-database.ts';
import { authorityOfFrames } from '../../gateway/identity/authority-of-frames.ts';
import { systemClock } from '../../runtime/clock.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { withObjectStore } from '../files/object-store.ts';
import { refusedWith } from '../journeys/world.ts';
import { type PostgresServer, postgresPrograms, startPostgres } from '../postgres-server.ts';
import { papergateCommand } from '../runner/built.ts';
import { longTest, unlessUnable } from '../some-times.ts';
import { papergate, withScratchFolder } from './papergate.ts';

const programs = postgresPrograms();
const migrateTest = suite('papergate migrate');
const unable =
  programs === undefined ? 'the programs of PostgreSQL are not here (apt-get install postgresql)' : undefined;
const test = unlessUnable(migrateTest, unable);

type Environment = Record<string, string>;

/** A stopped service on SQLite with rows and files, and a server to move to. */
async function withService(
  run: (world: { folder: string; sqlite: Environment; postgres: Environment; server: PostgresServer }) => Promise<void>,
): Promise<void> {
  const server = startPostgres(programs ?? '');
  try {
    await withScratchFolder(async (scratch) => {
      const folder = join(scratch, 'data');
      const sqlite = { PAPERGATE_DATA: folder, PAPERGATE_LOG_LEVEL: 'silent' };
      const context = await openContext(readSettings(sqlite));
      const { db, clock } = context;
      await createOrganization(db, context, {
        name: 'Zuhause – ünïcode 🖼',
        email: 'ada@example.org',
        kind: null,
        admin: { name: 'Ada', email: 'ada@example.org' },
      });
      for (let from = 0; from < events; from += 1_000) {
        const rows = Array.from({ length: 1_000 }, (_, at) => ({
          id: `event ${from + at}`,
          serial: 'epd7-1',
          type: 'connect',
          at: clock.now() + at,
          payload: JSON.stringify({ at: from + at, text: "it's \\ \u0001 'quoted'" }),
        }));
        await db.batchInsert('frame_events', rows, 200);
      }
      await authorityOfFrames(context, clock.now());
      for (const area of ['files', 'pictures', 'firmware'] as const) {
        const files = await openFiles(context, area, () => {});
        for (let at = 0; at < 5; at++) await files.put(Buffer.from(`${area} ${at}`));
      }
      await context.close();
      await run({ folder, sqlite, postgres: { ...sqlite, DATABASE_URL: server.url }, server });
    });
  } finally {
    server.stop();
  }
}

const events = 30_000;

/** Runs a move, and kills it when it has printed a line that begins so. */
async function killedAt(env: Environment, to: string, line: string): Promise<string[]> {
  const child = spawn(process.execPath, [papergateCommand, 'migrate', '--to', to], {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  for await (const said of createInterface({ input: child.stdout })) {
    lines.push(said);
    if (said.startsWith(line)) child.kill('SIGKILL');
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  assert.is(child.signalCode, 'SIGKILL', lines.join('\n'));
  return lines;
}

const open = async (env: Environment): Promise<string> => {
  const context = await openContext(readSettings(env));
  await context.close();
  return 'opened';
};
const refused = (env: Environment): Promise<string> => refusedWith(open(env));

/** Every row of a table, as text. */
async function rowsOf(connection: Environment, table: string): Promise<string[]> {
  const db =
    connection.DATABASE_URL === undefined
      ? knex({
          client: 'better-sqlite3',
          connection: { filename: join(connection.PAPERGATE_DATA ?? '', 'papergate.sqlite') },
          useNullAsDefault: true,
        })
      : knex({ client: 'pg', connection: connection.DATABASE_URL });
  try {
    const rows = await db(table).select('*');
    return rows
      .map((row) => JSON.stringify(row, (_, value) => (/^\d{12,}$/.test(value) ? Number(value) : value)))
      .sort();
  } finally {
    await db.destroy();
  }
}

/** Has the server end any connection that writes a fact, as a kill at that moment would. */
const killsAtFacts = [
  `create function forbid() returns trigger language plpgsql as 'begin perform pg_terminate_backend(pg_backend_pid()); return new; end'`,
  `create function guard() returns event_trigger language plpgsql as 'begin
     if to_regclass(''public.service_facts'') is not null and not exists (select 1 from pg_trigger where tgname = ''killing'') then
       create trigger killing before insert on service_facts for each row execute function forbid();
     end if; end'`,
  `create event trigger guarding on ddl_command_end when tag in ('CREATE TABLE') execute function guard()`,
];

longTest(test)('rows: ended before the first mark, nothing is there that a service would be founded over', async () => {
  await withService(async ({ postgres, sqlite, server }) => {
    const db = knex({ client: 'pg', connection: server.url });
    try {
      for (const statement of killsAtFacts) await db.raw(statement);
      assert.is((await papergate(postgres, 'migrate', '--to', 'postgres')).code, 1);
      const made = await db.raw("select tablename from pg_tables where schemaname = 'public'");
      assert.equal(made.rows, []);
      await db.raw('drop event trigger guarding');
    } finally {
      await db.destroy();
    }
    assert.match(await refused(postgres), /^DATABASE_URL: the database is missing or empty, though /);
    assert.is((await papergate(postgres, 'migrate', '--to', 'postgres')).code, 0);
    assert.equal(await rowsOf(postgres, 'frame_events'), await rowsOf(sqlite, 'frame_events'));
    assert.is(await open(postgres), 'opened');
  });
});

longTest(test)(
  'rows: killed in the middle, neither side is lost; the second run goes on, every row is the same, and the source is marked',
  () =>
    withService(async ({ folder, sqlite, postgres, server }) => {
      const before = { events: await rowsOf(sqlite, 'frame_events'), facts: await rowsOf(sqlite, 'service_facts') };
      await killedAt(postgres, 'postgres', 'the rows go to ');
      assert.match(
        await refused(postgres),
        /^DATABASE_URL: rows were being moved into this database/,
        'from the beginning',
      );
      await killedAt(postgres, 'postgres', 'frame_conflicts:');
      assert.match(
        await refused(postgres),
        /^DATABASE_URL: rows were being moved into this database, and are not all there\n/,
      );
      assert.match(await refused(postgres), /papergate migrate --to postgres goes on with it/);
      assert.is(await open(sqlite), 'opened', 'the source can still be used');

      // The source changes before the move goes on: what was copied already is begun again.
      const source = await openContext(readSettings(sqlite));
      await source.db('accounts').update({ first_name: 'Grace' });
      await source.close();

      const moved = await papergate(postgres, 'migrate', '--to', 'postgres');
      assert.is(moved.code, 0, moved.stderr);
      assert.match(
        moved.stdout,
        /\d+ rows were copied, and every one compared; start the service with DATABASE_URL\n$/,
      );
      assert.equal(await rowsOf(postgres, 'frame_events'), before.events);
      assert.equal(await rowsOf(postgres, 'organizations'), await rowsOf(sqlite, 'organizations'));
      assert.equal(await rowsOf(postgres, 'accounts'), await rowsOf(sqlite, 'accounts'));
      assert.match(String(await rowsOf(postgres, 'accounts')), /Grace/);
      assert.equal(await rowsOf(postgres, 'service_facts'), before.facts, 'the same service, with nothing of the move');
      assert.is(await open(postgres), 'opened');

      assert.match(
        await refused(sqlite),
        /^PAPERGATE_DATA: the rows of .* were moved to PostgreSQL \(localhost\/postgres\)\nset DATABASE_URL; to go back/,
      );
      const again = await papergate(sqlite, 'migrate', '--to', server.url);
      assert.equal([again.code, again.stdout], [0, 'the rows were moved before\n']);
      await rm(join(folder, 'papergate.sqlite.moved'));
      assert.is(await open(sqlite), 'opened', 'the documented way back');
    }),
);

longTest(test)('rows: what cannot be moved is refused by name, and nothing is changed', () =>
  withService(async ({ folder, sqlite, postgres, server }) => {
    const migrate = async (env: Environment, to = 'postgres'): Promise<string> => {
      const { code, stderr } = await papergate(env, 'migrate', '--to', to);
      assert.is(code, 1, stderr);
      return stderr;
    };
    for (const [env, to, said] of [
      [{ ...postgres, DATABASE_URL: 'postgres://other/db' }, server.url, /--to: DATABASE_URL is another address/],
      [sqlite, 'mysql://ada:secret@db', /one of postgres, folder, database, s3, or an address postgres:\/\//],
    ] as const) {
      const { code, stderr } = await papergate(env, 'migrate', '--to', to);
      assert.is(code, 2, stderr);
      assert.match(stderr, said);
      assert.not.match(stderr, 'secret');
    }
    const release = await holdFolder(folder);
    assert.match(await migrate(postgres), /PAPERGATE_DATA: a service runs over .* already\n.*end it first/);
    release();
    const deps = { clock: systemClock, logger: silentLogger, lost() {} };
    const held = await holdDatabase({ ...deps, url: server.url }, 'as a node');
    assert.match(await migrate(postgres), /DATABASE_URL: another service runs over this database\n/);
    await held.release();
    assert.match(await migrate(sqlite), /DATABASE_URL: is not set/);
    assert.match(await migrate(sqlite, 'database'), /PAPERGATE_FILES: database needs DATABASE_URL/);
    assert.match(await migrate(sqlite, 's3'), /S3_ENDPOINT: is missing/);

    const source = await openContext(readSettings(sqlite));
    await source.db('organizations').update({ name: 'a\u0000b' });
    await source.close();
    assert.match(
      await migrate(postgres),
      /organizations\.name of id [0-9a-f]{24} has a character \(NUL\) that PostgreSQL cannot/,
    );
    const mended = await openContext(readSettings(sqlite));
    await mended.db('organizations').update({ name: 'ab' });

    await mended.db('migrations').where({ name: 'files-baseline' }).delete();
    await mended.close();
    assert.match(await migrate(postgres), /papergate\.sqlite is one of an earlier version/);
    assert.match(await refused(postgres), /rows were being moved/);
    const admin = knex({ client: 'pg', connection: server.url, pool: { min: 0, max: 1 } });
    await admin.raw(
      "delete from service_facts; insert into leases (name, holder, epoch, until_at) values ('x', 'y', 1, 1)",
    );
    await admin.destroy();
    const db = knex({
      client: 'better-sqlite3',
      connection: { filename: join(folder, 'papergate.sqlite') },
      useNullAsDefault: true,
    });
    await db('migrations').insert({ name: 'files-baseline', batch: 1, migration_time: 0 });
    await db.destroy();
    assert.match(await migrate(postgres), /DATABASE_URL: the database is not empty, it has rows in \w+/);
    assert.ok(!(await readdir(folder)).includes('papergate.sqlite.moved'));
    assert.is(await open(sqlite), 'opened');
  }),
);

longTest(test)('files and keys: moved into the database, and on into an object store; a new node finds both', () =>
  withService(async ({ folder, postgres }) => {
    assert.is((await papergate(postgres, 'migrate', '--to', 'postgres')).code, 0);
    const [broken = ''] = await readdir(join(folder, 'files'));
    await writeFile(join(folder, 'files', broken), 'damaged');
    await killedAt(postgres, 'database', 'files:');
    assert.is(await open(postgres), 'opened', 'the files are still where they were');
    const before = { ...postgres, PAPERGATE_FILES: 'database' };
    assert.match(
      await refused(before),
      /^PAPERGATE_FILES: the files of this service are kept in the data folder, not in/,
    );

    const moved = await papergate(postgres, 'migrate', '--to', 'database');
    assert.is(moved.code, 0, moved.stderr);
    assert.match(moved.stdout, /files: 0 copied, 4 there already, 1 damaged\n/);
    assert.match(moved.stdout, /pictures: \d copied, \d there already, 0 damaged\n/);
    assert.match(moved.stderr, /1 files were damaged or gone before/);
    assert.match(moved.stderr, /Nodes need PAPERGATE_SECRET_KEY, every one the content of .*secret\.key/);
    assert.match(
      await refused(postgres),
      /are kept in the database, not in the data folder\nset PAPERGATE_FILES=database/,
    );
    assert.is(await open(before), 'opened');

    const node = {
      ...postgres,
      PAPERGATE_DATA: join(folder, '..', 'node'),
      PAPERGATE_NODE_NAME: 'b',
      PAPERGATE_SECRET_KEY: (await readFile(join(folder, 'secret.key'), 'utf8')).trim(),
      PAPERGATE_PUBLIC_URL: 'https://paper.example.org',
    };
    assert.match(
      await refused({ ...node, PAPERGATE_SECRET_KEY: 'another secret that is long enough' }),
      /^PAPERGATE_SECRET_KEY: /,
    );
    await readFirmware(node);
    const root = (of: string): Promise<string> => readFile(join(of, 'authority', 'ca.crt'), 'utf8');
    assert.is(await root(node.PAPERGATE_DATA), await root(folder), 'frames trust it as before');

    await withObjectStore(async (store) => {
      const stored = await papergate({ ...before, ...store.settings }, 'migrate', '--to', 's3');
      assert.is(stored.code, 0, stored.stderr);
      assert.is([...store.objects.keys()].filter((key) => !key.endsWith('/service')).length, 14);
      await readFirmware({ ...node, ...store.settings });
      assert.match(await refused(node), /are kept in an object store, not in the database\n/);

      await rm(join(folder, 'firmware'), { recursive: true });
      const back = await papergate({ ...postgres, ...store.settings }, 'migrate', '--to', 'folder');
      assert.is(back.code, 0, back.stderr);
      assert.match(back.stdout, /firmware: 5 copied, 0 there already, 0 damaged\n/);
      assert.is((await readdir(join(folder, 'firmware'))).length, 5);
      assert.is(await open(postgres), 'opened');
    });
  }),
);

/** Opens a service, and reads a file of it. */
async function readFirmware(env: Environment): Promise<void> {
  const context = await openContext(readSettings({ ...env, PAPERGATE_FILE_CACHE: '0' }));
  try {
    const images = await openFiles(context, 'firmware', () => {});
    const name = createHash('sha256').update('firmware 3').digest('hex');
    assert.is((await images.get(name))?.toString(), 'firmware 3');
    assert.is(await images.get('0'.repeat(64)), undefined, 'a digest that nothing has');
  } finally {
    await context.close();
  }
}

migrateTest.run();
