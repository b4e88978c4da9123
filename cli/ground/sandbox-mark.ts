/** The data folders of sandboxes: they are marked, so that nobody takes their rows, whose time was moved, for real ones. */
import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { databaseFile } from '../../api/service/open/service-context.ts';
import { refuse } from '../../reasons/refusals.ts';

/** The mark of a sandbox's folder. */
export const sandboxMark = 'sandbox.json';

/** The content of the mark: the sandbox's time when it was left, and the address at which time is moved while it runs. */
const markContent = z.object({ now: z.number(), control: z.string().nullable() });
export type SandboxMark = z.output<typeof markContent>;

/** Reads the mark; undefined where the folder does not belong to a sandbox. */
export async function readMark(folder: string): Promise<SandboxMark | undefined> {
  const text = await readFile(join(folder, sandboxMark), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return markContent.parse(JSON.parse(text));
  } catch {
    throw refuse('bad-configuration', {
      message: `${join(folder, sandboxMark)} cannot be read`,
      hint: 'remove the folder: a sandbox holds nothing real',
    });
  }
}

/** Writes the mark whole or not at all. */
export async function writeMark(folder: string, mark: SandboxMark): Promise<void> {
  const path = join(folder, sandboxMark);
  await writeFile(`${path}.new`, `${JSON.stringify(mark)}\n`, { mode: 0o600 });
  await rename(`${path}.new`, path);
}

/**
 * Keeps a sandbox away from the folder of a service.
 * @throws Refusal when the folder has rows and no mark
 */
export async function requireSandbox(folder: string): Promise<SandboxMark | undefined> {
  const mark = await readMark(folder);
  if (mark === undefined && existsSync(join(folder, databaseFile))) {
    throw refuse('bad-configuration', {
      message: `${folder} is the data folder of a service`,
      hint: 'a sandbox needs a folder of its own: --folder',
    });
  }
  return mark;
}

/**
 * Keeps a service away from the folder of a sandbox.
 * @throws Refusal when the folder has a mark
 */
export function refuseSandbox(folder: string): void {
  if (!existsSync(join(folder, sandboxMark))) return;
  throw refuse('bad-configuration', {
    message: `PAPERGATE_DATA: ${folder} is the folder of a sandbox, whose time was moved`,
    hint: 'papergate sandbox opens it; a service needs a folder of its own',
  });
}
