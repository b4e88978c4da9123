import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { climateSentences } from '../../simulator/air/climates.ts';
import { behaviourSentences } from '../../simulator/behaviours/behaviour-sentences.ts';
import { longTest } from '../some-times.ts';
import { papergate } from './papergate.ts';

const test = suite('wrong usage of commands');

const env = { PAPERGATE_URL: 'http://127.0.0.1:9', PAPERGATE_API_KEY: 'a1'.repeat(32) };

test('--version says which one it is, and ends with 0', async () => {
  const manifest = await readFile(join(import.meta.dirname, '../../package.json'), 'utf8');
  const ended = await papergate({}, '--version');
  assert.equal(ended, { code: 0, stdout: `${JSON.parse(manifest).version}\n`, stderr: '' });
});

test('each setting that is refused has a line, with what was given, what is allowed and an example, but no secret', async () => {
  const wrong = {
    PAPERGATE_BACKUP_KEY: 'too-short',
    PAPERGATE_BROWSER_IDLE_MINUTES: '10000',
    PAPERGATE_HTTP_PORT: '70000',
    PAPERGATE_MEMORY: '1g',
  };
  const { code, stderr } = await papergate(wrong, 'serve');
  assert.is(code, 1);
  const lines = stderr.trimEnd().split('\n');
  assert.equal(lines.slice(0, -1).sort(), [
    'PAPERGATE_BACKUP_KEY: has fewer than 32 characters: make one, for example by openssl rand -hex 32',
    'PAPERGATE_BROWSER_IDLE_MINUTES: "10000" is not allowed: a whole number of minutes (0 for a browser that stays) from 0 to 9999, for example 10',
    'PAPERGATE_HTTP_PORT: "70000" is not allowed: a whole number from 0 to 65535, for example 3000',
    'PAPERGATE_MEMORY: "1g" is not allowed: a whole number of MiB, without a unit, from 100 to 9999999, for example 1024',
  ]);
  assert.match(lines.at(-1) ?? '', /^ {2}see the table of variables/);
});

test('simulate --help says what each scenario does, and what each climate is like', async () => {
  const { code, stdout } = await papergate({}, 'simulate', '--help');
  assert.is(code, 0);
  for (const [name, sentence] of Object.entries(behaviourSentences)) assert.ok(stdout.includes(sentence), name);
  for (const [name, sentence] of Object.entries(climateSentences)) assert.ok(stdout.includes(sentence), name);
  assert.match(stdout, /well-behaved {2,}does all/);
});

test('simulate refuses an unknown scenario, or one that is nothing for its frames, with those there are', async () => {
  const unknown = await papergate(env, 'simulate', '--scenario', 'weak-wifi, lazy');
  assert.is(unknown.code, 2);
  assert.match(unknown.stderr, /^--scenario lazy is not known\n {2}well-behaved, liar, half-download,/);
  const foreign = await papergate(env, 'simulate', '--dialect', 'trmnl', '--scenario', 'drained,turned');
  assert.is(foreign.code, 2);
  assert.match(
    foreign.stderr,
    /^--scenario turned is not a behaviour of such frames\n {2}well-behaved, half-download, torn-download, silent,/,
  );
  const empty = await papergate(env, 'simulate', '--scenario', 'drained,');
  assert.match(empty.stderr, /^--scenario "" is not known\n/);
});

test('an unknown climate and an unknown login are refused with those that there are', async () => {
  const climate = await papergate({}, 'simulate', '--climate', 'swamp');
  assert.is(climate.code, 2);
  assert.match(climate.stderr, /^--climate swamp: no climate swamp; there are calm, .*\n {2}calm, cellar, .*\n$/);
  const login = await papergate({}, 'simulate', '--login', 'card');
  assert.equal([login.code, login.stderr], [2, '--login card is not known\n  certificate or password\n']);
});

longTest(test)(
  'options of the other mode of simulate are named as without effect, and the command goes on',
  async () => {
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
  },
);

test('C-60: a sleep that no frame keeps is refused with the range, before anything is asked', async () => {
  for (const sleep of ['59', '86401', '99999999', '1e3', '0x384']) {
    const { code, stderr } = await papergate(env, 'devices', 'settings', 'epd7-b0c1d2e3f405', '--sleep', sleep);
    assert.equal([code, stderr], [2, `--sleep ${sleep}\n  a whole number from 60 to 86400\n`]);
  }
});

test('days that no month has are not times, nor is half of one', async () => {
  for (const since of ['2020-02-30', '2020-02-30T08:00Z', '2020-13-01', '2020-02-28foo']) {
    const { code, stderr } = await papergate(env, 'devices', 'events', 'epd7-b0c1d2e3f405', '--since', since);
    assert.is(code, 2, since);
    assert.match(stderr, `--since ${since}\n  an age such as`);
  }
});

test.run();
