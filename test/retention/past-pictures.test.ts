/** The pictures of the past: kept for ninety days within a budget, the newest first, and never for a former owner. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { pastPictures } from '../../api/retention/past-pictures.ts';
import { epd7 } from '../../firmware-protocol/panels.ts';
import { collectPictures } from '../../gateway/pictures/collect-pictures.ts';
import { uploadLog } from '../../gateway/pictures/upload-log.ts';
import { changeHands } from '../../gateway/provisioning/own-frame.ts';
import { openDurableFolder } from '../../runtime/disk/durable-folder.ts';
import { type LineWorld, withLine } from '../delivery/delivery-world.ts';

const test = suite('past pictures');
const dayMs = 86_400_000;
const bytes = 1_000;

/** A picture that a frame showed some days ago, and that another one took the place of. */
async function showed({ db, clock, random, dataFolder }: LineWorld, serial: string, letter: string, days: number) {
  const pictures = await openDurableFolder(`${dataFolder}/pictures`);
  const sha256 = await pictures.put(Buffer.alloc(bytes, letter));
  const at = clock.now() - days * dayMs;
  const { packing: format } = epd7;
  const picture = { serial, revision: `picture:${letter}${days}`, sha256, bytes, format, panel: 'epd7' };
  const { id } = await db.transaction((trx) => uploadLog(trx).offer(picture, { now: at, random }));
  await db('uploads').where({ id }).update({ announced_at: at, fetched_at: at, shown_at: at, confirmed_at: at });
  return sha256;
}

test('files of pictures that were on a glass outlive their replacement, the newest within the budget', () =>
  withLine(async (world) => {
    const { db, clock, dataFolder } = world;
    const [one, other] = [await world.addFrame(), await world.addFrame()];
    const digests: Record<string, string> = {};
    // `c` was on both frames: it takes its room once.
    for (const [frame, letter, days] of [
      [one, 'z', 91],
      [one, 'a', 80],
      [one, 'b', 60],
      [other, 'c', 45],
      [one, 'c', 40],
      [one, 'd', 3],
      [other, 'e', 2],
      [one, 'now', 0],
      [other, 'now2', 0],
    ] as const) {
      digests[letter] = await showed(world, frame.serial, letter, days);
    }
    const namesOf = (kept: ReadonlySet<string>): string =>
      Object.keys(digests)
        .filter((letter) => kept.has(digests[letter] ?? ''))
        .join(' ');
    const now = clock.now();
    assert.is(namesOf(await pastPictures(db, now, 100 * bytes)), 'a b c d e now now2');
    assert.is(namesOf(await pastPictures(db, now, 5 * bytes)), 'c d e now now2');
    assert.is(namesOf(await pastPictures(db, now, 0)), '');
    const pictures = await openDurableFolder(`${dataFolder}/pictures`);
    const stored = async (): Promise<string> => {
      const there: string[] = [];
      for (const [letter, digest] of Object.entries(digests)) {
        if ((await pictures.get(digest)) !== undefined) there.push(letter);
      }
      return there.join(' ');
    };
    const night = async (budget: number): Promise<void> => {
      clock.passes(dayMs);
      await collectPictures({ db, clock, dataFolder, past: await pastPictures(db, clock.now(), budget) });
    };
    for (let nights = 0; nights < 2; nights++) await night(100 * bytes);
    assert.is(await stored(), 'a b c d e now now2', 'only what is older than ninety days went');
    for (let nights = 0; nights < 2; nights++) await night(4 * bytes);
    assert.is(await stored(), 'd e now now2', 'the oldest go first');
    // The frame goes to somebody else: what it showed before is kept for nobody.
    await changeHands(db, one.serial, { now: clock.now(), random: world.random });
    for (let nights = 0; nights < 3; nights++) await night(100 * bytes);
    assert.is(await stored(), 'e now2');
  }));

test('T-84: organizations share the budget: who shows much loses its own oldest, and nobody else loses one', () =>
  withLine(async (world) => {
    const { db, clock } = world;
    const [busy, quiet] = [await world.addFrame(), await world.addFrame()];
    const times = { created_at: 1, updated_at: 1 };
    await db('organizations').insert({ id: 'other', name: 'Other', email: 'o@example.org', meta: '{}', ...times });
    await db('devices').where({ serial: quiet.serial }).update({ organization_id: 'other' });
    const ofBusy: string[] = [];
    const ofQuiet: string[] = [];
    for (let days = 1; days <= 20; days++)
      ofBusy.push(await showed(world, busy.serial, String.fromCharCode(96 + days), days));
    for (const days of [30, 50, 80]) ofQuiet.push(await showed(world, quiet.serial, String(days).charAt(0), days));
    const kept = async (budget: number) => {
      const chosen = await pastPictures(db, clock.now(), budget * bytes);
      const count = (all: readonly string[]) => all.filter((name) => chosen.has(name)).length;
      assert.equal(chosen.size, count(ofBusy) + count(ofQuiet));
      return [count(ofBusy), count(ofQuiet), ofBusy.findIndex((name) => !chosen.has(name))];
    };
    assert.equal(await kept(100), [20, 3, -1]);
    assert.equal(await kept(10), [7, 3, 7], 'the newest of the busy one, and all of the quiet one');
    assert.equal(await kept(6), [3, 3, 3]);
    assert.equal((await kept(4)).slice(0, 2), [2, 2], 'an equal part where both have more');
    assert.equal(await kept(0), [0, 0, 0]);
  }));

test('thousands of pictures are looked through in portions, and each is counted', () =>
  withLine(async (world) => {
    const { db, clock } = world;
    const frame = await world.addFrame();
    await showed(world, frame.serial, 'a', 1);
    const [row] = await db('uploads').where({ serial: frame.serial }).whereNotNull('shown_at');
    const many = Array.from({ length: 4_500 }, (_, index) => ({
      ...row,
      id: index.toString(16).padStart(24, '0'),
      path: `p${index}`,
      file_version: index + 10,
      picture_sha256: index.toString(16).padStart(64, '0'),
      // Many of one moment, as after a storm.
      shown_at: clock.now() - dayMs - Math.floor(index / 1_000),
      replaced_at: clock.now(),
    }));
    for (let start = 0; start < many.length; start += 50) await db('uploads').insert(many.slice(start, start + 50));
    assert.is((await pastPictures(db, clock.now(), 10_000 * bytes)).size, 4_501);
    assert.is((await pastPictures(db, clock.now(), 3_000 * bytes)).size, 3_000);
  }));

test.run();
