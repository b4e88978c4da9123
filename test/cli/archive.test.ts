/** `papergate backup list` and `restore --at` over an archive in a folder and in a bucket, and what they refuse. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openContext, openFiles } from '../../api/service/open/service-context.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { archiveService } from '../../cli/backup/archive-of-service.ts';
import { changeFact, readFact } from '../../runtime/database/service-facts.ts';
import type { Logger } from '../../runtime/logger.ts';
import { withObjectStore } from '../files/object-store.ts';
import { eventually } from '../journeys/world.ts';
import { papergate, withScratchFolder } from './papergate.ts';

const test = suite('papergate backup over an archive');

type Environment = Record<string, string>;
const quiet: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** Archives a service that stores a file and a fact, until its archive holds them. */
async function archived(env: Environment): Promise<string> {
  const settings = readSettings(env);
  const context = await openContext(settings);
  const archiver = await archiveService({ settings, context, logger: quiet });
  try {
    const name = await (await openFiles(context, 'files', () => {})).put(Buffer.from('a picture'));
    await changeFact(context.db, 'moved archive test', name);
    await eventually('a copy is archived', async () => (await spansOf(env)).length > 0);
    return name;
  } finally {
    await archiver.stop();
    await context.close();
  }
}

async function spansOf(env: Environment): Promise<{ from: string; until: string; copies: number }[]> {
  const ended = await papergate(env, 'backup', 'list', '--json');
  return ended.code === 0 ? JSON.parse(ended.stdout).spans : [];
}

async function restoredFact(folder: string): Promise<string | undefined> {
  const context = await openContext(readSettings({ PAPERGATE_DATA: folder, PAPERGATE_LOG_LEVEL: 'silent' }));
  try {
    assert.is.not(await readFact(context.db, 'restored at'), undefined, 'the restore is taken up');
    return await readFact(context.db, 'moved archive test');
  } finally {
    await context.close();
  }
}

async function restoreInto(env: Environment, folder: string, ...more: string[]) {
  return papergate(env, 'backup', 'restore', '--into', folder, '--json', ...more);
}

test('a service is restored from a folder to a moment, with its files and keys, and sealed where there is a key', () =>
  withScratchFolder(async (scratch) => {
    const data = join(scratch, 'data');
    for (const [name, key] of [
      ['plain', undefined],
      ['sealed', 'k'.repeat(40)],
    ] as const) {
      const env: Environment = {
        PAPERGATE_DATA: data,
        PAPERGATE_ARCHIVE: join(scratch, name),
        PAPERGATE_LOG_LEVEL: 'silent',
        ...(key !== undefined && { PAPERGATE_BACKUP_KEY: key }),
      };
      const file = await archived(env);
      const [span] = await spansOf(env);
      const shown = (await papergate(env, 'backup', 'list')).stdout;
      assert.match(shown, /^FROM +UNTIL +COPIES +CHANGES\n/);
      assert.ok(shown.includes(`${span?.from}  ${span?.until}  ${span?.copies} `), shown);
      const folder = join(scratch, `restored ${name}`);
      const ended = await restoreInto(env, folder, '--at', span?.until ?? '');
      assert.is(ended.code, 0, ended.stderr);
      assert.is(JSON.parse(ended.stdout).at <= (span?.until ?? ''), true);
      assert.is(await restoredFact(folder), file);
      assert.is(readFileSync(join(folder, 'files', file), 'utf8'), 'a picture');
      assert.equal(readFileSync(join(folder, 'secret.key')), readFileSync(join(data, 'secret.key')));
      assert.not(existsSync(join(folder, 'archive.id')), 'it is another one for its archive');
      if (key === undefined) continue;
      const unopened = await restoreInto({ ...env, PAPERGATE_BACKUP_KEY: '' }, join(scratch, 'none'));
      assert.match(unopened.stderr, /the archive is encrypted/);
    }
  }));

