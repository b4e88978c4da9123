/** Pages stay short enough to be read by one reader, and their lines short enough to be read in an editor or a diff. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const test = suite('limits of the documents');
const root = resolve(import.meta.dirname, '../..');
const mostLines = 400;
const mostLetters = 300;
const architecture = 'docs/architecture.md';

const pages: readonly (readonly [path: string, text: string])[] = [
  'README.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
].map((path) => [path, readFileSync(join(root, path), 'utf8')]);

/** The lines of a page that are too long, each as its number and its letters. Code stands as a machine reads or prints it. */
function longLinesOf(path: string, text: string): readonly (readonly [line: number, letters: number])[] {
  let isCode = false;
  return text.split('\n').flatMap((line, index) => {
    if (line.startsWith('```')) isCode = !isCode;
    const letters = [...(path === architecture ? withoutArrows(line) : line)].length;
    return !isCode && letters > mostLetters ? [[index + 1, letters] as const] : [];
  });
}

/** A row of that page without its last cell, which is drawn from the imports. */
const withoutArrows = (line: string): string => line.replace(/^(\| `[\w/-]+` \| [^|]+ \|)[^|]+\|$/, '$1');

test('no page has more than 400 lines', () => {
  assert.ok(pages.length > 20, `${pages.length} pages`);
  const long = pages.filter(([, text]) => text.trimEnd().split('\n').length > mostLines);
  assert.equal(
    long.map(([path]) => path),
    [],
  );
});

test('no line of a page has more than 300 characters', () => {
  const long = pages.flatMap(([path, text]) =>
    longLinesOf(path, text).map(([line, letters]) => `${path}:${line}: ${letters}`),
  );
  assert.equal(long, []);
});

test('a long line is found, but not in code, and arrows are not counted', () => {
  const long = 'x'.repeat(mostLetters + 1);
  assert.equal(longLinesOf('README.md', `ok\n${long}\n\`\`\`\n${long}\n\`\`\`\n${'ä'.repeat(mostLetters)}`), [
    [2, mostLetters + 1],
  ]);
  const rooms = `| \`api/http\` | routes | ${long} |\n| \`api/http\` | ${long} | none |`;
  assert.equal(longLinesOf(architecture, rooms).length, 1);
  assert.equal(longLinesOf('README.md', rooms).length, 2);
});

test.run();
