import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createDitherWorkers, type DitherWorkers } from '../../api/inks/dithering/workers.ts';
import { preparePicture } from '../../api/inks/prepare-picture.ts';
import { fileBytes, rotateToView, unpackPicture } from '../../firmware-protocol/framebuffer.ts';
import { epd7, epd13, type Panel, panels, viewSize } from '../../firmware-protocol/panels.ts';
import { type Clock, systemClock } from '../../runtime/clock.ts';
import { typescriptArgs } from '../../runtime/typescript.mjs';
import { longTest } from '../some-times.ts';
import { sharer } from './render-world.ts';

const test = suite('prepare picture');

async function withWorkers(run: (workers: DitherWorkers) => Promise<void>, clock: Clock = systemClock): Promise<void> {
  const workers = createDitherWorkers(clock, 2);
  try {
    await run(workers);
  } finally {
    await workers.stop();
  }
}

const fill = (width: number, height: number, background: string) =>
  sharp({ create: { width, height, channels: 3, background } });

/** Left half red, right half yellow. */
async function twoHalves(width: number, height: number): Promise<Buffer> {
  const right = await fill(width / 2, height, '#ffff00')
    .png()
    .toBuffer();
  return fill(width, height, '#ff0000')
    .composite([{ input: right, left: width / 2, top: 0 }])
    .png()
    .toBuffer();
}

longTest(test)(
  'threads end when there was nothing to dither for half a minute, and the next picture starts another',
  async () => {
    let passIdle = (): void => {};
    const clock: Clock = {
      ...systemClock,
      after(delayMs, run) {
        if (delayMs === 30_000) passIdle = run;
        return { cancel() {} };
      },
    };
    const started: Worker[] = [];
    const workers = createDitherWorkers(clock, 2, () => {
      const worker = new Worker(new URL('../../api/inks/dithering/worker.ts', import.meta.url), {
        execArgv: [...typescriptArgs],
      });
      started.push(worker);
      return worker;
    });
    try {
      const image = await twoHalves(80, 48);
      for (const threads of [1, 2]) {
        await preparePicture(image, { sharer, panel: epd7, orientation: 'landscape', fit: 'cover' }, workers);
        assert.is(started.length, threads);
        const ended = once(started.at(-1) as Worker, 'exit');
        passIdle();
        await ended;
      }
    } finally {
      await workers.stop();
    }
  },
);

longTest(test)('the packed file holds the very pixels of the preview, turned for the panel', () =>
  withWorkers(async (workers) => {
    for (const panel of [epd7, epd13]) {
      for (const orientation of ['landscape', 'portrait'] as const) {
        const { width, height } = viewSize(panel, orientation);
        const image = await twoHalves(width, height);
        const { file, sha256, preview } = await preparePicture(
          image,
          { sharer, panel, orientation, fit: 'cover' },
          workers,
        );
        assert.is(sha256, createHash('sha256').update(file).digest('hex'));
        const stored = unpackPicture(panel, file);
        assert.instance(stored, Uint8Array);
        const seen = rotateToView(panel, orientation, stored as Uint8Array);
        const { data, info } = await sharp(await preview())
          .raw()
          .toBuffer({ resolveWithObject: true });
        assert.equal([info.width, info.height, info.channels], [width, height, 3]);
        for (const at of [0, width / 2 - 1, width / 2, width * height - 1]) {
          const colour = panel.colours[seen[at] as number];
          assert.is(`#${data.subarray(at * 3, at * 3 + 3).toString('hex')}`, colour?.measured);
          assert.is(
            colour?.name,
            at % width < width / 2 ? 'red' : 'yellow',
            `${panel.name} ${orientation} pixel ${at}`,
          );
        }
      }
    }
  }),
);

