/** A disk of a few megabytes, for tests of what happens when it is full. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Mounts one; undefined where that cannot be done. */
export function mountDisk(megabytes: number): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'papergate-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'none', folder], { stdio: 'ignore' });
    return folder;
  } catch {
    rmdirSync(folder);
    return undefined;
  }
}

/** Removes it, even while somebody still uses it. */
export function unmountDisk(disk: string): void {
  execFileSync('umount', ['--lazy', disk]);
  rmdirSync(disk);
}
