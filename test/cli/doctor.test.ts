import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { freshMs } from '../../api/status/health.ts';
import { judgeBackups } from '../../cli/doctor/doctor-backups.ts';
import { judgeEnd } from '../../cli/doctor/doctor-certificates.ts';
import { judgeFonts } from '../../cli/doctor/doctor-fonts.ts';
import { lookLocally } from '../../cli/doctor/doctor-locally.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { papergate, withCli, withScratchFolder } from './papergate.ts';

const test = suite('papergate doctor');

const dayMs = 86_400_000;

interface Report {
  readonly ok: boolean;
  readonly checks: readonly { name: string; result: string; message: string; hint?: string }[];
}

test('a service that is well, one in trouble, a wrong key, a poor role, and none at all: lines, hints and exit codes', () =>
  withCli(async ({ run, url, findings, frames, admin, patient, passes, folder, call }) => {
    const env = (key: string) => ({ PAPERGATE_URL: url, PAPERGATE_API_KEY: key, PAPERGATE_DATA: folder });
    findings.set('mqtt', { status: 'ok' });
    const well = await run('doctor');
    assert.is(well.code, 0, well.stdout + well.stderr);
    assert.match(well.stdout, /^ok {4}service {7}\S+ has been running for \d+ s\nok {4}clock {9}both clocks agree\n/);
    assert.match(well.stdout, new RegExp(`\nok {4}key +acts as admin of ${admin.organizationId}\n`));
    assert.match(well.stdout, /\nok {4}frames +0 devices, none in trouble\n/);
    assert.not.match(well.stdout, /FAIL|WARN/);

    // Right after `setup`, in a terminal that has no key yet.
    const keyless = await papergate({ PAPERGATE_URL: url, PAPERGATE_DATA: folder }, 'doctor');
    assert.is(keyless.code, 0, keyless.stdout + keyless.stderr);
    assert.match(keyless.stdout, /\nWARN {2}key +PAPERGATE_API_KEY is not set.*\n +\.\/papergate setup prints a key/);

    findings.set('mqtt', { status: 'down', reasons: [reasonOf('broker-missing')] });
    findings.set('callbacks', { status: 'degraded', reasons: [reasonOf('callbacks-many')] });
    passes(freshMs);
    frames.provision('epd7-0000000000aa', { status: 'error' });
    const json = { enable: true, organization: admin.organizationId };
    await call('POST', '/devices/registerdevice/epd7-0000000000aa', { as: admin, json });
    const ill = await run('doctor');
    assert.is(ill.code, 1);
    assert.match(ill.stdout, /\nFAIL {2}mqtt {10}down: no broker is running\n {20}is the port taken/);
    assert.match(ill.stdout, /\nWARN {2}callbacks {5}degraded: callbacks pile up\n/);
    assert.match(
      ill.stdout,
      /\nWARN {2}frames .*epd7-0000000000aa \(error\)\n {20}.\/papergate devices why epd7-0000000000aa\n/,
    );
    assert.match(ill.stderr, /^1 of \d+ checks failed\n$/);

    findings.set('rendering', { status: 'down', reasons: [reasonOf('browser-not-found')] });
    passes(freshMs);
    assert.match(
      (await run('doctor')).stdout,
      /\nFAIL {2}rendering {5}down: no browser was found\n {20}apt install chromium-headless-shell.*; without a browser no website, no page of an integration and no recipe that was imported is drawn/,
    );
    findings.set('rendering', { status: 'ok' });
    passes(freshMs);

    const wrong = await papergate(env('0'.repeat(64)), 'doctor', '--json');
    assert.is(wrong.code, 1);
    const report: Report = JSON.parse(wrong.stdout);
    assert.is(report.ok, false);
    const key = report.checks.find(({ name }) => name === 'key');
    assert.match(String(key?.message), /^401/);
    assert.ok(!wrong.stdout.includes('0'.repeat(64)) && !wrong.stderr.includes('0'.repeat(64)), 'T-12');
    const poor: Report = JSON.parse((await papergate(env(patient.key), 'doctor', '--json')).stdout);
    assert.equal(
      poor.checks.filter(({ name }) => name === 'key').map(({ result, message }) => [result, message]),
      [['warn', `acts as patient of ${admin.organizationId}`]],
    );

    const nobody = await papergate({ ...env('x'), PAPERGATE_URL: 'http://127.0.0.1:1' }, 'doctor');
    assert.is(nobody.code, 3);
    assert.match(nobody.stdout, /^FAIL {2}service .*does not answer.*\n {20}start it with .\/papergate serve/);
    assert.not.match(nobody.stdout, /mqtt|key/);
    assert.is((await run('doctor', '--loud')).code, 2);
  }));

