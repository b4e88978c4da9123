/** Marks a data folder while a restore fills it, so that nobody serves from a part of a service. */
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { refuse } from '../../../reasons/refusals.ts';
import { replaceFile, syncFolder } from '../../../runtime/disk/durable-file.ts';

/** The mark in a folder that is being filled. */
const restoringFile = 'papergate.restoring';

/** Whether a restore fills the folder, or was killed in the middle of it. */
export const isHalfRestored = (dataFolder: string): boolean => existsSync(join(dataFolder, restoringFile));

/** Marks a folder before anything is written to it. */
export async function beginRestore(dataFolder: string): Promise<void> {
  await replaceFile(join(dataFolder, restoringFile), 'papergate backup restore fills this folder\n');
}

/** Takes the mark away once all is there, or nothing. */
export async function endRestore(dataFolder: string): Promise<void> {
  await rm(join(dataFolder, restoringFile));
  await syncFolder(dataFolder);
}

/** @throws Refusal `bad-configuration` for a folder that is filled in part */
export function requireRestored(dataFolder: string): void {
  if (!isHalfRestored(dataFolder)) return;
  throw refuse('bad-configuration', {
    message: `PAPERGATE_DATA: a restore into ${dataFolder} has not come to its end`,
    hint: 'let it end, or run papergate backup restore once more: it begins again',
  });
}
