/** Albums that sources fill: what hangs, in which order, and what is removed. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FilledWorld, withFilled } from './filled-world.ts';

const test = suite('filled albums');
const hourMs = 3_600_000;

/** Has the frame wake several times, with the album filled in between. */
async function wakes({ nextWake, fills }: FilledWorld, count: number): Promise<string[]> {
  const shown: string[] = [];
  for (let wake = 0; wake < count; wake++) {
    shown.push(await nextWake());
    await fills();
  }
  return shown;
}

test('FI-3: of a shuffled album each picture hangs once before any comes again, and the next round has another order', () =>
  withFilled(
    async (world) => {
      world.source.add(...Array.from({ length: 12 }, () => ({})));
      await world.adds();
      await world.fills();
      const first = await wakes(world, 12);
      assert.is(new Set(first).size, 12, first.join());
      const second = await wakes(world, 12);
      assert.is(new Set(second).size, 12, second.join());
      assert.is.not(first.join(), second.join());
      assert.is.not(first.at(-1), second[0]);
    },
    { order: 'random' },
  ));

test('FI-1: of many pictures some twenty are here, and the next ones before they are needed', () =>
  withFilled(
    async (world) => {
      const { db, album } = world;
      world.source.add(...Array.from({ length: 100 }, () => ({})));
      await world.adds();
      await world.fills();
      assert.is((await world.queued()).length, 8);
      for (let wake = 0; wake < 16; wake++) {
        await world.nextWake();
        await world.fills();
        const here = await db('sent_pictures').where({ paper_id: album });
        assert.ok(here.length <= 22, `${here.length} after ${wake}`);
      }
    },
    { order: 'random' },
  ));

test('a picture that somebody sends comes next, once, and then the others go on', () =>
  withFilled(async (world) => {
    world.source.add(...Array.from({ length: 12 }, () => ({})));
    await world.adds();
    await world.fills();
    const before = await wakes(world, 2);
    await world.send('#ff0000');
    await world.settles();
    const after = await wakes(world, 3);
    assert.is(after[0], 'sent');
    assert.is(new Set([...before, ...after]).size, 5, [...before, ...after].join());
  }));

test('FI-9: while its source is away the pictures that are here take turns, and the album says since when', () =>
  withFilled(async (world) => {
    const { db } = world;
    world.source.add(...Array.from({ length: 40 }, () => ({})));
    const id = await world.adds();
    await world.fills();
    await wakes(world, 5);
    world.source.fails('away');
    world.passes(hourMs);
    await world.fills();
    const row = await db('album_sources').where({ id }).first();
    assert.is(row.fault_kind, 'away');
    assert.ok(row.fault_since <= world.clock.now());
    const shown = await wakes(world, 16);
    assert.ok(new Set(shown).size >= 8, shown.join());
    assert.ok(
      shown.every((key, at) => at === 0 || key !== shown[at - 1]),
      shown.join(),
    );
    world.source.fails(undefined);
    world.passes(hourMs);
    await world.fills();
    assert.is((await db('album_sources').where({ id }).first()).fault_kind, null);
  }));

test('FI-10: a picture that is removed at its source leaves the album and the glass', () =>
  withFilled(async (world) => {
    const { db, album } = world;
    world.source.add(...Array.from({ length: 12 }, () => ({})));
    await world.adds();
    await world.fills();
    const [hanging = ''] = await wakes(world, 1);
    world.source.pictures.delete(hanging);
    world.passes(hourMs);
    await world.fills();
    assert.is(await db('source_pictures').where({ key: hanging }).first(), undefined);
    const next = await world.shows();
    const { picture_id } = await db('picture_showings').where({ upload_id: next }).first();
    const row = await db('sent_pictures').where({ id: picture_id }).first();
    const { key } = await db('source_pictures').where({ id: row.source_picture }).first();
    assert.is.not(key, hanging);
    assert.not((await world.queued()).includes('gone'));
    const here = await db('sent_pictures').where({ paper_id: album });
    const queue = await db('album_queue').where({ paper_id: album });
    assert.ok(here.every(({ id }) => queue.some((entry) => entry.picture_id === id)));
  }));

test('FI-9: an empty answer where there was plenty removes nothing until a second one an hour later', () =>
  withFilled(async (world) => {
    const { db } = world;
    world.source.add(...Array.from({ length: 12 }, () => ({})));
    const id = await world.adds();
    await world.fills();
    world.source.pictures.clear();
    world.passes(hourMs);
    await world.fills();
    const doubted = await db('album_sources').where({ id }).first();
    assert.equal([doubted.pictures, doubted.doubt_found], [12, 0]);
    assert.ok((await world.queued()).length >= 8);
    world.passes(hourMs);
    await world.fills();
    assert.equal(await world.queued(), []);
    assert.is((await db('album_sources').where({ id }).first()).pictures, 0);
  }));

test.run();
