/** A process that decodes images and lies: the service goes on, the image is refused, and another process takes its place (T-75). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { imageProcesses } from '../../api/images/image-process/image-process.ts';
import { startImageProcess } from '../../api/images/image-process/one-process.ts';
import type { ImageOptions } from '../../api/images/normalize-image.ts';
import { ProcessGone } from '../../runtime/child-process/working-process.ts';
import { systemClock } from '../../runtime/clock.ts';
import { withoutSurprises } from './without-surprises.ts';

const test = suite('lying decoder');

const program = new URL('./lying-decoder.ts', import.meta.url);
const ours: ImageOptions = { sharer: ['ours', 'ours'], formats: ['png'] };

const lies = [
  'no message',
  'a head that is not JSON',
  'a head that is null',
  'ready twice',
  'a number that nobody asked',
  'a number that is none',
  'no picture',
  'a picture that is missing',
  'a word that is unknown',
  'a field too much',
  'more bytes than any picture',
  'a head of a gigabyte',
  'half of an answer, and its end',
  'crash',
];

for (const lie of lies) {
  test(`a decoder's lie ends its process alone: ${lie}`, () =>
    withoutSurprises(async () => {
      const told: string[] = [];
      const one = startImageProcess({ told: (reason) => told.push(reason), program });
      const outcome = await one.normalize(Buffer.from(lie), ours).catch((error: unknown) => error);
      assert.instance(outcome, ProcessGone, String(outcome));
      assert.is(one.isGone(), true);
      assert.is(told.length, 1, told.join('\n'));
    }));
}

test('an answer that comes twice counts once, and the process is not asked again', () =>
  withoutSurprises(async () => {
    const told: string[] = [];
    const one = startImageProcess({ told: (reason) => told.push(reason), program });
    const outcome = await one.normalize(Buffer.from('the same answer twice'), ours);
    assert.is(outcome.ok, true);
    assert.instance(await one.normalize(Buffer.from('honest'), ours).catch((error: unknown) => error), ProcessGone);
    assert.is(told.length, 1);
  }));

test('an image whose decoder lies is broken, its neighbours are not, and the log has one line a minute', () =>
  withoutSurprises(async () => {
    let now = 1_000_000;
    const lines: unknown[] = [];
    const logger = { warn: (fields: object, message: string) => lines.push({ ...fields, message }) };
    const clock = { ...systemClock, now: () => now };
    const images = imageProcesses(clock, logger, (told) => startImageProcess({ told, program }));
    try {
      const judge = (image: string) => images.normalizeImage(Buffer.from(image), ours);
      const [lied, honest] = await Promise.all([judge('no message'), judge('honest')]);
      assert.equal([lied, honest?.ok], [{ ok: false, problem: 'broken' }, true]);
      assert.is((await judge('honest')).ok, true, 'another process takes its place');
      assert.is(lines.length, 1, JSON.stringify(lines));
      now += 60_001;
      assert.is((await judge('crash')).ok, false);
      const message = 'a process that decodes images ended; another one takes its place';
      assert.equal(lines[1], { reason: 'it ended with SIGSEGV:', leftOut: 1, message });
    } finally {
      images.stop();
    }
  }));

test.run();
