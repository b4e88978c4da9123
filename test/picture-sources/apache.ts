/** Apache with mod_dav on loopback, as Debian installs it: in a folder of its own, ended with the test. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const program = '/usr/sbin/apache2';
const modules = '/usr/lib/apache2/modules';

/** Why no Apache can be tried on this machine; undefined when one can. */
export const apacheProblem = (): string | undefined =>
  existsSync(program) && existsSync(`${modules}/mod_dav_fs.so`) ? undefined : 'no Apache is installed';

/** A running Apache. */
export interface Apache {
  readonly port: number;
  /** The folder that it serves below `/dav/`, to the user `anna` with the password `secret`. */
  readonly folder: string;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function configuration(home: string, port: number): string {
  const names = [
    'mpm_event',
    'authn_core',
    'authz_core',
    'authn_file',
    'authz_user',
    'auth_basic',
    'alias',
    'mime',
    'dav',
    'dav_fs',
  ];
  return [
    ...names.map((name) => `LoadModule ${name}_module ${modules}/mod_${name}.so`),
    `ServerRoot ${home}`,
    'ServerName nas.example',
    `Listen 127.0.0.1:${port}`,
    `PidFile ${home}/pid`,
    `DefaultRuntimeDir ${home}`,
    `Mutex file:${home}`,
    `ErrorLog ${home}/error.log`,
    'User www-data',
    'Group www-data',
    'TypesConfig /etc/mime.types',
    `DocumentRoot ${home}/nothing`,
    `DavLockDB ${home}/locks/db`,
    `Alias /dav ${home}/files`,
    `<Directory ${home}/files>`,
    '  Dav On',
    '  Options FollowSymLinks',
    '  AuthType Basic',
    '  AuthName pictures',
    `  AuthUserFile ${home}/users`,
    '  Require valid-user',
    '</Directory>',
    '',
  ].join('\n');
}

/** Runs Apache for a test. Without root it runs as the one who starts it. */
export async function withApache(run: (apache: Apache) => Promise<void>): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'apache-'));
  const port = await freePort();
  for (const name of ['files', 'nothing', 'locks']) await mkdir(join(home, name));
  await writeFile(join(home, 'mime.types'), 'image/jpeg jpg\n');
  await writeFile(join(home, 'users'), `anna:{SHA}${createHash('sha1').update('secret').digest('base64')}\n`);
  const text = configuration(home, port).replace('/etc/mime.types', join(home, 'mime.types'));
  await writeFile(join(home, 'apache.conf'), text);
  const child = spawn(program, ['-d', home, '-f', join(home, 'apache.conf'), '-DFOREGROUND'], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  try {
    await letIn(home);
    await answers(port, () => child.exitCode !== null);
    await run({ port, folder: join(home, 'files') });
  } finally {
    child.kill('SIGTERM');
    await ended;
    await rm(home, { recursive: true, force: true });
  }
}

/** Its workers are another user, who has to get into the folder. */
async function letIn(home: string): Promise<void> {
  await chmod(home, 0o755);
  await chmod(join(home, 'locks'), 0o777);
}

async function answers(port: number, hasEnded: () => boolean): Promise<void> {
  for (let tries = 0; tries < 600 && !hasEnded(); tries++) {
    const status = await fetch(`http://127.0.0.1:${port}/dav/`).then(
      (answer) => answer.status,
      () => undefined,
    );
    if (status === 401) return;
    await pause(100);
  }
  throw new Error('Apache did not answer');
}