test('cover fills the panel, contain shows the whole image on white', () =>
  withWorkers(async (workers) => {
    const square = await fill(100, 100, '#0000ff').png().toBuffer();
    const options = { sharer, panel: epd7, orientation: 'landscape' } as const;
    const covered = await preparePicture(square, { ...options, fit: 'cover' }, workers);
    const contained = await preparePicture(square, { ...options, fit: 'contain' }, workers);
    const edges = await Promise.all(
      [covered, contained].map(async ({ preview }) => {
        const pixels = await sharp(await preview())
          .raw()
          .toBuffer();
        return [0, 240 * 800 + 400].map((at) => pixels.subarray(at * 3, at * 3 + 3).toString('hex'));
      }),
    );
    assert.equal(edges, [
      ['05409e', '05409e'],
      ['bec8c8', '05409e'],
    ]);
  }));

test('several pictures at once come back to their askers', () =>
  withWorkers(async (workers) => {
    const colours = ['#000000', '#ffffff', '#0000ff', '#00ff00', '#ff0000', '#ffff00'];
    const files = await Promise.all(
      colours.map(async (colour) => {
        const image = await fill(80, 48, colour).png().toBuffer();
        const prepared = await preparePicture(
          image,
          { sharer, panel: epd7, orientation: 'landscape', fit: 'cover' },
          workers,
        );
        return prepared.file[4];
      }),
    );
    assert.equal(files, [0x00, 0x66, 0x11, 0x22, 0x33, 0x55]);
  }));

test('a page may ask for no dithering', () =>
  withWorkers(async (workers) => {
    const gray = await fill(800, 480, '#e8e8e8').png().toBuffer();
    const options = { sharer, panel: epd7, orientation: 'landscape', fit: 'cover' } as const;
    const inks = async (dithering: boolean) =>
      new Set((await preparePicture(gray, { ...options, optimize: { enabled: dithering } }, workers)).file.subarray(4))
        .size;
    assert.is(await inks(false), 1);
    assert.ok((await inks(true)) > 1);
  }));

test('PANEL-12: a PNG too large for its frame is drawn so that it is not', () =>
  withWorkers(async (workers) => {
    const noise = Buffer.from(
      Array.from({ length: 400 * 240 * 3 }, (_, at) => (Math.imul(at + 1, 2654435761) >>> 24) & 255),
    );
    const image = await sharp(noise, { raw: { width: 400, height: 240, channels: 3 } })
      .png()
      .toBuffer();
    const trmnl4 = panels.trmnl4 as Panel;
    const options = { sharer, orientation: 'landscape', fit: 'cover' } as const;
    const bounded = await preparePicture(image, { ...options, panel: { ...trmnl4, maxFileBytes: 30_000 } }, workers);
    const free = await preparePicture(image, { ...options, panel: trmnl4 }, workers);
    assert.ok(bounded.file.length <= 30_000 && free.file.length > 30_000, `${bounded.file.length} ${free.file.length}`);
    for (const { file } of [bounded, free]) assert.instance(unpackPicture(trmnl4, file), Uint8Array);
  }));

test('after stop nothing is dithered', () =>
  withWorkers(async (workers) => {
    const image = await fill(80, 48, '#ffffff').png().toBuffer();
    await workers.stop();
    const refused = await preparePicture(
      image,
      { sharer, panel: epd7, orientation: 'landscape', fit: 'cover' },
      workers,
    ).then(
      () => 'prepared',
      (error: unknown) => String(error),
    );
    assert.match(refused, /stopped/);
  }));

test('a thread that does not end is ended, and the next picture gets another', () => {
  const { after: later } = systemClock;
  let hurries = true;
  const clock: Clock = { ...systemClock, after: (ms, ring) => later(hurries ? 0 : ms, ring) };
  return withWorkers(async (workers) => {
    const image = await fill(800, 480, '#808080').png().toBuffer();
    const draw = () => preparePicture(image, { sharer, panel: epd7, orientation: 'landscape', fit: 'cover' }, workers);
    const failed = await draw().catch(String);
    assert.match(String(failed), /gave no answer: late/);
    hurries = false;
    assert.is((await draw()).file.length, fileBytes(epd7));
  }, clock);
});

test.run();
