/** The fonts of this machine, of the folders in which systems keep them. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { maxFaceBytes } from './face-file.ts';
import { type FontFace, readFaces } from './read-faces.ts';

/** The most files that are looked at; a machine with every font of its distribution has some 3,000. */
const maxFiles = 5_000;
const maxDepth = 8;
const isFont = /\.(?:ttf|otf|ttc|otc)$/i;

/**
 * Returns the fonts in some folders and in those below, in the order of their paths. Folders that cannot be read, files that
 * are broken and fonts that are too large are left out.
 */
export function machineFaces(folders: readonly string[]): readonly FontFace[] {
  const seen = new Set<string>();
  const paths = folders.flatMap((folder) => filesIn(folder, seen, maxDepth)).slice(0, maxFiles);
  return paths.flatMap((path) => attempt(() => readFaces(path)) ?? []).filter(({ bytes }) => bytes <= maxFaceBytes);
}

/** Returns the files of fonts in a folder, of which each is there once, no matter how many links lead to it. */
function filesIn(folder: string, seen: Set<string>, depth: number): readonly string[] {
  const names = attempt(() => readdirSync(folder).sort()) ?? [];
  return names.flatMap((name) => {
    const path = join(folder, name);
    const found = seen.size > maxFiles * 2 ? undefined : attempt(() => statSync(path));
    const key = found?.ino === 0 ? path : `${found?.dev} ${found?.ino}`; // Some systems do not number files.
    if (found === undefined || seen.has(key)) return [];
    seen.add(key);
    if (found.isDirectory()) return depth > 0 ? filesIn(path, seen, depth - 1) : [];
    return found.isFile() && isFont.test(name) ? [path] : [];
  });
}

function attempt<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch {
    return undefined; // It is not there, not ours to read, or broken.
  }
}
