/** The files by which the service is installed, held against each other, against the sources and by the tools that read them. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { secretVariables } from '../../api/service/settings/secret-files.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { withFolder } from '../journeys/world.ts';
import { longTest, unlessUnable } from '../some-times.ts';

const test = suite('installing');
const root = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
/** HAProxy lies where an ordinary user does not look. */
const env = { ...process.env, PATH: `${process.env.PATH ?? ''}:/usr/sbin` };
const has = (command: string): boolean => spawnSync('sh', ['-c', `command -v ${command}`], { env }).status === 0;

const dockerfile = read('deploy/container/Dockerfile').replace(/\\\n/g, ' ');
const instructions = (word: string): string[] =>
  dockerfile.split('\n').flatMap((line) => (line.startsWith(`${word} `) ? [line.slice(word.length + 1)] : []));

test('every variable that a file of deploy names is one of the service, or of the file itself', () => {
  const known = new Set(
    [
      ...read('docs/variables.md').matchAll(/`([A-Z][A-Z0-9_]+)`/g),
      ...read('deploy/container/papergate.sh').matchAll(/\b(P[UG]ID)\b/g),
    ].map(([, name]) => name ?? ''),
  );
  for (const name of secretVariables) known.add(`${name}_FILE`);
  const own = ['PAPERGATE_IMAGE', 'POSTGRES_PASSWORD_FILE'];
  const files = [
    'container/Dockerfile',
    'container/papergate.sh',
    'container/compose.yaml',
    'container/compose.cluster.yaml',
    'home-assistant/Dockerfile',
    'home-assistant/run.sh',
    'papergate.env',
    'papergate.service',
  ];
  for (const file of files) {
    for (const [name] of read(`deploy/${file}`).matchAll(/\b(PAPERGATE|DATABASE|S3|POSTGRES_PASSWORD)_[A-Z0-9_]+\b/g)) {
      assert.ok(known.has(name) || own.includes(name), `${file}: ${name}`);
    }
  }
});

test('the image copies what there is, ends as an ordinary user, and its environment is taken by the service', () => {
  for (const sources of instructions('COPY').filter((line) => !line.startsWith('--from'))) {
    for (const source of sources.split(' ').slice(0, -1)) assert.ok(existsSync(join(root, source)), source);
  }
  const stages = instructions('FROM').map((line) => line.split(' AS ')[1]);
  assert.equal(stages, ['node', 'build', 'slim', 'full']);
  for (const line of instructions('COPY')) {
    const from = /^--from=(\S+)/.exec(line)?.[1];
    if (from !== undefined) assert.ok(stages.includes(from), from);
  }
  assert.equal(instructions('USER'), ['1000:1000', '0:0', '1000:1000']);
  const [environment = ''] = instructions('ENV');
  const env = Object.fromEntries(
    environment
      .trim()
      .split(/\s+/)
      .map((pair) => pair.split('=')),
  );
  const settings = readSettings({ ...env, PAPERGATE_HOST: '192.168.1.20' });
  assert.equal(
    [settings.PAPERGATE_DATA, settings.PAPERGATE_HTTP_HOST, settings.PAPERGATE_MQTT_HOST],
    ['/data', '0.0.0.0', '0.0.0.0'],
  );
  assert.is(
    instructions('ARG').find((line) => line.startsWith('VERSION')),
    `VERSION=${JSON.parse(read('package.json')).version}`,
  );
});

test('every step and every script is a script that a POSIX shell reads', () => {
  const steps = [...instructions('RUN'), read('deploy/container/papergate.sh'), read('deploy/home-assistant/run.sh')];
  assert.ok(steps.length > 5);
  for (const step of steps) execFileSync('sh', ['-n'], { input: step });
});

test('the browser’s sandbox keeps the calls that it is made of', () => {
  const { defaultAction, syscalls } = JSON.parse(read('deploy/container/seccomp.json'));
  assert.is(defaultAction, 'SCMP_ACT_ALLOW');
  const refused = new Set<string>(syscalls.flatMap(({ names }: { names: string[] }) => names));
  for (const needed of ['clone', 'clone3', 'unshare', 'setns', 'chroot', 'seccomp']) assert.not.ok(refused.has(needed));
  for (const other of ['mount', 'ptrace', 'bpf', 'keyctl', 'kexec_load', 'init_module', 'io_uring_setup']) {
    assert.ok(refused.has(other), other);
  }
});

