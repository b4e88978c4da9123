import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { refusedLoad, requireCompiledDriver } from '../../cli/require-driver.ts';
import { withScratchFolder } from './papergate.ts';

const test = suite('database driver');

const isRefused = ({ code, hint }: { code?: string; hint?: string | undefined }): boolean =>
  code === 'bad-configuration' && /^make setup /.test(hint ?? '');

test('Node 20 takes what was compiled here alone, a newer Node also what came, and each refuses with what to do', () =>
  withScratchFolder(async (folder) => {
    const [came, built] = [join(folder, 'prebuilds'), join(folder, 'build/Release')];
    for (const nodeApi of ['9', '10']) assert.throws(() => requireCompiledDriver(nodeApi, folder), isRefused);
    await mkdir(came);
    requireCompiledDriver('10', folder);
    assert.throws(() => requireCompiledDriver('9', folder), isRefused);
    // It was compiled, and ended before what came was put aside: the driver would take that, and Node would crash.
    await mkdir(built, { recursive: true });
    await writeFile(join(built, 'better_sqlite3.node'), '');
    assert.throws(() => requireCompiledDriver('9', folder), isRefused);
    await rm(came, { recursive: true });
    for (const nodeApi of ['9', '10']) requireCompiledDriver(nodeApi, folder);
    // An interrupted compilation leaves the folder.
    await rm(join(built, 'better_sqlite3.node'));
    for (const nodeApi of ['9', '10']) assert.throws(() => requireCompiledDriver(nodeApi, folder), isRefused);
  }));

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
    assert.is(refusedLoad(load(join(folder, 'other.js'))), undefined);
    assert.is(refusedLoad(new Error('better-sqlite3')), undefined);
  }));

test('the driver of this installation is there', () => {
  requireCompiledDriver();
});

test.run();
