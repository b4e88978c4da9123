/** The backups of a folder, as their names describe them. */
import { readdir } from 'node:fs/promises';
import { undefinedIfMissing } from '../../runtime/disk/durable-file.ts';

const namedPattern = /^(papergate|nightly)-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z(\.damaged)?\.tar(?:\.age)?$/;

/** The beginnings of the names of backups: those that a person or a timer asks for, and those of the service. */
export type BackupPrefix = 'papergate' | 'nightly';

/** The facts that the name of a backup states. */
export interface NamedBackup {
  readonly prefix: BackupPrefix;
  /** Epoch milliseconds. */
  readonly madeAt: number;
  /** False where stored files were damaged before they were copied. */
  readonly isSound: boolean;
}

/** Reads the name of a backup; undefined for other files. */
export function readBackupName(name: string): NamedBackup | undefined {
  const [, prefix, day, hour, minute, second, damaged] = namedPattern.exec(name) ?? [];
  const madeAt = Date.parse(`${day}T${hour}:${minute}:${second}Z`);
  if (Number.isNaN(madeAt)) return undefined;
  return { prefix: prefix === 'nightly' ? 'nightly' : 'papergate', madeAt, isSound: damaged === undefined };
}

/** How many nightly backups a folder has, and when the last sound one of all was made, epoch milliseconds. */
export type FoundBackups = Readonly<{ nightly: number; lastAt: number | undefined }>;

/** A night may be missed, by a machine that was off; two are a fault. */
export const oldBackupMs = 48 * 3_600_000;

/**
 * Looks for the backups of a folder; one that is missing has none.
 * @throws the error of the file system for a folder that cannot be read
 */
export async function findBackups(folder: string): Promise<FoundBackups> {
  const names = (await readdir(folder).catch(undefinedIfMissing)) ?? [];
  const found = names.map(readBackupName).filter((read) => read !== undefined);
  const times = found.filter(({ isSound }) => isSound).map(({ madeAt }) => madeAt);
  return {
    nightly: found.filter(({ prefix }) => prefix === 'nightly').length,
    lastAt: times.length === 0 ? undefined : Math.max(...times),
  };
}
