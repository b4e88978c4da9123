import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { requireCompiledDriver } from '../../cli/require-driver.ts';
import { withScratchFolder } from './papergate.ts';

const test = suite('database driver of Node 20');

test('a driver that was not compiled is refused where Node needs that, with what to do', () =>
  withScratchFolder(async (folder) => {
    assert.throws(
      () => requireCompiledDriver('9', folder),
      (error: { hint?: string }) => /--allow-scripts=papergate/.test(error.hint ?? ''),
    );
    requireCompiledDriver('10', folder);
    const built = join(folder, 'build/Release');
    await mkdir(built, { recursive: true });
    await writeFile(join(built, 'better_sqlite3.node'), '');
    requireCompiledDriver('9', folder);
  }));

test('the driver of this installation is there', () => {
  requireCompiledDriver();
});

test.run();
