/**
 * The packages that the service needs at run time, by the lockfile alone: the same list on every machine, with those of other
 * platforms. What is installed here adds their texts.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A package of the lockfile. */
export interface LockedPackage {
  /** Its folder, such as `node_modules/koa`. */
  readonly path: string;
  readonly name: string;
  readonly version: string;
  /** The digest of its archive in the registry, as `sha512-…`. */
  readonly integrity: string;
  /** The licence that the lockfile names, if any. */
  readonly licence: string | undefined;
  /** Not every machine installs it. */
  readonly isOptional: boolean;
  /** The packages that it needs, by their folders. */
  readonly needs: readonly string[];
}

interface Entry {
  readonly name?: string;
  readonly version: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** Every package of the lockfile. */
function entriesOf(root: string): Readonly<Record<string, Entry>> {
  return JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

function lockedOf(entries: Readonly<Record<string, Entry>>, path: string): LockedPackage {
  const entry = entries[path];
  if (entry === undefined) throw new Error(`${path} is not in package-lock.json`);
  const { name = nameOf(path), version, integrity = '', license, optional } = entry;
  const needed = { ...entry.dependencies, ...entry.optionalDependencies, ...entry.peerDependencies };
  const needs = Object.keys(needed).flatMap((one) => placeOf(entries, path, one) ?? []);
  return { path, name, version, integrity, licence: license, isOptional: optional === true, needs: needs.sort() };
}

/** The folder in which a package finds another one: its own `node_modules`, or one of a folder above it. */
function placeOf(entries: Readonly<Record<string, Entry>>, from: string, name: string): string | undefined {
  for (let folder = from; ; ) {
    const place = join(folder, 'node_modules', name);
    if (place in entries) return entries[place]?.dev === true ? undefined : place;
    const above = folder.lastIndexOf('node_modules/');
    if (above < 0) return undefined;
    folder = folder.slice(0, above).replace(/\/$/, '');
  }
}

/** Returns the packages that the service needs at run time, sorted by their folders. */
export function neededPackages(root: string): readonly LockedPackage[] {
  const entries = entriesOf(root);
  const paths = Object.keys(entries).filter((path) => path !== '' && entries[path]?.dev !== true);
  return paths.sort().map((path) => lockedOf(entries, path));
}

/** Returns the packages of these folders, which are compiled into our files. */
export function packagesAt(root: string, folders: readonly string[]): readonly LockedPackage[] {
  const entries = entriesOf(root);
  return folders.map((folder) => lockedOf(entries, folder));
}

/** The folders that `package.json` itself asks for at run time. */
export function neededDirectly(root: string): readonly string[] {
  return lockedOf(entriesOf(root), '').needs;
}

/** Returns the version of one that is for several platforms, whichever of them is installed here. */
const familyOf = ({ name, version }: LockedPackage): string =>
  `${name.replace(/-(?:darwin|freebsd|linux|linuxmusl|webcontainers|win32|wasm32)\b.*/, '')} ${version}`;

/**
 * Returns the folder in which a package can be read: its own, or that of the same package for the platform of this machine.
 * Undefined for one that is for other machines alone.
 */
export function readableAt(root: string, one: LockedPackage, all: readonly LockedPackage[]): string | undefined {
  const isHere = ({ path }: LockedPackage): boolean => existsSync(join(root, path));
  const sibling = isHere(one) ? one : all.find((other) => isHere(other) && isKin(one, other));
  return sibling && join(root, sibling.path);
}

const isKin = (one: LockedPackage, other: LockedPackage): boolean =>
  one.isOptional && other.isOptional && one.licence === other.licence && familyOf(one) === familyOf(other);

/** A library or font that is compiled into a package, or lies in it. */
export interface Held {
  readonly name: string;
  readonly version: string | undefined;
  /** An expression of SPDX; undefined where the package's own text says it. */
  readonly licence: string | undefined;
  readonly kind: 'library' | 'font';
}

/** Returns what a package says that it holds of others; a package that is not here holds what its kin does. */
export function heldIn({ name, version }: LockedPackage, folder: string | undefined): readonly Held[] {
  if (folder === undefined) return [];
  const json = (file: string) => JSON.parse(readFileSync(join(folder, file), 'utf8'));
  const library = (called: string, its?: string, licence?: string): Held => ({
    name: called,
    version: its,
    licence,
    kind: 'library',
  });
  if (name.startsWith('@img/sharp-libvips-')) {
    const versions: Record<string, string> = json('versions.json');
    return Object.entries(versions).map(([called, its]) => library(called, its));
  }
  if (name === 'better-sqlite3') {
    const header = readFileSync(join(folder, 'deps/sqlite3/sqlite3.h'), 'utf8');
    return [library('SQLite', /#define SQLITE_VERSION +"([\d.]+)"/.exec(header)?.[1], 'blessing')];
  }
  if (name === 'libheif-js') {
    // Its major and minor versions are those of libheif.
    const its = version.split('.').slice(0, 2).join('.');
    return [library('libheif', its, 'LGPL-3.0-or-later'), library('libde265', undefined, 'LGPL-3.0-or-later')];
  }
  if (name === '@jitl/quickjs-wasmfile-release-sync') return [library('QuickJS', undefined, 'MIT')];
  if (readdirSync(folder).includes('metadata.json') && name.startsWith('@fontsource')) {
    const { family, version: its, license } = json('metadata.json');
    return [{ name: family, version: its, licence: license.type, kind: 'font' }];
  }
  return [];
}
