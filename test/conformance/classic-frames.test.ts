/** The conformance kit against classic frames that keep the protocol, and ones that break known clauses of it. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readStories } from '../../firmware-protocol/stories.ts';
import { longTest } from '../some-times.ts';
import { playFrame, told } from './played-frame.ts';

const test = suite('conformance of classic frames');

longTest(test)(
  'an honest classic frame keeps every clause; only the story of a frame just set up is skipped, with its reason',
  async () => {
    const { summary, results, skipped } = await playFrame('classic');
    assert.equal(summary.brokenClauses, [], told(results));
    assert.equal(skipped, ['act 0 exchange'], told(results));
    assert.is(summary.kept, readStories().filter(({ dialect }) => dialect === 'classic').length - 1);
    assert.match(results.find(({ story }) => story === 'act 0 exchange')?.detail ?? '', /begins with act 0/);
  },
);

const breaking: readonly (readonly [behaviour: string, clause: string])[] = [
  ['liar', 'state-after-download'],
  ['half-download', 'takes-every-byte'],
  ['replayer', 'state-after-download'],
];
for (const [behaviour, clause] of breaking) {
  const register = behaviour === 'liar' ? test : longTest(test);
  register(`a frame that is a ${behaviour} breaks ${clause} and nothing else`, async () => {
    const { summary, results } = await playFrame('classic', behaviour);
    assert.equal(summary.brokenClauses, [clause], told(results));
    assert.ok(summary.broken > 0);
    assert.ok(results.some(({ outcome }) => outcome === 'not reached'));
  });
}

test.run();
