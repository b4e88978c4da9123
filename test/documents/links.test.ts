/** The documents lead somewhere: their links, the headings those name, the files they speak of, and their commands. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { program } from '../../cli/commands.ts';
import { architectureFiles } from './architecture.ts';

const test = suite('documents');
const root = resolve(import.meta.dirname, '../..');

interface Page {
  readonly path: string;
  readonly text: string;
  /** The text without blocks of code. */
  readonly prose: string;
}

const pages: readonly Page[] = ['README.md', 'CHANGELOG.md', ...markdownBelow('docs')].map((path) => {
  const text = readFileSync(join(root, path), 'utf8');
  return { path, text, prose: text.replaceAll(/^```[\s\S]*?^```/gm, '') };
});

function markdownBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`);
}

/** How GitHub names a heading. */
const anchorOf = (heading: string): string =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

function anchorsOf(path: string): string[] {
  const prose = pages.find((page) => page.path === path)?.prose ?? '';
  return [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));
}

test('every link of the documents leads to a file and a heading that exist', () => {
  const broken = pages.flatMap(({ path, prose }) =>
    [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !/^(?:https?|mailto):/.test(target))
      .filter((target) => {
        const [file = '', anchor] = target.split('#');
        const found = file === '' ? path : relative(root, resolve(root, dirname(path), file));
        return !existsSync(join(root, found)) || (anchor !== undefined && !anchorsOf(found).includes(anchor));
      })
      .map((target) => `${path}: ${target}`),
  );
  assert.ok(pages.length > 20, `${pages.length} pages`);
  assert.equal(broken, []);
});

test('every file that the documents link to is in the package, too, where they are read without a checkout', () => {
  const { files }: { files: string[] } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const packed = [...files, 'README.md', 'LICENSE', 'package.json'];
  const missing = pages.flatMap(({ path, prose }) =>
    [...prose.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !/^(?:https?|mailto):/.test(target))
      .map((target) => relative(root, resolve(root, dirname(path), target)))
      .filter((found) => !packed.some((file) => found === file || found.startsWith(`${file}/`)))
      .map((found) => `${path}: ${found}`),
  );
  assert.equal(missing, []);
});

/** Pages about the code: what they name in backquotes with a folder and an ending is a file of the checkout. */
const aboutCode = ['architecture', 'capacity', 'contributing', 'dialects', 'rendering', 'simulation'].map(
  (name) => `docs/${name}.md`,
);

test('every file that the pages about the code name exists', () => {
  const named = pages
    .filter(({ path }) => aboutCode.includes(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/`([a-z][\w-]*(?:\/[\w.-]+)+\.(?:ts|mjs|md|json|h))`/g)].map(([, file = '']) => ({
        path,
        file,
      })),
    );
  assert.ok(named.length > 100, `${named.length} files are named`);
  assert.equal(
    named.filter(({ file }) => !existsSync(join(root, file))).map(({ path, file }) => `${path}: ${file}`),
    [],
  );
});

test('what the pages about the code place in a file is there: `name` in `file`, `one` and `other` of `file`', () => {
  const name = '`[A-Za-z]\\w*`';
  const placed = new RegExp(
    `(${name}(?:(?:,| and|, and) ${name})*) (?:in|of) \`([a-z][\\w-]*(?:/[\\w.-]+)+\\.ts)\``,
    'g',
  );
  const named = pages
    .filter(({ path }) => aboutCode.includes(path))
    .flatMap(({ path, prose }) =>
      [...prose.replaceAll(/\s+/g, ' ').matchAll(placed)].flatMap(([, names = '', file = '']) =>
        [...names.matchAll(/`(\w+)`/g)].map(([, word = '']) => ({ path, file, word })),
      ),
    );
  assert.ok(named.length >= 15, `${named.length} names are placed`);
  assert.equal(
    named
      .filter(({ file, word }) => !new RegExp(`\\b${word}\\b`).test(readFileSync(join(root, file), 'utf8')))
      .map(({ path, file, word }) => `${path}: ${word} in ${file}`),
    [],
  );
});

test('docs/architecture.md has a row for every room, with the arrows that its imports draw', () => {
  for (const [path, content] of architectureFiles()) {
    const accept = 'node --import tsx test/accept.ts architecture writes it anew';
    assert.ok(pages.find((page) => page.path === path)?.text === content, `${path} shows other arrows: ${accept}`);
  }
});

/** Returns the mistake in a command of the documents, in the words of the command table; undefined when there is none. */
function problemOf(line: string): string | undefined {
  let command: Command = program;
  const words = line.split(/\s+/).slice(1);
  while (words[0] !== undefined) {
    const next = command.commands.find((one) => one.name() === words[0]);
    if (next === undefined) break;
    command = next;
    words.shift();
  }
  // One that does something by itself has options of its own.
  const isItself = command.options.length > 0 && (words[0] ?? '-').startsWith('-');
  if (command.commands.length > 0 && !isItself) return `no such command: ${words[0] ?? 'none'}`;
  const known = command.options.map(({ long }) => long);
  const unknown = words.filter((word) => /^--[a-z]/.test(word) && !known.includes(word));
  if (unknown.length > 0) return `no such option: ${unknown.join(' ')}`;
  const missing = command.options.filter(({ mandatory, long }) => mandatory && !words.includes(long ?? ''));
  return missing.length === 0 ? undefined : `it also asks for ${missing.map(({ long }) => long).join(' ')}`;
}

test('no document asks npx for the command, which would install the checkout again, or a package of somebody else', () => {
  const asking = pages.filter(
    ({ path, text }) => /\bnpx papergate\b/.test(text) && !path.startsWith('docs/decisions/'),
  );
  assert.equal(
    asking.map(({ path }) => path),
    [],
  );
});

test('every papergate command of the documents is one of the command table, with its options', () => {
  const written = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/(?<![\w/.])\.\/papergate [^\n`#&]+/g)].map(([line]) => ({ path, line: line.trim() })),
  );
  assert.ok(written.length > 40, `${written.length} were found`);
  assert.equal(
    written.flatMap(({ path, line }) => {
      const problem = problemOf(line);
      return problem === undefined ? [] : [`${path}: ${line}: ${problem}`];
    }),
    [],
  );
});

test.run();
