/** The console's catalogues: every language has every text, with the same placeholders, and every text is used. */

import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { wordedLanguages } from '../../api/words/service-words.ts';
import { languages } from '../../console/ground/words.ts';
import { eventStages } from '../../gateway/frames/event-log.ts';
import { type ReasonCode, reasonCodes } from '../../reasons/reason.ts';
import { refusalCodes } from '../../reasons/refusals.ts';
import { sentences } from '../../reasons/sentences.ts';
import { readFolderTexts, readTexts, type Texts, textFolders } from './read-texts.ts';

const test = suite('words of the console');

const app = resolve(import.meta.dirname, '../../console');

const named = Object.keys(languages);
const catalogues = new Map(named.map((language): [string, Texts] => [language, readTexts(language)]));
const english = readTexts('en');

const serviceTexts = (language: string): Texts =>
  JSON.parse(readFileSync(resolve(import.meta.dirname, '../../api/words', `${language}.json`), 'utf8'));

const textsOf = (text: Texts[string] | undefined): string[] =>
  text === undefined ? [] : typeof text === 'string' ? [text] : Object.values(text);
const placeholders = (text: string): string[] => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort();

test('every folder has its English texts, each once, and every language is one file with all of them, in the order of the keys', () => {
  assert.ok(textFolders.length >= 10 && Object.keys(english).length > 1_000);
  const files = readdirSync(app, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'));
  const known = [
    ...textFolders.map((folder) => join(folder, 'en.json')),
    ...named.filter((language) => language !== 'en').map((language) => join('languages', `${language}.json`)),
  ];
  assert.equal(files.filter((name) => name !== 'tsconfig.json').toSorted(), known.toSorted());
  const all = textFolders.flatMap((folder) => {
    const keys = Object.keys(readFolderTexts(folder));
    assert.equal(keys, keys.toSorted(), folder);
    return keys;
  });
  assert.equal(
    all.filter((key, at) => all.indexOf(key) !== at),
    [],
  );
  for (const language of named.filter((name) => name !== 'en')) {
    assert.equal(Object.keys(readTexts(language)), all.toSorted(), language);
  }
});

test('the service has words in the languages of the console', () => {
  assert.equal([...wordedLanguages].toSorted(), named.toSorted());
  for (const language of wordedLanguages) {
    assert.equal(Object.keys(serviceTexts(language)), Object.keys(serviceTexts('en')).toSorted(), language);
  }
});

/** What is wrong with a translation: plurals of another language, placeholders that are missing or not known, nothing said. */
function faultsOf(language: string, text: Texts[string] | undefined, original: Texts[string] | undefined): string[] {
  const wanted = placeholders(textsOf(original).at(-1) ?? '');
  // "One frame" may do without its number.
  const isFilled = (form: string, category: string): boolean =>
    [...wanted, ...placeholders(form)].every(
      (name) => (form.includes(name) || (category === 'one' && name === '{count}')) && wanted.includes(name),
    );
  if (text === undefined || typeof text !== typeof original) return ['is no text of the same kind'];
  const forms = typeof text === 'string' ? { other: text } : text;
  const categories =
    typeof text === 'string' ? ['other'] : new Intl.PluralRules(language).resolvedOptions().pluralCategories;
  return [
    ...categories.filter((category) => !Object.hasOwn(forms, category)).map((category) => `lacks "${category}"`),
    ...Object.entries(forms).flatMap(([category, form]) => [
      ...(categories.some((one) => one === category) ? [] : [`has no use for "${category}"`]),
      ...(form.trim() === form && form !== '' ? [] : ['is empty, or has spaces at an end']),
      ...(isFilled(form, category) ? [] : [`has not ${wanted.join()}`]),
    ]),
  ];
}

test('a translation has the placeholders of the English text, and the plurals of its language', () => {
  const faults = named.flatMap((language) => {
    const pairs: readonly (readonly [Texts, Texts])[] = [
      [readTexts(language), english],
      [serviceTexts(language), serviceTexts('en')],
    ];
    return pairs.flatMap(([texts, originals]) =>
      Object.keys(originals).flatMap((key) =>
        faultsOf(language, texts[key], originals[key]).map((fault) => `${language} ${key} ${fault}`),
      ),
    );
  });
  assert.equal(faults, []);
});

test('a missing plural, a lost placeholder and an empty text are found', () => {
  const original = { one: '{count} frame', other: '{count} frames' };
  assert.equal(faultsOf('pl', { one: '{count} ramka', few: '{count} ramki', other: '{count} ramki' }, original), [
    'lacks "many"',
  ]);
  assert.equal(faultsOf('de', { one: 'Ein Rahmen', other: 'Rahmen' }, original), ['has not {count}']);
  assert.equal(faultsOf('de', ' ', 'Frames'), ['is empty, or has spaces at an end']);
  assert.equal(faultsOf('de', { one: 'a', few: 'b', other: '{count}' }, original).length, 2);
});

/** The code of the console by the folder below `console/`. */
function sourcesIn(isWanted: (folder: string) => boolean): string {
  return readdirSync(app, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .filter((name) => isWanted(name.includes(sep) ? (name.split(sep)[0] ?? '') : '.'))
    .map((name) => readFileSync(join(app, name), 'utf8'))
    .join('\n');
}

/** Whether code uses a text: by its key, or by a family of keys that ends with a code. */
function usesText(sources: string): (key: string) => boolean {
  const families = [...sources.matchAll(/\bt(?:Code)?\(\s*['`]([\w.]+?)\.?(?:'\s*,|\$\{|\.\$\{)/g)].map(
    ([, name]) => name,
  );
  // The ground words reasons for all: a feature has those that it alone tells.
  if (sources.includes('saidText(')) families.push('said');
  return (key) =>
    sources.includes(`'${key}'`) ||
    sources.includes(`"${key}"`) ||
    families.some((family) => key.startsWith(`${family}.`));
}

const isFeature = (folder: string): boolean => !['.', 'ground', 'parts'].includes(folder);

test('every text is used, that of a feature by the feature itself', () => {
  for (const folder of textFolders) {
    const isUsed = usesText(sourcesIn((other) => !isFeature(folder) || other === folder));
    const keys = Object.keys(readFolderTexts(folder));
    assert.equal(
      keys.filter((key) => !isUsed(key)),
      [],
      folder,
    );
  }
});

test('no feature uses a text of another: what two need lies in the parts', () => {
  for (const folder of textFolders.filter(isFeature)) {
    const own = sourcesIn((other) => other === folder);
    const others = textFolders.filter((other) => isFeature(other) && other !== folder);
    const foreign = others.flatMap((other) => Object.keys(readFolderTexts(other)));
    assert.equal(
      foreign.filter((key) => own.includes(`'${key}'`)),
      [],
      folder,
    );
  }
});

test('what every screen may show uses no text that comes with a feature', () => {
  const isCalled = usesText(sourcesIn((folder) => !isFeature(folder)));
  // Where a reason of one feature alone is read elsewhere, the service's own sentence stands.
  const isUsed = (key: string): boolean => !key.startsWith('said.') && isCalled(key);
  const late = textFolders.filter((folder) => isFeature(folder) && folder !== 'sign-in');
  assert.equal(
    late.flatMap((folder) => Object.keys(readFolderTexts(folder)).filter(isUsed)),
    [],
  );
});

test('every sentence and every refusal of the service has a text with no parameter that the service does not give', () => {
  const given = (code: ReasonCode): string[] => placeholders(sentences[code].replaceAll('#', ''));
  for (const [language, catalogue] of catalogues) {
    assert.equal(
      refusalCodes.filter((code) => !Object.hasOwn(catalogue, `problem.${code}`)),
      [],
      language,
    );
    assert.equal(
      reasonCodes.filter((code) => !Object.hasOwn(catalogue, `said.${code}`)),
      [],
      language,
    );
    for (const code of reasonCodes) {
      const used = placeholders(textsOf(catalogue[`said.${code}`]).at(-1) ?? '');
      assert.equal(
        used.filter((name) => !given(code).includes(name)),
        [],
        `${language} ${code}`,
      );
    }
  }
});

test('a text of a sentence belongs to a sentence, and one of a refusal to a refusal', () => {
  const own = ['unreachable', 'unknown', 'method-not-allowed'];
  const known = [
    ...reasonCodes.map((code) => `said.${code}`),
    ...[...refusalCodes, ...own].map((code) => `problem.${code}`),
  ];
  assert.equal(
    Object.keys(english).filter((key) => /^(?:said|problem)\./.test(key) && !known.includes(key)),
    [],
  );
});

test('every stage that the gateway records with an event has a text, and every text a stage', () => {
  const keys = eventStages.map((stage) => `stage.${stage.replaceAll(' ', '-')}`);
  assert.equal(
    Object.keys(english)
      .filter((key) => key.startsWith('stage.'))
      .sort(),
    [...keys].sort(),
  );
});

test('every fact that the gateway records with an event has a name', () => {
  const gateway = resolve(import.meta.dirname, '../../gateway');
  const read = (rooms: readonly string[]): string[] =>
    readdirSync(gateway, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && rooms.some((room) => name.startsWith(room)))
      .map((name) => readFileSync(join(gateway, name), 'utf8'));
  const rooms = ['adoption', 'commands', 'dialects', 'firmware', 'frames', 'pictures', 'provisioning'];
  const fieldsOf = (sources: readonly string[], expression: RegExp): string[] =>
    sources.flatMap((source) => [...source.matchAll(expression)].map(([, fields = '']) => fields));
  const names = [
    ...fieldsOf(read(['frames']), /interface WakeReport \{([^}]*)/g).flatMap((fields) =>
      [...fields.matchAll(/readonly (\w+)/g)].map(([, name = '']) => name),
    ),
    ...[
      ...fieldsOf(read(rooms), /\bpayload(?: =|:) \{([^{}]*)/g),
      ...fieldsOf(read(['identity']), /\bmore = \{([^{}]*)/g),
    ]
      .flatMap((fields) => fields.replaceAll(/\([^()]*\)/g, '').split(','))
      .flatMap((field) => /^\s*(\w+)\s*(?::|$)/.exec(field)?.[1] ?? []),
  ];
  const facts = readFileSync(join(app, 'frames/frame/event-facts.ts'), 'utf8');
  const [, noTallies = ''] = /const noTallies = \/\^\((.*)\)\$\//.exec(facts) ?? [];
  // `announcedUntil` is written into the frame's row alone.
  const plain = [...noTallies.split('|'), 'announcedUntil', 'stage', 'problem', 'remedy', 'name', 'message', 'data'];
  assert.ok(names.includes('sleepSeconds') && names.includes('lastContactAt') && names.includes('remedy'));
  assert.equal(
    [...new Set(names)].filter((name) => !plain.includes(name) && !Object.hasOwn(english, `fact.${name}`)),
    [],
  );
});

test.run();
