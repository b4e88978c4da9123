/** The simulation must find a few of the planted bugs in docs/simulation.md: one that finds nothing proves nothing. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { root } from '../firmware-protocol/generated-files.ts';
import { longTest } from '../some-times.ts';
import { testFound } from './plant.ts';
import { plantedBugs } from './planted-bugs.ts';

const test = suite('planted bugs');

/** Bugs that the simulation finds within a few seeds, each by another check. */
const controls = [
  'a change without its callback',
  'synced when fetched',
  'versions by the clock',
  'acceptance in pieces',
  'one failure ends a callback',
];

test('every bug has a name of its own, a reason, and rules that it breaks', () => {
  const names = plantedBugs.map(({ name }) => name);
  assert.is(new Set(names).size, names.length);
  for (const { name, why, breaks, edits } of plantedBugs) {
    assert.ok(why !== '' && breaks.length > 0 && edits.length > 0, name);
  }
});

test('every patch fits the sources as they are', () => {
  const unfit = plantedBugs.flatMap(({ name, edits }) =>
    edits
      .filter(({ file, find }) => readFileSync(join(root, file), 'utf8').split(find).length !== 2)
      .map(({ file }) => `${name}: ${file}`),
  );
  assert.equal(unfit, []);
});

test('every bug that one process shows has a row in the table, which says what caught it', () => {
  const page = readFileSync(join(root, 'docs/simulation.md'), 'utf8');
  const rowless = plantedBugs
    .filter(({ amongNodes }) => amongNodes !== true)
    .filter(({ name, why }) => !page.includes(`| ${name} | ${why} |`));
  assert.equal(
    rowless.map(({ name }) => name),
    [],
  );
});

testFound(controls.slice(0, 1), test);
testFound(controls.slice(1), longTest(test));

test.run();
