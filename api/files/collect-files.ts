/**
 * Deletes stored files that no paper, no device and no request refers to. A file that was made for a signed address
 * alone is referred to by no row: the two passes leave it longer than any address works.
 */
import { join } from 'node:path';
import type { Clock } from '../../runtime/clock.ts';
import type { Database } from '../../runtime/database/database.ts';
import { type Collected, collectFolder } from '../../runtime/disk/durable-folder.ts';
import type { FileAreas } from '../../runtime/files/file-areas.ts';
import { uncountFiles } from './organization-files.ts';
import { forgetNotes } from './picture-notes.ts';

export const references = [
  ['papers', 'picture_key'],
  ['papers', 'device_picture_key'],
  ['papers', 'editable_key'],
  ['replaced_pictures', 'picture_key'],
  ['replaced_pictures', 'device_picture_key'],
  ['replaced_pictures', 'editable_key'],
  ['sent_pictures', 'picture_key'],
  ['sent_pictures', 'thumbnail_key'],
  ['remote_pictures', 'picture_key'],
  ['device_images', 'picture_key'],
  ['device_images', 'device_picture_key'],
  ['paper_contents', 'image_key'],
  ['content_requests', 'image_key'],
  ['timed_pictures', 'picture_key'],
  ['timed_pictures', 'device_picture_key'],
  ['timed_pictures', 'editable_key'],
  ['covered_pictures', 'picture_key'],
  ['covered_pictures', 'device_picture_key'],
  ['covered_pictures', 'editable_key'],
  ['jobs', 'picture_key'],
] as const;

/** Returns the folder of the pictures that people and integrations sent. */
export function filesFolder(dataFolder: string): string {
  return join(dataFolder, 'files');
}

/**
 * Removes unused files, in the two passes of the folder's own collection, and stops counting them for any organization.
 */
export async function collectFiles(deps: {
  readonly db: Database;
  readonly clock: Clock;
  readonly dataFolder: string;
  /** Where files are, unless they lie in the data folder. */
  readonly areas?: FileAreas | undefined;
}): Promise<Collected> {
  const findUsed = async (names: readonly string[]): Promise<ReadonlySet<string>> => {
    const used = new Set<string>();
    for (const [table, column] of references) {
      for (const name of await deps.db(table).whereIn(column, names).distinct().pluck(column)) used.add(name);
    }
    return used;
  };
  const { db, clock, dataFolder, areas } = deps;
  await forgetNotes(deps, findUsed);
  const collected = await (areas?.collect('files', findUsed) ??
    collectFolder(filesFolder(dataFolder), findUsed, clock));
  await uncountFiles(db, findUsed, clock.now());
  return collected;
}
