/** Files that a page offers, as the browser downloads them. */
import { chmod, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../journeys/world.ts';
import type { ConsolePage, ConsoleWorld } from './console-world.ts';

/** Presses a button, and returns the texts of the files that come of it, in the order of these patterns of their names. */
export async function takenFiles(
  { dataFolder }: ConsoleWorld,
  { page, click }: Pick<ConsolePage, 'page' | 'click'>,
  button: string,
  names: readonly RegExp[],
): Promise<string[]> {
  const folder = join(dataFolder, 'downloads');
  await mkdir(folder, { recursive: true });
  // The browser runs as somebody else.
  await chmod(dataFolder, 0o755);
  await chmod(folder, 0o777);
  const session = await page.browser().target().createCDPSession();
  const browserContextId = page.browserContext().id ?? '';
  await session.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: folder, browserContextId });
  await click(button);
  let found: readonly string[] = [];
  await eventually('the downloads', async () => {
    const all = await readdir(folder);
    found = names.flatMap((name) => all.find((one) => name.test(one)) ?? []);
    return found.length === names.length;
  });
  return Promise.all(found.map((name) => readFile(join(folder, name), 'utf8')));
}
