/**
 * Facts of a database: settled once, no matter who comes at the same time; and a node's folder belongs to one database.
 */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openAreas } from '../../api/service/open/service-files.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { systemClock } from '../../runtime/clock.ts';
import { type Database, openDatabase } from '../../runtime/database/database.ts';
import { factMigrations, readFact, requireOwnFolder, settleFact } from '../../runtime/database/service-facts.ts';
import { systemRandom } from '../../runtime/random.ts';
import { ownDatabase } from '../database.ts';
import { refusedWith } from '../journeys/world.ts';

const test = suite('facts of a database');

async function withFacts(run: (db: Database, folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'papergate-facts-'));
  const rows = await ownDatabase(join(folder, 'rows.sqlite'));
  const db = await openDatabase(rows.address, factMigrations);
  try {
    await run(db, folder);
  } finally {
    await db.destroy();
    await rows.drop();
    await rm(folder, { recursive: true });
  }
}

test('a fact is settled once: all who settle it at the same time get one value', () =>
  withFacts(async (db) => {
    assert.is(await readFact(db, 'id'), undefined);
    const settled = await Promise.all(['a', 'b', 'c', 'd'].map((value) => settleFact(db, 'id', value)));
    assert.is(new Set(settled).size, 1, String(settled));
    assert.is(await settleFact(db, 'id', 'later'), settled[0]);
    assert.is(await readFact(db, 'files'), undefined, 'a new database has its files nowhere yet');
  }));

test('a data folder remembers its database, and is refused over another one', () =>
  withFacts(async (_db, folder) => {
    const node = join(folder, 'node');
    await requireOwnFolder(node, 'one');
    await requireOwnFolder(node, 'one');
    assert.match(
      await refusedWith(requireOwnFolder(node, 'another')),
      /^PAPERGATE_DATA: .*node belongs to nodes over another database\ncorrect DATABASE_URL, or name an empty folder$/,
    );
  }));

test('nodes that keep files in a folder are refused over another one; a single service has no such file', () =>
  withFacts(async (db, folder) => {
    const open = (name: string, env: Readonly<Record<string, string>>) => {
      const settings = readSettings({ PAPERGATE_FILES: 'folder', PAPERGATE_LOG_LEVEL: 'silent', ...env });
      const random = systemRandom(systemClock);
      return openAreas(settings, { db, clock: systemClock, random, dataFolder: join(folder, name), id: 'one' });
    };
    const node = {
      PAPERGATE_NODE_NAME: 'a',
      DATABASE_URL: 'postgres://db/papergate',
      PAPERGATE_SECRET_KEY: 's'.repeat(32),
      PAPERGATE_PUBLIC_URL: 'http://127.0.0.1:3000',
    };
    assert.is(await open('alone', {}), undefined);
    assert.not.ok(existsSync(join(folder, 'alone')), 'nothing is written');
    await Promise.all([open('shared', node), open('shared', node)]);
    assert.match(
      await refusedWith(open('another', node)),
      /^PAPERGATE_FILES: .*another.files is not the folder in which the other nodes keep files\nmount the same files\//,
    );
    await mkdir(join(folder, 'mounted'));
    await symlink(join(folder, 'shared', 'files'), join(folder, 'mounted', 'files'));
    assert.is(await open('mounted', node), undefined, 'a mount of the same folder');
  }));

test.run();
