/**
 * Writes the notices that the licences of others ask for, in one file for the package and the image: of what is compiled into
 * our files, as the bundler says, and of the packages that are installed next to them, as the lockfile says. It is the same on
 * every machine: a package for another platform has the text of its kin for this one.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { heldIn, type LockedPackage, neededPackages, readableAt } from './locked-packages.ts';

/** The file, in the folder of a package. */
export const noticesName = 'dist/THIRD-PARTY-NOTICES.txt';

/**
 * Returns the folders of the packages that files belong to, sorted; our own files belong to none.
 * @param inputs paths of a bundler's `metafile.inputs`
 */
export function packageFoldersOf(inputs: Iterable<string>): string[] {
  const folders = [...inputs].map((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0]);
  return [...new Set(folders.filter((folder) => folder !== undefined))].sort();
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
export const toldInTexts: Readonly<Record<string, string>> = {
  busboy: 'MIT',
  streamsearch: 'MIT',
  suncalc: 'BSD-2-Clause',
};

/** Returns a licence by the present name of SPDX's list. */
export const spelledLicence = (licence: string | undefined): string | undefined =>
  licence?.replace(/^LGPL-3\.0$/, 'LGPL-3.0-only');

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
    licence:
      spelledLicence(
        license?.type ??
          license ??
          licenses?.map(({ type }: { type: string }) => type).join(' OR ') ??
          toldInTexts[name],
      ) ?? 'UNKNOWN',
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
      if (text === '') {
        const place =
          licence === 'Apache-2.0' ? 'Its text is that of LICENSE.' : 'What it brings of that text is in its archive.';
        return [...head, '', place].join('\n');
      }
      if (first !== undefined) return [...head, '', `Its text is that of ${first}.`].join('\n');
      firstWith.set(text, `${name} ${version}`);
      return [...head, '', text].join('\n');
    })
    .join(`\n\n${line}\n\n`);
}

const opening = `Papergate is under the Apache License 2.0 (LICENSE). What others wrote and it holds is under the licences below.`;

/** The notice of a package of the lockfile. Where none of its kin is here, its archive alone has the text. */
function noticeOfLocked(root: string, one: LockedPackage, all: readonly LockedPackage[]): Notice {
  const { name, version, licence } = one;
  const folder = readableAt(root, one, all);
  if (folder !== undefined) return { ...noticeOf(folder), name, version };
  return { name, version, licence: spelledLicence(licence) ?? 'UNKNOWN', source: '', author: undefined, texts: [] };
}

/** Names the libraries and fonts in packages; those of one package for several platforms once. */
function wordHeld(root: string, needed: readonly LockedPackage[]): string {
  const holders = new Map<string, string[]>();
  for (const one of needed) {
    const parts = heldIn(one, readableAt(root, one, needed)).map(({ name, version, licence }) =>
      [name, version, licence && `(${licence})`].filter(Boolean).join(' '),
    );
    if (parts.length === 0) continue;
    const words = parts.join('\n  ');
    holders.set(words, [...(holders.get(words) ?? []), `${one.name} ${one.version}`]);
  }
  return [...holders].map(([words, names]) => `${names.join('\n')}\n  ${words}`).join('\n\n');
}

const inside = 'Where no licence stands here, the text of the package above says it.';
const ofImages = `An image also holds Node.js, whose licences are in LICENSE.node, and packages of Debian, each with its licences in
/usr/share/doc/NAME/copyright: those of its base, and those that deploy/container/Dockerfile names. \`dpkg-query -W\` lists them.`;

/**
 * Returns the notices of a package, as one text.
 * @param compiledIn the folders of packages that the bundler compiled in
 */
export function thirdPartyNotices(root: string, compiledIn: readonly string[]): string {
  const needed = neededPackages(root);
  const bundled = compiledIn.map((folder) => noticeOf(resolve(root, folder)));
  const installed = needed.map((one) => noticeOfLocked(root, one, needed));
  return [
    `${opening}\n\n`,
    chapterOf('Compiled into its files', wordNotices(bundled)),
    chapterOf('Packages that it uses, in node_modules', wordNotices(installed)),
    chapterOf('Libraries and fonts in these packages', `${wordHeld(root, needed)}\n\n${inside}`),
    chapterOf('In the images', ofImages),
  ].join('');
}

const chapterOf = (title: string, words: string): string => `${line}\n${title}\n${line}\n\n${words}\n\n`;

/** Returns an expression of SPDX for all of them together. */
export function licencesOf(notices: readonly Notice[]): string {
  const parts = notices.map(({ licence }) => (/ OR /.test(licence) ? `(${licence.replace(/^\(|\)$/g, '')})` : licence));
  return [...new Set(parts.flatMap((part) => part.split(' AND ')))].sort().join(' AND ');
}
