/**
 * The command that tests start: compiled, as a package holds it. It starts in three fifths of the processor time
 * that the sources take through a loader, which `make demo` and the tests in this process run.
 */

import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { typescriptArgs } from '../../runtime/typescript.mjs';
import { floors } from './floors.ts';

const root = join(import.meta.dirname, '../..');
const sources = [...floors, 'deploy'];
const variable = 'BUILT';

/** The path of the command: a file played by itself, without the runner, starts the sources. */
export const papergateCommand = join(root, process.env[variable] === '1' ? 'dist' : '.', 'cli/papergate.mjs');

/** Compiles the sources unless `dist/` is younger than all of them, for this process and those it starts. */
export function buildWhenOld(): void {
  const built = statSync(join(root, 'dist/package.json'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const isOld = sources
    .flatMap((floor) => readdirSync(join(root, floor), { withFileTypes: true, recursive: true }))
    .map((entry) => join(entry.parentPath, entry.name))
    .concat(join(root, 'package-lock.json'))
    .some((path) => statSync(path).mtimeMs > built);
  if (isOld) execFileSync(process.execPath, [...typescriptArgs, join(root, 'deploy/build.ts')], { stdio: 'inherit' });
  process.env[variable] = '1';
}
