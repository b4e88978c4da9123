/** A database that is not the one of this folder and version: refused in a sentence, on either database. */
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openIssuer } from '../../api/directory/issuer.ts';
import { openContext, type ServiceContext } from '../../api/service/open/service-context.ts';
import { tables } from '../../api/service/open/service-tables.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { openAuthority } from '../../gateway/identity/authority.ts';
import { systemClock } from '../../runtime/clock.ts';
import { type DatabaseAddress, openDatabase } from '../../runtime/database/database.ts';
import { papergate } from '../cli/papergate.ts';
import { longTest } from '../some-times.ts';
import { environmentOf, refusedWith, withFolder } from './world.ts';

const test = suite('lost database');

longTest(test)('a database of a newer version is refused in a sentence', async () => {
  await withFolder(async (folder, rows) => {
    const env = environmentOf(folder, rows);
    const context = await openContext(readSettings(env));
    await context.db('migrations').insert({ name: 'papers-of-tomorrow', batch: 2, migration_time: new Date() });
    await context.close();
    const ended = await papergate(env, 'serve');
    assert.equal([ended.code, ended.stdout], [1, '']);
    assert.match(
      ended.stderr,
      /^The database is one of a newer version of papergate\n {2}run that version, or [^\n]+\n$/,
    );
  });
});

/** A house that has run, and is closed. */
async function usedContext(folder: string, rows: DatabaseAddress): Promise<() => Promise<ServiceContext>> {
  const open = () => openContext(readSettings(environmentOf(folder, rows)));
  const context = await open();
  await openIssuer(folder, systemClock);
  await openAuthority(folder, systemClock.now());
  await context.close();
  return open;
}

/** Ways to lose the rows and keep the folder. */
const losses: Readonly<Record<string, (rows: DatabaseAddress) => Promise<void>>> = {
  'no database file': async (rows) => {
    if ('file' in rows) await rm(rows.file);
    else await emptied(rows.url);
  },
  'a database file of no bytes': async (rows) => {
    if ('file' in rows) await writeFile(rows.file, '');
    else await emptied(rows.url);
  },
  'a database without tables': async (rows) => {
    if ('url' in rows) return emptied(rows.url);
    await rm(rows.file, { force: true });
    const other = new Sqlite(rows.file);
    other.exec('create table somebody (id integer)');
    other.close();
  },
};

async function emptied(url: string): Promise<void> {
  const db = await openDatabase({ url }, tables);
  await db.raw(
    "do $$ begin execute (select 'drop table ' || string_agg(quote_ident(tablename), ', ') || ' cascade' from pg_tables where schemaname = current_schema()); end $$",
  );
  await db.destroy();
}

for (const [at, [loss, lose]] of Object.entries(losses).entries()) {
  const register = at === 0 ? test : longTest(test);
  register(`${loss} beside the keys of a service that has run: refused in a sentence, and left as it is`, async () => {
    await withFolder(async (folder, rows) => {
      const open = await usedContext(folder, rows);
      await lose(rows);
      const before = await readdir(folder);
      const words = await refusedWith(open());
      assert.match(
        words,
        /is missing or empty, though \S+ has token-issuer.key and authority of a service that has run\n/,
      );
      assert.match(words, /\nrestore the backup; for a new service name another data folder, or move those keys away$/);
      const ended = await papergate(environmentOf(folder, rows), 'serve');
      assert.equal([ended.code, ended.stdout, ended.stderr], [1, '', `${words.replace('\n', '\n  ')}\n`]);
      assert.equal(
        (await readdir(folder)).filter((name) => name !== 'serve.lock'),
        before,
      );
      // As the hint says.
      for (const name of ['token-issuer.key', 'authority']) await rm(join(folder, name), { recursive: true });
      await (await open()).close();
    });
  });
}

longTest(test)(
  'frames without the authority that they trust: refused in a sentence, and no other one is made unasked',
  async () => {
    await withFolder(async (folder, rows) => {
      const env = environmentOf(folder, rows);
      const authority = join(folder, 'authority');
      const provision = (serial: string) =>
        papergate(env, 'frames', 'provision', serial, '--out', join(folder, 'frame'), '--json');
      await (await openContext(readSettings(env))).close();
      assert.is((await provision('epd7-0000000000aa')).code, 0);
      await rm(authority, { recursive: true });
      for (const ended of [await papergate(env, 'serve'), await provision('epd7-0000000000bb')]) {
        assert.equal([ended.code, ended.stdout], [1, '']);
        const [what, then] = ended.stderr.split('\n  ');
        assert.is(what, `${authority} is missing, though the database has frames that trust it`);
        assert.match(then ?? '', /^put it back from a backup; if there is none, make an empty folder of this name: /);
      }
      assert.not((await readdir(folder)).includes('authority'));
      // As the hint says.
      await mkdir(authority);
      assert.is((await provision('epd7-0000000000bb')).code, 0);
      assert.ok((await readdir(authority)).includes('ca.key'));
    });
  },
);

longTest(test)('a first start that was killed starts over, wherever it was', async () => {
  const secret = (folder: string) => writeFile(join(folder, 'secret.key'), 'a1'.repeat(32));
  const found = async (folder: string, rows: DatabaseAddress) =>
    (await openContext(readSettings(environmentOf(folder, rows)))).close();
  const kills: readonly ((folder: string, rows: DatabaseAddress) => Promise<unknown>)[] = [
    secret,
    async (folder, rows) => [await secret(folder), 'file' in rows && (await writeFile(rows.file, ''))],
    async (folder, rows) => [await secret(folder), await losses['a database without tables']?.(rows)],
    async (folder, rows) => [await found(folder, rows), await rm(join(folder, 'secret.key'))],
    async (folder, rows) => [await found(folder, rows), await mkdir(join(folder, 'files'))],
  ];
  for (const kill of kills) {
    await withFolder(async (folder, rows) => {
      await kill(folder, rows);
      await found(folder, rows);
      await (await usedContext(folder, rows))().then((context) => context.close());
    });
  }
});

test.run();
