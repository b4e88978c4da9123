/** The notices of what a package and an image hold that others wrote, held against what is compiled and installed here. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bundleApp } from '../../api/console/bundle-app.ts';
import { bundleBannerScript } from '../../api/rendering/banner-script.ts';
import { withFolder } from '../journeys/world.ts';
import { buildWhenOld } from '../runner/built.ts';

const test = suite('notices');
const root = join(import.meta.dirname, '../..');
/** The modules of the build, which belong to no floor. */
const { installedBelow, licencesOf, noticeOf, noticesName, packageFoldersOf } = await import(
  join(root, 'deploy/notices.ts')
);

/** The packages that a bundler compiles in, by its own report. */
async function compiledIn(): Promise<readonly string[]> {
  const inputs = new Set<string>();
  await bundleApp(inputs);
  const ofConsole = packageFoldersOf(inputs);
  for (const name of ['preact', '@preact/signals', 'idb', 'uqr', '@simplewebauthn/browser'])
    assert.ok(ofConsole.includes(`node_modules/${name}`), `${name} in ${ofConsole}`);
  await bundleBannerScript(inputs);
  return packageFoldersOf(inputs);
}

/** The packages that an image has beside the service: those that the lockfile calls needed at run time, as far as they are here. */
function neededHere(): readonly string[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return Object.entries<{ dev?: boolean }>(packages)
    .filter(([path, { dev }]) => path !== '' && dev !== true && existsSync(join(root, path)))
    .map(([path]) => join(root, path));
}

test('a package names everything that is compiled into its files, with its licence, its text and its source', async () => {
  buildWhenOld();
  const text = await readFile(join(root, 'dist', noticesName), 'utf8');
  for (const folder of await compiledIn()) {
    const { name, version, licence, source, texts } = noticeOf(join(root, folder));
    assert.ok(text.includes(`\n${name} ${version}\nLicence: ${licence}\n`), name);
    assert.match(source, /^https:\/\/github\.com\//, name);
    assert.ok(texts.length > 0, `${name} comes without its text`);
    for (const one of texts) assert.ok(text.includes(one), name);
  }
  // The Mozilla Public License asks for the place of the source.
  const { version } = noticeOf(join(root, 'node_modules/@duckduckgo/autoconsent'));
  const archive = `https://registry.npmjs.org/@duckduckgo/autoconsent/-/autoconsent-${version}.tgz`;
  assert.ok(
    text.includes(`Licence: MPL-2.0\n`) && text.includes(`https://github.com/duckduckgo/autoconsent and ${archive}`),
  );
});

test('an image names the packages next to them too: fonts, libheif and libvips among them', () =>
  withFolder(async (folder) => {
    await mkdir(join(folder, 'dist'));
    await writeFile(join(folder, 'dist/compiled-in.json'), '[]');
    const modules = join(root, 'node_modules');
    execFileSync('ln', ['-s', modules, join(folder, 'node_modules')]);
    execFileSync(process.execPath, [join(root, 'deploy/notices.ts'), folder]);
    const text = await readFile(join(folder, noticesName), 'utf8');
    const written = (path: string): string => `\n${noticeOf(path).name} ${noticeOf(path).version}\nLicence: `;
    for (const path of neededHere()) assert.ok(text.includes(written(path)), path);
    assert.match(text, /\n@fontsource-variable\/inter [\d.]+\nLicence: OFL-1\.1\n[\s\S]*SIL OPEN FONT LICENSE/);
    assert.match(text, /\nlibheif-js [\d.]+\nLicence: LGPL-3\.0-only\n[\s\S]*GNU LESSER GENERAL PUBLIC LICENSE/);
    assert.match(
      text,
      /\n@img\/sharp-libvips-[\w-]+ [\d.]+\nLicence: LGPL-3\.0-or-later\n[\s\S]*\| libvips +\| LGPLv3/,
    );
  }));

test('the label of the image is what the packages in it say together, and each of them says something', async () => {
  const folders = [...(await compiledIn()).map((folder) => join(root, folder)), ...neededHere()];
  const notices = [{ licence: 'Apache-2.0' }, ...folders.map(noticeOf)];
  const label = /image\.licenses="([^"]+)"/.exec(readFileSync(join(root, 'deploy/container/Dockerfile'), 'utf8'))?.[1];
  assert.is(label, licencesOf(notices));
  assert.not.match(label ?? '', /UNKNOWN|SEE LICEN[CS]E/);
});

test('packages are found inside of packages and below a scope, and our own files belong to none', () => {
  const inputs = [
    'console/main.tsx',
    'node_modules/a/b.js',
    'node_modules/a/c.js',
    '../../node_modules/@s/d/node_modules/e/f.js',
  ];
  assert.equal(packageFoldersOf(inputs), ['../../node_modules/@s/d/node_modules/e', 'node_modules/a']);
  const found: string[] = installedBelow(join(root, 'node_modules')).map((folder: string) =>
    folder.slice(root.length + 1),
  );
  assert.ok(
    found.includes('node_modules/@preact/signals') && found.some((path) => /node_modules.*node_modules/.test(path)),
  );
});

test.run();
