/** The backups of a folder, as their names describe them. */
import { readdir } from 'node:fs/promises';
import { undefinedIfMissing } from '../../runtime/disk/durable-file.ts';

const namedPattern = /^(papergate|nightly)-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z\.tar(?:\.age)?$/;

/** The beginnings of the names of backups: those that a person or a timer asks for, and those of the service. */
export type BackupPrefix = 'papergate' | 'nightly';

/** Reads the name of a backup, with the time at which it was made in epoch milliseconds; undefined for other files. */
export function readBackupName(name: string): { readonly prefix: BackupPrefix; readonly madeAt: number } | undefined {
  const [, prefix, day, hour, minute, second] = namedPattern.exec(name) ?? [];
  const madeAt = Date.parse(`${day}T${hour}:${minute}:${second}Z`);
  if (Number.isNaN(madeAt)) return undefined;
  return { prefix: prefix === 'nightly' ? 'nightly' : 'papergate', madeAt };
}

/** How many nightly backups a folder has, and when the last of all was made, epoch milliseconds. */
export type FoundBackups = Readonly<{ nightly: number; lastAt: number | undefined }>;

/**
 * Looks for the backups of a folder; one that is missing has none.
 * @throws the error of the file system for a folder that cannot be read
 */
export async function findBackups(folder: string): Promise<FoundBackups> {
  const names = (await readdir(folder).catch(undefinedIfMissing)) ?? [];
  const found = names.map(readBackupName).filter((read) => read !== undefined);
  const times = found.map(({ madeAt }) => madeAt);
  return {
    nightly: found.filter(({ prefix }) => prefix === 'nightly').length,
    lastAt: times.length === 0 ? undefined : Math.max(...times),
  };
}
