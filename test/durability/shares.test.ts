/**
 * Folders on file systems that cannot do what a disk can, as shares of a NAS and sticks: the kernel refuses a process the
 * calls that they refuse (strace).
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { refusedFile } from '../../runtime/disk/refuse-file.ts';
import { refusedFullDisk } from '../../runtime/disk/spare-room.ts';
import { errorCode } from '../../runtime/error-code.ts';
import { environmentOf, withFolder } from '../journeys/world.ts';
import { papergateCommand } from '../runner/built.ts';
import { unlessUnable } from '../some-times.ts';

const shares = suite('shares');
const hasTracer = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;
const test = unlessUnable(shares, hasTracer ? undefined : 'strace is not installed, or may not trace here');

interface Refused {
  /** The calls, and the error with which the kernel refuses them. */
  readonly inject: string;
  /** The files and folders of which they are refused; all of them where none is named. */
  readonly on?: readonly string[];
}

/** Runs `papergate` where some calls are refused. */
function papergateWhere({ inject, on = [] }: Refused, env: Record<string, string>, ...args: string[]) {
  const calls = inject.split(':')[0] ?? '';
  const paths = on.flatMap((path) => ['-P', path]);
  const traced = ['-f', '-qq', '-o', '/dev/null', '-e', `trace=${calls}`, '-e', `inject=${inject}`, ...paths];
  return spawnSync('strace', [...traced, process.execPath, papergateCommand, ...args], { encoding: 'utf8', env });
}

const syncs = 'fsync,fdatasync';
const founding = ['setup', '--organization', 'Home', '--email', 'ada@example.org', '--name', 'Ada', '--json'];

test('INV-73: a data folder that cannot sync folders, link or change modes is set up and backed up, and reported once', () =>
  withFolder(async (folder, rows) => {
    const data = join(folder, 'data');
    const env = environmentOf(data, rows);
    const folders = [folder, data, join(data, 'authority'), join(data, 'files')];
    const set = papergateWhere({ inject: `${syncs}:error=EINVAL`, on: folders }, env, ...founding);
    assert.is(set.status, 0, set.stderr);
    const other = join(folder, 'other');
    const linkless = papergateWhere(
      { inject: 'link,linkat,chmod,fchmod,fchmodat:error=EPERM' },
      { ...env, PAPERGATE_DATA: other },
      ...founding,
    );
    assert.is(linkless.status, 0, linkless.stderr);
    assert.ok(readdirSync(other).includes('secret.key'));
    assert.equal(
      readdirSync(other).filter((name) => /[0-9a-f]{8}-[0-9a-f]{4}/.test(name)),
      [],
      'nothing is left beside the keys',
    );
    const share = join(folder, 'share');
    mkdirSync(share);
    for (const error of ['EINVAL', 'EOPNOTSUPP', 'ENOSYS', 'EBADF', 'EACCES', 'EPERM']) {
      const to = join(share, `${error}.tar`);
      const made = papergateWhere(
        { inject: `${syncs}:error=${error}`, on: [share] },
        env,
        ...['backup', 'create', '--out', to],
      );
      assert.is(made.status, 0, `${error}: ${made.stderr}`);
      assert.match(made.stderr, /share: its file system, a share or a stick, cannot sync folders/);
    }
    const checked = spawnSync(process.execPath, [papergateCommand, 'backup', 'check', join(share, 'EINVAL.tar')], {
      env,
    });
    assert.is(checked.status, 0);
    assert.equal(
      readdirSync(share).filter((name) => name.startsWith('.')),
      [],
    );
  }));

test('a share that fails or is away is a sentence with what to do, and nothing half-written lies there', () =>
  withFolder(async (folder, rows) => {
    const data = join(folder, 'data');
    const env = environmentOf(data, rows);
    const founded = spawnSync(process.execPath, [papergateCommand, ...founding], { env, encoding: 'utf8' });
    assert.is(founded.status, 0, founded.stderr);
    const share = join(folder, 'share');
    mkdirSync(share);
    const refusals = [
      [`${syncs}:error=EIO`, /cannot be read or written/],
      [`${syncs}:error=EDQUOT`, /the disk is full/],
      [`${syncs}:error=ESTALE`, /cannot be reached.*is the share mounted/s],
      ['rename,renameat,renameat2:error=EBUSY', /is in use by another program/],
      ['rename,renameat,renameat2:error=EHOSTDOWN', /cannot be reached/],
    ] as const;
    for (const [inject, words] of refusals) {
      const to = join(share, 'a.tar');
      const on = inject.startsWith('rename') ? [] : [share];
      const made = papergateWhere({ inject, on }, env, 'backup', 'create', '--out', to);
      assert.is(made.status, 1, `${inject}: ${made.stderr}`);
      assert.match(made.stderr, words);
      assert.not.match(made.stderr, /\n\s+at /, 'no stack');
    }
    assert.equal(readdirSync(share), []);
  }));

shares(
  'every error of the system about a file is a refusal, and those that Node knows by number alone have a name',
  () => {
    for (const [name, number] of Object.entries(constants.errno)) {
      const error = Object.assign(new Error(name), {
        code: name,
        errno: -number,
        syscall: 'open',
        path: '/mnt/nas/a.tar',
      });
      const refusal = refusedFile(error, '/mnt/nas', 'PAPERGATE_BACKUPS');
      assert.match(refusal?.message ?? '', /^PAPERGATE_BACKUPS: \/mnt\/nas\/a\.tar /, name);
      assert.ok(refusal?.hint, name);
    }
    const numbered = (number: number) =>
      Object.assign(new Error('x'), { code: `Unknown system error -${number}`, errno: -number, syscall: 'write' });
    assert.is(errorCode(numbered(constants.errno.EDQUOT)), 'EDQUOT');
    assert.is(refusedFullDisk(numbered(constants.errno.EDQUOT))?.code, 'unavailable', 'a quota is a full disk');
    assert.match(refusedFile(numbered(constants.errno.ESTALE), '/mnt/nas/a.tar')?.message ?? '', /cannot be reached/);
    const strange = Object.assign(numbered(117), { syscall: 'fsync' });
    assert.match(refusedFile(strange, '/mnt/nas')?.message ?? '', /cannot be used \(Unknown system error -117\)/);
    const ofNetwork = Object.assign(new Error('x'), { code: 'ECONNREFUSED', syscall: 'connect' });
    assert.is(refusedFile(ofNetwork, '/mnt/nas'), undefined, 'a database that is away is not a file');
  },
);

shares.run();
