/** A disk in real files, for what reads and writes the files of a database itself. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDisk, type Disk } from './disk.ts';

/** Creates a disk of its own in a temporary folder, lets it be used, and removes it. */
export async function withFileDisk<Result>(use: (disk: Disk) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'papergate-simulated-'));
  try {
    const disk = await createDisk(join(folder, 'rows.sqlite'));
    try {
      return await use(disk);
    } finally {
      disk.sqlite.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
