/** A mistake in a test file is reported for that file, although others share its process. */
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FileOutcome, playFiles } from './start-process.ts';

const test = suite('test runner');

const root = resolve(import.meta.dirname, '../..');

/** Plays files with these texts, in one process as long as none of them ends it. */
async function played(texts: readonly string[], timeoutMs = 60_000): Promise<FileOutcome[]> {
  const folder = mkdtempSync(join(tmpdir(), 'papergate-runner-'));
  const outcomes: FileOutcome[] = [];
  try {
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    const begin = `import { suite } from 'uvu';\nconst test = suite${"('played')"};\n`;
    const files = texts.map((text, at) => {
      const path = join(folder, `${at}.test.ts`);
      writeFileSync(path, `${begin}${text}\ntest.run${'()'};\n`);
      return path;
    });
    await playFiles(() => files.shift(), {
      timeoutMs,
      env: process.env,
      ended: (outcome) => void outcomes.push(outcome),
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
  return outcomes;
}

const passes = "test('passes', () => {});";

test('files in one process are counted by themselves, and a failure belongs to its file alone', async () => {
  const outcomes = await played([
    `${passes}\ntest('passes as well', () => {});`,
    "test('fails', () => { throw new Error('on purpose'); });",
    "throw new Error('while it is loaded');",
    passes,
  ]);
  assert.equal(
    outcomes.map(({ total, passed, after }) => [total, passed, after.map((file) => basename(file))]),
    [
      [2, 2, []],
      [1, 0, ['0.test.ts']],
      [0, 0, ['0.test.ts', '1.test.ts']],
      [1, 1, ['0.test.ts', '1.test.ts', '2.test.ts']],
    ],
  );
  assert.equal(
    outcomes.map(({ problems }) => problems),
    [[], ['ended with exit code 1', '1 of 1 did not pass'], ['ended with exit code 1', 'ran no test'], []],
  );
  assert.match(outcomes[1]?.output ?? '', 'on purpose');
  assert.not.match(outcomes[3]?.output ?? '', 'on purpose');
});

test('a file that ends its process, or never ends, fails, and the next ones are played by another', async () => {
  const hangs = "test('hangs', async () => { await new Promise((resolve) => setTimeout(resolve, 1e6)); });";
  const outcomes = await played(
    [
      "test('leaves', () => { process.exit(0); });",
      passes,
      "test('waits', () => new Promise(() => {}));",
      hangs,
      passes,
    ],
    15_000,
  );
  const said = outcomes.map(({ problems: [first = 'all is well'] }) => first);
  assert.equal(said, [
    'ended with exit code 1',
    'all is well',
    'ended with exit code 13',
    'was not done after 15 s (an open handle?)',
    'all is well',
  ]);
});

test('what a file leaves open is reported for it, of a socket with its ports', async () => {
  const opens = `new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => connect(server.address().port, '127.0.0.1', resolve));
  })`;
  const outcomes = await played([
    `import { connect, createServer } from 'node:net';\ntest('opens', () => ${opens});`,
    passes,
  ]);
  const [[left = ''] = [], next] = outcomes.map(({ problems }) => problems);
  assert.match(left, /^left open: .*TCPServerWrap/);
  assert.match(left, /a socket from port \d+ to \d+/);
  assert.equal(next, ['kept its process alive for 30 s after its tests (an open handle?)']);
});

test('a skipped test has a reason or is a problem, and one that is left to CI is named', async () => {
  const some = `import { longTest, unlessUnable } from '${join(root, 'test/some-times.ts')}';\n`;
  const [skips, silent, long] = await played([
    `${some}${passes}\nunlessUnable(test, 'there is no moon')('howls', () => {});`,
    `${passes}\ntest.skip('nothing');`,
    `process.env.LEAVE_LONG = '1';\nconst { longTest } = await import('${join(root, 'test/some-times.ts')}?long');\nlongTest(test)('a week', () => {});`,
  ]);
  assert.equal([skips?.skipped, skips?.problems, skips?.passed], [['"howls": there is no moon'], [], 1]);
  assert.equal(silent?.problems, ['skipped tests without a reason; see test/some-times.ts']);
  assert.equal([long?.left, long?.problems, long?.total], [['"a week"'], [], 0]);
});

test.run();
