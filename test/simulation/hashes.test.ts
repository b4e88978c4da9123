/** The hash of a run is the same in every process, and the page about runs states it. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { offlinePage } from '../../cli/simulate/offline-page.ts';
import { createDisk } from '../../testbed/offline/machine/disk.ts';
import { openOfflineStage } from '../../testbed/offline/offline-stage.ts';
import { runSeed } from '../../testbed/offline/run-seed.ts';
import { playScenario } from '../../testbed/scenario/play-scenario.ts';
import { readScenario } from '../../testbed/scenario/read-scenario.ts';
import { papergateAlone } from '../cli/papergate.ts';
import { longTest } from '../some-times.ts';

const test = suite('hashes of runs');

const tiny = `
name: Two frames
lasts: 2h
fleet:
  - frames: 2
    sleep: 30m
    content: own
events:
  - at: 10m
    push: Hello
expect:
  - all synced at the end
`;

longTest(test)('a scenario and a seed have the same hash in a fresh process, and the page tells it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'papergate-hashes-'));
  try {
    const file = join(folder, 'two.yaml');
    const page = join(folder, 'report.html');
    await writeFile(file, tiny);
    const scenario = await papergateAlone({}, 'scenario', file, '--json');
    const here = await playScenario(readScenario(tiny), openOfflineStage);
    assert.is(here.isGood, true);
    assert.is(scenario.code, 0, scenario.stderr);
    assert.is(JSON.parse(scenario.stdout).hash, here.hash);

    const seed = await papergateAlone({}, 'simulate', '--offline', '--seed', '17', '--json', '--report', page);
    const { hash } = await runSeed('17', await createDisk());
    assert.is(seed.code, 0, seed.stderr);
    assert.is(JSON.parse(seed.stdout).hash, hash);
    const told = await readFile(page, 'utf8');
    assert.ok(told.includes(hash) && told.includes('every promise kept'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('the page tells of a broken run its rule, its last lines and the command that repeats it', () => {
  const kept = { seed: '5.1', hash: 'aaaa', broken: undefined, playedMs: 1000, lastLines: [] };
  const broken = { rule: 'INV-43', sentence: 'its glass never did' };
  const page = offlinePage(
    { runs: 2, broken: 1, hash: 'cccc', counts: { 'deliveries synced': 7 } },
    [kept, { seed: '5.2', hash: 'bbbb', broken, playedMs: 2000, lastLines: ['12.000 s  BROKEN'] }],
    { tookMs: 10, command: 'play all', commandOf: (seed) => `play ${seed}` },
  );
  for (const part of ['INV-43', broken.sentence, '12.000 s  BROKEN', 'play 5.2', 'play all', 'aaaa', 'bbbb', 'cccc']) {
    assert.ok(page.includes(part), part);
  }
  assert.not.ok(page.includes('play 5.1'));
});

test('a page tells of seeds that are played, and of nothing else', async () => {
  const { code, stderr } = await papergateAlone({}, 'simulate', '--offline', '--shrink', '--report', 'r.html');
  assert.is(code, 2);
  assert.is(stderr, '--report is about seeds that are played\n  leave --shrink and --replay out\n');
});

test.run();
