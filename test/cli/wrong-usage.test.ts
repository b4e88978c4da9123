import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { longTest } from '../some-times.ts';
import { papergate } from './papergate.ts';

const test = suite('wrong usage of commands');

const env = { PAPERGATE_URL: 'http://127.0.0.1:9', PAPERGATE_API_KEY: 'a1'.repeat(32) };

test('--version says which one it is, and ends with 0', async () => {
  const manifest = await readFile(join(import.meta.dirname, '../../package.json'), 'utf8');
  const ended = await papergate({}, '--version');
  assert.equal(ended, { code: 0, stdout: `${JSON.parse(manifest).version}\n`, stderr: '' });
});

longTest(test)('options of the other mode of simulate are told to do nothing, and the command goes on', async () => {
  const live = ['--dialect', 'native', '--scenario', 'liar', '--speed', '1', '--panels', 'p'];
  const offline = await papergate({}, 'simulate', '--offline', '--json', ...live);
  assert.is(offline.code, 0, offline.stderr);
  assert.is(JSON.parse(offline.stdout).event, 'verdict');
  const told = ['--dialect', '--scenario', '--speed', '--panels'].map(
    (name) => `${name} does nothing with --offline\n`,
  );
  assert.is(offline.stderr, told.join(''));
  const { code, stderr } = await papergate({}, 'simulate', '--runs', '1', '--trace');
  assert.is(code, 3);
  assert.ok(
    stderr.startsWith('--runs does nothing without --offline\n--trace does nothing without --offline\n'),
    stderr,
  );
});

test('C-60: a sleep that no frame keeps is refused with the range, before anything is asked', async () => {
  for (const sleep of ['59', '86401', '99999999', '1e3', '0x384']) {
    const { code, stderr } = await papergate(env, 'devices', 'settings', 'epd7-b0c1d2e3f405', '--sleep', sleep);
    assert.equal([code, stderr], [2, `--sleep ${sleep}\n  a whole number from 60 to 86400\n`]);
  }
});

test('days that no month has are no times, nor is half of one', async () => {
  for (const since of ['2020-02-30', '2020-02-30T08:00Z', '2020-13-01', '2020-02-28foo']) {
    const { code, stderr } = await papergate(env, 'devices', 'events', 'epd7-b0c1d2e3f405', '--since', since);
    assert.is(code, 2, since);
    assert.match(stderr, `--since ${since}\n  an age such as`);
  }
});

test.run();
