/** The nightly backups: made by a process of their own, checked, and only then are older ones removed. */
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, statfsSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { keptBackups } from '../../api/service/settings/kept-backups.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { openMetrics } from '../../api/status/metrics.ts';
import { requireRoomForBackup } from '../../cli/backup/backup-room.ts';
import { backUp, introduceBackups, tellAge, tryNightlyFolder } from '../../cli/backup/nightly-backups.ts';
import { papergateRunner } from '../../cli/ground/papergate-runner.ts';
import { systemClock } from '../../runtime/clock.ts';
import type { Logger } from '../../runtime/logger.ts';
import { environmentOf, eventually, withFolder } from '../journeys/world.ts';
import { papergateCommand } from '../runner/built.ts';
import { longTest } from '../some-times.ts';
import { foundService, withScratchFolder } from './papergate.ts';

const test = suite('nightly backups');

/** A logger whose lines a test reads: information as it is, warnings with their errors. */
function listener(): { readonly logger: Logger; readonly said: string[] } {
  const said: string[] = [];
  return {
    said,
    logger: {
      debug() {},
      info({ hint }, message) {
        said.push(hint === undefined ? message : `${message}: ${hint}`);
      },
      warn({ error, hint }, message) {
        said.push(`${message}: ${error === undefined ? hint : (error as Error).message}`);
      },
      error() {},
    },
  };
}

test('a folder that cannot be written is reported at the start, in the log, in the numbers and to the operator', () =>
  withScratchFolder(async (scratch) => {
    const { logger, said } = listener();
    const meter = openMetrics(systemClock);
    const told: boolean[] = [];
    const tried = async (folder: string) => {
      const env = { PAPERGATE_DATA: scratch, PAPERGATE_BACKUP_KEEP: '2', PAPERGATE_BACKUPS: folder };
      const tell = async (_: string, isFailed: boolean) => void told.push(isFailed);
      await tryNightlyFolder({ settings: readSettings(env), logger, meter, tell });
      return said.splice(0).join();
    };
    const file = join(scratch, 'file');
    writeFileSync(file, '');
    for (const folder of [file, join(file, 'backups'), '/proc/backups']) {
      const line = await tried(folder);
      assert.match(
        line,
        /^the folder of the nightly backups cannot be written: none will be made: PAPERGATE_BACKUPS: \//,
      );
    }
    assert.equal([told.splice(0), meter.totals().papergate_backups_total], [[true, true, true], 3]);
    const whole = join(scratch, 'new', 'backups');
    assert.is(await tried(whole), '');
    assert.equal([readdirSync(whole), statSync(whole).mode & 0o777, told], [[], 0o700, []]);
  }));

