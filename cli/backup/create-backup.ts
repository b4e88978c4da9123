/** Makes a backup alongside a running service: the database first, then the files, so that every file it names is there. */
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import Sqlite from 'better-sqlite3';
import { type Pack, pack } from 'tar-stream';
import { requireRestored } from '../../api/service/open/half-restored.ts';
import { requireNotMoved } from '../../api/service/open/moved-rows.ts';
import { databaseFile } from '../../api/service/open/service-context.ts';
import { refuse } from '../../reasons/refusals.ts';
import { makeFolder, syncFile, syncFolder, undefinedIfMissing } from '../../runtime/disk/durable-file.ts';
import { refusedFile } from '../../runtime/disk/refuse-file.ts';
import { errorCode } from '../../runtime/error-code.ts';
import { encrypted } from './backup-key.ts';
import { checkPrefix } from './backup-place.ts';
import { requireRoomForBackup } from './backup-room.ts';
import { copyPostgres, copySqlite, refusedRows } from './copy-rows-aside.ts';
import { type FoundFile, findFiles, measureFile } from './find-files.ts';
import { type BackupManifest, backupFormat, digestName, manifestName } from './manifest.ts';
import { digestLine } from './read-backup.ts';

/** The sources and the purpose of a backup. */
export interface BackupPlan {
  readonly dataFolder: string;
  /** The address of the rows, where PostgreSQL has them. */
  readonly url: string | undefined;
  /** The file that is made. */
  readonly to: string;
  readonly key: string | undefined;
  readonly version: string;
  /** The time, in epoch milliseconds. */
  readonly now: number;
}

/** A backup that was made. */
export interface MadeBackup {
  readonly manifest: BackupManifest;
  /** False where the file system cannot sync names: a power loss may take the file back. */
  readonly isNameSynced: boolean;
}

const dayMs = 86_400_000;
const copyPrefix = `${databaseFile}.copy-`;

/**
 * Makes one file of a whole service. It stands under its name once it is whole and safe on the disk, or not at all.
 * @throws Refusal `bad-configuration` where the name is taken or something cannot be written
 */
export async function createBackup(plan: BackupPlan): Promise<MadeBackup> {
  const { dataFolder, url, to } = plan;
  requireRestored(dataFolder);
  if (url === undefined) await requireNotMoved(dataFolder);
  if ((await stat(to).catch(undefinedIfMissing)) !== undefined) {
    throw refuse('bad-configuration', {
      message: `--out: ${to} is there already`,
      hint: 'name another file, or a folder',
    });
  }
  const copy = join(dataFolder, `${copyPrefix}${randomUUID()}`);
  const aside = join(dirname(to), `.${basename(to)}.${randomUUID()}.part`);
  try {
    await makeFolder(dirname(to));
    await removeLeftovers(dataFolder, plan.now);
    await (url === undefined ? copySqlite(dataFolder, copy) : copyPostgres(url, dataFolder, copy));
    // SQLite writes into the copy when it is opened, so that it is measured after that.
    const described = describeCopy(plan, copy);
    const files = [await measureFile(databaseFile, copy), ...(await findFiles(dataFolder))];
    const manifest = { ...described, files: files.map(({ path: _, ...file }) => file) };
    await requireRoomForBackup(
      dataFolder,
      dirname(to),
      files.reduce((sum, { size }) => sum + size, 0),
    );
    await writeArchive({ aside, key: plan.key, manifest, files, mtime: new Date(plan.now) });
    await syncWritten(aside);
    return { manifest, isNameSynced: await nameBackup(aside, to) };
  } catch (error) {
    throw refusedRows(error) ?? refusedFile(error, to, '--out') ?? error;
  } finally {
    // Remains on a share that went away are removed on a later night.
    await rm(aside, { force: true }).catch(() => {});
    for (const suffix of ['', '-wal', '-shm', '-journal']) await rm(copy + suffix, { force: true });
  }
}

/** Removes copies of the database that a killed process left: those of backups, and those of nightly checks. */
async function removeLeftovers(dataFolder: string, now: number): Promise<void> {
  for (const name of await readdir(dataFolder)) {
    if (!name.startsWith(copyPrefix) && !name.startsWith(checkPrefix)) continue;
    const left = await stat(join(dataFolder, name)).catch(undefinedIfMissing);
    if (left !== undefined && now - left.mtimeMs > dayMs) {
      await rm(join(dataFolder, name), { recursive: true, force: true });
    }
  }
}