test('T-80: clients behind a proxy that is not named are reported, by the service and by its environment', () =>
  withCli(async ({ run, url, findings, passes, admin, folder }) => {
    findings.set('mqtt', { status: 'ok' });
    findings.set('api', { status: 'ok', note: reasonOf('clients-share-address') });
    passes(freshMs);
    const told = await run('doctor');
    assert.match(
      told.stdout,
      /\nWARN {2}api +many clients share the address of a proxy that is not named\n +name the proxy in PAPERGATE_TRUSTED/,
    );
    assert.is(told.code, 0, 'a warning');
    const env = { PAPERGATE_URL: url, PAPERGATE_API_KEY: admin.key, PAPERGATE_DATA: folder };
    const proxies = async (more: Readonly<Record<string, string>>) => {
      const report: Report = JSON.parse((await papergate({ ...env, ...more }, 'doctor', '--json')).stdout);
      return report.checks.find(({ name }) => name === 'proxies')?.result;
    };
    const publicUrl = { PAPERGATE_PUBLIC_URL: 'https://papers.example' };
    assert.is(await proxies(publicUrl), 'warn');
    assert.is(await proxies({ ...publicUrl, PAPERGATE_TRUSTED_PROXIES: '127.0.0.1' }), 'ok');
    assert.is(await proxies({}), undefined);
  }));

test('on the machine itself: keys that others may read, certificates, room, and addresses too long for frames', () =>
  withCli(async ({ folder }) => {
    const url = 'http://127.0.0.1:3999';
    const look = async (env: Record<string, string> = {}, at = url) => {
      const found = await lookLocally({ PAPERGATE_DATA: folder, ...env }, at, Date.now());
      return new Map(found.map((diagnosis) => [diagnosis.name, diagnosis]));
    };
    assert.equal([...(await look()).keys()], ['frame url'], 'no service was ever started over this folder');
    const long = `https://${'x'.repeat(40)}.example.org`;
    assert.is((await look({ PAPERGATE_FRAME_URL: long })).get('frame url')?.result, 'fail');
    assert.is((await look({}, long)).get('frame url')?.result, 'warn');
    await writeFile(join(folder, 'endpoints.json'), JSON.stringify({ http: url, mqtts: 'mqtts://127.0.0.1:1' }));
    await mkdir(join(folder, 'authority'));
    for (const file of ['secret.key', 'authority/ca.key']) await writeFile(join(folder, file), 'x', { mode: 0o600 });
    const own = await look();
    assert.is(own.get('data folder')?.result, 'ok');
    assert.match(String(own.get('secret')?.message), /secret\.key holds no whole secret$/);
    await chmod(folder, 0o755);
    const seen = (await look()).get('data folder');
    assert.equal([seen?.result, seen?.hint], ['warn', `chmod 700 ${folder}`]);
    await chmod(folder, 0o700);
    assert.is(own.get('disk')?.result, 'ok');
    assert.match(String(own.get('backups')?.message), /^nightly backups are on, and /);
    assert.is(own.get('broker')?.result, 'fail');
    await chmod(join(folder, 'authority/ca.key'), 0o640);
    const open = (await look()).get('data folder');
    assert.equal([open?.result, open?.hint], ['fail', `chmod 600 ${join(folder, 'authority/ca.key')}`]);
    assert.equal([...(await look({}, 'http://127.0.0.1:4000')).keys()], ['frame url'], 'somebody else’s service');

    assert.is(own.get('letters')?.result, 'ok');
    assert.is((await judgeFonts(async () => 1)).message, 'there are fonts for all common scripts');
    const some = await judgeFonts(async (letter) => (/[月あ🎂]/u.test(letter) ? 0 : 2));
    assert.is(some.message, 'none for Chinese, Japanese, emoji; if needed: apt install fonts-noto-cjk fonts-symbola');
    assert.match((await judgeFonts(() => Promise.reject(new Error()))).message, /fontconfig/);

    const now = Date.now();
    const judged = async (leftMs: number) => (await judgeEnd('broker', Promise.resolve(now + leftMs), now)).result;
    assert.equal([await judged(15 * dayMs), await judged(13 * dayMs), await judged(-1)], ['ok', 'warn', 'fail']);
    assert.is((await judgeEnd('broker', Promise.resolve(Number.NaN), now)).result, 'fail');
  }));

