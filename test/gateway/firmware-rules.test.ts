/**
 * Refusals of images and rollouts, and the pure judgements: whom a percentage picks, when a rollout stops, what a return
 * proves.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { addImage, maxImageBytes, type NewImage, openImages } from '../../gateway/firmware/images.ts';
import { fewestLost, isAmong, judgeReturn, maxTries, reasonToPause } from '../../gateway/firmware/judge-rollout.ts';
import {
  pauseRollout,
  type RolloutOptions,
  raiseRollout,
  resumeRollout,
  rolloutLog,
  startRollout,
} from '../../gateway/firmware/rollouts.ts';
import { gatewayTables } from '../../gateway/gateway.ts';
import { systemClock } from '../../runtime/clock.ts';
import { type Database, openDatabase } from '../../runtime/database/database.ts';
import { systemRandom } from '../../runtime/random.ts';

const test = suite('firmware rules');
const now = 1_800_000_000_000;

interface RolloutCache {
  readonly db: Database;
  readonly folder: string;
  add(more?: Partial<NewImage>): ReturnType<typeof addImage>;
  start(more?: Partial<RolloutOptions>): ReturnType<typeof startRollout>;
}

async function withImages(run: (rolloutCache: RolloutCache) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'papergate-firmware-'));
  const db = await openDatabase({ file: ':memory:' }, gatewayTables);
  const deps = { db, random: systemRandom(systemClock), images: await openImages(folder) };
  const which = { kind: 'epd7', dialect: 'native', version: '1.5.0' } as const;
  try {
    await run({
      db,
      folder: join(folder, 'firmware'),
      add: (more = {}) => addImage(deps, { ...which, file: Buffer.from('image'), ...more }, now),
      start: (more = {}) => startRollout(deps, { ...which, percent: 100, ...more }, now),
    });
  } finally {
    await db.destroy();
    await rm(folder, { recursive: true });
  }
}

async function refuses(work: Promise<unknown>, code: string, said: string): Promise<void> {
  const refusal = await work.then(
    () => assert.unreachable(said),
    (error: Error & { code?: string }) => error,
  );
  assert.equal([refusal?.code, refusal?.message.slice(0, said.length)], [code, said]);
}

test('an image is kept under its digest; the same again is the same, other bytes under its version are refused', async () => {
  await withImages(async ({ add, folder, db }) => {
    const added = await add();
    const stored = join(folder, added.sha256);
    assert.is((await readFile(stored)).toString(), 'image');
    await writeFile(stored, '');
    assert.equal(await add({ sha256: added.sha256.toUpperCase() }), added);
    assert.is((await readFile(stored)).toString(), 'image', 'adding it again mends the file');
    const [one, other] = await Promise.all([add({ version: '2.0.0' }), add({ version: '2.0.0' })]);
    assert.equal(one, other);
    await refuses(add({ file: Buffer.from('other') }), 'conflict', 'There is another image of version 1.5.0');
    await add({ file: Buffer.from('other'), dialect: 'classic' });
    assert.is((await add({ kind: 'epd13' })).kind, 'openpaper13');
    assert.is((await db('firmware_images')).length, 4);
  });
});

test('an invalid image is refused, and leaves nothing behind', async () => {
  await withImages(async ({ add, db }) => {
    const invalid = 'invalid-request';
    for (const version of ['', '1.5', 'v1.5.0', '1.5.0 ', `1.5.0-${'a'.repeat(30)}`]) {
      await refuses(add({ version }), invalid, `${version.slice(0, 40)} is not a firmware version`);
    }
    await refuses(add({ kind: 'epaper' }), invalid, 'Frames of kind epaper are not known here');
    await refuses(add({ kind: 'constructor' }), invalid, 'Frames of kind constructor');
    await refuses(add({ file: Buffer.alloc(0) }), invalid, 'The image is empty');
    const huge = Buffer.alloc(maxImageBytes + 1);
    await refuses(add({ file: huge }), invalid, `The image has ${huge.length} bytes`);
    await refuses(add({ sha256: 'f'.repeat(64) }), invalid, 'The image’s digest is ');
    assert.is((await db('firmware_images')).length, 0);
    await add({ file: huge.subarray(1) });
  });
});

test('a rollout needs an image with its file, is one of its kind, and moves only as its state allows', async () => {
  await withImages(async ({ add, start, folder, db }) => {
    await refuses(start(), 'not-found', 'No image 1.5.0 for native epd7');
    const { sha256 } = await add();
    await add({ version: '1.6.0' });
    await rm(join(folder, sha256));
    await refuses(start(), 'conflict', 'The image’s file is missing');
    await add();
    await refuses(start({ serial: 'epd7-a' }), 'unknown-frame', 'No such frame is provisioned');
    const first = await start({ percent: 10 });
    assert.is((await raiseRollout(db, first.id, 30, now)).percent, 30);
    await refuses(raiseRollout(db, first.id, 30, now), 'invalid-request', 'It already reaches 30 percent');
    await refuses(resumeRollout(db, first.id, now), 'conflict', 'The rollout is running');
    await pauseRollout(db, first.id, now);
    await refuses(pauseRollout(db, first.id, now), 'conflict', 'The rollout is paused');
    await refuses(pauseRollout(db, 'nonsense', now), 'not-found', 'There is no rollout nonsense');
    const second = await start({ version: '1.6.0' });
    assert.is(second.supersedes, first.id);
    await refuses(resumeRollout(db, first.id, now), 'conflict', 'The rollout is superseded');
    await add({ dialect: 'classic' });
    assert.is((await start({ dialect: 'classic' })).supersedes, null, 'another dialect is another line');
    assert.is((await rolloutLog(db).live()).length, 2);
  });
});

test('a percentage picks by rollout and serial alone, about as many as it says; a greater one only adds', () => {
  const serials = Array.from({ length: 2000 }, (_, at) => `epd7-${at}`);
  const picked = (rollout: string, percent: number) => serials.filter((serial) => isAmong(rollout, serial, percent));
  fc.assert(
    fc.property(
      fc.string(),
      fc.integer({ min: 1, max: 100 }),
      fc.integer({ min: 0, max: 99 }),
      (rollout, percent, less) => {
        const some = picked(rollout, percent);
        assert.ok(Math.abs(some.length - percent * 20) < 160, `${some.length} of 2000 at ${percent} %`);
        const fewer = new Set(picked(rollout, Math.min(percent, less)));
        assert.ok([...fewer].every((serial) => some.includes(serial)));
      },
    ),
    { numRuns: 20 },
  );
  assert.is(picked('r', 100).length, 2000);
  assert.not.equal(picked('r', 10), picked('s', 10), 'not always the same frames go first');
});

test('a rollout stops at three lost that are more than a fifth of those that started', () => {
  const stops = (lost: number, started: number) => reasonToPause({ started, lost }) !== undefined;
  assert.equal(
    [stops(0, 0), stops(2, 2), stops(3, 3), stops(3, 14), stops(3, 15), stops(20, 100), stops(21, 100)],
    [false, false, true, true, false, false, true],
  );
  assert.is(fewestLost, 3);
});

test('a return proves success by version alone, and failure only in a later boot', () => {
  const offer = { phase: 'restarting', started_at: 1, boot: 7, tries: 0, outcome: null } as const;
  const old = { firmware: '1.0.0', boot: 8 };
  const judge = (more: object, frame: { firmware: string; boot: number | null } = old) =>
    judgeReturn({ ...offer, ...more }, frame, '1.5.0')?.do;
  assert.is(judge({}, { firmware: '1.5.0', boot: 7 }), 'updated');
  assert.is(judge({ outcome: 'lost' }, { firmware: '1.6.0', boot: 9 }), 'updated', 'late, and newer by hand');
  assert.is(judge({ outcome: 'updated' }), undefined, 'a story that is over');
  assert.is(judge({}, { ...old, boot: 7 }), undefined, 'the same boot');
  assert.is(judge({ started_at: null }), undefined, 'told, and nothing begun');
  assert.is(judge({}), 'failed');
  assert.is(judge({}, { firmware: 'dev', boot: 8 }), 'failed');
  assert.is(judge({ outcome: 'failed' }), undefined, 'said once');
  assert.is(judge({ outcome: 'lost' }), 'failed', 'it came back, with the old one');
  assert.is(judge({ phase: 'fetching' }), 'again');
  assert.is(judge({ phase: null, outcome: 'failed', tries: maxTries - 2 }), 'again');
  assert.is(judge({ phase: 'fetching', tries: maxTries - 1 }), 'failed');
});

test.run();
