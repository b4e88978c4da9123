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
import { type ImageProcess, startImageProcess } from '../../api/images/image-process/one-process.ts';
import { type ImageOptions, type NormalizedImage, normalizeImage } from '../../api/images/normalize-image.ts';
import { ProcessGone } from '../../runtime/child-process/working-process.ts';
import { systemClock } from '../../runtime/clock.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { grid, heifFile, maskOf, overlay, sameAs, tile } from './heif-files.ts';
import { zeroPng } from './hostile-images.ts';

const test = suite('image process');

const ours: ImageOptions = { sharer: ['ours', 'ours'], formats: ['jpeg', 'png'] };
const done: NormalizedImage = { ok: true, bytes: Buffer.from('png'), notes: [] };
const photograph = (width: number): Promise<Buffer> =>
  sharp({ create: { width, height: 300, channels: 3, background: '#336699' } })
    .jpeg()
    .toBuffer();

test('T-61: an image is the same wherever it is normalized, from memory and from a file; what is not an image is not one', async () => {
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
    const children = execFileSync('pgrep', ['-P', String(process.pid), '-f', 'normalizer.ts'], { encoding: 'utf8' });
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

const everyFormat: ImageOptions = {
  sharer: ['ours', 'ours'],
  formats: ['jpeg', 'png', 'webp', 'gif', 'heic', 'avif'],
  keepsDetail: true,
};

/** A good picture in every format. */
async function goodPictures(): Promise<Buffer[]> {
  const image = sharp({ create: { width: 64, height: 64, channels: 3, background: '#336699' } });
  return Promise.all([
    image.clone().jpeg().toBuffer(),
    image.clone().png().toBuffer(),
    image.clone().webp().toBuffer(),
    image.clone().gif().toBuffer(),
    image.clone().avif().toBuffer(),
    heifFile([tile(1)]),
  ]);
}

/** Files of every format that are refused, or taken at a price. */
async function badPictures(): Promise<Buffer[]> {
  const [jpeg, png, webp, gif, avif, heic] = (await goodPictures()) as [Buffer, Buffer, Buffer, Buffer, Buffer, Buffer];
  const shape = [64, 64] as const;
  const chain = (links: number, type: string) =>
    Array.from({ length: links }, (_, at) => ({ ...sameAs(at + 1, at + 2), type }));
  const noise = Buffer.from(Array.from({ length: 4_000 }, (_, at) => (at * 7_919) % 251));
  return [
    heifFile([...chain(900, 'iden'), tile(901)]),
    heifFile([...chain(8, 'iden'), tile(9)]),
    heifFile([...chain(150, 'grid'), tile(151)], { brand: 'avif' }),
    heifFile([sameAs(1, 2), sameAs(2, 1)], { brand: 'avif' }),
    heifFile([maskOf(1, 2), maskOf(2, 1)]),
    heifFile([
      grid(1, { rows: 200, columns: 200, of: Array.from({ length: 40_000 }, () => 2), shape: [12_800, 12_800] }),
      tile(2),
    ]),
    heifFile([
      overlay(
        1,
        Array.from({ length: 900 }, () => 2),
        shape,
      ),
      tile(2),
    ]),
    heifFile([{ ...tile(1), claims: 0x7fffffff }]),
    ...[0.2, 0.5, 0.8].map((share) => heic.subarray(0, heic.length * share)),
    Buffer.concat([heic.subarray(0, 40), noise]),
    Buffer.concat([avif.subarray(0, avif.length / 2), noise]),
    Buffer.concat([jpeg.subarray(0, 200), noise]),
    await sharp(jpeg).resize(6_000, 4_000).jpeg({ progressive: true }).toBuffer(),
    zeroPng({ width: 7_000, height: 5_000, depth: 8, colourType: 6, interlaced: true, inflatesTo: 1_000_000 }),
    Buffer.concat([png.subarray(0, 60), noise]),
    Buffer.concat([webp.subarray(0, 30), noise]),
    Buffer.concat([gif.subarray(0, 20), noise]),
  ];
}

test('T-32: after each bad picture a good one of somebody else is taken, in every format', async () => {
  const images = imageProcesses(systemClock, silentLogger);
  const theirs: ImageOptions = { ...everyFormat, sharer: ['theirs', 'theirs'] };
  try {
    const good = await goodPictures();
    for (const [at, bad] of (await badPictures()).entries()) {
      await images.normalizeImage(bad, theirs);
      const outcomes = await Promise.all(good.map((image) => images.normalizeImage(image, everyFormat)));
      assert.equal(
        outcomes.map(({ ok }) => ok),
        good.map(() => true),
        `after the bad one ${at}`,
      );
    }
  } finally {
    images.stop();
  }
});

test('T-32: an error that is not an answer of a decoder ends its process, and the log says why', async () => {
  const told: string[] = [];
  const one = startImageProcess({ told: (reason) => told.push(reason) });
  const confused = { ...ours, formats: 5 as never };
  assert.instance(await one.normalize(await photograph(300), confused).catch((error: unknown) => error), ProcessGone);
  assert.match(told.join(), /it ended with 1: TypeError: formats\.includes is not a function/);
  const other = startImageProcess({ told: (reason) => told.push(reason) });
  const gone = await other.normalize({ path: join(tmpdir(), 'papergate-no-such-file') }, ours).catch(String);
  assert.match(String(gone), /ENOENT/, 'a file that cannot be read says nothing of decoders');
  assert.equal([other.isGone(), told.length], [false, 1]);
  other.end();
});

/** A played process: an image that says `bomb` ends it, with all that it is asked. */
function playedProcesses(textOf: (image: Buffer) => string = String) {
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
      normalize: (image, { signal }) =>
        new Promise((resolve, reject) => {
          rejects.add(reject);
          signal?.addEventListener('abort', () => reject(signal.reason));
          const text = textOf(image as Buffer);
          if (text === 'bomb') setTimeout(die, 20);
          else if (text !== 'for ever') setTimeout(() => resolve(done), 40);
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

/** A picture of a phone for a played process. */
const ofPhone = (text: string): Buffer =>
  Buffer.concat([Buffer.from('\0\0\0\x18ftypheic\0\0\0\0heicmif1', 'latin1'), Buffer.from(text)]);

test('T-32: pictures of phones are decoded one at a time elsewhere, and one that ends its process ends nothing else', async () => {
  const { started, start } = playedProcesses((image) => image.subarray(24).toString());
  const images = imageProcesses(systemClock, silentLogger, start);
  const judge = (image: Buffer, signal?: AbortSignal) =>
    images.normalizeImage(image, { ...everyFormat, ...(signal && { signal }) });
  const [bad, good, jpeg] = await Promise.all([
    judge(ofPhone('bomb')),
    judge(ofPhone('good')),
    judge(ofPhone('').fill(1)),
  ]);
  assert.equal([bad, good, jpeg], [{ ok: false, problem: 'broken' }, done, done]);
  assert.is(started.length, 3, 'one for phones, one in its place, and one for all others');
  const leaving = new AbortController();
  const left = judge(ofPhone('for ever'), leaving.signal).catch(String);
  const next = judge(ofPhone('next'));
  leaving.abort(new Error('left'));
  assert.match(String(await left), 'left');
  assert.equal(await next, done, 'nobody waits for one whose sender left');
  images.stop();
  assert.ok(started.every(({ ended }) => ended));
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
