/** A folder of integrations as it lies on the disk: what it has, and the files that may be read of it. */
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { decodeManifest } from '../../api/integration/fetch-manifest.ts';
import { WrongUsage } from '../ground/usage.ts';

/** A folder of integrations. All paths are real ones, so that a link out of it is known as such. */
export interface Checkout {
  readonly root: string;
  /** The folder that has a folder for each integration. */
  readonly applications: string;
}

/** A manifest is as long as the service takes it. */
const maxManifestBytes = 64 * 1024;

/** Returns whether a text may be the name of an integration's folder. */
export const isSlug = (text: string): boolean => /^[a-z0-9][a-z0-9-]{0,99}$/.test(text);

/**
 * Opens a checkout: a folder with `applications/NAME/config.json`, or with `NAME/config.json`.
 * @throws WrongUsage for a folder without any
 */
export async function openCheckout(folder: string): Promise<Checkout> {
  const root = await realpath(folder).catch((error: NodeJS.ErrnoException) => {
    throw new WrongUsage(`${folder} cannot be read (${error.code})`, 'name the folder of the integrations');
  });
  for (const applications of [join(root, 'applications'), root]) {
    const checkout = { root, applications };
    if ((await slugsOf(checkout)).length > 0) return checkout;
  }
  throw new WrongUsage(
    `${folder} has no integrations`,
    'name a folder with applications/NAME/config.json, or with NAME/config.json',
  );
}

/** Returns the integrations that there are now, in the order of their names. */
export async function slugsOf(checkout: Checkout): Promise<readonly string[]> {
  const names = await readdir(checkout.applications).catch(() => []);
  const found: string[] = [];
  for (const name of names.filter(isSlug).sort()) {
    if ((await fileWithin(checkout, [checkout.applications, name], ['config.json'])) !== undefined) found.push(name);
  }
  return found;
}

/** A file that may be read. */
export interface ReadableFile {
  readonly path: string;
  readonly bytes: number;
  readonly changedAt: Date;
}

/**
 * Returns a file below a folder of the checkout; undefined for anything but a file of the checkout:
 * a link leads to no file outside of the checkout.
 */
export async function fileWithin(
  { root }: Checkout,
  folder: readonly string[],
  segments: readonly string[],
): Promise<ReadableFile | undefined> {
  if (!segments.every((segment) => /^[a-z0-9][a-z0-9._-]*$/i.test(segment))) return undefined;
  try {
    const path = await realpath(join(...folder, ...segments));
    if (!path.startsWith(root + sep)) return undefined;
    const found = await stat(path);
    return found.isFile() ? { path, bytes: found.size, changedAt: found.mtime } : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the manifest of an integration, or the words for what is wrong with it. */
export async function manifestWithin(
  checkout: Checkout,
  slug: string,
): Promise<Readonly<Record<string, unknown>> | 'missing' | 'unreadable'> {
  const file = await fileWithin(checkout, [checkout.applications, slug], ['config.json']);
  if (file === undefined) return 'missing';
  if (file.bytes > maxManifestBytes) return 'unreadable';
  const decoded = decodeManifest(await readFile(file.path));
  return decoded.ok ? decoded.manifest : 'unreadable';
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.otf': 'font/otf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
  '.webp': 'image/webp',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
};

/** Returns the type of a file by its name; undefined for one that is not handed out. */
export const typeOf = (name: string): string | undefined => types[extname(name).toLowerCase()];
