/** Nights of seeds: several processes play all kinds, what breaks is on the page with its command, and nothing ends the night. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { workersOf } from '../../cli/simulate/nightly.ts';
import { nightlyPage } from '../../cli/simulate/nightly-page.ts';
import { openNightRecord } from '../../testbed/offline/night/night-record.ts';
import { type NightFind, playNight } from '../../testbed/offline/night/play-night.ts';
import { seedKinds } from '../../testbed/offline/night/seed-kinds.ts';
import { papergateAlone, withScratchFolder } from '../cli/papergate.ts';
import { playNightOf } from './plant.ts';
import { plantedBugs } from './planted-bugs.ts';

const test = suite('nights of seeds');

const program = new URL('./dying-process.ts', import.meta.url);
const homes = seedKinds.filter(({ name }) => name === 'homes');
const never = new AbortController().signal;

test('two processes play seeds of two kinds, and the page counts what happened', async () => {
  await withScratchFolder(async (folder) => {
    const page = join(folder, 'night.html');
    const options = ['--seed', 'quiet', '--runs', '4', '--workers', '2', '--kinds', 'homes,offline-firmware'];
    const { code, stdout, stderr } = await papergateAlone(
      {},
      ...['simulate', '--offline', '--nightly', ...options, '--report', page, '--json'],
    );
    assert.is(code, 0, stderr + stdout);
    const verdict = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
    assert.equal([verdict.played, verdict.found, verdict.verdict], [4, 0, 'every promise kept']);
    const text = await readFile(page, 'utf8');
    for (const part of ['every promise kept', 'INV-43', 'frames: offline', '--offline-frames 2', 'quiet.4', 'Ended']) {
      assert.ok(text.includes(part), part);
    }
    assert.equal(await readdir(folder), ['night.html']);
  });
});

test('a planted bug is found, shrunk, and on the page with the command that plays it again', async () => {
  const bug = plantedBugs.find(({ name }) => name === 'a change without its callback');
  assert.ok(bug);
  const options = ['--seed', 'control', '--runs', '1', '--workers', '2', '--kinds', 'homes'];
  const { code, found, page, files } = await playNightOf(bug, options);
  assert.is(code, 1);
  const [first] = found;
  assert.is(first?.rule, 'INV-60');
  assert.ok(first?.command?.endsWith(`simulate --offline --seed ${first.seed} --trace`), first?.command);
  assert.ok(page.includes(first?.command ?? '?') && page.includes('something was found'));
  assert.ok(files.includes(`night-${first?.seed}.yaml`), files.join());
  assert.ok(page.includes('The events by which a seed of the simulation broke a promise'));
});

test('a process that is killed is a find, one that hangs is ended, and the night goes on', async () => {
  const finds: NightFind[] = [];
  const played: string[] = [];
  await playNight({
    seed: 'x',
    kinds: homes,
    workers: 2,
    runs: 6,
    over: never,
    played: (seed) => void played.push(seed),
    found: (find) => void finds.push(find),
    seedMs: 5000,
    program,
  });
  assert.equal(played.sort(), ['x.1', 'x.4', 'x.5', 'x.6']);
  const sentences = new Map(finds.map(({ seed, sentence }) => [seed, sentence]));
  assert.is(sentences.get('x.2'), 'its process is gone: it ended with SIGKILL:');
  assert.is(sentences.get('x.3'), 'it did not end within 5 s');
  assert.is(finds.length, 2);
});

test('processes that cannot start are refused, and a night that is over gives up its seeds', async () => {
  const options = { seed: 'x', kinds: homes, workers: 1, played: () => {}, found: () => {} };
  const missing = new URL('no-such-program.ts', 'file:///nowhere/');
  const refusal = await playNight({ ...options, over: never, program: missing }).catch((error: Error) => error);
  assert.match((refusal as Error).message, /^a process that plays seeds does not start: it ended with 1/);
  const end = new AbortController();
  const finds: NightFind[] = [];
  const played = (): void => end.abort();
  await playNight({ ...options, over: end.signal, program, played, found: (find) => void finds.push(find) });
  assert.equal(finds, []);
});

test('bad input is refused with what to give instead', async () => {
  await withScratchFolder(async (folder) => {
    await writeFile(join(folder, 'file'), '');
    const page = ['--report', join(folder, 'page.html')];
    const cases: readonly (readonly [options: readonly string[], said: RegExp, code: number])[] = [
      [['--workers', '0', ...page], /^--workers 0\n {2}a whole number from 1 to 256\n$/, 2],
      [
        ['--kinds', 'homes,dragons', ...page],
        /^--kinds dragons is not known\n {2}homes, deadlines, nodes, restores, archives,/,
        2,
      ],
      [['--for', 'long', ...page], /^--for long\n {2}a span such as 8h or 30min, up to 23d\n$/, 2],
      [['--nodes', '2', ...page], /^--nodes is not for --nightly\n {2}--kinds chooses what is played: homes,/, 2],
      [['--report', join(folder, 'file', 'page.html')], /^--report: .* is not a folder, or lies in none\n/, 1],
    ];
    for (const [options, said, code] of cases) {
      const ended = await papergateAlone({}, 'simulate', '--offline', '--nightly', ...options);
      assert.match(ended.stderr, said);
      assert.is(ended.code, code, options.join(' '));
    }
    assert.equal(await readdir(folder), ['file']);
  });
});

test('as many processes play as there is memory for, and more are refused', () => {
  assert.is(workersOf('3', 1_600_000_000), 3);
  assert.is(workersOf(undefined, 600_000_000), 1);
  assert.throws(() => workersOf('4', 1_600_000_000), /^4 processes need 2000 MB of memory, and 1600 MB are free$/);
  assert.throws(() => workersOf(undefined, 100_000_000), /and 100 MB are free$/);
});

test('the page of a night names the kind of a find, and says what was not kept', () => {
  const record = openNightRecord(seedKinds);
  const [, , nodes] = seedKinds;
  assert.ok(nodes);
  const find = {
    kind: nodes,
    rule: 'INV-77',
    sentence: '<both> did it',
    lastLines: ['9.000 s  BROKEN'],
    shrunk: undefined,
  };
  for (let at = 1; at <= 103; at++) record.addFind({ ...find, seed: `n.${at}` });
  const page = nightlyPage(record, { seed: 'n', beganAt: 0, now: 60_000, workers: 2, isOver: false });
  for (const part of [
    'simulate --offline --seed n.1 --nodes drawn --trace',
    '&lt;both&gt; did it',
    '3 more',
    'INV-77',
  ]) {
    assert.ok(page.includes(part), part);
  }
  assert.not.ok(page.includes('n.101'));
});

test.run();
