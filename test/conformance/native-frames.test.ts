/** The conformance kit against native frames that keep the protocol, and ones that break known clauses of it. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readStories } from '../../firmware-protocol/stories.ts';
import { storiesOf } from '../../testbed/conformance/check-frame.ts';
import { clauseResults } from '../../testbed/conformance/clause-results.ts';
import { longTest } from '../some-times.ts';
import { playFrame, told } from './played-frame.ts';

const test = suite('conformance of native frames');

test('an honest native frame keeps every clause of every story', async () => {
  const { summary, results, skipped } = await playFrame('native');
  assert.equal(summary.brokenClauses, [], told(results));
  assert.equal(skipped, []);
  assert.is(summary.kept, readStories().filter(({ dialect }) => dialect === 'native').length);
  const tried = clauseResults('native', storiesOf('native'), results);
  assert.equal(
    tried.filter(({ clause }) => /session|shakes/.test(clause)).map(({ outcome }) => outcome),
    ['kept', 'kept'],
    'it resumes its session, and does without where it is refused',
  );
});

const breaking: readonly (readonly [behaviour: string, clause: string])[] = [
  ['liar', 'fetched-before-said'],
  ['half-download', 'takes-every-byte'],
  ['replayer', 'said-once'],
];
for (const [behaviour, clause] of breaking) {
  const register = behaviour === 'liar' ? test : longTest(test);
  register(`a frame that is a ${behaviour} breaks ${clause} and nothing else`, async () => {
    const { summary, results } = await playFrame('native', behaviour);
    assert.equal(summary.brokenClauses, [clause], told(results));
    assert.ok(summary.broken > 0);
    assert.ok(results.some(({ outcome }) => outcome === 'not reached'));
  });
}

test.run();
