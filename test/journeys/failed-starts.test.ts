/** The message of a failed start, and what it does not leave behind. */

import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openIssuer } from '../../api/directory/issuer.ts';
import { refusedDatabase, refusedStart } from '../../api/service/open/refuse-start.ts';
import { openContext } from '../../api/service/open/service-context.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { endpointsFile, holdFolder } from '../../cli/ground/hold-folder.ts';
import { openAuthority } from '../../gateway/identity/authority.ts';
import { systemClock } from '../../runtime/clock.ts';
import { makeFolder } from '../../runtime/disk/durable-file.ts';
import { papergate, papergateAs } from '../cli/papergate.ts';
import { longTest, unlessUnable } from '../some-times.ts';
import { environmentOf, refusedWith, withFolder } from './world.ts';

const test = suite('failed starts');

longTest(test)(
  'T-13: a secret that is empty, cut or something else is refused, naming its file, and left as it is',
  async () => {
    await withFolder(async (folder, rows) => {
      const settings = readSettings(environmentOf(folder, rows));
      const path = join(folder, 'secret.key');
      for (const text of ['', '\n', 'a1'.repeat(20), 'garbage'.repeat(10)]) {
        await writeFile(path, text);
        assert.match(
          await refusedWith(openContext(settings)),
          new RegExp(`^${path} holds no whole secret\nput it back`),
        );
        assert.is(await readFile(path, 'utf8'), text);
      }
      await writeFile(path, `${'a1'.repeat(32)}\n`);
      await (await openContext(settings)).close();
    });
  },
);

longTest(test)('a damaged key, certificate or database is named by its file, and a start that fails ends', async () => {
  await withFolder(async (folder) => {
    const now = systemClock.now();
    await openAuthority(folder, now);
    for (const [name, open] of [
      ['token-issuer.key', () => openIssuer(folder, systemClock)],
      ['authority/ca.key', () => openAuthority(folder, now)],
      ['authority/ca.crt', () => openAuthority(folder, now)],
      ['papergate.sqlite', () => openContext(readSettings({ PAPERGATE_DATA: folder }))],
    ] as const) {
      const path = join(folder, name);
      const whole = await readFile(path).catch(() => undefined);
      await writeFile(path, 'no such thing '.repeat(100));
      assert.match(await refusedWith(open()), new RegExp(`${path} (holds|is) .*\nput it back`), name);
      if (whole !== undefined) await writeFile(path, whole);
    }
    const env = { PAPERGATE_DATA: join(folder, 'other'), PATH: process.env.PATH ?? '' };
    await mkdir(env.PAPERGATE_DATA);
    await writeFile(join(env.PAPERGATE_DATA, 'token-issuer.key'), '');
    const ended = await papergate(env, 'serve');
    assert.equal([ended.code, ended.stdout], [1, '']);
    assert.match(ended.stderr, /^\S+token-issuer\.key holds no Ed25519 key\n {2}put it back[^\n]*\n$/);
  });
});

longTest(test)('a certificate of the broker that is damaged is issued again', async () => {
  await withFolder(async (folder) => {
    const authority = await openAuthority(folder, systemClock.now());
    const first = await authority.server(['localhost'], systemClock.now());
    const path = join(folder, 'authority/server.pem');
    await writeFile(path, (await readFile(path, 'utf8')).replaceAll(/[A-Z]{4}\w/g, 'AAAAA'));
    const second = await authority.server(['localhost'], systemClock.now());
    assert.is.not(second.certificate, first.certificate);
    assert.equal(await authority.server(['localhost'], systemClock.now()), second);
  });
});

longTest(test)(
  'one service runs over a folder: a second one is refused, and a lock that a kill left holds nobody',
  async () => {
    await withFolder(async (folder) => {
      const release = await holdFolder(folder);
      await writeFile(join(folder, endpointsFile), '{"http":"http://127.0.0.1:9","mqtts":"mqtts://127.0.0.1:8"}');
      // SQLite shares nothing between two connections of one process either.
      const words = await refusedWith(holdFolder(folder));
      assert.is(
        words,
        `PAPERGATE_DATA: a service runs over ${folder} already, at http://127.0.0.1:9\nend it first, or set another folder`,
      );
      const ended = await papergate({ PAPERGATE_DATA: folder }, 'serve');
      assert.equal([ended.code, ended.stderr.split('\n')[0]], [1, words.split('\n')[0]]);
      assert.ok((await readdir(folder)).includes(endpointsFile), 'what the first one wrote is left alone');
      release();
      (await holdFolder(folder))();
      assert.not.ok((await readdir(folder)).includes(endpointsFile), 'nobody is reached there any more');
    });
  },
);

longTest(test)('an invalid lock is named itself, not the folder', async () => {
  await withFolder(async (folder) => {
    const path = join(folder, 'serve.lock');
    await writeFile(path, 'not a lock, and long enough to be looked at');
    assert.is(await refusedWith(holdFolder(folder)), `${path} is not a lock of a service\nremove it: it holds nothing`);
    await rm(path);
    await mkdir(path);
    assert.match(await refusedWith(holdFolder(folder)), `PAPERGATE_DATA: ${path} cannot be opened\n`);
  });
});

