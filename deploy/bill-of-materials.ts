/**
 * Writes the bill of materials of a package, as CycloneDX 1.6: every package that is compiled into our files or that the
 * lockfile calls needed at run time, with the libraries and fonts in them. It has no time, and its serial is made of what it
 * says, so that two builds of the same sources have the same bill.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Held,
  heldIn,
  type LockedPackage,
  neededDirectly,
  neededPackages,
  packagesAt,
  readableAt,
} from './locked-packages.ts';
import { spelledLicence, toldInTexts } from './notices.ts';

/** The bill, in the folder of a package. */
export const billName = 'dist/papergate.cdx.json';

const purlOf = ({ name, version }: Pick<LockedPackage, 'name' | 'version'>): string =>
  `pkg:npm/${name.replace('@', '%40')}@${version}`;

/** A licence, as CycloneDX has it: a name of SPDX's list, or an expression. */
const licencesOf = (licence: string | undefined) =>
  licence === undefined
    ? {}
    : { licenses: [/ (?:OR|AND) /.test(licence) ? { expression: licence } : { license: { id: licence } }] };

function hashesOf(integrity: string) {
  const [algorithm = '', content = ''] = integrity.split('-');
  if (algorithm !== 'sha512') return {};
  return { hashes: [{ alg: 'SHA-512', content: Buffer.from(content, 'base64').toString('hex') }] };
}

const heldComponent = (within: string, { name, version, licence, kind }: Held) => ({
  type: kind === 'font' ? 'data' : 'library',
  'bom-ref': `${within}#${name}`,
  name,
  ...(version !== undefined && { version }),
  ...licencesOf(licence),
  ...(kind === 'font' && { data: [{ type: 'other', name: 'font' }] }),
});

function componentOf(one: LockedPackage, held: readonly Held[], isCompiledIn: boolean) {
  const purl = purlOf(one);
  const [, group, name = one.name] = /^(@[^/]+)\/(.+)$/.exec(one.name) ?? [];
  const inside = held.map((part) => heldComponent(purl, part));
  return {
    type: 'library',
    'bom-ref': purl,
    ...(group !== undefined && { group }),
    name,
    version: one.version,
    scope: one.isOptional ? 'optional' : 'required',
    ...hashesOf(one.integrity),
    ...licencesOf(spelledLicence(one.licence ?? toldInTexts[one.name])),
    purl,
    ...(inside.length > 0 && { components: inside }),
    ...(isCompiledIn && { properties: [{ name: 'papergate:compiled-in', value: 'true' }] }),
  };
}

/** Several folders may hold the same version of a package: one component, which needs what each of them does. */
function byPurl(packages: readonly LockedPackage[]): Map<string, LockedPackage[]> {
  const all = new Map<string, LockedPackage[]>();
  for (const one of packages) all.set(purlOf(one), [...(all.get(purlOf(one)) ?? []), one]);
  return new Map([...all].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/**
 * Returns the bill as text.
 * @param compiledIn the folders of packages that the bundler compiled in
 */
export function billOfMaterials(root: string, compiledIn: readonly string[]): string {
  const { name, version, description, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const needed = neededPackages(root);
  const bundled = packagesAt(root, compiledIn);
  const isBundled = new Set(bundled.map(purlOf));
  const all = byPurl([...needed, ...bundled]);
  const purlAt = new Map([...needed, ...bundled].map((one) => [one.path, purlOf(one)]));
  const purlsAt = (paths: readonly string[]): string[] =>
    [...new Set(paths.flatMap((path) => purlAt.get(path) ?? []))].sort();
  const components = [...all.values()].flatMap(([one]) =>
    one === undefined ? [] : [componentOf(one, heldIn(one, readableAt(root, one, needed)), isBundled.has(purlOf(one)))],
  );
  const own = purlOf({ name, version });
  const content = {
    version: 1,
    metadata: {
      lifecycles: [{ phase: 'build' }],
      component: {
        type: 'application',
        'bom-ref': own,
        name,
        version,
        description,
        ...licencesOf(license),
        purl: own,
      },
    },
    components,
    dependencies: [
      { ref: own, dependsOn: purlsAt([...neededDirectly(root), ...compiledIn]) },
      ...[...all].map(([ref, folders]) => ({ ref, dependsOn: purlsAt(folders.flatMap(({ needs }) => needs)) })),
    ],
  };
  const head = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify(content))}`,
  };
  return `${JSON.stringify({ ...head, ...content }, undefined, 1)}\n`;
}

/** Returns a UUID of version 8, made of a text. */
function uuidOf(text: string): string {
  const digest = createHash('sha256').update(text).digest('hex');
  const variant = ((Number.parseInt(digest[16] ?? '0', 16) & 3) | 8).toString(16);
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `${variant}${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ].join('-');
}
