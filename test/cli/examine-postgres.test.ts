/** The examination on PostgreSQL: bits are flipped from outside in the files of a server with checksums of pages. */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tables } from '../../api/service/open/service-tables.ts';
import type { Examined } from '../../api/status/examination.ts';
import { type Database, openDatabase } from '../../runtime/database/database.ts';
import { type PostgresServer, postgresPrograms, startPostgres } from '../postgres-server.ts';
import { fillTables } from '../schemas/fixture-rows.ts';
import { longTest, unlessUnable } from '../some-times.ts';
import { papergate, withScratchFolder } from './papergate.ts';

const examineTest = suite('examination on PostgreSQL');
const programs = postgresPrograms() ?? '';
const test = longTest(unlessUnable(examineTest, programs === '' ? 'no PostgreSQL programs are installed' : undefined));

/** Runs the statements over a connection that ends before anything else is done. */
async function asked(url: string, work: (db: Database) => Promise<unknown>): Promise<string> {
  const db = await openDatabase({ url }, tables);
  try {
    return String(await work(db));
  } finally {
    await db.destroy();
  }
}

/** The file of a relation, below the folder of the server; everything that was written is in it. */
const fileOf = (url: string, relation: string): Promise<string> =>
  asked(url, async (db) => {
    await db.raw('checkpoint');
    return (await db.raw(`select pg_relation_filepath(${relation}) as path`)).rows[0].path;
  });

/** Flips one bit of the first page, among the bytes that its newest row has. */
function flip(path: string): void {
  const [file, byte] = [openSync(path, 'r+'), Buffer.alloc(1)];
  readSync(file, byte, 0, 1, 8_150);
  byte[0] = (byte[0] ?? 0) ^ 4;
  writeSync(file, byte, 0, 1, 8_150);
  closeSync(file);
}

async function withRows(run: (server: PostgresServer, night: () => Promise<readonly string[]>) => Promise<void>) {
  await withScratchFolder(async (folder) => {
    const server = startPostgres(programs, { syncs: true, checksums: true });
    try {
      await asked(server.url, async (db) => {
        await fillTables(db);
        const { id } = await db('organizations').first('id');
        await db('organizations')
          .where({ id })
          .update({ meta: randomBytes(20_000).toString('hex') });
        await db.raw('create extension amcheck');
      });
      await run(server, async () => {
        const env = { PAPERGATE_DATA: folder, DATABASE_URL: server.url };
        const { code, stdout, stderr } = await papergate(env, 'examine', '--json');
        assert.is(code, 0, stderr);
        const { damaged, tables: count } = JSON.parse(stdout) as Examined;
        assert.ok(count > 90, `${count} tables`);
        return damaged.filter(({ name }) => name.startsWith('table:')).map(({ name, words }) => `${name} ${words}`);
      });
    } finally {
      server.stop();
    }
  });
}

const relations = [
  ["'users'", 'users', 'a page of rows'],
  ["(select reltoastrelid from pg_class where oid = 'organizations'::regclass)", 'organizations', 'a long value'],
  ["'papers_by_change'", 'papers', 'an index'],
  ["'service_facts'", 'service_facts', 'what says where files are'],
] as const;

test('a flipped bit is found in one night in rows, long values and indexes, and the table is named', () =>
  withRows(async (server, night) => {
    assert.equal(await night(), []);
    for (const [relation, table, what] of relations) {
      const path = join(server.data, await fileOf(server.url, relation));
      flip(path);
      // What the server has in its memory is not read from the disk.
      await server.fail();
      const found = await night();
      assert.match(found[0] ?? '', new RegExp(`^table:${table} invalid page in block 0 of relation base/`), what);
      assert.match(
        found[1] ?? '',
        /^table:pg_stat_database PostgreSQL has found [1-9]\d* pages with wrong checksums/,
        what,
      );
      assert.is(found.length, 2, found.join('\n'));
      flip(path);
      await asked(server.url, (db) => db.raw('select pg_stat_reset()'));
      assert.equal(await night(), [], what);
    }
  }));

test('what the server has in its memory is found by a base backup, and in the first night after its restart', () =>
  withRows(async (server, night) => {
    const path = join(server.data, await fileOf(server.url, "'users'"));
    assert.equal(await night(), []);
    flip(path);
    assert.equal(await night(), [], 'the page is in memory');
    await withScratchFolder(async (folder) => {
      const args = ['-D', join(folder, 'base'), '-X', 'none', '-c', 'fast', '-d', server.url];
      const { status, stderr } = spawnSync(join(programs, 'pg_basebackup'), args, { encoding: 'utf8' });
      assert.is(status, 1, stderr);
      assert.match(stderr, /checksum/);
    });
    await server.fail();
    assert.match((await night()).join(), /^table:users invalid page/);
  }));

examineTest.run();
