/** The database driver comes compiled, and Node 20 has it compiled when it is installed (deploy/compile-driver.mjs). */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Refusal } from '../reasons/refusals.ts';
import { errorCode } from '../runtime/error-code.ts';
import { isCheckout } from '../runtime/typescript.mjs';

const name = 'better-sqlite3';

/**
 * Refuses to go on with a driver that was not compiled, where Node would end without a word at the first database.
 * @param nodeApi the version of Node-API: `process.versions.napi`
 * @param folder the driver's own
 */
export function requireCompiledDriver(nodeApi = process.versions.napi, folder = folderOfDriver()): void {
  const came = existsSync(join(folder, 'prebuilds'));
  if (Number(nodeApi) >= 10 ? came || isCompiled(folder) : !came && isCompiled(folder)) return;
  throw refusedDriver('The database driver was not compiled for this version of Node');
}

/** The refusal for an error of a driver that cannot be loaded; undefined for every other error. */
export function refusedLoad(error: unknown): Refusal | undefined {
  const isLoading = ['ERR_DLOPEN_FAILED', 'MODULE_NOT_FOUND', 'ERR_MODULE_NOT_FOUND'].includes(errorCode(error));
  if (!(isLoading && error instanceof Error && error.message.includes(name))) return undefined;
  return refusedDriver('The database driver cannot be loaded');
}

function folderOfDriver(): string {
  try {
    return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
  } catch {
    throw refusedDriver('The database driver is not installed');
  }
}

const isCompiled = (folder: string): boolean =>
  ['Release', 'Debug'].some((build) => existsSync(join(folder, 'build', build, 'better_sqlite3.node')));

const refusedDriver = (message: string): Refusal =>
  new Refusal('bad-configuration', {
    message,
    hint: isCheckout
      ? 'make setup compiles it where it is needed, and goes on if it was interrupted'
      : 'install the package again, and let npm run its script: npm install --global --allow-scripts=papergate PACKAGE; or take Node 24 or newer',
  });
