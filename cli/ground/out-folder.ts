/** Folders that an option names. */
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { makeFolder } from '../../runtime/disk/durable-file.ts';
import { refusedFile } from '../../runtime/disk/refuse-file.ts';

/**
 * Makes the folder for output before anything else is done: the output exists nowhere else.
 * @throws Refusal `bad-configuration` that names the option
 */
export async function outFolder(option: string, path: string): Promise<void> {
  try {
    await makeFolder(path);
    await access(path, constants.W_OK);
  } catch (error) {
    throw refusedFile(error, path, option) ?? error;
  }
}
