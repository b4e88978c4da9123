/** Refusals of files and folders that cannot be used, in a sentence that names the file and says what to do. */

import { type Refusal, refuse } from '../../reasons/refusals.ts';
import { errorCode } from '../error-code.ts';

type Problem = readonly [problem: string, hint: string];

const foreign: Problem = ['may not be used by this user', 'chown it, or run the command as the user it belongs to'];
const unwritable: Problem = ['cannot be written', 'is its disk mounted read-only?'];
const full: Problem = ['cannot be written: the disk is full', 'make room on it'];
const unreachable: Problem = ['cannot be reached', 'is the share mounted, and its server there?'];
const failing: Problem = [
  'cannot be read or written',
  'look at the log of the system: a disk fails, or a share is away',
];
const unable: Problem = [
  'is on a file system that cannot do what is needed',
  'name a folder on another one; the data folder belongs on a disk of this machine',
];
const inUse: Problem = ['is in use by another program or machine', 'end that, or name another one'];
const noFolder: Problem = ['is not a folder, or lies in none', 'name another one'];

/** The reasons by the system's error code, or by SQLite's code without its additions about the place. */
const problems: Readonly<Record<string, Problem>> = {
  EACCES: foreign,
  EPERM: foreign,
  SQLITE_PERM: foreign,
  EROFS: unwritable,
  SQLITE_READONLY: unwritable,
  ENOSPC: full,
  EDQUOT: full,
  SQLITE_FULL: full,
  ENOTDIR: noFolder,
  EEXIST: noFolder,
  ENOENT: ['is not there, and cannot be made', 'name another one'],
  EISDIR: ['is a folder', 'a file belongs there'],
  ELOOP: noFolder,
  ENAMETOOLONG: ['has a longer name than its file system takes', 'name a shorter one'],
  EILSEQ: ['has a name that its file system does not take', 'name another one'],
  EFBIG: [
    'would be larger than its file system takes',
    'name a folder on another one: FAT32 takes files of up to 4 GiB',
  ],
  EBUSY: inUse,
  ETXTBSY: inUse,
  EAGAIN: inUse,
  ENOLCK: ['cannot be locked by its file system', 'name a folder on a disk of this machine'],
  EIO: failing,
  EREMOTEIO: failing,
  ENODATA: failing,
  SQLITE_IOERR: failing,
  SQLITE_PROTOCOL: unable,
  SQLITE_NOLFS: unable,
  EINVAL: unable,
  ENOSYS: unable,
  ENOTSUP: unable,
  EOPNOTSUPP: unable,
  EXDEV: unable,
  EMLINK: unable,
  ESTALE: unreachable,
  EHOSTDOWN: unreachable,
  ENOTCONN: unreachable,
  ENODEV: unreachable,
  ENXIO: unreachable,
  SQLITE_CANTOPEN: ['cannot be opened', 'may this user read and write it?'],
  SQLITE_NOTADB: ['is not a database, or a damaged one', 'put it back from a backup'],
  SQLITE_CORRUPT: ['is damaged', 'put it back from a backup'],
};

/** The calls of the system that are about files alone; sockets are read and written, too. */
const fileCalls =
  /^(?:access|chmod|close|copyfile|fdatasync|fsync|ftruncate|l?stat|link|mkdir|mkdtemp|open|opendir|rename|rm|rmdir|scandir|statfs|unlink)$/;

/**
 * Returns the refusal for an error of the file system or of SQLite; undefined for every other error.
 * @param path the file that could not be used, where the error does not name it
 * @param named the variable or option that set the path
 */
export function refusedFile(error: unknown, path: string, named?: string): Refusal | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = errorCode(error);
  const { path: told = path, syscall = '' } = error as NodeJS.ErrnoException;
  const ofFile: Problem | undefined = fileCalls.test(syscall)
    ? [`cannot be used (${code})`, 'look at the log of the system: a disk fails, or a share is away']
    : undefined;
  const known = problems[/^SQLITE_[A-Z]+/.exec(code)?.[0] ?? code] ?? ofFile;
  if (known === undefined) return undefined;
  const [problem, hint] = known;
  const subject = named === undefined ? told : `${named}: ${told}`;
  return refuse('bad-configuration', { message: `${subject} ${problem}`, hint });
}

/**
 * The same for a file that is only read: one that is not there is called so, and nothing of it is to be made.
 * @param hint what to give in its place
 */
export function refusedReading(error: unknown, path: string, hint: string, named?: string): Refusal | undefined {
  const code = errorCode(error);
  if (code !== 'ENOENT' && code !== 'ENOTDIR') return refusedFile(error, path, named);
  const message = `there is no file ${path}`;
  return refuse('bad-configuration', { message: named === undefined ? message : `${named}: ${message}`, hint });
}
