/**
 * Gives the files of a package the modes that they have everywhere: 755 for programs, 644 for the rest. A checkout's files have
 * those of its umask, and an archive holds them: two packages of one commit would differ. `npm pack` does it after the build.
 */
import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
/** The files that npm adds by itself. */
const always = ['package.json', 'README.md', 'LICENSE'];

const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
for (const path of [...files, ...always].map((name) => join(root, name)).filter((path) => existsSync(path))) {
  const inside = statSync(path).isDirectory() ? readdirSync(path, { withFileTypes: true, recursive: true }) : [];
  const all = inside.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  for (const file of inside.length > 0 ? all : [path])
    chmodSync(file, (statSync(file).mode & 0o100) === 0 ? 0o644 : 0o755);
}
