/** Reasons: values with codes, their words in English, and the columns that keep them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { z } from 'zod';
import { overtaken } from '../../api/delivery-state/upload-attempts.ts';
import { fit, wrongField, wrongFieldIssue } from '../../api/http/fit-schema.ts';
import { notSetUp } from '../../api/papers/kinds.ts';
import { reasonOfChosen, whatToSetUp } from '../../api/papers/not-set-up.ts';
import {
  isReason,
  type Reason,
  type ReasonCode,
  readReasons,
  reasonCodes,
  reasonOf,
  storedReasons,
} from '../../reasons/reason.ts';
import { Refusal } from '../../reasons/refusals.ts';
import { sentences } from '../../reasons/sentences.ts';
import { spellOut, wordedFacts, wordsOf } from '../../reasons/words.ts';

const test = suite('reasons');

const anyReason = reasonOf as (code: ReasonCode, parameters: Readonly<Record<string, unknown>>) => Reason;
const because = reasonOf('host-silent');
const valuesFor = (code: ReasonCode): Record<string, unknown> =>
  Object.fromEntries(
    [...sentences[code].matchAll(/\{(#?)(\w+)\}/g)].map(([, isNumber, name = ''], at) => [
      name,
      name === 'because' ? because : isNumber === '#' ? 7.5 : `some ${at} (thing), $& "there", https://x.org/?a=b`,
    ]),
  );

test('every reason has its words, and is spelled out with its code and its parameters', () => {
  for (const code of reasonCodes) {
    const { because: inner, ...parameters } = valuesFor(code);
    const reason = anyReason(code, { ...parameters, ...(inner !== undefined && { because: inner }) });
    const words = wordsOf(reason);
    assert.not.match(words, /[{}]/, code);
    for (const value of Object.values(parameters)) assert.ok(words.includes(String(value)), code);
    const [first, ...more] = spellOut(reason);
    assert.is(first?.code, code);
    assert.equal(first?.parameters ?? {}, parameters, code);
    assert.equal(more, inner === undefined ? [] : [{ code: 'host-silent', sentence: wordsOf(because) }], code);
  }
});

test('several reasons, and those behind others, are spelled out one by one', () => {
  const nested = reasonOf('of-paper', { paper: 'p1', title: 'Sea', because: reasonOf('picture-lost') });
  assert.equal(spellOut(nested), [
    { code: 'of-paper', parameters: { paper: 'p1', title: 'Sea' }, sentence: 'paper p1 (Sea):' },
    { code: 'picture-lost', sentence: wordsOf(reasonOf('picture-lost')) },
  ]);
  const status = reasonOf('answer-status', { status: 404 });
  const calendars = ['home', 'work'].map((calendar) => reasonOf('of-calendar', { calendar, because: status }));
  const unread = reasonOf('no-calendar-read', { because: calendars });
  assert.is(wordsOf(unread), 'no calendar could be read (home: status 404; work: status 404)');
  assert.equal(
    spellOut(unread).map(({ code, parameters, sentence }) => [code, parameters, sentence]),
    [
      ['no-calendar-read', undefined, 'no calendar could be read'],
      ['of-calendar', { calendar: 'home' }, 'home:'],
      ['answer-status', { status: 404 }, 'status 404'],
      ['of-calendar', { calendar: 'work' }, 'work:'],
      ['answer-status', { status: 404 }, 'status 404'],
    ],
  );
});

test('a column gives back what was stored, also words of others that look like a column', () => {
  const reason = reasonOf('of-paper', {
    paper: 'p1',
    title: 'Sea',
    because: [reasonOf('answer-status', { status: 404 }), 'low ink'],
  });
  const words = ['torn "panel"', 'low ink: cyan', '', 'x; y', '[{"code":"picture-lost"}]', '{"code":"picture-lost"}'];
  for (const one of [reason, ...words]) assert.equal(readReasons(storedReasons(one)), [one]);
  assert.equal(readReasons(storedReasons([reason, ...words])), [reason, ...words]);
  assert.equal([readReasons(null), readReasons(undefined)], [[], []]);
});

test('a column that no reason was stored in is words of somebody else, and a code that is not known stays readable', () => {
  for (const text of ['out of memory', '{"code":"picture-lost"}', '7', '[1', 'null']) {
    assert.equal(readReasons(text), [text]);
  }
  assert.is(
    wordsOf(readReasons('[{"code":"of-a-later-version","params":{"x":1}}]')),
    '{"code":"of-a-later-version","params":{"x":1}}',
  );
});

test('of the facts of an event only ours are put into words: what a frame answers stays as it is', () => {
  const data = { code: 'busy', params: 'none' };
  const problem = reasonOf('floods', { seconds: 60 });
  assert.equal(wordedFacts({ stage: 'answered', data, problem, reason: 'low ink' }), {
    stage: 'answered',
    data,
    problem: 'floods the gateway: kept out for 60 seconds',
    reason: 'low ink',
  });
});

test('what only looks like a reason is not one', () => {
  for (const value of [null, 7, [], {}, { code: 'no-such' }, { code: 'constructor' }, { code: ['busy'] }]) {
    assert.is(isReason(value), false, JSON.stringify(value));
  }
  for (const more of [
    { params: 7 },
    { params: { x: {} } },
    { because: 'x' },
    { because: [7] },
    { because: [{ code: 1 }] },
  ]) {
    assert.is(isReason({ code: 'of-paper', ...more }), false, JSON.stringify(more));
  }
  assert.is(
    isReason(reasonOf('of-paper', { paper: 'p1', title: 'Sea', because: ['low ink', reasonOf('picture-lost')] })),
    true,
  );
});

const wordsOfRefusal = (schema: z.ZodType, value: unknown) => {
  try {
    fit(schema, value, 'invalid-request');
  } catch (error) {
    if (error instanceof Refusal) return [error.hint, error.reasons] as const;
    throw error;
  }
  throw new Error('it fits');
};

test('what a schema says of a field is a reason, in the words of its library', () => {
  const listed = z.enum(['a', 'b']);
  for (const [schema, value] of [
    [z.string(), undefined],
    [z.string(), 7],
    [z.number(), null],
    [z.coerce.number(), 'x'],
    [z.string().max(2), 'abc'],
    [z.string().min(2), ''],
    [z.number().max(2), 3],
    [z.number().min(2), 1],
    [z.array(z.string()).max(1), ['', '']],
    [z.email(), 'x'],
    [z.url(), 'x'],
    [z.string().regex(/^a$/), 'b'],
    [z.union([z.string(), z.number()]), {}],
    [listed, 'c'],
  ] as const) {
    const message = schema.safeParse(value).error?.issues[0]?.message;
    const [hint, [reason]] = wordsOfRefusal(z.object({ shoe: schema }), { shoe: value });
    assert.is(hint, `shoe: ${message}`);
    assert.ok(typeof reason === 'object' && reason.params?.field === 'shoe', message);
  }
});

test('a check of our own names the code of its words', () => {
  const schema = z.object({
    id: z.string().regex(/^a$/, wrongField('field-not-id')),
    of: z.string().superRefine((_, context) => context.addIssue(wrongFieldIssue('field-some-of', { options: 'a, b' }))),
  });
  const [hint, reasons] = wordsOfRefusal(schema, { id: 'x', of: 'c', more: 1 });
  assert.is(hint, 'id: expected 24 lowercase hex characters; of: expected some of a, b');
  assert.equal(reasons, [
    { code: 'field-not-id', params: { field: 'id' } },
    { code: 'field-some-of', params: { field: 'of', options: 'a, b' } },
  ]);
});

const root = resolve(import.meta.dirname, '../..');
const sourcesOf = (room: string): [name: string, text: string][] =>
  readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:ts|mjs)$/.test(name))
    .map((name) => [join(room, name), readFileSync(join(root, room, name), 'utf8')]);

test('every reason is reported somewhere', () => {
  const rooms = ['api', 'gateway', 'cluster', 'runtime', 'reasons'].flatMap(sourcesOf);
  const text = rooms
    .filter(([name]) => !name.startsWith('reasons/sentences'))
    .map(([, source]) => source)
    .join('\n');
  assert.equal(
    reasonCodes.filter((code) => !text.includes(`'${code}'`)),
    [],
  );
});

test('words that are changed change no decision, no column and no code', () => {
  const ofChosen = reasonOfChosen({ id: 'p1', title: 'Family' }, notSetUp.calendar);
  const reasons = [ofChosen, overtaken, reasonOf('website-address', { because: reasonOf('address-missing') })];
  const before = { stored: storedReasons(reasons), codes: spellOut(reasons).map(({ code }) => code) };
  const words: Record<string, string> = sentences;
  const kept = { ...words };
  try {
    for (const code of reasonCodes) words[code] = `!${words[code]?.replaceAll(/[a-z](?![^{]*\})/g, 'x')}`;
    assert.match(wordsOf(ofChosen), /^!/);
    assert.equal({ stored: storedReasons(reasons), codes: spellOut(reasons).map(({ code }) => code) }, before);
    assert.equal(whatToSetUp([ofChosen]), { paperKind: 'calendar', chosenPaper: 'p1' });
    assert.equal(readReasons(before.stored), reasons);
  } finally {
    Object.assign(words, kept);
  }
});

test('nothing is decided by words: they are not compared, searched or cut', () => {
  const decided =
    /(?:wordsOf\([^()]*(?:\([^()]*\))?[^()]*\)|spellOut\([^()]*\))\s*(?:[!=]==|\.(?:includes|startsWith|endsWith|match|slice|split|replace)\()/;
  const rooms = ['api', 'gateway', 'cluster', 'runtime', 'simulator', 'testbed', 'cli'].flatMap(sourcesOf);
  assert.equal(
    rooms.filter(([, text]) => decided.test(text)).map(([name, text]) => `${name}: ${decided.exec(text)?.[0]}`),
    [],
  );
});

test('reasons and problems have codes where the service tells them', () => {
  const line = ['delivery', 'delivery-state', 'explanations', 'submissions', 'timed-pictures', 'uploads'];
  const rooms = [...line, 'calendar', 'callbacks', 'drawing', 'integration', 'outgoing', 'rendering', 'status'];
  const bare = /\b(?:reason|problem|why|says)(?::| =) (?:'[^'\n]* [^'\n]*'|`)/;
  assert.equal(
    rooms
      .flatMap((room) => sourcesOf(join('api', room)))
      .filter(([name, text]) => /(?<!settings-frame.*)\.ts$/.test(name) && bare.test(text))
      .map(([name, text]) => `${name}: ${bare.exec(text)?.[0]}`),
    [],
  );
});

test.run();
