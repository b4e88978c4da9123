/** Images that are normalized in a process apart: the same outcomes, and no harm when it ends. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { FileContent } from '../../api/http/uploaded-file.ts';
import { imageProcesses } from '../../api/images/image-process/image-process.ts';
import { type ImageProcess, ProcessGone, startImageProcess } from '../../api/images/image-process/one-process.ts';
import { type ImageOptions, type NormalizedImage, normalizeImage } from '../../api/images/normalize-image.ts';
import { systemClock } from '../../runtime/clock.ts';
import { silentLogger } from '../../runtime/logger.ts';

const test = suite('image process');

const ours: ImageOptions = { sharer: ['ours', 'ours'], formats: ['jpeg', 'png'] };
const done: NormalizedImage = { ok: true, bytes: Buffer.from('png'), notes: [] };
const photograph = (width: number): Promise<Buffer> =>
  sharp({ create: { width, height: 300, channels: 3, background: '#336699' } })
    .jpeg()
    .toBuffer();

test('T-61: an image is the same wherever it is normalized, from memory and from a file; what is none is none', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'papergate-image-'));
  const images = imageProcesses(systemClock, silentLogger);
  try {
    const bytes = await photograph(400);
    const path = join(folder, 'image');
    await writeFile(path, bytes);
    const here = await normalizeImage(bytes, ours);
    assert.ok(here.ok);
    for (const image of [bytes, { path }]) assert.equal(await images.normalizeImage(image, ours), here);
    const problems: [FileContent, string][] = [
      [Buffer.from('no image'), 'unsupported'],
      [bytes.subarray(0, 700), 'broken'],
      [await sharp(bytes).webp().toBuffer(), 'unsupported'],
    ];
    for (const [image, problem] of problems) {
      const outcome = await images.normalizeImage(image, ours);
      assert.equal(outcome, await normalizeImage(image, ours));
      assert.is(outcome.ok || outcome.problem, problem);
    }
  } finally {
    images.stop();
    await rm(folder, { recursive: true });
  }
});

test('T-60: the process gives way to the service', async () => {
  const images = imageProcesses(systemClock, silentLogger);
  try {
    assert.ok((await images.normalizeImage(await photograph(400), ours)).ok);
    const children = execFileSync('pgrep', ['-P', String(process.pid), '-f', 'normalizer.mjs'], { encoding: 'utf8' });
    assert.equal(
      children
        .trim()
        .split('\n')
        .map((pid) => getPriority(Number(pid))),
      [3],
    );
  } finally {
    images.stop();
  }
});

test('a caller who leaves takes the image back, and the next one is decoded', async () => {
  const images = imageProcesses(systemClock, silentLogger);
  try {
    const leaving = new AbortController();
    const left = images.normalizeImage(await photograph(500), { ...ours, signal: leaving.signal });
    const reason = new Error('left');
    leaving.abort(reason);
    assert.is(await left.catch((error: unknown) => error), reason);
    assert.ok((await images.normalizeImage(await photograph(500), ours)).ok);
  } finally {
    images.stop();
  }
});

test('T-32: a process that ends tells those who wait for it', async () => {
  const one = startImageProcess();
  const waiting = one.normalize(await photograph(600), ours).catch((error: unknown) => error);
  one.end();
  assert.instance(await waiting, ProcessGone);
  assert.is(one.isGone(), true);
  assert.instance(await one.normalize(await photograph(600), ours).catch((error: unknown) => error), ProcessGone);
});

/** A played process: an image that says `bomb` ends it, with all that it is asked. */
function playedProcesses() {
  const started: { ended: boolean }[] = [];
  const start = (): ImageProcess => {
    const state = { ended: false };
    started.push(state);
    const rejects = new Set<(error: unknown) => void>();
    const die = (): void => {
      state.ended = true;
      for (const reject of rejects) reject(new ProcessGone(true));
    };
    return {
      normalize: (image) =>
        new Promise((resolve, reject) => {
          rejects.add(reject);
          if (String(image) === 'bomb') setTimeout(die, 20);
          else setTimeout(() => resolve(done), 40);
        }),
      isGone: () => state.ended,
      end: die,
    };
  };
  return { started, start };
}

test('T-32: an image that ends the decoder is broken, and those that were with it are not', async () => {
  const { started, start } = playedProcesses();
  const images = imageProcesses(systemClock, silentLogger, start);
  const outcomes = await Promise.all(
    ['good', 'bomb', 'fine'].map((image) => images.normalizeImage(Buffer.from(image), ours)),
  );
  assert.equal(outcomes, [done, { ok: false, problem: 'broken' }, done]);
  assert.equal(await images.normalizeImage(Buffer.from('later'), ours), done);
  images.stop();
  assert.ok(started.every(({ ended }) => ended));
  const late = await images.normalizeImage(Buffer.from('too late'), ours).catch((error: unknown) => error);
  assert.match(String(late), 'stopped');
});

test('T-61: a process that nobody needs for a while ends, and the next image starts another', async () => {
  const { started, start } = playedProcesses();
  const timers = new Set<() => void>();
  const after = (delayMs: number, run: () => void) => {
    if (delayMs === 20_000) timers.add(run);
    return { cancel: () => void timers.delete(run) };
  };
  const images = imageProcesses({ ...systemClock, after }, silentLogger, start);
  for (const image of ['one', 'two']) assert.equal(await images.normalizeImage(Buffer.from(image), ours), done);
  assert.equal([started.length, timers.size], [1, 1]);
  for (const run of timers) run();
  assert.equal(started, [{ ended: true }]);
  assert.equal(await images.normalizeImage(Buffer.from('three'), ours), done);
  assert.is(started.length, 2);
  images.stop();
});

test.run();
