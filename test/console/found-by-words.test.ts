/** The results of a search: every word, and numbers as people mean them. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { foundByWords } from '../../console/parts/found-by-words.ts';

const test = suite('found by words');

const rooms = Array.from({ length: 30 }, (_, at) => `Room ${at + 1} epd7-0000c0de00${at + 10} epd7 House Floor 2`);
const found = (typed: string, among: readonly string[] = rooms): readonly string[] =>
  foundByWords(among, typed, (text) => text);

test('a name with a space and a number is found, and neither its longer numbers nor serials', () => {
  assert.equal(found('Room 2'), [rooms[1]]);
  assert.equal(found('  rOOm   12 '), [rooms[11]]);
  assert.is(found('Room').length, 30);
  assert.is(found('').length, 30);
  assert.equal(found('Room 31'), []);
});

test('a number that nothing has is a beginning, and then a part', () => {
  const some = ['Room 25', 'Room 31', 'Hall epd7-0000c0de0725'];
  assert.equal(found('2', some), ['Room 25']);
  assert.equal(found('07', some), ['Hall epd7-0000c0de0725']);
  assert.equal(found('Room 3', some), ['Room 31']);
  assert.equal(found('de0725', some), ['Hall epd7-0000c0de0725']);
});

test('words stand in any order, and other scripts have words as well', () => {
  assert.equal(found('floor 7 room'), [rooms[6]]);
  assert.equal(found('2 комната', ['Комната 2', 'Комната 12']), ['Комната 2']);
  assert.equal(found('zimmer', ['Wohnzimmer', 'Küche']), ['Wohnzimmer']);
});

test.run();