longTest(test)(
  'a service without a folder for its nightly backups says so at its start, tells its operator, and serves',
  () =>
    withFolder(async (folder) => {
      const data = join(folder, 'data');
      const file = join(folder, 'file');
      writeFileSync(file, '');
      const env = environmentOf(data, { file: join(data, 'papergate.sqlite') });
      const child = spawn(process.execPath, [papergateCommand, 'serve'], {
        env: { ...env, PAPERGATE_BACKUP_KEEP: '2', PAPERGATE_BACKUPS: file, PAPERGATE_LOG_LEVEL: 'warn' },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let said = '';
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (part) => (said += part));
      try {
        await eventually(
          'it is ready, and says what is wrong',
          async () => /"event":"ready"/.test(said) && /folder of the nightly backups cannot be written/.test(said),
        );
        assert.match(said, /PAPERGATE_BACKUPS: \S+file is not a folder, or lies in none/);
        const db = new Sqlite(join(data, 'papergate.sqlite'), { readonly: true });
        const kinds = () => db.prepare('select kind from alert_outages where closed_at is null').pluck().all();
        await eventually('the operator is told', async () => kinds().includes('backup-failed'));
        db.close();
      } finally {
        child.kill('SIGKILL');
      }
    }),
);

longTest(test)('so many are kept, others are left alone, and a failed night removes nothing and is reported', () =>
  withScratchFolder(async (scratch) => {
    const data = join(scratch, 'data');
    const folder = join(data, 'backups');
    await foundService(data);
    mkdirSync(folder);
    const settings = readSettings({ PAPERGATE_DATA: data, PAPERGATE_BACKUP_KEEP: '2' });
    const old = ['nightly-2026-01-01T02-37-00Z.tar', 'nightly-2026-01-02T02-37-00Z.tar'];
    const others = ['papergate-2026-01-01T10-00-00Z.tar', 'mine.tar'];
    for (const name of [...old, ...others]) writeFileSync(join(folder, name), '');
    const left = join(folder, '.nightly-2026-01-02T02-37-00Z.tar.x.part');
    writeFileSync(left, '');
    utimesSync(left, 0, 0);

    const { logger, said } = listener();
    const meter = openMetrics(systemClock);
    const run = papergateRunner(papergateCommand, { PATH: process.env.PATH, PAPERGATE_DATA: data });
    const night = (clock: number, how = run) =>
      backUp({ settings, clock: { ...systemClock, now: () => clock }, logger, meter, run: how });

    await night(Date.UTC(2026, 10, 26, 2, 37));
    assert.equal(said.splice(0), ['made the nightly backup']);
    const made = 'nightly-2026-11-26T02-37-00Z.tar';
    assert.equal(readdirSync(folder).sort(), ['mine.tar', old[1], made, others[0]].sort());
    assert.ok(statSync(join(folder, made)).size > 10_000);

    const before = readdirSync(folder).sort();
    await night(Date.UTC(2026, 10, 26, 2, 37));
    assert.match(said.splice(0).join(), /^the nightly backup failed: --out: .* is there already/);
    assert.equal(readdirSync(folder).sort(), before);
    await night(Date.UTC(2026, 10, 27, 2, 37), async (args) => {
      const printed = await run(args);
      if (args[1] === 'create') writeFileSync(args.at(-1) ?? '', 'what a bad disk made of it');
      return printed;
    });
    assert.match(said.splice(0).join(), /^the nightly backup failed: .* is cut short or damaged/);
    assert.equal(readdirSync(folder).sort(), before, 'neither the bad one nor one less');
    assert.is(meter.totals().papergate_backups_total, 3);

    const name = 'a'.repeat(64);
    mkdirSync(join(data, 'files'), { recursive: true });
    writeFileSync(join(data, 'files', name), 'not what its name says');
    for (const day of [28, 29, 30]) await night(Date.UTC(2026, 10, day, 2, 37));
    assert.match(said.splice(0).join(), /^stored files were damaged before the nightly backup was made: .*the last/);
    const kept = readdirSync(folder).filter((file) => file.startsWith('nightly-'));
    const damaged = [29, 30].map((day) => `nightly-2026-11-${day}T02-37-00Z.damaged.tar`);
    assert.equal(kept.sort(), [made, ...damaged].sort(), 'the last one without damage stays');
    rmSync(join(data, 'files', name));
    await night(Date.UTC(2026, 11, 1, 2, 37));
    assert.is(readdirSync(folder).includes(made), false, 'there is another one without damage');
  }),
);

test('three are kept where nothing is said, none by a node, and the start says where they lie', () =>
  withScratchFolder(async (scratch) => {
    const of = (env: Record<string, string>) => keptBackups(readSettings({ PAPERGATE_DATA: scratch, ...env }));
    assert.equal([of({}), of({ PAPERGATE_BACKUP_KEEP: '0' }), of({ PAPERGATE_BACKUP_KEEP: '9' })], [3, 0, 9]);
    assert.is(keptBackups({ PAPERGATE_NODE_NAME: 'a' }), 0);
    const { logger, said } = listener();
    const settings = readSettings({ PAPERGATE_DATA: scratch });
    mkdirSync(join(scratch, 'backups'));
    await introduceBackups({ settings, logger });
    assert.is(
      said.join(),
      `nightly backups are on: the newest 3 are kept in ${join(scratch, 'backups')}: ` +
        'they are on the disk of the service, and lost with it: name a folder on another one, PAPERGATE_BACKUPS; ' +
        'PAPERGATE_BACKUP_KEEP=0 makes none; PAPERGATE_BACKUP_KEY encrypts them',
    );
  }));

test('the operator is notified of a last sound backup that is older than two days, or of none after two days', () =>
  withScratchFolder(async (scratch) => {
    const settings = readSettings({ PAPERGATE_DATA: scratch });
    const told: [string, boolean][] = [];
    const tell = async (kind: string, isSo: boolean) => void told.push([kind, isSo]);
    const look = async (now: number, startedAt = Date.UTC(2026, 10, 20)) => {
      await tellAge({ settings, clock: { ...systemClock, now: () => now }, tell }, startedAt);
      return told.splice(0).map(([kind, isSo]) => `${kind} ${isSo}`)[0];
    };
    assert.is(await look(Date.UTC(2026, 10, 21)), 'backup-old false', 'it has just been set up');
    assert.is(await look(Date.UTC(2026, 10, 23)), 'backup-old true');
    const folder = join(scratch, 'backups');
    mkdirSync(folder);
    writeFileSync(join(folder, 'nightly-2026-11-23T02-37-00Z.damaged.tar'), '');
    assert.is(await look(Date.UTC(2026, 10, 23, 12)), 'backup-old true', 'it is not a sound one');
    writeFileSync(join(folder, 'nightly-2026-11-23T02-37-00Z.tar'), '');
    assert.is(await look(Date.UTC(2026, 10, 24)), 'backup-old false');
    assert.is(await look(Date.UTC(2026, 10, 26)), 'backup-old true');
  }));

test('a backup that would fill the disk of the service is not begun', () =>
  withScratchFolder(async (scratch) => {
    const { bavail, bsize } = statfsSync(scratch);
    await requireRoomForBackup(scratch, scratch, 1);
    await requireRoomForBackup(scratch, scratch, bavail * bsize).then(
      () => assert.unreachable('it would fill the disk'),
      ({ message, hint }: { message: string; hint: string }) => {
        assert.match(message, /the backup needs \d+ MiB and has to leave \d+ MiB for the service on the same disk/);
        assert.match(hint, /PAPERGATE_BACKUPS, or keep fewer by PAPERGATE_BACKUP_KEEP$/);
      },
    );
  }));

test.run();
