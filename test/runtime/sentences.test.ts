/** Sentences of the service: each is read back as the code and the parameters that it was said with. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  readSentence,
  type Sentence,
  type SentenceCode,
  said,
  saidTogether,
  sentenceCodes,
} from '../../runtime/said-sentence.ts';
import { sentences } from '../../runtime/sentences.ts';

const test = suite('sentences');

const say = said as (code: SentenceCode, parameters: Readonly<Record<string, unknown>>) => Sentence;
const because = said('host-silent');
const valuesFor = (code: SentenceCode): Record<string, string | number> =>
  Object.fromEntries(
    [...sentences[code].matchAll(/\{(#?)(\w+)\}/g)].map(([, isNumber, name = ''], at) => [
      name,
      name === 'because' ? because : isNumber === '#' ? 7.5 : `some ${at} (thing), $& "there", https://x.org/?a=b`,
    ]),
  );

test('every sentence is read back with its code and its parameters', () => {
  for (const code of sentenceCodes) {
    const { because: inner, ...parameters } = valuesFor(code);
    const [first, ...more] = readSentence(say(code, { ...parameters, because: inner }));
    assert.is(first?.code, code);
    assert.equal(first?.parameters ?? {}, parameters, code);
    assert.equal(more, inner === undefined ? [] : [{ code: 'host-silent', sentence: because }], code);
  }
});

test('several sentences said as one, and those within others, are read one by one', () => {
  const lost = said('picture-lost');
  const nested = said('of-paper', { paper: 'p1', because: lost });
  assert.equal(
    readSentence(saidTogether([said('disk-nearly-full'), said('database-slow')])).map(({ code }) => code),
    ['disk-nearly-full', 'database-slow'],
  );
  assert.equal(readSentence(nested), [
    { code: 'of-paper', parameters: { paper: 'p1' }, sentence: 'paper p1:' },
    { code: 'picture-lost', sentence: lost },
  ]);
  const wrong = 'role: Invalid option: expected one of "a"|"b"; name: Invalid email address';
  assert.equal(
    readSentence(wrong).map(({ code, parameters }) => [code, parameters?.field]),
    [
      ['field-other-option', 'role'],
      ['field-not-email', 'name'],
    ],
  );
  const calendars = saidTogether(
    ['home', 'work'].map((calendar) =>
      said('of-calendar', { calendar, because: said('answer-status', { status: 404 }) }),
    ),
  );
  assert.equal(
    readSentence(said('no-calendar-read', { because: calendars })).map(({ code, parameters }) => [code, parameters]),
    [
      ['no-calendar-read', undefined],
      ['of-calendar', { calendar: 'home' }],
      ['answer-status', { status: 404 }],
      ['of-calendar', { calendar: 'work' }],
      ['answer-status', { status: 404 }],
    ],
  );
});

test('words of others stay as they are, however long and however like a sentence', () => {
  for (const words of ['torn "panel"', 'low ink: cyan', '', 'x; y', `paper p1: ${'a: '.repeat(9_000)}`]) {
    assert.equal(readSentence(words), [{ sentence: words }]);
  }
  const begun = Date.now();
  readSentence('The page reports an error: '.repeat(70));
  readSentence(`${'a: '.repeat(600)}`);
  readSentence(`${'the manifest could not be fetched: '.repeat(50)}`);
  assert.ok(Date.now() - begun < 1_000);
});

const sourcesOf = (room: string): [name: string, text: string][] =>
  readdirSync(resolve(import.meta.dirname, '../..', room), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:ts|mjs)$/.test(name) && !name.startsWith('console'))
    .map((name) => [join(room, name), readFileSync(resolve(import.meta.dirname, '../..', room, name), 'utf8')]);

test('T-59: no text of strangers takes long to read', () => {
  const pieces = [
    ': ',
    '; ',
    ' ',
    'a: ',
    'x: x: x: x: ; ',
    'paper x: ',
    'The page reports an error: ',
    'no panel is known for ',
  ];
  for (const piece of [...pieces, ...sentenceCodes.map((code) => sentences[code].replaceAll(/\{#?\w+\}/g, '1'))]) {
    for (const text of [
      piece.repeat(2_000).slice(0, 2_000),
      `${piece.repeat(2_000).slice(0, 1_990)}; ${piece}`.slice(0, 2_000),
    ]) {
      // Processor time: other processes may hold this one up.
      const before = process.cpuUsage();
      readSentence(text);
      const { user, system } = process.cpuUsage(before);
      const ms = (user + system) / 1000;
      assert.ok(ms < 150, `${Math.round(ms)} ms for ${JSON.stringify(text.slice(0, 40))}`);
    }
  }
});

test('every sentence is said somewhere', () => {
  const text = ['api', 'gateway', 'runtime'].flatMap((room) => sourcesOf(room).map(([, source]) => source)).join('\n');
  assert.equal(
    // A worker that reads calendars is plain JavaScript, and has its sentences itself.
    sentenceCodes.filter(
      (code) =>
        !code.startsWith('field-') &&
        !text.includes(`said('${code}'`) &&
        !text.includes(`problem: '${sentences[code]}'`),
    ),
    [],
  );
});

test('reasons and problems are said, so that none of them lacks a code', () => {
  const line = ['delivery', 'delivery-state', 'explanations', 'submissions', 'timed-pictures', 'uploads'];
  const rooms = [...line, 'calendar', 'callbacks', 'drawing', 'integration', 'outgoing', 'rendering', 'status'];
  const bare = /\b(?:reason|problem|why|says)(?::| =) (?:'[^'\n]* [^'\n]*'|`(?!\$\{error\.message\}\.`))/;
  assert.equal(
    rooms
      .flatMap((room) => sourcesOf(join('api', room)))
      .filter(([name, text]) => /(?<!settings-frame.*)\.ts$/.test(name) && bare.test(text))
      .map(([name, text]) => `${name}: ${bare.exec(text)?.[0]}`),
    [],
  );
});

test.run();
