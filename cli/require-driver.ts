/** Node 20 has the database driver compiled when the package is installed (deploy/compile-driver.mjs). */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Refusal } from '../reasons/refusals.ts';

const driver = dirname(createRequire(import.meta.url).resolve('better-sqlite3/package.json'));

/**
 * Refuses to go on with a driver that was not compiled, where Node would end without a word at the first database.
 * @param nodeApi the version of Node-API: `process.versions.napi`
 * @param folder the driver's own
 */
export function requireCompiledDriver(nodeApi = process.versions.napi, folder = driver): void {
  if (Number(nodeApi) >= 10 || !existsSync(join(folder, 'prebuilds'))) return;
  throw new Refusal('bad-configuration', {
    message: 'The database driver was not compiled, which this version of Node needs',
    hint: 'npm leaves install scripts out unless it is told: npm install --global --allow-scripts=papergate PACKAGE; or take Node 24 or newer',
  });
}
