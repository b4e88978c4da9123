/** The lines of words on a picture. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { captionLines } from '../../api/inks/words/caption-lines.ts';

const test = suite('caption lines');

const all = ['date', 'place', 'caption'] as const;
const picture = { taken: '2024-05-12T23:59:58', place: 'Lisbon, Portugal', caption: 'By the sea', shows: all };

test('the date is written as people of each language write it', () => {
  const dateIn = (language: string) => captionLines({ taken: picture.taken, shows: ['date'], language })[0];
  assert.is(dateIn('en'), '12 May 2024');
  assert.is(dateIn('de'), '12. Mai 2024');
  assert.is(dateIn('fr'), '12 mai 2024');
  assert.is(dateIn('es'), '12 de mayo de 2024');
  assert.is(dateIn('it'), '12 maggio 2024');
  assert.is(dateIn('nl'), '12 mei 2024');
  assert.is(dateIn('pl'), '12 maja 2024');
  assert.is(dateIn('pt-BR'), '12 de maio de 2024');
  for (const other of ['ar', 'ja', 'he', '', '☃', '../de']) assert.is(dateIn(other), '12 May 2024', other);
});

test('the caption stands above the date and the place, and what is not shown or not known takes no room', () => {
  const of = (facts: Partial<Parameters<typeof captionLines>[0]>) =>
    captionLines({ ...picture, language: 'en', ...facts });
  assert.equal(of({}), ['By the sea', '12 May 2024 · Lisbon, Portugal']);
  assert.equal(of({ caption: undefined }), ['12 May 2024 · Lisbon, Portugal']);
  assert.equal(of({ caption: '  ', place: '\n' }), ['12 May 2024']);
  assert.equal(of({ shows: ['place'] }), ['Lisbon, Portugal']);
  assert.equal(of({ shows: ['caption', 'place'] }), ['By the sea', 'Lisbon, Portugal']);
  assert.equal(of({ shows: [] }), []);
  assert.equal(captionLines({ shows: all, language: 'en' }), []);
});

test('a date is what its digits say, in every zone, and one that no calendar has is left out', () => {
  const dayOf = (taken: string) => captionLines({ taken, shows: ['date'], language: 'en' });
  assert.equal(dayOf('2024-02-29T00:00:00'), ['29 February 2024']);
  assert.equal(dayOf('1899-12-31T23:59:59'), ['31 December 1899']);
  for (const broken of ['2023-02-29T00:00:00', '2024-13-01T00:00:00', '2024-00-10T00:00:00', 'yesterday', '']) {
    assert.equal(dayOf(broken), [], broken);
  }
});

test('a caption is one line without marks that nobody sees', () => {
  const written = (caption: string) => captionLines({ caption, shows: ['caption'], language: 'en' })[0];
  assert.is(written(' By\r\n the\t sea\u0000\u0007 '), 'By the sea');
  assert.is(written('\u202eevil\u202c \u2066one\u2069\u200b'), 'evil one');
  assert.is(written('e\u0301te\u0301'), 'été');
});

test('a long caption is cut between characters as a person counts them', () => {
  const family = '👨‍👩‍👧‍👦';
  const [line = ''] = captionLines({ caption: family.repeat(1_000), shows: ['caption'], language: 'en' });
  assert.is(line, `${family.repeat(199)}…`);
  const [words = ''] = captionLines({ caption: 'word '.repeat(100_000), shows: ['caption'], language: 'en' });
  assert.ok(words.length <= 200 && words.endsWith('d…'));
  assert.equal(captionLines({ caption: 'e\u0301'.repeat(200), shows: ['caption'], language: 'en' }), ['é'.repeat(200)]);
});

test.run();
