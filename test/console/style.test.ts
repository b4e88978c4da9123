/** The console's css: each folder has its own, which reaches no element of another feature, and none that nobody writes. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const test = suite('style of the console');

const root = resolve(import.meta.dirname, '../..');
const app = join(root, 'console');
const read = (path: string): string => readFileSync(join(app, path), 'utf8');
const paths = readdirSync(app, { recursive: true, encoding: 'utf8' });
const sources = paths.filter((path) => /\.tsx?$/.test(path)).map((path) => ({ path, text: read(path) }));

/** The styles that browsers load: the other files, one after the other. */
const whole = 'app.css';
const styles = paths.filter((path) => path.endsWith('.css') && path !== whole);
const cssOf = (path: string): string => read(path).replace(/\/\*[\s\S]*?\*\//g, '');

/** The ground, the parts, a feature, or the floor itself, which puts the features together. */
const folderOf = (path: string): string => (path.includes('/') ? (path.split('/')[0] ?? '') : 'floor');
const shared = ['ground', 'parts'];
const storeyOf = (path: string): number => {
  const storey = [...shared, 'feature', 'floor'].indexOf(folderOf(path));
  return storey < 0 ? shared.length : storey;
};

test('browsers load all css as one file: the ground, the parts, the features and the floor, in this order', () => {
  assert.ok(styles.length >= 20, styles.join());
  const lines = cssOf(whole).trim().split('\n');
  const named = lines.map((line) => /^@import "\.\/(.+)";$/.exec(line)?.[1] ?? `no import: ${line}`);
  assert.equal(named.toSorted(), styles.toSorted());
  const storeys = named.map(storeyOf);
  assert.equal(storeys, storeys.toSorted());
});

test('no css file has more than 250 lines', () => {
  const long = styles.filter((path) => read(path).split('\n').length > 250);
  assert.equal(long, []);
});

/** The selectors of a file. */
function selectorsOf(path: string): string[] {
  const rules = cssOf(path).replace(/@keyframes[^{]*\{(?:[^{}]*\{[^{}]*\})*/g, '');
  const heads = [...rules.matchAll(/([^{};]+)\{/g)].map(([, head = '']) => head.trim());
  return heads.filter((head) => !head.startsWith('@')).flatMap((head) => head.split(/,\s*(?![^(]*\))/));
}

/** The classes and ids that a selector names, as it names them. */
const namesIn = (selector: string): string[] => selector.replace(/"[^"]*"/g, '').match(/[.#][a-z][\w-]*/gi) ?? [];

/** The words of an attribute that is chosen among: `isOver ? 'send over' : 'send'`. */
const chosenWords = (code: string): string =>
  [...code.replace(/[!=]== '[^']*'/g, '').matchAll(/['`]([^'`]*)['`]?/g)].map(([, words]) => words).join(' ');

/** The folders whose elements have a class or an id. */
const writers = new Map<string, Set<string>>();
for (const { path, text } of sources) {
  for (const [, attribute, words, code = ''] of text.matchAll(/\b(class|id)=(?:"([^"]*)"|\{([^}]*))/g)) {
    for (const word of (words ?? chosenWords(code)).split(/\s+/)) {
      const name = `${attribute === 'id' ? '#' : '.'}${word}`;
      writers.set(name, (writers.get(name) ?? new Set()).add(folderOf(path)));
    }
  }
}

/** The one folder that writes a name; undefined when several do. What the floor writes as well is a feature's own. */
function ownerOf(name: string): string | undefined {
  const folders = [...(writers.get(name) ?? [])];
  const [owner, ...others] = folders.length > 1 ? folders.filter((folder) => folder !== 'floor') : folders;
  return others.length === 0 ? owner : undefined;
}

test('a rule of a feature names what it alone writes, and nothing of another; one of ground or parts names nothing of a feature', () => {
  assert.ok([...writers.keys()].filter((name) => ownerOf(name) === 'send').length > 5);
  const isRight = (folder: string, owners: readonly (string | undefined)[]): boolean =>
    owners.every((owner) => owner === undefined || owner === folder || shared.includes(owner)) &&
    (shared.includes(folder) || owners.includes(folder));
  const wrong = styles.flatMap((path) =>
    selectorsOf(path)
      .filter((selector) => !isRight(folderOf(path), namesIn(selector).map(ownerOf)))
      .map((selector) => `${path}: ${selector}`),
  );
  assert.equal(wrong, []);
});

test('every class and id of the css is written somewhere', () => {
  // The library that draws the forms of integrations writes its own.
  const named = styles
    .flatMap(selectorsOf)
    .flatMap(namesIn)
    .filter((name) => !name.startsWith('.jedi-'));
  assert.ok(new Set(named).size > 100, named.join());
  const contract = readFileSync(join(root, 'client/contract.ts'), 'utf8');
  const code = [contract, ...sources.map(({ text }) => text)].join('\n');
  assert.equal(
    named.filter((name) => !writers.has(name) && !code.includes(`'${name.slice(1)}`)),
    [],
  );
});

test.run();
