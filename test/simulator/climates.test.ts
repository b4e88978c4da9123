import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { climateNames, climateOf, climateSentences, climates } from '../../simulator/air/climates.ts';
import { faultsIn } from '../../testbed/offline/machine/climate-faults.ts';

const test = suite('climates');

test('a climate is a name or a record, and what a record leaves out is calm', () => {
  for (const name of climateNames) {
    assert.equal(climateOf(name), climates[name]);
    assert.ok(climateSentences[name].length > 10);
  }
  assert.equal(climateOf('{"latencyMs":200}'), { ...climates.calm, latencyMs: 200 });
  assert.equal(climateOf({ loss: 1 }), { ...climates.calm, loss: 1 });
});

test('an unknown climate is refused in a sentence that names the known ones', () => {
  assert.throws(() => climateOf('swamp'), /no climate swamp; there are calm, cellar, .* or a record as JSON/);
  assert.throws(() => climateOf('{"ping":200}'), /a climate has no ping; it has latencyMs, jitterMs/);
  assert.throws(() => climateOf('{"loss":2}'), /loss of a climate is a number from 0 to 1, not 2/);
  assert.throws(() => climateOf('{"toString":2}'), /has no toString/);
});

test('offline a climate is as late and breaks as often as live', () => {
  assert.equal(faultsIn(climates.calm), {
    delayMs: 2,
    linkBreaks: 0,
    downloadBreaks: 0,
    downloadMs: 10,
    messageTwice: 0,
  });
  const own = faultsIn(climateOf({ latencyMs: 100, jitterMs: 20, loss: 0.1, cuts: 0.5, halfOpen: 0.5 }));
  // Twice the mean: a run draws between the shortest and this.
  assert.is(own.delayMs, Math.round(2 * (100 + 10 + (200 * 0.1) / 0.9)));
  assert.is(own.linkBreaks, 0.75);
  assert.is(own.downloadBreaks, 0.75);
  assert.is(faultsIn(climateOf({ bytesPerSecond: 10_000 })).downloadMs, 96_000);
  assert.ok(Object.values(faultsIn(climateOf({ loss: 1 }))).every(Number.isFinite));
});

test.run();
