/** The console's catalogues: every language has every text, with the same placeholders, and every text is used. */

import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { wordedLanguages } from '../../api/words/service-words.ts';
import { ownSentences } from '../../console/ground/own-sentences.ts';
import { asSentence, serviceSentences } from '../../console/ground/service-sentences.ts';
import { languages } from '../../console/ground/words.ts';
import { eventStages } from '../../gateway/frames/event-log.ts';
import { type ReasonCode, reasonCodes } from '../../reasons/reason.ts';
import { refusalCodes } from '../../reasons/refusals.ts';
import { sentences } from '../../reasons/sentences.ts';
import { lacking, missingTexts, readServiceTexts } from './missing-texts.ts';
import { readFolderTexts, readTexts, type Texts, textFolders } from './read-texts.ts';

const test = suite('words of the console');

const app = resolve(import.meta.dirname, '../../console');

const named = Object.keys(languages);
const catalogues = new Map(named.map((language): [string, Texts] => [language, readTexts(language)]));
const english = readTexts('en');

const textsOf = (text: Texts[string] | undefined): string[] =>
  text === undefined ? [] : typeof text === 'string' ? [text] : Object.values(text);
const placeholders = (text: string): string[] => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort();

test('every folder has its English texts, each once, and every language is one file with texts of theirs, in the order of the keys', () => {
  assert.ok(textFolders.length >= 10 && Object.keys(english).length > 1_000);
  const files = readdirSync(app, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'));
  const expected = [
    ...textFolders.map((folder) => join(folder, 'en.json')),
    ...named.filter((language) => language !== 'en').map((language) => join('languages', `${language}.json`)),
  ];
  assert.equal(files.filter((name) => name !== 'tsconfig.json').toSorted(), expected.toSorted());
  const all = textFolders.flatMap((folder) => {
    const keys = Object.keys(readFolderTexts(folder));
    assert.equal(keys, keys.toSorted(), folder);
    return keys;
  });
  assert.equal(
    all.filter((key, at) => all.indexOf(key) !== at),
    [],
  );
  const known = Object.keys(english);
  for (const language of named.filter((name) => name !== 'en')) {
    const keys = Object.keys(readTexts(language));
    assert.equal(keys, keys.toSorted(), language);
    assert.equal(
      keys.filter((key) => !known.includes(key)),
      [],
      language,
    );
  }
});

test('a text that a language lacks is listed with its English, and none that it has', () => {
  assert.equal(lacking({ a: 'A', c: 'C' }, { a: 'a', b: 'b {x}', c: 'c', d: { one: '1', other: '2' } }), [
    'b: b {x}',
    'd: {"one":"1","other":"2"}',
  ]);
  for (const line of missingTexts())
    assert.match(line, /^(?:console\/languages|api\/words)\/[a-z]{2}\.json {2}[\w.-]+: ./);
});

test('the service has words in the languages of the console', () => {
  assert.equal([...wordedLanguages].toSorted(), named.toSorted());
  for (const language of wordedLanguages) {
    const keys = Object.keys(readServiceTexts(language));
    assert.equal(keys, keys.toSorted(), language);
    assert.equal(
      keys.filter((key) => !Object.hasOwn(readServiceTexts('en'), key)),
      [],
      language,
    );
  }
});

/**
 * Returns the faults of a translation: plurals of another language, placeholders that are missing or not known, an empty
 * text.
 */
function faultsOf(language: string, text: Texts[string] | undefined, original: Texts[string] | undefined): string[] {
  const wanted = placeholders(textsOf(original).at(-1) ?? '');
  // "One frame" may do without its number.
  const isFilled = (form: string, category: string): boolean =>
    [...wanted, ...placeholders(form)].every(
      (name) => (form.includes(name) || (category === 'one' && name === '{count}')) && wanted.includes(name),
    );
  if (text === undefined || typeof text !== typeof original) return ['is not text of the same kind'];
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
      [readServiceTexts(language), readServiceTexts('en')],
    ];
    return pairs.flatMap(([texts, originals]) =>
      Object.keys(texts).flatMap((key) =>
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
  return (key) =>
    sources.includes(`'${key}'`) ||
    sources.includes(`"${key}"`) ||
    families.some((family) => key.startsWith(`${family}.`));
}

const isFeature = (folder: string): boolean => !['.', 'ground', 'parts', 'parts/record'].includes(folder);

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
  const isUsed = usesText(sourcesIn((folder) => !isFeature(folder)));
  const late = textFolders.filter((folder) => isFeature(folder) && folder !== 'sign-in');
  assert.equal(
    late.flatMap((folder) => Object.keys(readFolderTexts(folder)).filter(isUsed)),
    [],
  );
});

