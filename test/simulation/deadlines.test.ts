/** People set deadlines, and whatever happens: none is met without a proof, and none is missed that was not foretold (DL-24). */
import { randomBytes } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createDisk } from '../../testbed/offline/machine/disk.ts';
import { runSeed } from '../../testbed/offline/run-seed.ts';
import { manyTimes } from '../some-times.ts';

const test = suite('deadlines under virtual time');

/** The number of fresh seeds; the variable SEEDS asks for more. */
const seeds = Number(process.env.SEEDS ?? manyTimes('fresh seeds with deadlines', 100, 8));

test(`${seeds} fresh seeds with deadlines keep every promise`, async () => {
  const disk = await createDisk();
  const seed = `deadlines-${randomBytes(4).toString('hex')}`;
  const sums: Record<string, number> = {};
  for (let at = 1; at <= seeds; at++) {
    const { broken, counts, lastLines } = await runSeed(`${seed}.${at}`, disk, { deadlines: 6 });
    assert.is(broken && `${seed}.${at}: ${broken.rule}: ${broken.sentence}\n${lastLines.join('\n')}`, undefined);
    for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count;
  }
  for (const state of ['met', 'missed']) {
    assert.ok((sums[`deadlines ${state}`] ?? 0) > seeds / 8, `${state}: ${sums[`deadlines ${state}`]}`);
  }
});

test('a page that changes when its picture is taken and its proof awaited makes a miss unavoidable only then', async () => {
  // Its page changes 11 seconds before the time, half a minute after drawing had to begin.
  const { broken } = await runSeed('b.26', await createDisk(), { deadlines: 6 });
  assert.is(broken && `${broken.rule}: ${broken.sentence}`, undefined);
});

test('a push that began to arrive before a contact and was accepted after it makes a miss that nobody could foresee', async () => {
  const { broken } = await runSeed('deadlines-3b250ae7.3', await createDisk(), { deadlines: 6 });
  assert.is(broken && `${broken.rule}: ${broken.sentence}`, undefined);
});

test('a polled frame that drew the picture and is late for the wake that proves it can still keep its deadline', async () => {
  const { broken } = await runSeed('deadlines-0685cbd8.96', await createDisk(), { deadlines: 6 });
  assert.is(broken && `${broken.rule}: ${broken.sentence}`, undefined);
});

test('a frame that has the picture and never reports that it shows it is given up when it must be asleep', async () => {
  const { broken } = await runSeed('hunt-a.114', await createDisk(), { deadlines: 6 });
  assert.is(broken && `${broken.rule}: ${broken.sentence}`, undefined);
});

test('a call that a suspended machine hears a day late is not taken for one of a second device', async () => {
  const { broken } = await runSeed('deadlines-eacc5da1.2', await createDisk(), { deadlines: 6 });
  assert.is(broken && `${broken.rule}: ${broken.sentence}`, undefined);
});

test('a frame that fetched a picture which came after its last word went to sleep with it: the miss could be foreseen', async () => {
  const { broken } = await runSeed('deadlines-45f01b8f.46', await createDisk(), { deadlines: 6 });
  assert.is(broken && `${broken.rule}: ${broken.sentence}`, undefined);
});

test.run();
