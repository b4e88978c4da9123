/** The nightly backups: made by a process of their own, checked, and only then are older ones removed. */
import { mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readSettings } from '../../api/settings.ts';
import { openMetrics } from '../../api/status/metrics.ts';
import { backUp, papergateRunner } from '../../cli/backup/nightly-backups.ts';
import { systemClock } from '../../runtime/clock.ts';
import type { Logger } from '../../runtime/logger.ts';
import { papergateCommand } from '../runner/built.ts';
import { longTest } from '../some-times.ts';
import { foundService, withScratchFolder } from './papergate.ts';

const test = suite('nightly backups');

longTest(test)('so many are kept, others are left alone, and a failed night removes nothing and is told', () =>
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

    const said: string[] = [];
    const logger: Logger = {
      debug() {},
      info(_, message) {
        said.push(message);
      },
      warn({ error }, message) {
        said.push(`${message}: ${(error as Error).message}`);
      },
      error() {},
    };
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
