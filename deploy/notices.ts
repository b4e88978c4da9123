/**
 * Writes the notices that the licences of others ask for: of what is compiled into our files, as the bundler says, and of
 * the packages next to them. The build writes the first into a package; `node deploy/notices.ts FOLDER` writes both for the
 * package that is laid out in a folder with its `node_modules`, as an image has it.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The file, in the folder of a package. */
export const noticesName = 'THIRD-PARTY-NOTICES.txt';
/** The list of what the build compiled in, for the image: names, versions and texts. */
const compiledInName = 'dist/compiled-in.json';

/**
 * Returns the folders of the packages that files belong to, sorted; our own files belong to none.
 * @param inputs paths of a bundler's `metafile.inputs`
 */
export function packageFoldersOf(inputs: Iterable<string>): string[] {
  const folders = [...inputs].map((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0]);
  return [...new Set(folders.filter((folder) => folder !== undefined))].sort();
}

/** Returns the folders of all packages below a `node_modules`, those inside of others too. */
export function installedBelow(modules: string): string[] {
  if (!existsSync(modules)) return [];
  const places = readdirSync(modules).flatMap((name) => {
    if (name.startsWith('.')) return [];
    return name.startsWith('@') ? readdirSync(join(modules, name)).map((one) => join(name, one)) : [name];
  });
  const folders = places
    .map((place) => join(modules, place))
    .filter((folder) => existsSync(join(folder, 'package.json')));
  return folders.flatMap((folder) => [folder, ...installedBelow(join(folder, 'node_modules'))]);
}

/** A package and its licence. */
export interface Notice {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  readonly source: string;
  readonly author: string | undefined;
  readonly texts: readonly string[];
}

/** Licences that packages tell in their texts alone. */
const toldInTexts: Readonly<Record<string, string>> = { suncalc: 'BSD-2-Clause' };

/** Returns the licence of a package: an expression of SPDX, where its source is, and the texts that come with it. */
export function noticeOf(folder: string): Notice {
  const { name, version, license, licenses, repository, author } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  const texts = readdirSync(folder, { withFileTypes: true })
    .filter((file) => file.isFile() && /^(licen[cs]e|copying|notice)([.-]|$)/i.test(file.name))
    .map((file) => readFileSync(join(folder, file.name), 'utf8').trim());
  return {
    name,
    version,
    licence: (
      license?.type ??
      license ??
      licenses?.map(({ type }: { type: string }) => type).join(' OR ') ??
      toldInTexts[name] ??
      'UNKNOWN'
    ).replace(/^LGPL-3\.0$/, 'LGPL-3.0-only'),
    source: sourceOf(repository?.url ?? repository ?? ''),
    author: author?.name ?? author,
    texts: texts.length > 0 ? texts : [...chapterOfReadme(folder)],
  };
}

/** Some packages tell their licence in their README alone. */
function chapterOfReadme(folder: string): string[] {
  const readme = readdirSync(folder).find((name) => /^readme(\.md)?$/i.test(name));
  const text = readme === undefined ? '' : readFileSync(join(folder, readme), 'utf8');
  const chapter = /^(#+) *licen[cs](?:e|ing)[\s\S]*?(?=^#{1,2} |$(?![\s\S]))/im.exec(text)?.[0];
  return chapter === undefined ? [] : [chapter.trim()];
}

/** A page for people: repositories are written in many ways. */
function sourceOf(repository: string): string {
  const url = repository
    .replace(/^git\+/, '')
    .replace(/\.git$/, '')
    .replace(/^(?:git:\/\/|ssh:\/\/git@)/, 'https://');
  return /^[\w.-]+\/[\w.-]+$/.test(url) ? `https://github.com/${url}` : url.replace(/^github:/, 'https://github.com/');
}

const line = '-'.repeat(80);

/** Words notices, each text once: many packages share theirs word by word. */
function wordNotices(notices: readonly Notice[]): string {
  const firstWith = new Map<string, string>();
  return notices
    .map(({ name, version, licence, source, author, texts }) => {
      const archive = `https://registry.npmjs.org/${name}/-/${name.split('/').pop()}-${version}.tgz`;
      const head = [`${name} ${version}`, `Licence: ${licence}`];
      if (author) head.push(`By: ${author}`);
      head.push(`Source: ${[source, archive].filter(Boolean).join(' and ')}`);
      if (/MPL|LGPL/.test(licence)) {
        head.push(
          'It is used as it was published there, and may be changed and put in the place of this one under that licence.',
        );
      }
      if (/LGPL/.test(licence)) head.push('That adds to the GPL 3: https://www.gnu.org/licenses/gpl-3.0.txt');
      const text = texts.join('\n\n');
      const first = firstWith.get(text);
      if (text === '')
        return [...head, ...(licence === 'Apache-2.0' ? ['', 'Its text is that of LICENSE.'] : [])].join('\n');
      if (first !== undefined) return [...head, '', `Its text is that of ${first}.`].join('\n');
      firstWith.set(text, `${name} ${version}`);
      return [...head, '', text].join('\n');
    })
    .join(`\n\n${line}\n\n`);
}

const opening = `Papergate is under the Apache License 2.0 (LICENSE). What others wrote and it holds is under the licences below.`;

/** Writes the notices of a package that is packed: of what is compiled into its files. */
export function writeNotices(root: string, folders: readonly string[]): void {
  const notices = folders.map((folder) => noticeOf(resolve(root, folder)));
  writeFileSync(join(root, compiledInName), JSON.stringify(notices));
  writeFileSync(join(root, 'dist', noticesName), `${opening}\n\n${chapterOf('Compiled into its files', notices)}`);
}

const chapterOf = (title: string, notices: readonly Notice[]): string =>
  `${line}\n${title}\n${line}\n\n${wordNotices(notices)}\n\n`;

/** Returns an expression of SPDX for all of them together. */
export function licencesOf(notices: readonly Notice[]): string {
  const parts = notices.map(({ licence }) => (/ OR /.test(licence) ? `(${licence.replace(/^\(|\)$/g, '')})` : licence));
  return [...new Set(parts.flatMap((part) => part.split(' AND ')))].sort().join(' AND ');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const folder = resolve(process.argv[2] ?? '.');
  const compiledIn = JSON.parse(readFileSync(join(folder, compiledInName), 'utf8'));
  const installed = installedBelow(join(folder, 'node_modules')).map(noticeOf);
  writeFileSync(
    join(folder, noticesName),
    `${opening}\n\n${chapterOf('Compiled into its files', compiledIn)}${chapterOf('Packages that it uses, in node_modules', installed)}`,
  );
}
