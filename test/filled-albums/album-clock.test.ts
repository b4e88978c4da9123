/** Albums that a playlist or a board shows among others, which go on by the clock. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { albumPicture } from '../../api/drawing/album-picture.ts';
import { type FilledWorld, withFilled } from './filled-world.ts';

const test = suite('albums among others');
const hourMs = 3_600_000;

/** Has the frame's device show slides that hold the album. */
async function showsAmongOthers({ call, admin, album, deviceId }: FilledWorld): Promise<void> {
  const organization = admin.organizationId;
  const json = { organization, deviceId, kind: 'slides', meta: { selectedPapers: [album] } };
  const made = await call('POST', '/papers', { as: admin, json });
  assert.is(made.status, 200, made.text);
  const chosen = await call('POST', `/devices/${deviceId}`, { as: admin, json: { paper: made.json.id } });
  assert.is(chosen.status, 200, chosen.text);
}

/** The key of the picture that is drawn of the album among others. */
async function drawnKey({ db, clock, album }: FilledWorld): Promise<string | undefined> {
  const paper = await db('papers').where({ id: album }).first();
  const drawn = await albumPicture({ db, clock }, paper, { position: 0, isPart: true });
  return (await db('source_pictures').where({ id: drawn?.row.source_picture }).first('key'))?.key;
}

/** Looks at the album each half an hour, and returns what was drawn at each look. */
async function looks(world: FilledWorld, count: number): Promise<(string | undefined)[]> {
  const drawn: (string | undefined)[] = [];
  for (let look = 0; look < count; look++) {
    drawn.push(await drawnKey(world));
    world.passes(hourMs / 2);
    await world.filler.settle();
  }
  return drawn;
}

test('an album that slides alone show goes on each hour, through all of its pictures, and its window stays full', () =>
  withFilled(async (world) => {
    const { db, album } = world;
    world.source.add(...Array.from({ length: 16 }, () => ({})));
    await world.adds();
    await showsAmongOthers(world);
    await world.fills();
    await world.fills();
    const drawn = await looks(world, 32);
    const inOrder = drawn.filter((key, at) => key !== drawn[at - 1]);
    assert.is(new Set(inOrder).size, 16, drawn.join());
    assert.is(inOrder.length, 16, 'each stays for two looks, and once');
    assert.ok((await world.queued()).length <= 22);
    const { clock_place } = await db('filled_albums').where({ paper_id: album }).first();
    assert.is((await db('album_queue').where({ paper_id: album }).where('place', '>=', clock_place)).length, 8);
  }));

test('the pace of the album holds for its clock as for frames, and the clock stops with the last that needs it', () =>
  withFilled(
    async (world) => {
      const { db, album, deviceId, call, admin } = world;
      world.source.add(...Array.from({ length: 16 }, () => ({})));
      await world.adds();
      await showsAmongOthers(world);
      await world.fills();
      await world.fills();
      const drawn = await looks(world, 24);
      assert.is(new Set(drawn).size, 2, drawn.join());
      await call('POST', `/devices/${deviceId}`, { as: admin, json: { paper: album } });
      world.passes(hourMs);
      await world.fills();
      const row = await db('filled_albums').where({ paper_id: album }).first('clock_place', 'clock_since');
      assert.equal({ ...row }, { clock_place: 0, clock_since: 0 });
    },
    { every: 6 },
  ));

test('while its source is away an album among others goes round what is here', () =>
  withFilled(async (world) => {
    world.source.add(...Array.from({ length: 16 }, () => ({})));
    await world.adds();
    await showsAmongOthers(world);
    await world.fills();
    await world.fills();
    await looks(world, 6);
    world.source.fails('away');
    const drawn = await looks(world, 24);
    assert.ok(new Set(drawn).size >= 8, drawn.join());
    assert.ok(!drawn.includes(undefined));
  }));

test.run();
