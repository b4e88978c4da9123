/** `papergate backup create`, `check` and `restore`. They open the data folder, or the file of a backup, themselves. */
import { stat } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { requireContext } from '../../api/service/open/service-context.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { refuse } from '../../reasons/refusals.ts';
import { systemClock } from '../../runtime/clock.ts';
import { undefinedIfMissing } from '../../runtime/disk/durable-file.ts';
import { printResult, printWarning } from '../ground/print.ts';
import { restoreMoment } from './archive.ts';
import { readBackupKey } from './backup-key.ts';
import { backupName, backupsFolder, unsyncedFolder } from './backup-place.ts';
import { createBackup } from './create-backup.ts';
import { damagedFiles } from './find-files.ts';
import type { BackupManifest } from './manifest.ts';
import { readBackup } from './read-backup.ts';
import { type CheckedBackup, checkBackup, restoreBackup } from './restore-backup.ts';

interface KeyOptions {
  readonly keyFile?: string;
  readonly json?: boolean;
}

/** Makes a backup of the service whose data folder the environment names; it may run meanwhile. */
export async function createBackupFile(
  version: string,
  { out, keyFile, json }: KeyOptions & { readonly out?: string },
): Promise<void> {
  const settings = readSettings(process.env);
  const { PAPERGATE_DATA: dataFolder, DATABASE_URL: url, PAPERGATE_BACKUP_KEY: given } = settings;
  requireContext(settings);
  const key = await readBackupKey(keyFile, given);
  const now = systemClock.now();
  const isEncrypted = key !== undefined;
  const file =
    out === undefined
      ? join(backupsFolder(settings), backupName('papergate', now, isEncrypted))
      : await targetOf(out, now, isEncrypted);
  const { manifest, isNameSynced } = await createBackup({ dataFolder, url, to: file, key, version, now });
  const damaged = damagedFiles(manifest.files);
  const size = (await stat(file)).size;
  printResult({ file, ...summaryOf(manifest), bytes: size, encrypted: isEncrypted }, json);
  if (damaged.length > 0) {
    printWarning(`${damaged.length} stored files were damaged before: papergate doctor --deep --files names them.`);
  }
  if (!isNameSynced) printWarning(`${dirname(file)}: ${unsyncedFolder}.`);
  warnOfOthers(manifest);
}

/** Reads a backup to its end, and reports its contents. */
export async function checkBackupFile(path: string, { keyFile, json }: KeyOptions): Promise<void> {
  const checked = await checkBackup(path, await readBackupKey(keyFile, readSettings(process.env).PAPERGATE_BACKUP_KEY));
  printResult({ file: path, ...contentOf(checked), bytes: (await stat(path)).size }, json);
  warnOfOthers(checked.manifest);
}

/**
 * Restores a backup into a folder that is not used: the data folder that the environment names, or another one. Where the
 * environment names a database on PostgreSQL, the rows go there. Without a file, with the folder of an archive in its place,
 * and for a moment, the archive is restored; a file that is named with a moment has to be a backup of the same service.
 */
export async function restoreBackupFile(
  path: string | undefined,
  options: KeyOptions & { readonly into?: string; readonly at?: string; readonly from?: string },
): Promise<void> {
  const { into, keyFile, json, at, from } = options;
  if (path === undefined) return restoreMoment(options);
  if (from === undefined && (await isFolderThere(path))) return restoreMoment({ ...options, from: path });
  const { PAPERGATE_DATA: dataFolder, PAPERGATE_BACKUP_KEY: given, DATABASE_URL: url } = readSettings(process.env);
  const key = await readBackupKey(keyFile, given);
  if (at !== undefined || from !== undefined) {
    const { service } = await readBackup(path, key);
    return restoreMoment({ ...options, ofService: { service, path } });
  }
  const folder = into ?? dataFolder;
  const restored = await restoreBackup(path, key, folder, url);
  printResult({ folder, ...contentOf(restored) }, json);
  warnOfOthers(restored.manifest);
}

/** The file that is made: the one that is named, or one in the folder that is named, after the time. */
async function targetOf(to: string, now: number, isEncrypted: boolean): Promise<string> {
  const isFolder = to.endsWith('/') || extname(to) === '' || (await isFolderThere(to));
  if (isFolder) return join(to, backupName('papergate', now, isEncrypted));
  if (!/\.tar(\.age)?$/.test(to)) {
    throw refuse('bad-configuration', {
      message: `--out: ${to} looks like a file, and no backup has such a name`,
      hint: `let the name end in ${isEncrypted ? '.tar.age' : '.tar'}, or in a slash where a folder is meant`,
    });
  }
  // The name shows whether the keys of the service can be read in it.
  if (to.endsWith('.age') && !isEncrypted) {
    throw refuse('bad-configuration', {
      message: `${to} would not be encrypted: there is no key`,
      hint: 'set PAPERGATE_BACKUP_KEY or give --key-file, or let the name end in .tar',
    });
  }
  if (!to.endsWith('.age') && isEncrypted) {
    throw refuse('bad-configuration', {
      message: `${to} would be encrypted: there is a key`,
      hint: 'let the name end in .tar.age, or leave out PAPERGATE_BACKUP_KEY and --key-file',
    });
  }
  return to;
}

async function isFolderThere(path: string): Promise<boolean> {
  return (await stat(path).catch(undefinedIfMissing))?.isDirectory() === true;
}

function summaryOf({ version, createdAt, service, filesIn, files }: BackupManifest) {
  const contentBytes = files.reduce((sum, { size }) => sum + size, 0);
  return { version, createdAt, service, filesIn, files: files.length, contentBytes };
}

const contentOf = ({ manifest, rows }: CheckedBackup) => ({
  ...summaryOf(manifest),
  damaged: damagedFiles(manifest.files).length,
  ...rows,
});

/** Says what belongs to the service and lies elsewhere. */
function warnOfOthers({ filesIn, files }: BackupManifest): void {
  if (filesIn === 's3') printWarning('The files of this service are in an object store: copy its bucket, too.');
  if (!files.some(({ name }) => name === 'secret.key')) {
    printWarning('The secret is not in it: the service was given PAPERGATE_SECRET_KEY. Keep that, too.');
  }
}
