/** The nightly backups: made by a process of their own, checked, and only then are older ones removed. */
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readSettings } from '../../api/service/settings/settings.ts';
import { openMetrics } from '../../api/status/metrics.ts';
import { backUp, papergateRunner, tryNightlyFolder } from '../../cli/backup/nightly-backups.ts';
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
      info(_, message) {
        said.push(message);
      },
      warn({ error }, message) {
        said.push(`${message}: ${(error as Error).message}`);
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
      const tell = async (isFailed: boolean) => void told.push(isFailed);
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
      await run(args);
      if (args[1] === 'create') writeFileSync(args.at(-1) ?? '', 'what a bad disk made of it');
    });
    assert.match(said.splice(0).join(), /^the nightly backup failed: .* is cut short or damaged/);
    assert.equal(readdirSync(folder).sort(), before, 'neither the bad one nor one less');
    assert.is(meter.totals().papergate_backups_total, 3);
  }),
);

test.run();
