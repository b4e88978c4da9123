/** The steps of docs/archive.md for PostgreSQL: its own archiving, a base, and the way back to a time. */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openContext } from '../../api/service/open/service-context.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { changeFact, readFact } from '../../runtime/database/service-facts.ts';
import { eventually } from '../journeys/world.ts';
import { postgresPrograms } from '../postgres-server.ts';
import { longTest, unlessUnable } from '../some-times.ts';

const archiving = suite('archiving of PostgreSQL');
const programs = postgresPrograms();
const test = unlessUnable(
  archiving,
  programs === undefined ? 'the programs of PostgreSQL are not here (apt-get install postgresql)' : undefined,
);

interface Server {
  readonly folder: string;
  readonly data: string;
  readonly archive: string;
  readonly url: string;
  run(program: string, ...args: string[]): void;
  start(): void;
}

async function withServer(story: (server: Server) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'papergate-archiving-'));
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  const account = process.getuid?.() === 0 ? { uid: id('-u'), gid: id('-g') } : undefined;
  const own = (path: string): void => {
    if (account !== undefined) chownSync(path, account.uid, account.gid);
    chmodSync(path, 0o700);
  };
  const [data, archive] = [join(folder, 'data'), join(folder, 'archive')];
  const run: Server['run'] = (program, ...args) => {
    execFileSync(join(programs ?? '', program), args, { ...account, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  };
  mkdirSync(join(archive, 'log'), { recursive: true });
  for (const path of [folder, archive, join(archive, 'log')]) own(path);
  const start = (): void =>
    run('pg_ctl', 'start', '-w', '-D', data, '-l', join(folder, 'log'), '-o', `-c listen_addresses= -k ${folder}`);
  try {
    run('initdb', '-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync');
    const url = `postgres://postgres@localhost/postgres?host=${encodeURIComponent(folder)}`;
    await story({ folder, data, archive, url, run, start });
  } finally {
    try {
      run('pg_ctl', 'stop', '-D', data, '-m', 'immediate', '-w');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

async function ask(url: string, sql: string): Promise<Record<string, unknown> | undefined> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows[0];
  } finally {
    await client.end();
  }
}

longTest(test)('the rows come back as they were at a time between two changes, and are marked by hand', () =>
  withServer(async ({ folder, data, archive, url, run, start }) => {
    appendFileSync(
      join(data, 'postgresql.conf'),
      `
wal_level = replica
archive_mode = on
archive_command = 'test ! -f ${archive}/log/%f && cp %p ${archive}/log/.%f && sync ${archive}/log/.%f && mv ${archive}/log/.%f ${archive}/log/%f'
archive_timeout = 60
`,
    );
    start();
    const env = { PAPERGATE_DATA: join(folder, 'service'), DATABASE_URL: url, PAPERGATE_LOG_LEVEL: 'silent' };
    const service = await openContext(readSettings(env));
    run('pg_basebackup', '-h', folder, '-U', 'postgres', '-D', join(archive, 'base'), '-X', 'none', '-c', 'fast');
    await changeFact(service.db, 'moved archive test', 'before');
    await pause(1_100);
    const between = String((await ask(url, "select to_char(now(), 'YYYY-MM-DD HH24:MI:SS.USOF') as now"))?.now);
    await pause(1_100);
    await changeFact(service.db, 'moved archive test', 'after');
    await service.close();
    await ask(url, 'select pg_switch_wal()');
    await eventually('the log is archived', async () => {
      const told = await ask(url, 'select archived_count, failed_count from pg_stat_archiver');
      return Number(told?.archived_count) >= 3;
    });
    run('pg_ctl', 'stop', '-D', data, '-m', 'immediate', '-w');
    rmSync(data, { recursive: true });
    assert.ok(readdirSync(join(archive, 'log')).length >= 3);
    run('pg_ctl', '--version');
    cpSync(join(archive, 'base'), data, { recursive: true, preserveTimestamps: true });
    ownAll(data);
    appendFileSync(
      join(data, 'postgresql.conf'),
      `
restore_command = 'cp ${archive}/log/%f %p'
recovery_target_time = '${between}'
recovery_target_action = promote
`,
    );
    writeFileSync(join(data, 'recovery.signal'), '');
    start();
    await eventually('it is promoted', async () => {
      return (await ask(url, 'select pg_is_in_recovery() as is'))?.is === false;
    });
    await ask(
      url,
      "insert into service_facts (name, value) values ('restored', 'by hand') on conflict (name) do update set value = excluded.value",
    );
    const restored = await openContext(readSettings(env));
    try {
      assert.is(await readFact(restored.db, 'moved archive test'), 'before');
      assert.is.not(await readFact(restored.db, 'restored at'), undefined, 'the next start takes the restore up');
    } finally {
      await restored.close();
    }
  }),
);

/** Files that root copied belong to the server again. */
function ownAll(folder: string): void {
  if (process.getuid?.() !== 0) return;
  execFileSync('chown', ['-R', 'postgres:postgres', folder]);
  chmodSync(folder, 0o700);
}

archiving.run();
