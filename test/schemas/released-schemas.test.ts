/** Databases of released schemas, with rows, are opened by this release and are like new ones afterwards. */
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createKey } from '../../api/directory/keys.ts';
import { openContext } from '../../api/service/open/service-context.ts';
import { tables } from '../../api/service/open/service-tables.ts';
import { createService } from '../../api/service/service.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { papergateVersion } from '../../api/status/versions.ts';
import { lookLocally } from '../../cli/doctor/doctor-locally.ts';
import { type Database, type DatabaseAddress, type Migration, openDatabase } from '../../runtime/database/database.ts';
import { schemaOf } from '../../runtime/database/migrate-database.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { callApi } from '../call-api.ts';
import { isOnPostgres, ownDatabase } from '../database.ts';
import { environmentOf, withFolder } from '../journeys/world.ts';
import { longTest } from '../some-times.ts';
import { describeSchema } from './describe-schema.ts';
import { fixtureFolder, readFixture } from './dump-schema.ts';
import { filledTables, fixtureIds } from './fixture-rows.ts';

const test = suite('released schemas');
const root = join(import.meta.dirname, '../..');
const suffix = isOnPostgres ? '.postgres.sql' : '.sqlite.sql';
const released = readdirSync(join(root, fixtureFolder))
  .filter((name) => name.endsWith(suffix))
  .map((name) => name.slice(0, -suffix.length));
const fixture = (name: string): string => readFileSync(join(root, fixtureFolder, `${name}${suffix}`), 'utf8');

/** Opens a database, runs the work and closes it. */
async function within<Result>(address: DatabaseAddress, work: (db: Database) => Promise<Result>): Promise<Result> {
  const db = await openDatabase(address, tables);
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

async function newSchema(folder: string): Promise<readonly string[]> {
  const fresh = await ownDatabase(join(folder, 'fresh.sqlite'));
  try {
    return await within(fresh.address, describeSchema);
  } finally {
    await fresh.drop();
  }
}

async function countRows(db: Database): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const table of filledTables) counts[table] = Number((await db(table).count({ count: '*' }).first())?.count);
  return counts;
}

const again =
  'a migration that a release has made was changed, or is missing: put it back and write a new one (docs/contributing.md)';

for (const name of released) {
  test(`a database of ${name} becomes what a new one is, and keeps its rows`, () =>
    withFolder(async (folder, rows) => {
      await readFixture(rows, fixture(name));
      await within(rows, async (db) => {
        const [expected, found] = [await newSchema(folder), await describeSchema(db)];
        assert.equal(
          [found.filter((line) => !expected.includes(line)), expected.filter((line) => !found.includes(line))],
          [[], []],
          again,
        );
        const inserted = new Set([...fixture(name).matchAll(/^insert into "?(\w+)/gim)].map(([, table]) => table));
        const counts = await countRows(db);
        for (const table of filledTables) {
          if (inserted.has(table)) assert.ok((counts[table] ?? 0) > 0, `${table} has lost its rows`);
        }
      });
    }));

  longTest(test)(`the service shows what a database of ${name} holds`, () =>
    withFolder(async (folder, rows) => {
      await readFixture(rows, fixture(name));
      await mkdir(join(folder, 'authority'), { recursive: true });
      const env = environmentOf(folder, rows);
      const settings = readSettings(env);
      const context = await openContext(settings);
      const service = await createService(settings, context, silentLogger);
      try {
        const { http: url } = await service.start();
        const { raw: apiKey } = await createKey(context.db, context, { userId: fixtureIds.user, name: 'test' });
        const ask = <Answer>(path: string) => callApi<Answer>({ url, apiKey }, 'GET', path);
        const devices = await ask<readonly { id: string; name: string }[]>('/devices/');
        assert.equal(
          devices.map(({ id, name: shown }) => [id, shown]),
          [[fixtureIds.device, 'Kitchen']],
        );
        const papers = await ask<{ results: readonly { id: string; meta: { title: string } }[] }>('/papers/');
        assert.equal(
          papers.results.map(({ id, meta }) => [id, meta.title]),
          [[fixtureIds.paper, 'Grüße']],
        );
        const uploads = await ask<{ uploads: readonly { id: string }[] }>(`/devices/${fixtureIds.device}/uploads`);
        assert.match(JSON.stringify(uploads), fixtureIds.upload);
        const why = await ask<object>(`/devices/why/${fixtureIds.device}`);
        assert.match(JSON.stringify(why), '"confirmed"');
        const overview = await ask<object>('/devices/overview');
        assert.match(JSON.stringify(overview), fixtureIds.serial);
        const found = await lookLocally(env, url, Date.now());
        assert.equal(
          found.filter(({ result }) => result === 'fail'),
          [],
        );
      } finally {
        await service.stop();
        await context.close();
      }
    }),
  );
}

longTest(test)('a service of this release goes on, and starts, over what the next release added', () =>
  withFolder(async (folder, rows) => {
    await readFixture(rows, fixture(papergateVersion));
    await mkdir(join(folder, 'authority'), { recursive: true });
    const settings = readSettings(environmentOf(folder, rows));
    const schema = schemaOf(tables) + 1;
    const next: readonly Migration[] = [
      ...tables,
      {
        name: 'devices-2-colour',
        schema,
        up: ["alter table devices add column colour text not null default ''"],
      },
    ];
    const running = await openContext(settings);
    const upgraded = await openDatabase(rows, next);
    const starting = await openContext(settings);
    try {
      for (const { db } of [running, { db: upgraded }, starting]) {
        await createKey(db, running, { userId: fixtureIds.user, name: 'made by any' });
      }
      assert.is((await upgraded('api_keys').where({ name: 'made by any' }).pluck('id')).length, 3);
      const service = await createService(settings, starting, silentLogger);
      try {
        const { http: url } = await service.start();
        const { raw: apiKey } = await createKey(upgraded, running, { userId: fixtureIds.user, name: 'test' });
        const devices = await callApi<readonly { id: string }[]>({ url, apiKey }, 'GET', '/devices/');
        assert.equal(
          devices.map(({ id }) => id),
          [fixtureIds.device],
        );
      } finally {
        await service.stop();
      }
    } finally {
      await upgraded.destroy();
      await running.close();
      await starting.close();
    }
  }),
);

test('this release has a fixture, every table has rows in it, and it was made by its migrations', () =>
  withFolder(async (folder, rows) => {
    assert.ok(released.includes(papergateVersion), 'node --import tsx test/accept.ts schema makes the fixture');
    await readFixture(rows, fixture(papergateVersion));
    await within(rows, async (db) => {
      const counts = await countRows(db);
      assert.equal(
        Object.keys(counts).filter((table) => counts[table] === 0),
        [],
      );
    });
    const made = await newSchema(folder);
    const names = new Set(made.flatMap((line) => /^column (\w+)/.exec(line)?.[1] ?? []));
    assert.equal(
      // Parts of the table of events hold rows of it.
      [...names].filter((table) => !/^(migrations|frame_events_\w+)$/.test(table) && !filledTables.includes(table)),
      [],
      'test/schemas/fixture-rows.ts has no row for these tables',
    );
  }));

test.run();