/** Returns the manifest of a copied database, as the copy describes itself. */
export function describeCopy(
  { version, now }: Pick<BackupPlan, 'version' | 'now'>,
  copy: string,
): Omit<BackupManifest, 'files'> {
  const db = new Sqlite(copy, { fileMustExist: true });
  try {
    db.pragma('journal_mode = delete');
    const rows = db.prepare('select name, schema from migrations order by id').all() as Record<string, unknown>[];
    const facts = db.prepare("select name, value from service_facts where name in ('id', 'files')").all();
    const factsByName = new Map((facts as { name: string; value: string }[]).map(({ name, value }) => [name, value]));
    return {
      format: backupFormat,
      version,
      schema: Math.max(1, ...rows.map(({ schema }) => Number(schema ?? 1))),
      migrations: rows.map(({ name }) => String(name)),
      service: factsByName.get('id') ?? '',
      createdAt: new Date(now).toISOString(),
      filesIn: factsByName.get('files') === 's3' ? 's3' : 'folder',
    };
  } finally {
    db.close();
  }
}

interface Archive {
  readonly aside: string;
  readonly key: string | undefined;
  readonly manifest: BackupManifest;
  readonly files: readonly FoundFile[];
  readonly mtime: Date;
}

async function writeArchive({ aside, key, manifest, files, mtime }: Archive): Promise<void> {
  const archive = pack();
  const plain = Readable.from(archive, { objectMode: false });
  const bytes = key === undefined ? plain : await encrypted(plain, key);
  const written = pipeline(bytes, createWriteStream(aside, { mode: 0o600, flags: 'wx' }));
  const text = JSON.stringify(manifest);
  const fill = async (): Promise<void> => {
    await addEntry(archive, { name: manifestName, mtime }, [Buffer.from(text)]);
    await addEntry(archive, { name: digestName, mtime }, [Buffer.from(digestLine(text))]);
    for (const file of files) await addFile(archive, file, mtime);
    archive.finalize();
  };
  // The archive cannot go on when the disk is full, and the file cannot end before the archive does.
  const filled = fill().catch((error: unknown) => {
    archive.destroy(error instanceof Error ? error : new Error(String(error)));
    throw error;
  });
  const failed = written.catch((error: unknown) => {
    archive.destroy(error instanceof Error ? error : new Error(String(error)));
    throw error;
  });
  const results = await Promise.allSettled([Promise.race([filled, failed]), failed]);
  const problem = results.find((result) => result.status === 'rejected');
  if (problem !== undefined) throw problem.reason;
}

/** Gives the file its name. @returns whether that is safe; where it cannot be known, the name is taken away again */
async function nameBackup(aside: string, to: string): Promise<boolean> {
  await rename(aside, to);
  try {
    return await syncFolder(dirname(to));
  } catch (error) {
    await rm(to, { force: true }).catch(() => {});
    throw error;
  }
}

async function syncWritten(path: string): Promise<void> {
  const file = await open(path, 'r+');
  await syncFile(file).finally(() => file.close());
}

async function addFile(archive: Pack, file: FoundFile, mtime: Date): Promise<void> {
  const hash = createHash('sha256');
  async function* bytes() {
    let left = file.size;
    for await (const part of createReadStream(file.path)) {
      hash.update(part);
      left -= part.length;
      if (left < 0) break;
      yield part as Buffer;
    }
    if (left !== 0 || hash.digest('hex') !== file.sha256) throw changedMeanwhile(file.name);
  }
  await addEntry(archive, { name: file.name, size: file.size, mtime }, bytes()).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') throw changedMeanwhile(file.name);
    throw error;
  });
}

function changedMeanwhile(name: string) {
  return refuse('unavailable', { message: `${name} was changed while it was copied`, hint: 'make the backup again' });
}

async function addEntry(
  archive: Pack,
  header: { readonly name: string; readonly mtime: Date; readonly size?: number },
  parts: readonly Buffer[] | AsyncIterable<Buffer>,
): Promise<void> {
  const size = header.size ?? (parts as readonly Buffer[]).reduce((sum, { length }) => sum + length, 0);
  const entry = archive.entry({ ...header, size, mode: 0o600 });
  const closed = once(entry, 'close');
  for await (const part of parts) {
    if (!entry.write(part)) await Promise.race([once(entry, 'drain'), closed]);
  }
  entry.end(null);
  await closed;
}
