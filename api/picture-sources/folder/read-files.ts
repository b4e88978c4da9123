/**
 * Reads a folder in a process of its own: a share that hangs blocks the program that asks it, for good and whatever the signal (FO-4).
 * It reads and never writes, and writes one line for each page, or the bytes of a file; the pipe holds it back while nobody
 * takes them.
 */
import { isUtf8 } from 'node:buffer';
import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  opendirSync,
  openSync,
  readSync,
  realpathSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join, sep } from 'node:path';
import { errorCode } from '../../../runtime/error-code.ts';
import { isStrayName, sortOfFile } from '../file-names.ts';
import { type FileJob, failedExit, type JobLine, type ScannedFile } from './file-job.ts';

const most = { depth: 24, page: 500, folders: 500 } as const;
/** The answers that a folder within may give without the whole being away. */
const passing: readonly string[] = ['EACCES', 'EPERM', 'ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'];

/** Why nothing was read, where the operating system has no code for it. */
class Refused extends Error {
  readonly code: 'OUTSIDE' | 'ENODEV';
  constructor(code: Refused['code']) {
    super(code);
    this.code = code;
  }
}

/** Writes everything; a pipe may take a part, or nothing for now. */
function put(bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if (errorCode(error) !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

const say = (line: JobLine): void => put(Buffer.from(`${JSON.stringify(line)}\n`));

const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

/** Returns the real path of a place below the root, which it may not leave (FO-2). */
function realPlace({ root, dataFolder }: FileJob, below: string): string {
  const data = realpathSync(dataFolder);
  let real: string;
  try {
    real = realpathSync(root);
  } catch (error) {
    // Without its root nothing was removed: a share is not mounted.
    throw errorCode(error) === 'ENOENT' ? new Refused('ENODEV') : error;
  }
  const place = below === '' ? real : realpathSync(join(real, below));
  if (!isWithin(place, real) || isWithin(place, data)) throw new Refused('OUTSIDE');
  return place;
}

/** Returns what lies in a folder; one that may not be read is empty. */
function* entriesOf(path: string): Generator<Dirent<Buffer>> {
  let opened: ReturnType<typeof opendirSync>;
  try {
    // Names come as their bytes: as texts those that are not UTF-8 would name other files.
    opened = opendirSync(path, { encoding: 'buffer' as BufferEncoding, bufferSize: 256 });
  } catch (error) {
    if (passing.includes(errorCode(error))) return;
    throw error;
  }
  try {
    for (let entry = opened.readSync(); entry !== null; entry = opened.readSync()) {
      yield entry as unknown as Dirent<Buffer>;
    }
  } finally {
    opened.closeSync();
  }
}

/** Calls a function of the file system; undefined for a file that went away, or that may not be looked at. */
function orPassed<Result>(look: () => Result): Result | undefined {
  try {
    return look();
  } catch (error) {
    if (passing.includes(errorCode(error)) || error instanceof Refused) return undefined;
    throw error;
  }
}

function scan(job: Extract<FileJob, { kind: 'scan' }>): void {
  const start = realPlace(job, job.folder);
  say({ device: String(statSync(realpathSync(job.root)).dev) });
  const seen = new Set([start]);
  let page: { files: ScannedFile[]; unreadable: string[] } = { files: [], unreadable: [] };
  const flush = (): void => {
    say(page);
    page = { files: [], unreadable: [] };
  };
  const queue: [key: string, path: string, depth: number][] = [[job.folder, start, 0]];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const [folder, path, depth] = next;
    for (const { name } of entriesOf(path)) {
      if (page.files.length + page.unreadable.length >= most.page) flush();
      if (!isUtf8(name)) {
        page.unreadable.push((folder === '' ? '' : `${folder}/`) + name.toString('latin1'));
        continue;
      }
      const plain = name.toString();
      if (isStrayName(plain)) continue;
      const key = folder === '' ? plain : `${folder}/${plain}`;
      const found = orPassed(() => ({ real: realPlace(job, key), stats: statSync(join(path, plain)) }));
      if (found === undefined) continue;
      const { real, stats } = found;
      if (stats.isFile() && sortOfFile(plain) !== undefined) {
        page.files.push([key, stats.size, stats.mtimeMs, stats.ctimeMs, stats.birthtimeMs]);
      }
      const isNew = stats.isDirectory() && job.withSubfolders && depth < most.depth && !seen.has(real);
      if (!isNew) continue;
      seen.add(real);
      queue.push([key, real, depth + 1]);
    }
  }
  flush();
}

/** Lists the folders right below the root, each with the number of its own pictures. */
function listFolders(job: FileJob): void {
  let listed = 0;
  for (const { name } of entriesOf(realPlace(job, ''))) {
    if (!isUtf8(name) || isStrayName(name.toString())) continue;
    const folder = name.toString();
    const path = orPassed(() => realPlace(job, folder));
    if (path === undefined || orPassed(() => statSync(path).isDirectory()) !== true) continue;
    let count = 0;
    for (const { name: inner } of entriesOf(path)) {
      const file = inner.toString();
      if (isUtf8(inner) && !isStrayName(file) && sortOfFile(file) === 'picture') count += 1;
    }
    say({ folder, count });
    listed += 1;
    if (listed >= most.folders) return;
  }
}

function readFile(job: Extract<FileJob, { kind: 'read' }>): void {
  const path = orPassed(() => realPlace(job, job.key));
  if (path === undefined && entriesOf(realPlace(job, '')).next().done === true) throw new Refused('ENODEV');
  if (path === undefined) throw new Refused('OUTSIDE');
  // What became a link, or a pipe, since it was looked at is not opened, and waits for nobody.
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new Refused('OUTSIDE');
    if (!job.isHead && stats.size > job.maxBytes) throw Object.assign(new Error(), { code: 'EFBIG' });
    const piece = Buffer.alloc(256 * 1024);
    for (let left = job.maxBytes; left > 0; ) {
      const length = readSync(file, piece, 0, Math.min(piece.length, left), null);
      if (length === 0) return;
      put(piece.subarray(0, length));
      left -= length;
    }
  } finally {
    closeSync(file);
  }
}

try {
  // The service is trusted.
  const job = JSON.parse(process.argv[2] ?? '') as FileJob;
  if (job.kind === 'scan') scan(job);
  else if (job.kind === 'folders') listFolders(job);
  else readFile(job);
} catch (error) {
  writeSync(2, errorCode(error) || 'UNKNOWN');
  process.exit(failedExit);
}
