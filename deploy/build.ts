/**
 * Compiles the sources into `dist/`, in the same folders, with the files they load: what a package holds and containers
 * run. `npm run build` does it, and `npm pack` before it packs. `npm run check` is what finds errors of types.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundleApp } from '../api/console/bundle-app.ts';
import { writeApp } from '../api/console/packed-app.ts';
import { bundleScreenScript, packedScreenScript } from '../api/recipes/screen/screen-script.ts';
import { bundleBannerScript, packedBannerScript } from '../api/rendering/banner-script.ts';
import { billName, billOfMaterials } from './bill-of-materials.ts';
import { noticesName, packageFoldersOf, thirdPartyNotices } from './notices.ts';

const root = resolve(import.meta.dirname, '..');
const dist = join(root, 'dist');
const { include } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'));
const floors = [...include, 'console', 'recipes'];
/** The sources that are compiled, or only compiled from. */
const compiled = new Set(['.ts', '.tsx', '.mjs']);
const isAppSource = /^console\/(?!icons\/)/;
/** The files of a package besides `dist/`, for authors of firmware; the stories are what its own conformance kit reads. */
const isForFirmware = /^firmware-protocol\/(?:papergate\.h|vectors\/(?!stories\.json))/;
const isLoopSource = /^api\/inks\/dithering\/loops\//;

rmSync(dist, { recursive: true, force: true });
// The second is the types of what a package exports.
for (const project of ['tsconfig.build.json', 'deploy/tsconfig.types.json']) {
  execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', project, '--noCheck'], { cwd: root, stdio: 'inherit' });
}

// The types of a package are those of what it exports. What that loads when it is called is named by none of them.
const isInside = /^(?:api|cluster|gateway|reasons)\/|^testbed\/(?!offline\/library\.)/;
for (const entry of readdirSync(dist, { withFileTypes: true, recursive: true })) {
  const path = join(entry.parentPath, entry.name);
  if (entry.name.endsWith('.d.ts') && isInside.test(path.slice(dist.length + 1))) rmSync(path);
}

for (const floor of floors) {
  for (const entry of readdirSync(join(root, floor), { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name).slice(root.length + 1);
    if (
      !entry.isFile() ||
      entry.name === 'tsconfig.json' ||
      compiled.has(extname(path)) ||
      isAppSource.test(path) ||
      isLoopSource.test(path) ||
      isForFirmware.test(path)
    )
      continue;
    mkdirSync(dirname(join(dist, path)), { recursive: true });
    cpSync(join(root, path), join(dist, path));
  }
}

const { name, version, type } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
writeFileSync(join(dist, 'package.json'), `${JSON.stringify({ name, version, type })}\n`);

const inputs = new Set<string>();
await writeApp(pathToFileURL(join(dist, 'console/packed/')), await bundleApp(inputs));

writeFileSync(join(dist, 'api/rendering', packedBannerScript), await bundleBannerScript(inputs));
writeFileSync(join(dist, 'api/recipes/screen', packedScreenScript), await bundleScreenScript(inputs));

// The loops of dithering hold parts of the library of their compiler.
const compiledIn = packageFoldersOf([...inputs, 'node_modules/assemblyscript/std/assembly/index.ts']);
writeFileSync(join(root, noticesName), thirdPartyNotices(root, compiledIn));
writeFileSync(join(root, billName), billOfMaterials(root, compiledIn));