test('a moment that cannot be had, a place without an archive and a damaged one are refused, and nothing is written', () =>
  withScratchFolder(async (scratch) => {
    const archive = join(scratch, 'archive');
    const env = { PAPERGATE_DATA: join(scratch, 'data'), PAPERGATE_ARCHIVE: archive, PAPERGATE_LOG_LEVEL: 'silent' };
    await archived(env);
    const into = join(scratch, 'restored');
    const said = async (...more: string[]) => (await restoreInto(env, into, ...more)).stderr;
    assert.match(
      await said('--at', '2020-01-01T00:00:00Z'),
      /does not hold 2020-01-01.*the nearest moment is 20.* after it/s,
    );
    assert.match(await said('--at', '2999-01-01T00:00:00Z'), /is in the future/);
    assert.match(await said('--at', 'yesterday'), /"yesterday" is not a time/);
    assert.match(await said('--from', join(scratch, 'nowhere')), /there is no archive at the place/);
    assert.match((await restoreInto({ ...env, PAPERGATE_ARCHIVE: '' }, into)).stderr, /no archive is named/);
    assert.match(
      (await papergate(env, 'backup', 'restore', 'backup.tar', '--at', '2020-01-01')).stderr,
      /there is no file backup\.tar/,
    );
    const [chain = ''] = readdirSync(join(archive, 'chains'));
    const [part = ''] = readdirSync(join(archive, 'chains', chain)).filter((name) => name.startsWith('part-'));
    const path = join(archive, 'chains', chain, part);
    const bytes = readFileSync(path);
    bytes.writeUInt8(bytes.readUInt8(100) ^ 1, 100);
    writeFileSync(path, bytes);
    assert.match(await said(), /in the archive is missing or damaged/);
    assert.equal([existsSync(into), readdirSync(scratch).filter((name) => name.startsWith('.'))], [false, []]);
  }));

test('a backup that is named with a moment has to be one of the same service; the folder of the archive may be named alone', () =>
  withScratchFolder(async (scratch) => {
    const env = {
      PAPERGATE_DATA: join(scratch, 'data'),
      PAPERGATE_ARCHIVE: join(scratch, 'archive'),
      PAPERGATE_LOG_LEVEL: 'silent',
    };
    const other = {
      ...env,
      PAPERGATE_DATA: join(scratch, 'other'),
      PAPERGATE_ARCHIVE: join(scratch, 'archive of other'),
    };
    const restored = async (...words: string[]) => {
      const into = join(scratch, `restored ${words.map((word) => word.split('/').at(-1)).join(' ')}`);
      const ended = await papergate(env, 'backup', 'restore', ...words, '--into', into, '--json');
      return ended.code === 0 ? restoredFact(into) : ended.stderr;
    };
    const file = await archived(env);
    await archived(other);
    const backup = join(scratch, 'backup.tar');
    assert.is((await papergate(env, 'backup', 'create', '--out', backup)).code, 0);
    const [span] = await spansOf(env);
    assert.is(await restored(backup, '--at', span?.until ?? ''), file);
    assert.match(
      String(await restored(backup, '--from', other.PAPERGATE_ARCHIVE)),
      /not that of the service of .*backup\.tar/,
    );
    assert.is(await restored(env.PAPERGATE_ARCHIVE), file);
  }));

test('a service is archived into a bucket below a prefix, and restored from it', () =>
  withScratchFolder((scratch) =>
    withObjectStore(async ({ settings, objects }) => {
      const env: Environment = {
        PAPERGATE_DATA: join(scratch, 'data'),
        PAPERGATE_ARCHIVE: `${settings.S3_ENDPOINT}/${settings.S3_BUCKET}/home`,
        PAPERGATE_ARCHIVE_ACCESS_KEY_ID: settings.S3_ACCESS_KEY_ID,
        PAPERGATE_ARCHIVE_SECRET_ACCESS_KEY: settings.S3_SECRET_ACCESS_KEY,
        PAPERGATE_ARCHIVE_REGION: settings.S3_REGION,
        PAPERGATE_LOG_LEVEL: 'silent',
      };
      const file = await archived(env);
      assert.ok([...objects.keys()].every((name) => name.startsWith('home/')));
      const folder = join(scratch, 'restored');
      const ended = await restoreInto(env, folder);
      assert.is(ended.code, 0, ended.stderr);
      assert.is(await restoredFact(folder), file);
      const db = new Sqlite(join(folder, 'papergate.sqlite'), { readonly: true });
      assert.is(db.pragma('integrity_check', { simple: true }), 'ok');
      db.close();
    }),
  ));

test('settings that name no second place are refused, each with what to do', () => {
  const said = (more: Environment): string => {
    try {
      readSettings({ PAPERGATE_DATA: '/srv/data', ...more });
    } catch (error) {
      return (error as Error).message;
    }
    return '';
  };
  assert.match(said({ PAPERGATE_ARCHIVE: '/srv/data/archive' }), /PAPERGATE_ARCHIVE: lies in the data folder/);
  assert.match(said({ PAPERGATE_ARCHIVE: 'https://key:word@host/bucket' }), /a folder, or the address of a bucket/);
  assert.match(said({ PAPERGATE_ARCHIVE: 'https://host/bucket' }), /PAPERGATE_ARCHIVE_ACCESS_KEY_ID: is missing/);
  assert.match(
    said({ PAPERGATE_ARCHIVE: '/mnt/archive', DATABASE_URL: 'postgres://host/rows' }),
    /PAPERGATE_ARCHIVE: is for SQLite/,
  );
  assert.is(said({ PAPERGATE_ARCHIVE: '/mnt/archive' }), '');
});

test.run();
