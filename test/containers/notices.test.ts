/** The notices of what a package and an image hold that others wrote, held against what is compiled and installed here. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bundleApp } from '../../api/console/bundle-app.ts';
import { bundleBannerScript } from '../../api/rendering/banner-script.ts';
import { buildWhenOld } from '../runner/built.ts';

const test = suite('notices');
const root = join(import.meta.dirname, '../..');
/** The modules of the build, which belong to no floor. */
const { licencesOf, noticeOf, noticesName, packageFoldersOf, thirdPartyNotices } = await import(
  join(root, 'deploy/notices.ts')
);
const { neededPackages } = await import(join(root, 'deploy/locked-packages.ts'));

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

/** The packages that an image has next to the service: those that the lockfile calls needed at run time. */
function needed(): readonly { readonly path: string; readonly name: string; readonly version: string }[] {
  return neededPackages(root);
}

function builtText(): string {
  buildWhenOld();
  return readFileSync(join(root, noticesName), 'utf8');
}

test('a package names everything that is compiled into its files, with its licence, its text and its source', async () => {
  const text = builtText();
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

test('it names the packages next to them too, for every platform: fonts, libheif and libvips among them', () => {
  const text = builtText();
  assert.ok(needed().length > 300);
  for (const { name, version } of needed()) assert.ok(text.includes(`\n${name} ${version}\nLicence: `), name);
  assert.not.match(text, /Licence: UNKNOWN/);
  assert.match(text, /\n@fontsource-variable\/inter [\d.]+\nLicence: OFL-1\.1\n[\s\S]*SIL OPEN FONT LICENSE/);
  assert.match(text, /\nlibheif-js [\d.]+\nLicence: LGPL-3\.0-only\n[\s\S]*GNU LESSER GENERAL PUBLIC LICENSE/);
  assert.match(text, /\n@img\/sharp-libvips-[\w-]+ [\d.]+\nLicence: LGPL-3\.0-or-later\n[\s\S]*\| libvips +\| LGPLv3/);
  const inside = text.slice(text.indexOf('\nLibraries and fonts in these packages\n'));
  for (const part of ['Inter v', 'Literata v', 'vips 8.', 'libheif 1.', 'libde265', 'SQLite 3.', 'QuickJS'])
    assert.ok(inside.includes(`\n  ${part}`), part);
  assert.ok(inside.includes('/usr/share/doc/NAME/copyright'), 'those of Debian by reference');
});

test('what a build wrote is current, and a machine of another platform would write the same', async () => {
  const text = builtText();
  const folders = (await compiledIn()).concat('node_modules/assemblyscript').sort();
  assert.is(text, thirdPartyNotices(root, folders));
  const [here = '', other = ''] = ['linux-x64', 'linux-arm64'].map((one) => `@img/sharp-libvips-${one} `);
  const noticeAt = (start: string): string =>
    /Licence[\s\S]*?(?=\n\n)/.exec(text.slice(text.indexOf(`\n${start}`)))?.[0] ?? '';
  assert.is(noticeAt(here).replaceAll('linux-x64', 'linux-arm64'), noticeAt(other));
});

test('the label of the image is what the packages in it say together, and each of them says something', async () => {
  const folders = [
    ...(await compiledIn()).map((folder) => join(root, folder)),
    ...needed()
      .map(({ path }) => join(root, path))
      .filter((path) => existsSync(path)),
  ];
  const notices = [{ licence: 'Apache-2.0' }, ...folders.map(noticeOf)];
  const label = /image\.licenses="([^"]+)"/.exec(readFileSync(join(root, 'deploy/container/Dockerfile'), 'utf8'))?.[1];
  assert.is(label, licencesOf(notices));
  assert.not.match(label ?? '', /UNKNOWN|SEE LICEN[CS]E/);
});

test('packages are found inside of packages and below a scope; our own files belong to none', () => {
  const inputs = [
    'console/main.tsx',
    'node_modules/a/b.js',
    'node_modules/a/c.js',
    '../../node_modules/@s/d/node_modules/e/f.js',
  ];
  assert.equal(packageFoldersOf(inputs), ['../../node_modules/@s/d/node_modules/e', 'node_modules/a']);
});

test.run();
