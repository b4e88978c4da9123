/** Every behaviour, alone and with every other one, in every dialect that has it. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { behavioursFor, frameThat } from '../../simulator/behaviours/behaviours.ts';
import { longTest } from '../some-times.ts';
import { type Dialect, playWakes } from './play-wakes.ts';

const test = suite('behaviours together');
const dialects: readonly Dialect[] = ['native', 'classic', 'trmnl', 'offline'];
/** So many that each behaviour comes to its end: twelve wakes with Wi-Fi, twelve without. */
const wakes = 26;
/** So many that all but the longest have happened, the rarest twice. */
const fewerWakes = 11;
/** They claim what is not so, or their panel does not show what it is given. */
const untrue = new Set<string>(['liar', 'replayer', 'stuck']);
const mayDie = new Set<string>(['silent', 'bricked', 'drained']);

function holds(dialect: Dialect, names: readonly string[], forWakes = wakes): void {
  const what = `${dialect} ${names.join(',')}`;
  const played = playWakes(dialect, names, forWakes);
  assert.ok(played.last.asleep, `${what} is awake`);
  if (!names.some((name) => mayDie.has(name))) assert.not(played.isDead, `${what} never wakes again`);
  if (!names.some((name) => untrue.has(name))) assert.is(played.lie, undefined, what);
}

for (const dialect of dialects) {
  const names = behavioursFor([dialect]);
  test(`every behaviour does something to a ${dialect} frame, which falls asleep in the end`, () => {
    const honest = playWakes(dialect, [], wakes);
    assert.is(honest.lie, undefined);
    assert.is(honest.last.glass.shows, 'picture');
    for (const name of names) {
      holds(dialect, [name]);
      if (name === 'cloned') continue;
      const { words, glasses } = playWakes(dialect, [name], wakes);
      assert.not.equal({ words, glasses }, { words: honest.words, glasses: honest.glasses }, `${name} does nothing`);
    }
  });

  test(`every pair of behaviours works on a ${dialect} frame`, () => {
    for (const [at, first] of names.entries()) {
      for (const second of names.slice(at + 1)) holds(dialect, [first, second], fewerWakes);
    }
  });

  longTest(test)(
    `so does every pair for longer and the other way round, and many threes, on a ${dialect} frame`,
    () => {
      for (const [at, first] of names.entries()) {
        for (const [also, second] of names.slice(0, at).entries()) {
          holds(dialect, [second, first]);
          holds(dialect, [first, second]);
          holds(dialect, [second, names[(at + also * 5 + 1) % names.length] ?? first, first]);
        }
      }
    },
  );
}

test('what is untrue is noticed: the check of the others is not an empty one', () => {
  assert.match(String(playWakes('native', ['liar'], 3).lie), /^says [0-9a-f]{64} and shows nothing$/);
  assert.is(playWakes('classic', ['liar'], 3).lie, 'says update_ok');
  assert.match(String(playWakes('native', ['replayer'], 3).lie), /^says [0-9a-f]{64} and shows [0-9a-f]{64}$/);
  assert.is(playWakes('trmnl', ['stuck'], 3).lie, 'believes in screen');
});

test('an unknown name, or one that is nothing for the dialect, is refused with those there are', () => {
  assert.throws(() => frameThat(['lazy'], 'trmnl'), /^no behaviour lazy; there are half-download, torn-download,/);
  assert.throws(
    () => frameThat(['weak-wifi', 'liar'], 'trmnl'),
    /^liar is nothing that a trmnl frame does; there are half-download/,
  );
});

test.run();