test('a sentence of the service is a text with no parameter that the service does not give', () => {
  const given = (code: ReasonCode): string[] => placeholders(sentences[code].replaceAll('#', ''));
  for (const [language, catalogue] of catalogues) {
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

test('every refusal has a text, and a text of a refusal belongs to one', () => {
  const own = ['unreachable', 'unknown', 'method-not-allowed'];
  const keys = [...refusalCodes, ...own].map((code) => `problem.${code}`);
  assert.equal(
    Object.keys(english).filter((key) => key.startsWith('problem.')),
    keys.toSorted(),
  );
});

test('a template becomes a whole sentence, and what stands behind it sentences of their own', () => {
  for (const [template, sentence] of [
    ['the host’s name has {#most} parts', 'The host’s name has {most} parts.'],
    ['the page stayed blank.', 'The page stayed blank.'],
    ['no calendar could be read ({because})', 'No calendar could be read.'],
    ['it redirects to an unusable address: {because}', 'It redirects to an unusable address:'],
    ['the server took it: {answer}', 'The server took it: {answer}'],
    ['renderPage: {because}', 'renderPage:'],
    ['{field}: no such field', '{field}: no such field.'],
    ['busy', 'Busy.'],
  ] as const) {
    assert.is(asSentence(template), sentence);
  }
});

/** The test of each reason for own words: whether the answer's words do not do for a person who reads the console. */
const reasonsToDiffer: Readonly<
  Record<Exclude<keyof typeof ownSentences, 'withTheNextStep'>, (template: string, own: string) => boolean>
> = {
  forProgrammers: (template) =>
    /expected|Invalid|Too |[a-z][A-Z]|\bmeta\.|\{because\}|\{field\}|URL|https?|status|request|bytes|session|form|network|DELETE|\biat\b/.test(
      template,
    ),
  inWordsOfTheConsole: (template) =>
    /\b(?:papers?|devices?|panels?|streams?|drafts|images?|uploaded|upload|patient|percent|playlist|frames?|album|rollout|logged)\b/i.test(
      template,
    ),
  standingAlone: (template, own) => /^(?:It|The \w+) /.test(own) && !/^[A-Z]/.test(template),
  withinALine: (_, own) => !/^[A-Z]|\.$/.test(own),
};

test('English is said once: a sentence that the console words itself has one reason for it, and says something else', () => {
  const plain = (text: string): string =>
    asSentence(text)
      .toLowerCase()
      .replaceAll(/[^a-z{}]+/g, ' ');
  const seen = new Set<string>();
  for (const [reason, own] of Object.entries(ownSentences)) {
    const differs = reason === 'withTheNextStep' ? () => true : reasonsToDiffer[reason as keyof typeof reasonsToDiffer];
    for (const [code, text] of Object.entries(own)) {
      const template = sentences[code as ReasonCode];
      assert.not.ok(seen.has(code), `${code} has two reasons`);
      seen.add(code);
      assert.ok(differs(template, text), `${code} is no case of ${reason}`);
      if (reason !== 'withinALine') assert.is.not(plain(text), plain(template), code);
    }
  }
  assert.equal(
    Object.keys(english).filter((key) => key.startsWith('said.')),
    Object.keys(serviceSentences),
  );
  assert.equal(
    textFolders.flatMap((folder) => Object.keys(readFolderTexts(folder)).filter((key) => key.startsWith('said.'))),
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
  const [, meaningless = ''] = /const meaningless = \/\^\((.*)\)\$\//.exec(facts) ?? [];
  // `announcedUntil` is written into the frame's row alone.
  const plain = [...meaningless.split('|'), 'announcedUntil', 'stage', 'problem', 'remedy', 'name', 'message', 'data'];
  assert.ok(names.includes('sleepSeconds') && names.includes('lastContactAt') && names.includes('remedy'));
  assert.equal(
    [...new Set(names)].filter((name) => !plain.includes(name) && !Object.hasOwn(english, `fact.${name}`)),
    [],
  );
});

test.run();
