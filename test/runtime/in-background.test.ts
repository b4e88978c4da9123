/** Work that nobody waits for: its failure is a line in the log, and no rejection that ends the process. */
import { setImmediate as turn } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { passLoop } from '../../api/delivery/pass-loop.ts';
import { inBackground } from '../../runtime/in-background.ts';

const test = suite('in the background');

/** A log of errors, and what Node would have ended the process for. */
async function watched(run: (logger: { error(fields: Record<string, unknown>, message: string): void }) => void) {
  const lines: Record<string, unknown>[] = [];
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', note);
  try {
    run({ error: (fields) => void lines.push(fields) });
    for (let turns = 0; turns < 5; turns++) await turn();
  } finally {
    process.off('unhandledRejection', note);
  }
  return { lines, unhandled };
}

test('work that rejects, and work that throws at once, are logged with the name of the task', async () => {
  const error = new Error('no');
  const { lines, unhandled } = await watched((logger) => {
    inBackground(logger, 'reject', () => Promise.reject(error));
    inBackground(logger, 'throw', () => {
      throw error;
    });
    inBackground(logger, 'do', () => 1);
  });
  assert.equal(lines.map(({ task }) => task).sort(), ['reject', 'throw']);
  assert.ok(lines.every((line) => line.error === error));
  assert.equal(unhandled, []);
});

test('a pass of the line that fails is logged, and the next one is run', async () => {
  let passes = 0;
  const { lines, unhandled } = await watched((logger) => {
    const loop = passLoop(logger, async () => {
      passes++;
      if (passes === 1) throw new Error('a fault');
    });
    loop.start();
    loop.nudge();
    setImmediate(() => loop.nudge());
  });
  assert.is(passes, 2);
  assert.is(lines.length, 1);
  assert.equal(unhandled, []);
});

test.run();
