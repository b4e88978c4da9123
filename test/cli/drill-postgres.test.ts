/** `papergate drill` on PostgreSQL: into a database of its own, or into SQLite where the role may not make one. */
import { mkdirSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createOrganization } from '../../api/directory/create-organization.ts';
import { openContext } from '../../api/service/open/service-context.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { postgresPrograms, startPostgres } from '../postgres-server.ts';
import { longTest, unlessUnable } from '../some-times.ts';
import { papergate, withScratchFolder } from './papergate.ts';

const drillTest = suite('papergate drill on PostgreSQL');
const programs = postgresPrograms();
const test = unlessUnable(
  drillTest,
  programs === undefined ? 'the programs of PostgreSQL are not here (apt-get install postgresql)' : undefined,
);

async function asked(url: string, ...statements: readonly string[]): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let rows: readonly Record<string, unknown>[] = [];
    for (const sql of statements) rows = (await client.query(sql)).rows;
    return rows;
  } finally {
    await client.end();
  }
}

longTest(test)('a drill restores into a database of its own, which is gone afterwards, or says why it could not', () =>
  withScratchFolder(async (folder) => {
    const server = startPostgres(programs ?? '');
    const http = createServer((_, response) => void response.end('{}')).listen(0, '127.0.0.1');
    try {
      const names = async () =>
        (await asked(server.url, 'select datname from pg_database order by 1')).map(({ datname }) => datname);
      const home = new URL(server.url);
      home.pathname = '/home';
      await asked(server.url, 'create database home');
      const [data, scratch] = [join(folder, 'data'), join(folder, 'scratch')];
      mkdirSync(scratch);
      const PAPERGATE_URL = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
      const env = { PAPERGATE_DATA: data, DATABASE_URL: home.href, PAPERGATE_URL, PAPERGATE_LOG_LEVEL: 'silent' };
      const context = await openContext(readSettings(env));
      const admin = { name: 'Ada', email: 'ada@example.org' };
      await createOrganization(context.db, context, { name: 'Home', email: admin.email, kind: null, admin });
      await context.close();
      assert.is((await papergate(env, 'backup', 'create')).code, 0);
      const before = await names();
      const drill = async (as: Record<string, string>) => {
        const { code, stdout, stderr } = await papergate(as, 'drill', '--scratch', scratch, '--json');
        assert.is(code, 0, stdout + stderr);
        assert.equal([await names(), readdirSync(scratch)], [before, []]);
        return JSON.parse(stdout).steps.map(({ result }: { result: string }) => result);
      };
      assert.equal(new Set(await drill(env)), new Set(['ok']));

      const poor = new URL(home);
      poor.username = 'poor';
      poor.password = 'poor';
      await asked(home.href, "create role poor login password 'poor'", 'grant pg_read_all_data to poor');
      assert.equal((await drill({ ...env, DATABASE_URL: poor.href }))[0], 'warn');
    } finally {
      http.close();
      server.stop();
    }
  }),
);

drillTest.run();
