/** `docs/style.md`, as far as a pattern finds what it says: texts, sentences, strings, comments, documents and names. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ownSentences } from '../console/ground/own-sentences.ts';
import { sentences } from '../reasons/sentences.ts';
import { inRooms, checkout as root, type Source, sources } from './sources.ts';
import { namings, openings, wordings, wrongWords } from './wordings.ts';

const test = suite('style');

const textsOf = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : Object.values(value as Readonly<Record<string, unknown>>).flatMap(textsOf);

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Catalogues of English, by their paths. */
const catalogues = [
  'api/words/en.json',
  ...readdirSync(join(root, 'console'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('en.json'))
    .map((name) => `console/${name}`),
];

test('the rules of docs/style.md have examples, of which each pattern finds the wrong ones and none a right one', () => {
  const rows = [...read('docs/style.md').matchAll(/^\| (\d+) \| .* \| (.*) \| (.*) \|$/gm)];
  assert.is(rows.length, 12);
  const held = new Set<number>();
  for (const [, number, wrong = '', right = ''] of rows) {
    const ofRule = [...wordings, ...openings].filter(({ rule }) => rule === Number(number));
    for (const wording of ofRule) assert.equal(wrongWords([wording], 'page', wrong).length, 1, wrong);
    assert.equal(wrongWords([...wordings, ...openings], 'page', right), []);
    if (ofRule.length > 0) held.add(Number(number));
  }
  assert.ok(held.size >= 10, [...held].join());
});

test('a wrong word is found wherever it stands', () => {
  for (const planted of ['This is no frame.', 'A frame is told.', 'It is drawn anew.', 'ask whoever made it'])
    assert.is(wrongWords(wordings, 'page', planted).length, 1, planted);
  for (const fine of ['There is no frame.', 'It was told to sleep.', 'They are told apart.', 'It is no longer here.'])
    assert.equal(wrongWords(wordings, 'page', fine), []);
  for (const planted of ['const mostRows = 1', 'const usualSpan', 'turnOf(panel)'])
    assert.is(wrongWords(namings, 'api/x.ts', planted).length, 1, planted);
  assert.is(wrongWords(namings, 'api/audit/x.ts', 'const heardAt = told').length, 1);
  assert.equal(wrongWords(namings, 'api/x.ts', 'const heardAt = turns'), []);
});

test('texts of the console, of mails and of the glass, and sentences of answers', () => {
  const texts = [
    ...catalogues.flatMap((path) => textsOf(JSON.parse(read(path))).map((text) => [path, text] as const)),
    ...textsOf(sentences).map((text) => ['reasons/sentences', text] as const),
    ...textsOf(ownSentences).map((text) => ['console/ground/own-sentences.ts', text] as const),
  ];
  assert.ok(catalogues.length > 10 && texts.length > 1_500, `${texts.length} texts`);
  assert.equal(
    texts.flatMap(([path, text]) => wrongWords(wordings, path, text)),
    [],
  );
});

/** The texts of a file of code that have several words, such as help, hints and messages. */
function stringsOf({ path, text }: Source): string[] {
  const found: string[] = [];
  const add = (value: unknown) => typeof value === 'string' && /\w \w/.test(value) && found.push(value);
  new Visitor({
    Literal: ({ value }) => void add(value),
    TemplateElement: ({ value }) => void add(value.cooked),
    JSXText: ({ value }) => void add(value),
  }).visit(parseSync(path, text).program);
  return found;
}

test('help, hints, descriptions and messages in the code', () => {
  const strings = inRooms.flatMap((source) => stringsOf(source).map((text) => [source.path, text] as const));
  assert.ok(strings.length > 5_000, `${strings.length} strings`);
  assert.equal(
    strings.flatMap(([path, text]) => wrongWords(wordings, path, text)),
    [],
  );
});

test('comments and docstrings', () => {
  const comments = inRooms.flatMap(({ path, comments }) =>
    comments.map((text) => [path, text.replaceAll(/\s+\* /g, ' ')] as const),
  );
  assert.ok(comments.length > 5_000, `${comments.length} comments`);
  assert.equal(
    comments.flatMap(([path, text]) => wrongWords(wordings, path, text)),
    [],
  );
});

test('no docstring begins with “What”, in the tests either', () => {
  for (const planted of ['/** What a frame reports. */', '/**\n * What a frame reports.\n */'])
    assert.is(wrongWords(openings, 'x.ts', planted).length, 1, planted);
  assert.equal(wrongWords(openings, 'x.ts', '/** Whatever came, what a frame reports of it. */'), []);
  assert.equal(
    sources.flatMap(({ path, comments }) => comments.flatMap((text) => wrongWords(openings, path, text))),
    [],
  );
});

/** The titles of the tests of a file. */
function titlesOf({ path, text }: Source): string[] {
  const found: string[] = [];
  new Visitor({
    CallExpression: ({ callee, arguments: [title] }) => {
      if (!/^\w*test\w*\b/i.test(text.slice(callee.start, callee.end))) return;
      if (title?.type === 'Literal' && typeof title.value === 'string') found.push(title.value);
      if (title?.type === 'TemplateLiteral') found.push(title.quasis.map(({ value }) => value.cooked).join('…'));
    },
  }).visit(parseSync(path, text).program);
  return found;
}

test('titles of tests', () => {
  const titles = sources
    .filter(({ path }) => path.endsWith('.test.ts'))
    .flatMap((source) => titlesOf(source).map((title) => [source.path, title] as const));
  assert.ok(titles.length > 2_000, `${titles.length} titles`);
  assert.equal(
    titles.flatMap(([path, title]) => wrongWords(wordings, path, title)),
    [],
  );
});

test('documents', () => {
  const pages = ['README.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)].filter(
    (path) => path.endsWith('.md') && path !== 'docs/style.md',
  );
  assert.ok(pages.length > 20, `${pages.length} pages`);
  const prose = (path: string): string[] =>
    read(path)
      .replaceAll(/^```[\s\S]*?^```/gm, '')
      .replaceAll(/`[^`\n]*`/g, '`code`')
      .split(/\n\n|\n(?=[-|*])/);
  assert.equal(
    pages.flatMap((path) => prose(path).flatMap((text) => wrongWords(wordings, path, text))),
    [],
  );
});

test('names of the code', () => {
  assert.equal(
    inRooms.flatMap(({ path, code }) => code.split('\n').flatMap((line) => wrongWords(namings, path, line))),
    [],
  );
});

test.run();
