import { execFileSync } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { secretVariables, withSecretFiles } from '../../api/service/settings/secret-files.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { lookLocally } from '../../cli/doctor/doctor-locally.ts';
import type { Refusal } from '../../reasons/refusals.ts';
import { withFolder } from '../journeys/world.ts';

const test = suite('secrets that come as files');

const secret = 'p4per-'.repeat(8);

function refusalOf(env: Readonly<Record<string, string>>): string {
  try {
    readSettings(env);
  } catch (error) {
    const { message, hint } = error as Refusal;
    assert.not.match(`${message}${hint}`, /p4per/, 'T-12');
    return message;
  }
  throw new Error('it was taken');
}

test('each secret is read from the file that its variable names, without the line break at its end', () =>
  withFolder(async (folder) => {
    for (const variable of secretVariables) {
      const path = join(folder, variable);
      await writeFile(path, `${variable} of p4per\r\n`);
      assert.equal(withSecretFiles({ [`${variable}_FILE`]: path, [variable]: '', NODE_ENV: 'x' }), {
        [variable]: `${variable} of p4per`,
        NODE_ENV: 'x',
      });
    }
    const file = join(folder, 'secret');
    await writeFile(file, `${secret}\n`);
    assert.is(readSettings({ PAPERGATE_SECRET_KEY_FILE: file }).PAPERGATE_SECRET_KEY, secret);
    assert.is(readSettings({ PAPERGATE_SECRET_KEY_FILE: '' }).PAPERGATE_SECRET_KEY, undefined, 'empty is absent');
    await writeFile(file, 'short of p4per');
    assert.match(refusalOf({ PAPERGATE_SECRET_KEY_FILE: file }), /^PAPERGATE_SECRET_KEY: /);
    await writeFile(file, 'postgres://p4per:p4per@[half');
    assert.match(refusalOf({ DATABASE_URL_FILE: file }), /^DATABASE_URL: /);
  }));

test('both, a file that is missing, empty, too large or none, and one that may not be read are refused by the variable', () =>
  withFolder(async (folder) => {
    const [empty, large, pipe, given] = ['empty', 'large', 'pipe', 'given'].map((name) => join(folder, name));
    if (!empty || !large || !pipe || !given) throw new Error('four names');
    await writeFile(empty, ' \n');
    await writeFile(large, 'p4per'.repeat(20_000));
    await writeFile(given, secret);
    execFileSync('mkfifo', [pipe]);
    await mkdir(join(folder, 'inner'));
    const name = 'PAPERGATE_SECRET_KEY_FILE';
    assert.is(
      refusalOf({ [name]: given, PAPERGATE_SECRET_KEY: secret, DATABASE_URL_FILE: '/nowhere/p4per' }),
      `${name}: PAPERGATE_SECRET_KEY is set, too: leave one of the two out\nDATABASE_URL_FILE: there is no such file`,
    );
    assert.is(refusalOf({ [name]: empty }), `${name}: the file is empty`);
    assert.is(refusalOf({ [name]: large }), `${name}: the file has more than 64 KiB`);
    for (const path of [pipe, join(folder, 'inner')])
      assert.is(refusalOf({ [name]: path }), `${name}: it is not a file`);
    // Somebody typed the secret where its file belongs.
    assert.is(refusalOf({ [name]: secret }), `${name}: there is no such file`);
    assert.match(refusalOf({ [name]: secret.repeat(100) }), new RegExp(`^${name}: the file cannot be read \\(ENAME`));
    if (process.getuid?.() === 0) return; // Root reads everything.
    await chmod(given, 0o000);
    assert.is(refusalOf({ [name]: given }), `${name}: this user may not read the file`);
  }));

test('doctor says the same of the environment, and goes on', () =>
  withFolder(async (folder) => {
    const env = { PAPERGATE_DATA: folder, DATABASE_URL_FILE: join(folder, 'none') };
    const found = await lookLocally(env, 'http://127.0.0.1:1', Date.now());
    const told = found.find(({ name }) => name === 'secrets');
    assert.is(told?.result, 'fail');
    assert.is(told?.message, 'DATABASE_URL_FILE: there is no such file');
    assert.ok(found.some(({ name }) => name === 'frame url'));
  }));

test.run();
