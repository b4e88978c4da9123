/** The loop of guided fuzzing itself: it finds what chance does not, does the same for the same seed, and shrinks. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checkout } from '../sources.ts';
import { watchCoverage } from './coverage.ts';
import { type Explored, explore, runInput } from './explore.ts';
import { shrink } from './shrink.ts';
import type { FuzzTarget } from './target.ts';
import { tellFaults } from './tell-faults.ts';

const test = suite('guided fuzzing');

const reader = 'test/fuzz/toy-reader.ts';
const most = 6_000;
let loaded = 0;

/** Searches the toy, guided by the coverage of these files. */
async function search(guide: string, seed: string): Promise<Explored & { readonly target: FuzzTarget }> {
  const coverage = watchCoverage(checkout, [guide]);
  try {
    // Loaded again each time: V8 counts no blocks of what was compiled before.
    const { readToy } = (await import(`./toy-reader.ts?${loaded++}`)) as typeof import('./toy-reader.ts');
    const target: FuzzTarget = {
      guides: [guide],
      words: ['F', 'U', 'Z', 'Q'],
      maxBytes: 64,
      maxMs: 1_000,
      run: (input) => void readToy(input),
    };
    const goesOn = (run: number, { length }: { length: number }) => run < most && length === 0;
    return { ...(await explore({ target, coverage, seed, corpus: [Buffer.from('abcdef')], goesOn })), target };
  } finally {
    coverage.stop();
  }
}

test('a fault behind four steps is found where coverage guides, and not by chance alone', async () => {
  const guided = await search(reader, 'one');
  assert.match(guided.faults[0]?.sign ?? 'nothing was found', /^the fault of the toy/);
  assert.ok(guided.blocks.last > guided.blocks.first, JSON.stringify(guided.blocks));
  const blind = await search('test/fuzz/nothing', 'one');
  assert.equal(blind.faults, []);
  assert.ok(blind.executions >= most);
});

test('the same seed does the same', async () => {
  const [one, other] = [await search(reader, 'same'), await search(reader, 'same')];
  assert.is(one.executions, other.executions);
  assert.equal(
    one.faults.map(({ input }) => input.toString('hex')),
    other.faults.map(({ input }) => input.toString('hex')),
  );
});

test('a find is shrunk, kept as a file, and told with the command that tries it again', async () => {
  const { target, faults } = await search(reader, 'one');
  const [fault] = faults;
  assert.ok(fault);
  const least = await shrink(target, Buffer.concat([fault.input, Buffer.alloc(40, 'x')]), fault.sign);
  assert.is(least.toString(), 'FUZZ');
  assert.match(
    tellFaults('calendars', [{ ...fault, input: least }]),
    /fuzz\.ts calendars --replay \S+calendars-[0-9a-f]{12}\n/,
  );
});

test('what takes too long is a find, and so is a reader that changes its input', async () => {
  const slow: FuzzTarget = {
    guides: [],
    words: [],
    maxBytes: 9,
    maxMs: 1,
    run: () => void Buffer.alloc(2 ** 26).fill('abc'),
  };
  assert.is((await runInput(slow, Buffer.from('a')))?.sign, 'it takes too long');
  const changing = { ...slow, maxMs: 10_000, run: (input: Buffer) => void input.fill(0) };
  assert.is((await runInput(changing, Buffer.from('a')))?.sign, 'it changes its input');
});

test.run();
