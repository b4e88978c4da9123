import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { refusedLoad } from '../../cli/refused-driver.ts';
import { withScratchFolder } from './papergate.ts';

const test = suite('database driver');

const isRefused = ({ code, hint }: { code?: string; hint?: string | undefined }): boolean =>
  code === 'bad-configuration' && /^make setup /.test(hint ?? '');

test('a driver that cannot be loaded is refused with what to do, and no other error is', () =>
  withScratchFolder(async (folder) => {
    const broken = join(folder, 'better-sqlite3.node');
    await writeFile(broken, 'half of it');
    const load = (file: string): unknown => {
      try {
        return createRequire(import.meta.url)(file);
      } catch (error) {
        return error;
      }
    };
    assert.ok(isRefused(refusedLoad(load(broken)) ?? {}));
    // No file of the driver is for this machine, or the driver is missing.
    assert.ok(isRefused(refusedLoad(load(join(folder, 'build/Release/better_sqlite3.node'))) ?? {}));
    assert.is(refusedLoad(load(join(folder, 'other.js'))), undefined);
    assert.is(refusedLoad(new Error('better-sqlite3')), undefined);
  }));

test.run();
