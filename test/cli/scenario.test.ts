/** `papergate scenario`: exit codes, what it prints, its page, and files that are wrong. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fileToPlay } from '../../cli/scenario/examples.ts';
import { papergate, withScratchFolder } from './papergate.ts';

const test = suite('the scenario command');

const good = `name: Two frames <b>
lasts: 20m
fleet:
  - { frames: 2, sleep: 4m }
events:
  - { at: 6m, push: Hello }
expect:
  - all synced within 2 wakes
`;

const hint =
  '  ./papergate scenario --examples lists those that can be played by their name; docs/scenarios.md has the words\n';

test('an outcome as expected exits with 0, with a line for each expectation, and a page that has the same sentences', () =>
  withScratchFolder(async (folder) => {
    const [file, page] = [join(folder, 'good.yaml'), join(folder, 'page.html')];
    await writeFile(file, good);
    const { code, stdout, stderr } = await papergate({}, 'scenario', file, '--report', page);
    assert.equal([code, stderr], [0, '']);
    const [name, met, counts, trace] = stdout.split('\n');
    assert.is(name, 'Two frames <b>');
    assert.is(met, 'met      all synced within 2 wakes (line 8): 2 of 2 pushes to frames');
    assert.match(counts ?? '', /^2 frames woke \d+ times; 1 pushes; seed 1$/);
    assert.match(trace ?? '', /^trace [0-9a-f]{64}$/);
    const html = await readFile(page, 'utf8');
    for (const part of [
      'Two frames &lt;b&gt;',
      'all synced within 2 wakes',
      '2 of 2 pushes to frames',
      'group-1: push 1, &quot;Hello&quot;',
      '64 blocks',
    ]) {
      assert.ok(html.includes(part), part);
    }
    assert.ok(html.includes(trace?.slice('trace '.length) ?? 'no trace'));
    assert.match(html, /src="data:image\/png/);
  }));

test('one that is not as expected exits with 1, with JSON and another seed, and the page says so', () =>
  withScratchFolder(async (folder) => {
    const [file, page] = [join(folder, 'bad.json'), join(folder, 'page.html')];
    const scenario = {
      name: 'Off',
      lasts: '10m',
      fleet: [{ frames: 1, sleep: '2m' }],
      events: [{ at: '5m', do: 'cut power' }],
      expect: ['no frame silent for 3m', 'battery above 1V'],
    };
    await writeFile(file, JSON.stringify(scenario));
    const { code, stdout, stderr } = await papergate({}, 'scenario', file, '--json', '--seed', '7', '--report', page);
    assert.is(code, 1);
    assert.match(stderr, /^bad\.json did not go as it expects\n/);
    const { expectations, hash, wakes, ...told } = JSON.parse(stdout);
    assert.equal(told, {
      event: 'verdict',
      scenario: 'Off',
      seed: '7',
      frames: 1,
      isGood: false,
      brokenPromise: null,
      pushes: 0,
    });
    assert.equal(
      expectations.map(({ sentence, line, isMet }: { [name: string]: unknown }) => [sentence, line, isMet]),
      [
        ['no frame silent for 3m', 1, false],
        ['battery above 1V', 1, true],
      ],
    );
    assert.match(hash, /^[0-9a-f]{64}$/);
    assert.ok(wakes > 0);
    const html = await readFile(page, 'utf8');
    assert.match(html, /not as expected/);
    assert.ok(html.includes('1 of 2 expectations met.'));
  }));

test('a wrong file is 2, in one sentence with the line', () =>
  withScratchFolder(async (folder) => {
    const refused = async (name: string, content: string | Uint8Array): Promise<string> => {
      const file = join(folder, name);
      await writeFile(file, content);
      const { code, stdout, stderr } = await papergate({}, 'scenario', file);
      assert.equal([code, stdout], [2, '']);
      assert.is(stderr.split('\n').length, 3);
      return stderr.split('\n')[0]?.replace(file, name) ?? '';
    };
    const none = 'line 1: this is not a scenario: it has name, seed, starts, timezone, lasts, fleet, events, expect';
    assert.is(await refused('empty', ''), `empty, ${none}`);
    assert.is(await refused('picture', Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0xff, 0xfe, 0, 1)), `picture, ${none}`);
    assert.is(
      await refused('late', good.replace('at: 6m', 'at: 6h')),
      'late, line 6: 6h is after the scenario has ended',
    );
    assert.match(await refused('open', 'name: ['), /^open, line 1: this is not YAML: /);
    assert.match(await refused('large', '#'.repeat(1_048_577)), /^large has 1048577 bytes; a scenario has 1048576 at/);
  }));

test('a wrong command line is 2, and nothing is played', () =>
  withScratchFolder(async (folder) => {
    const file = join(folder, 'good.yaml');
    await writeFile(file, good);
    const refused = async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await papergate({}, 'scenario', ...args);
      assert.equal([code, stdout], [2, '']);
      return stderr;
    };
    assert.is(await refused(), `A scenario file is missing\n${hint}`);
    assert.is(await refused(join(folder, 'none')), `There is no ${join(folder, 'none')}\n${hint}`);
    assert.is(await refused(folder), `There is no ${folder}\n${hint}`);
    assert.is(await refused('--print', '../good'), `There is no example ../good\n${hint}`);
    assert.is(await refused(file, '--examples'), 'a file and --examples do not go together\n  give one of them\n');
    const unwritable = await papergate({}, 'scenario', file, '--report', join(folder, 'no/page.html'));
    assert.equal([unwritable.code, unwritable.stdout], [1, '']);
    assert.match(unwritable.stderr, /^--report: .* is not there, and cannot be made\n/);
    assert.match(await refused(file, '--speed', 'fast'), /^--speed fast\n/);
  }));

test('examples are listed and printed', async () => {
  const { stdout } = await papergate({}, 'scenario', '--examples');
  assert.match(stdout, /^flood {15}An integration that runs wild .+\.$/m);
  const listed = JSON.parse((await papergate({}, 'scenario', '--examples', '--json')).stdout);
  assert.equal(stdout.trimEnd().split('\n').length, listed.length);
  const printed = await papergate({}, 'scenario', '--print', 'flood');
  assert.is(
    printed.stdout,
    await readFile(join(import.meta.dirname, '../../testbed/scenario/examples/flood.yaml'), 'utf8'),
  );
});

test('a name is the example, unless there is a file of that name', () =>
  withScratchFolder(async (folder) => {
    const example = (await fileToPlay('flood', {})) ?? '';
    assert.match(example, /examples.flood\.yaml$/);
    assert.match(await readFile(example, 'utf8'), /^# An integration that runs wild/);
    const before = process.cwd();
    process.chdir(folder);
    try {
      await mkdir('flood');
      assert.is(await fileToPlay('flood', {}), example);
      await writeFile('price-change', good);
      assert.is(await fileToPlay('price-change', {}), 'price-change');
    } finally {
      process.chdir(before);
    }
  }));

test.run();
