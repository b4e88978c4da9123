/** Threads that dither, or read calendars, and answer with something else: their work fails, and another one takes their place. */

import { Worker } from 'node:worker_threads';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { expandFeed } from '../../api/calendar/expand-feed.ts';
import { createDitherWorkers } from '../../api/inks/dithering/workers.ts';
import { preparePicture } from '../../api/inks/prepare-picture.ts';
import { epd7 } from '../../firmware-protocol/panels.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { systemClock } from '../../runtime/clock.ts';
import { sharer } from './render-world.ts';
import { withoutSurprises } from './without-surprises.ts';

const test = suite('lying threads');

/** The code that threads run in place of an answer, as JavaScript. */
const lies: Readonly<Record<string, string>> = {
  nothing: 'port.postMessage(null)',
  'a text': "port.postMessage('done')",
  'a file without its number': 'port.postMessage(new Uint8Array(9))',
  'the file of another job': 'port.postMessage({ number: 4_000, answer: new Uint8Array(9) })',
  'a list for a file': 'port.postMessage({ number: 0, answer: [1, 2, 3] })',
  'its end': 'process.exit(3)',
  'an exception': "throw new Error('a fault')",
  'a list of events that is none': "port.postMessage({ ok: true, events: 'all', guessed: [] })",
  'an event without a time': 'port.postMessage({ ok: true, events: [{ summary: null }], guessed: [] })',
};

for (const [name, lie] of Object.entries(lies)) {
  test(`a thread that dithers answers with ${name}: the picture fails, and the next one has another thread`, () =>
    withoutSurprises(async () => {
      const source = `const port = require('node:worker_threads').parentPort; port.on('message', () => { ${lie} }); port.postMessage('loaded')`;
      const started: Worker[] = [];
      const workers = createDitherWorkers(systemClock, 2, () => {
        const worker = new Worker(source, { eval: true, stderr: true });
        started.push(worker);
        return worker;
      });
      try {
        const image = await sharp({ create: { width: 80, height: 48, channels: 3, background: '#fff' } })
          .png()
          .toBuffer();
        for (const tries of [1, 2]) {
          const outcome = await preparePicture(
            image,
            { sharer, panel: epd7, orientation: 'landscape', fit: 'cover' },
            workers,
          ).then(
            () => 'a picture',
            (error: unknown) => error,
          );
          assert.instance(outcome, Error, String(outcome));
          assert.is(started.length, tries);
        }
      } finally {
        await workers.stop();
      }
    }));

  test(`a thread that reads a calendar answers with ${name}: the calendar is unreadable`, () =>
    withoutSurprises(async () => {
      const source = `import { parentPort as port } from 'node:worker_threads'; ${lie}`;
      const program = new URL(`data:text/javascript,${encodeURIComponent(source)}`);
      const range = { at: 0, dayRange: 7, timeZone: 'UTC', maxEvents: 20 };
      const feed = await expandFeed(systemClock, 'BEGIN:VCALENDAR', range, { program });
      assert.equal(feed, { ok: false, problem: reasonOf('calendar-unreadable') });
    }));
}

test.run();
