/** Files that a page of the console is given. */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ElementHandle } from 'puppeteer';
import type { ConsolePage } from './console-world.ts';

/** Runs with files that the visitor's browser may read. */
export async function withFiles(
  files: Readonly<Record<string, Buffer>>,
  run: (paths: readonly string[]) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'papergate-pick-'));
  try {
    await chmod(folder, 0o755);
    for (const [name, bytes] of Object.entries(files)) await writeFile(join(folder, name), bytes, { mode: 0o644 });
    await run(Object.keys(files).map((name) => join(folder, name)));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Picks files as a person does in the file dialog. */
export async function pick({ page }: ConsolePage, paths: readonly string[]): Promise<void> {
  const input = (await page.waitForSelector('input[type=file][multiple]')) as ElementHandle<HTMLInputElement>;
  await input.uploadFile(...paths);
}
