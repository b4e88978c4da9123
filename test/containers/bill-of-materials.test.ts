/** The bill of materials of a package, held against the lockfile, npm's own bill, and what CycloneDX 1.6 asks for. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { buildWhenOld } from '../runner/built.ts';
import { longTest } from '../some-times.ts';

const test = suite('bill of materials');
const root = join(import.meta.dirname, '../..');
/** The modules of the build, which belong to no floor. */
const { billName, billOfMaterials } = await import(join(root, 'deploy/bill-of-materials.ts'));

interface Component {
  readonly type: string;
  readonly 'bom-ref': string;
  readonly group?: string;
  readonly name: string;
  readonly version?: string;
  readonly scope?: string;
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  readonly licenses?: readonly { readonly license?: { readonly id: string }; readonly expression?: string }[];
  readonly purl?: string;
  readonly components?: readonly Component[];
  readonly properties?: readonly { readonly name: string; readonly value: string }[];
}

interface Bill {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly serialNumber: string;
  readonly version: number;
  readonly metadata: { readonly timestamp?: string; readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

function builtBill(): Bill {
  buildWhenOld();
  return JSON.parse(readFileSync(join(root, billName), 'utf8'));
}

const flat = (components: readonly Component[]): Component[] =>
  components.flatMap((one) => [one, ...flat(one.components ?? [])]);
const isCompiledIn = ({ properties = [] }: Component): boolean =>
  properties.some(({ name, value }) => name === 'papergate:compiled-in' && value === 'true');

test('it has the form of CycloneDX 1.6: a serial, names, licences and digests as that writes them, and each reference once', () => {
  const { bomFormat, specVersion, serialNumber, version, metadata, components, dependencies } = builtBill();
  assert.equal([bomFormat, specVersion, version], ['CycloneDX', '1.6', 1]);
  assert.match(serialNumber, /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.is(metadata.timestamp, undefined, 'a time would differ between two builds');
  const all = [metadata.component, ...flat(components)];
  const refs = all.map((one) => one['bom-ref']);
  assert.is(new Set(refs).size, refs.length);
  for (const one of all) {
    assert.ok(['application', 'library', 'data'].includes(one.type) && one.name !== '', one['bom-ref']);
    assert.ok(one.scope === undefined || ['required', 'optional'].includes(one.scope), one['bom-ref']);
    for (const { alg, content } of one.hashes ?? []) assert.match(`${alg} ${content}`, /^SHA-512 [0-9a-f]{128}$/);
    for (const { license, expression } of one.licenses ?? []) {
      assert.match(license?.id ?? expression ?? '', /^(?!UNKNOWN)[\w .()+-]+$/, one['bom-ref']);
      assert.is(license === undefined, expression !== undefined, 'an expression stands alone');
    }
  }
  for (const one of components) {
    assert.ok(one.hashes && one.licenses && one.purl === one['bom-ref'], one['bom-ref']);
    assert.match(one.purl ?? '', /^pkg:npm\/(%40[\w.-]+\/)?[\w.-]+@\d+\.\d+\.\d+/);
  }
  assert.equal(
    dependencies.map(({ ref }) => ref),
    [metadata.component, ...components].map((one) => one['bom-ref']),
  );
  for (const { ref, dependsOn } of dependencies) {
    assert.is(new Set(dependsOn).size, dependsOn.length, ref);
    for (const one of dependsOn) assert.ok(refs.includes(one), `${ref} depends on ${one}`);
  }
});

test('it names what the lockfile calls needed, what is compiled in, and the libraries and fonts in them', () => {
  const { components } = builtBill();
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const named = new Map(components.map((one) => [one['bom-ref'], one]));
  for (const [path, entry] of Object.entries<{ dev?: boolean; name?: string; version: string }>(packages)) {
    if (path === '' || entry.dev === true) continue;
    const { version } = entry;
    // One is installed under another name than its own.
    const name = entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    assert.ok(named.has(`pkg:npm/${name.replace('@', '%40')}@${version}`), path);
  }
  const compiledIn = components.filter(isCompiledIn).map(({ group, name }) => [group, name].filter(Boolean).join('/'));
  for (const name of ['preact', '@preact/signals', 'idb', '@duckduckgo/autoconsent', 'assemblyscript']) {
    assert.ok(compiledIn.includes(name), `${name} in ${compiledIn}`);
  }
  const heldBy = (start: string): string[] =>
    components
      .filter((one) => one['bom-ref'].startsWith(start))
      .flatMap((one) => one.components ?? [])
      .map(({ name }) => name);
  assert.equal(heldBy('pkg:npm/%40fontsource-variable/'), ['Inter', 'Literata']);
  assert.equal(heldBy('pkg:npm/libheif-js@'), ['libheif', 'libde265']);
  assert.equal(heldBy('pkg:npm/better-sqlite3@'), ['SQLite']);
  for (const platform of ['linux-x64', 'linux-arm64', 'darwin-arm64']) {
    const held = heldBy(`pkg:npm/%40img/sharp-libvips-${platform}@`);
    for (const library of ['vips', 'heif', 'aom', 'cairo'])
      assert.ok(held.includes(library), `${platform}: ${library}`);
  }
});

test('it is current, and the same wherever it is written', () => {
  const text = readFileSync(join(root, billName), 'utf8');
  const { components } = builtBill();
  const folders = components
    .filter(isCompiledIn)
    .map(({ group, name }) => ['node_modules', group, name].filter(Boolean).join('/'));
  assert.is(billOfMaterials(root, folders.sort()), text);
  assert.not.ok(text.includes(root), 'no place of this machine');
});

/** The packages of npm's own bill. */
function npmsBill(...options: readonly string[]): readonly (string | undefined)[] {
  const said = execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', ...options], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  return (JSON.parse(said) as Bill).components.map(({ purl }) => purl);
}

longTest(test)('npm itself names all of its packages, and needs no others at run time', () => {
  const ours = builtBill().components.map(({ purl }) => purl);
  const [all, needed] = [npmsBill(), npmsBill('--omit', 'dev')];
  assert.ok(needed.length > 250, `${needed.length} packages`);
  // Npm leaves out of the second those that development needs as well.
  assert.equal(
    needed.filter((purl) => !ours.includes(purl)),
    [],
  );
  assert.equal(
    ours.filter((purl) => !all.includes(purl)),
    [],
  );
});

test.run();
