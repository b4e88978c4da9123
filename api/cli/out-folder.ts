/** Folders that an option names. */
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { makeFolder } from '../../gateway/runtime/durable-file.ts';
import { refusedFile } from '../../gateway/runtime/refuse-file.ts';

/**
 * Makes the folder that will be written to, before anything else is done: what is written there is known to nobody else.
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
