import { mkdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { requireCompiledDriver } from '../../cli/require-driver.ts';
import { withScratchFolder } from './papergate.ts';

const test = suite('database driver of Node 20');

test('a driver that was not compiled is refused where Node needs that, with what to do', () =>
  withScratchFolder(async (folder) => {
    await mkdir(join(folder, 'prebuilds'));
    assert.throws(
      () => requireCompiledDriver('9', folder),
      (error: { hint?: string }) => /--allow-scripts=papergate/.test(error.hint ?? ''),
    );
    requireCompiledDriver('10', folder);
    await rmdir(join(folder, 'prebuilds'));
    requireCompiledDriver('9', folder);
  }));

test('the driver of this installation is there', () => {
  requireCompiledDriver();
});

test.run();
