/** Seeds that break a promise shrink to a few events, as files that are kept and played again. */
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createDisk } from '../../testbed/offline/machine/disk.ts';
import { keepEvents, noteEvents } from '../../testbed/offline/machine/run-events.ts';
import { minimize } from '../../testbed/offline/minimize.ts';
import { runSeed } from '../../testbed/offline/run-seed.ts';
import { replayShrunk } from '../../testbed/offline/shrink.ts';
import { readShrunk, UnplayableFile, writeShrunk } from '../../testbed/offline/shrunk-file.ts';
import { longTest } from '../some-times.ts';
import { keptSeeds } from './kept-seeds.ts';
import { replayBug } from './plant.ts';

const test = suite('shrinking');

test('what three of five hundred items do together is found in a few dozen tries, none of them twice', async () => {
  const items = Array.from({ length: 500 }, (_, at) => at);
  const tried = new Set<string>();
  let tries = 0;
  const left = await minimize(items, {
    goesOn: () => true,
    fails: async (some) => {
      tries++;
      tried.add(some.join());
      return [17, 300, 301].every((item) => some.includes(item)) ? some : undefined;
    },
  });
  assert.equal(left, [17, 300, 301]);
  assert.is(tried.size, tries);
  assert.ok(tries < 100, `${tries} tries`);
});

test('when time is up, what is left still fails', async () => {
  let tries = 0;
  const left = await minimize(
    Array.from({ length: 500 }, (_, at) => at),
    { goesOn: () => tries < 6, fails: async (some) => (++tries > 0 && some.includes(400) ? some : undefined) },
  );
  assert.ok(left.includes(400) && left.length < 100, `${left.length} left`);
});

test('a run whose events are noted, and one that has to play all of them, is the run of the seed', async () => {
  const disk = await createDisk();
  const { hash } = await runSeed('again', disk);
  const log = noteEvents();
  assert.is((await runSeed('again', disk, { events: log })).hash, hash);
  assert.ok(log.happened.length > 5, `${log.happened.length} events`);
  const kept = keepEvents(log.happened);
  assert.is((await runSeed('again', disk, { events: kept })).hash, hash);
  assert.equal(kept.happened, log.happened);
  assert.is.not((await runSeed('again', disk, { events: keepEvents(log.happened.slice(0, 5)) })).hash, hash);
});

longTest(test)(
  'a run that may take a minute to come right breaks its promise there, and with more time ends as it has',
  async () => {
    const disk = await createDisk();
    const hurried = await runSeed('5', disk, { endsAfterRecoveryMs: 60_000 });
    assert.match(hurried.broken?.sentence ?? '', /^not even without faults: .* is prepared/);
    assert.is(hurried.neverConverged, true);
    const patient = await runSeed('5', disk, { endsAfterRecoveryMs: 1_200_000 });
    assert.is(patient.broken, undefined);
    assert.is(patient.neverConverged, false);
    const whole = await runSeed('5', disk);
    assert.is(whole.broken, undefined);
    assert.ok(hurried.playedMs < patient.playedMs && patient.playedMs < whole.playedMs, `${patient.playedMs} ms`);
  },
);

const example = `version: 1
seed: again
breaks:
  rule: INV-59
  sentence: "it was dropped: 5"
events:
  - { at: 75.322, who: acts, what: inject fault, draw: 62 }
  - { at: 80.000, who: "body epd7-000000000000", what: connection breaks, draw: 4 }
`;

test('a file is read as it was written', () => {
  const read = readShrunk(example);
  assert.equal(read.events[0], { at: 75_322, who: 'acts', what: 'inject fault', draw: 62 });
  assert.equal(readShrunk(writeShrunk(read)).events, read.events);
  assert.equal(read.events.map(read.lineOf), [7, 8]);
  const { events, ...rest } = read;
  assert.equal(readShrunk(writeShrunk({ ...rest, events: events.slice(2), nodes: 2 })).nodes, 2);
});

test('a file that cannot be played is refused with its line', () => {
  const refused: readonly (readonly [find: string, replace: string, line: number, problem: RegExp])[] = [
    ['seed: again', 'speed: 5\nseed: again', 2, /speed is not a word/],
    ['who: acts, what', 'who: acts, why: so, what', 7, /why is not a word/],
    ['version: 1', 'version: 9', 1, /another version than 1/],
    ['at: 80.000', 'at: soon', 8, /events\.1\.at/],
    ['draw: 4 }', 'draw: 4', 9, /no YAML/],
    ['draw: 62 }', '}', 7, /events\.0\.draw/],
    [example, '5', 1, /nothing that --shrink wrote/],
  ];
  for (const [find, replace, line, problem] of refused) {
    try {
      readShrunk(example.replace(find, replace));
      assert.unreachable(replace);
    } catch (error) {
      if (!(error instanceof UnplayableFile)) throw error;
      assert.match(error.message, problem);
      assert.is(error.line, line, replace);
    }
  }
});

test('an event that nobody has in a run of the seed is named', async () => {
  const read = readShrunk(example.replace('what: inject fault', 'what: inject falt'));
  const { impossible } = await replayShrunk(read, { disk: await createDisk() });
  assert.is(impossible?.what, 'inject falt');
});

longTest(test)('every seed that is kept keeps its promise', async () => {
  const disk = await createDisk();
  const kept = keptSeeds();
  assert.ok(kept.length >= 4);
  for (const [path] of kept) {
    const { broken, impossible } = await replayShrunk(readShrunk(readFileSync(path, 'utf8')), { disk });
    assert.is(broken, undefined, path);
    assert.is(impossible, undefined, path);
  }
});

longTest(test)('every seed that is kept breaks its promise where its bug is planted', async () => {
  for (const [path, bug] of keptSeeds()) {
    assert.ok(bug, path);
    const { broken } = readShrunk(readFileSync(path, 'utf8'));
    assert.ok(bug.breaks.includes(broken.rule), `${path}: ${broken.rule}`);
    assert.is(await replayBug(bug, path), broken.rule, `${path}: node --import tsx test/accept.ts kept-seeds`);
  }
});

test.run();