test('backups: whether they are made at night, when the last was, that none are or the last is old, and a folder that cannot be written', () =>
  withScratchFolder(async (folder) => {
    const now = Date.UTC(2026, 10, 26, 12);
    const on = { PAPERGATE_BACKUP_KEEP: '7' };
    const look = async (env: Record<string, string>) => {
      const { result, message, hint } = await judgeBackups(env, folder, now);
      return [result, message.replaceAll(folder, 'DATA'), hint?.split(/[,;:]/)[0]];
    };
    const nowhere = 'nightly backups are off; no backup is in DATA/backups';
    const off = { PAPERGATE_BACKUP_KEEP: '0' };
    for (const env of [off, { PAPERGATE_NODE_NAME: 'a' }]) {
      assert.equal(await look(env), ['warn', nowhere, 'leave out PAPERGATE_BACKUP_KEEP=0']);
    }
    assert.is((await look({ ...off, DATABASE_URL: 'postgres://x' }))[0], 'ok', 'the database may have its own');
    assert.match(String((await look({}))[1]), /^nightly backups are on, /, 'without the variable they are on');
    const missing = 'nightly backups are on, and DATA/backups is not there';
    assert.equal(await look(on), ['fail', missing, 'start the service again']);

    const backups = join(folder, 'backups');
    await mkdir(backups);
    await writeFile(join(backups, 'mine.tar'), '');
    const none = 'nightly backups are on, 0 of 7 are there; no backup is in DATA/backups';
    assert.equal(await look(on), ['warn', none, 'papergate backup create makes one now']);
    await writeFile(join(backups, 'nightly-2026-11-24T02-37-00Z.tar.age'), '');
    const old = 'nightly backups are on, 1 of 7 are there; the last in DATA/backups is of 2026-11-24T02:37:00.000Z';
    assert.equal(await look(on), ['warn', old, 'papergate backup create makes one now']);
    assert.is((await look(off))[0], 'warn');
    await writeFile(join(backups, 'papergate-2026-11-25T10-00-00Z.tar'), '');
    const last = 'the last in DATA/backups is of 2026-11-25T10:00:00.000Z';
    assert.equal(await look(on), ['ok', `nightly backups are on, 1 of 7 are there; ${last}`, undefined]);
    assert.equal(await look(off), ['ok', `nightly backups are off; ${last}`, undefined], 'a timer makes them');
    await writeFile(join(backups, 'nightly-2026-11-26T02-37-00Z.damaged.tar'), '');
    assert.ok(String((await look(on))[1]).endsWith(last), 'the last sound one counts');

    const file = { ...on, PAPERGATE_BACKUPS: join(backups, 'mine.tar') };
    const said = 'PAPERGATE_BACKUPS: DATA/backups/mine.tar is not a folder';
    assert.equal(await look(file), ['fail', `${said}, or lies in none`, 'name another one']);
  }));

test.run();