/** Plays the container's command with a program in place of the service. */
const start = async (folder: string, user: string, env: Readonly<Record<string, string>>) => {
  const program = join(folder, 'program');
  await writeFile(program, '#!/bin/sh\necho "$(id -u):$(id -g) $*"\n', { mode: 0o755 });
  const script = join(folder, 'command');
  const text = read('deploy/container/papergate.sh').replace('/opt/papergate/bin/papergate.mjs', program);
  await writeFile(script, text, { mode: 0o755 });
  const [uid, gid] = user.split(':');
  const as = ['--reuid', `${uid}`, '--regid', `${gid}`, '--clear-groups', script, 'serve'];
  const ended = spawnSync('setpriv', as, { encoding: 'utf8', env: { PATH: process.env.PATH ?? '', ...env } });
  return { code: ended.status, told: (ended.stdout + ended.stderr).trim() };
};

unlessUnable(test, process.getuid?.() === 0 ? undefined : 'only root can start it as somebody else')(
  'the container’s command goes on as the user of PUID and PGID, or says what is in the way',
  () =>
    withFolder(async (folder) => {
      execFileSync('chmod', ['755', folder]);
      const data = join(folder, 'data');
      await mkdir(data);
      await writeFile(join(data, 'row'), '');
      const env = { PAPERGATE_DATA: data };
      assert.equal(await start(folder, '0:0', { ...env, PUID: '1234', PGID: '1235' }), {
        code: 0,
        told: '1234:1235 serve',
      });
      assert.is(execFileSync('stat', ['-c', '%u:%g', join(data, 'row')], { encoding: 'utf8' }).trim(), '1234:1235');
      assert.equal(await start(folder, '1234:1235', env), { code: 0, told: '1234:1235 serve' });
      assert.equal(await start(folder, '1234:1235', { ...env, PUID: '1234', PGID: '1235' }), {
        code: 0,
        told: '1234:1235 serve',
      });
      const fresh = join(folder, 'fresh');
      assert.is((await start(folder, '0:0', { PAPERGATE_DATA: fresh, PUID: '1234' })).told, '1234:1000 serve');
      assert.is(execFileSync('stat', ['-c', '%u:%g %a', fresh], { encoding: 'utf8' }).trim(), '1234:1000 700');
      const other = await start(folder, '1300:1300', env);
      assert.match(other.told, /^papergate: user 1300:1300 may not write to .*: chown -R 1300:1300 /);
      assert.match((await start(folder, '1000:1000', { ...env, PUID: '1234' })).told, /need a start as root/);
      for (const PUID of ['0', 'root', '-1', '1 2']) {
        const refused = await start(folder, '0:0', { ...env, PUID });
        assert.is(refused.code, 1);
        assert.match(refused.told, /^papergate: PUID and PGID are the numbers of an ordinary user/);
      }
      assert.equal(await start(folder, '0:0', env), { code: 0, told: '1000:1000 serve' });
    }),
);

longTest(unlessUnable(test, has('haproxy') ? undefined : 'HAProxy is not installed (apt install haproxy)'))(
  'the cluster’s balancer reads the published configuration with its own addresses',
  () =>
    withFolder(async (folder) => {
      const compose = read('deploy/container/compose.cluster.yaml');
      const change = /sed (.*) \/published\/haproxy\.cfg > \/tmp\/haproxy\.cfg/
        .exec(compose)?.[1]
        ?.replaceAll('$$', '$');
      assert.ok(change);
      const file = join(folder, 'haproxy.cfg');
      const text = execFileSync('sh', ['-c', `sed ${change} deploy/haproxy.cfg`], { cwd: root, encoding: 'utf8' });
      await writeFile(file, text);
      execFileSync('haproxy', ['-c', '-f', file], { stdio: 'pipe', env });
      const servers = [...text.matchAll(/^ {2}server (\w) (\S+):/gm)].map(([, name, host]) => `${name} ${host}`);
      assert.equal(
        servers,
        [1, 2, 3].flatMap(() => ['a 172.30.83.11', 'b 172.30.83.12']),
      );
      for (const host of ['172.30.83.10', '172.30.83.11', '172.30.83.12']) {
        assert.ok(compose.includes(`ipv4_address: ${host}\n`), host);
      }
      for (const port of ['3000', '8080', '8883']) assert.match(text, new RegExp(`bind :${port}\n`));
    }),
);

longTest(
  unlessUnable(test, has('systemd-analyze') ? undefined : 'systemd-analyze is not installed (apt install systemd)'),
)('systemd reads the unit without a word, and finds little exposed', () =>
  withFolder(async (folder) => {
    const unit = join(folder, 'papergate.service');
    const text = read('deploy/papergate.service');
    assert.match(text, /^ExecStart=\/opt\/papergate\/bin\/papergate serve$/m);
    await writeFile(unit, text.replace('/opt/papergate/bin/papergate', '/bin/true'));
    const verified = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' });
    assert.equal([verified.status, verified.stderr], [0, '']);
    const args = ['security', '--offline=true', '--threshold=30', unit];
    const judged = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
    assert.is(judged.status, 0, judged.stdout.split('\n').slice(-4).join('\n') + judged.stderr);
  }),
);

test.run();