/** Somebody who may not write everything: root may, whatever the mode is. */
const ordinary = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
/** A checkout below a folder of root's alone is none that an ordinary user could start the service from. */
const reads = spawnSync(process.execPath, ['-e', `fs.accessSync(${JSON.stringify(import.meta.filename)})`], ordinary);
const testAsOrdinary = unlessUnable(
  test,
  reads.status === 0 ? undefined : 'an ordinary user cannot read this checkout',
);

testAsOrdinary('a lock that may only be read holds nobody off, and is refused', async () => {
  await withFolder(async (folder) => {
    const path = join(folder, 'serve.lock');
    await writeFile(path, '');
    await chmod(path, 0o400);
    if (ordinary.uid !== undefined) for (const one of [folder, path]) await chown(one, ordinary.uid, ordinary.gid);
    const ended = await papergateAs(ordinary, { PAPERGATE_DATA: folder }, 'serve');
    assert.equal([ended.code, ended.stdout], [1, '']);
    assert.match(ended.stderr, `PAPERGATE_DATA: ${path} may not be used by this user\n`);
  });
});

longTest(test)('T-13: the files of the database are for their owner alone, also in a folder that is not', async () => {
  await withFolder(async (folder) => {
    await chmod(folder, 0o755);
    const settings = readSettings({ PAPERGATE_DATA: folder });
    const modes = async () => {
      const names = (await readdir(folder)).filter((name) => name.startsWith('papergate.sqlite'));
      return Promise.all(names.map(async (name) => (await stat(join(folder, name))).mode & 0o777));
    };
    const context = await openContext(settings);
    assert.equal(await modes(), [0o600, 0o600, 0o600]);
    await context.close();
    await chmod(join(folder, 'papergate.sqlite'), 0o644);
    await (await openContext(settings)).close();
    assert.equal([...new Set(await modes())], [0o600]);
  });
});

longTest(test)("the system's message is printed with the variable it came from", async () => {
  const settings = readSettings({ PAPERGATE_DATA: '/data', PAPERGATE_MQTT_HOST: 'nowhere' });
  const said = (fields: object): string | undefined =>
    refusedStart(Object.assign(new Error('x'), fields), settings)?.message;
  for (const [fields, sentence] of [
    [{ code: 'ENOSPC', syscall: 'write' }, 'PAPERGATE_DATA: /data cannot be written: the disk is full'],
    [{ code: 'EROFS', path: '/data/files' }, 'PAPERGATE_DATA: /data/files cannot be written'],
    [{ code: 'EACCES', path: '/data/x' }, 'PAPERGATE_DATA: /data/x may not be used by this user'],
    [{ code: 'SQLITE_FULL' }, 'PAPERGATE_DATA: /data cannot be written: the disk is full'],
    [
      { code: 'ENOTFOUND', syscall: 'getaddrinfo', hostname: 'nowhere' },
      'PAPERGATE_MQTT_HOST: nowhere is not a name that can be resolved',
    ],
    [
      { code: 'EADDRNOTAVAIL', syscall: 'listen', address: '127.0.0.1', port: 3000 },
      'PAPERGATE_HTTP_HOST: 127.0.0.1 is not an address of this machine',
    ],
    [{ code: 'ERR_ASSERTION' }, undefined],
  ] as const) {
    assert.is(said(fields), sentence);
  }
  const secret = Object.assign(new Error('no postgres://ada:hunter2@db'), { code: 'ECONNREFUSED' });
  assert.is(refusedDatabase(secret)?.message, 'DATABASE_URL: nobody answers at this address (ECONNREFUSED)', 'T-12');
  assert.match(String(await makeFolder('/proc/nope/below').catch(String)), 'ENOENT');
});

longTest(test)('conformance whose port is in use ends, naming the option', async () => {
  const squatter = createServer().listen(0, '127.0.0.1');
  await once(squatter, 'listening');
  const port = String((squatter.address() as AddressInfo).port);
  try {
    await withFolder(async (folder) => {
      for (const [taken, free] of [
        ['--port', '--http-port'],
        ['--http-port', '--port'],
      ] as const) {
        const options = ['--serial', 'epd7-b0c1d2e3f405', '--credentials', folder, taken, port, free, '0'];
        const ended = await papergate({}, 'conformance', ...options);
        assert.equal(
          [ended.code, ended.stdout, ended.stderr],
          [1, '', `${taken}: port ${port} is in use\n  end what listens there, or set another port\n`],
        );
      }
    });
  } finally {
    squatter.close();
  }
});

longTest(test)(
  'simulate checks what was typed, and that a service answers, before it provisions anything',
  async () => {
    await withFolder(async (folder) => {
      const run = (...options: string[]) => papergate({ PAPERGATE_DATA: folder }, 'simulate', ...options);
      assert.is((await run('--scenario', 'nope')).code, 2);
      const nobody = await run();
      const next = './papergate serve starts one there; for one that runs, set PAPERGATE_DATA to its data folder';
      assert.equal([nobody.code, nobody.stderr], [3, `No service runs over ${folder}\n  ${next}\n`]);
      await writeFile(join(folder, endpointsFile), '{"http":"http://127.0.0.1:1","mqtts":"mqtts://127.0.0.1:1"}');
      const gone = await run();
      assert.is(gone.code, 3);
      assert.match(gone.stderr, /^http:\/\/127\.0\.0\.1:1 does not answer/);
      assert.equal(await readdir(folder), [endpointsFile]);
    });
  },
);

test.run();
