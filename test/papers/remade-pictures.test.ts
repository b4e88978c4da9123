/** T-67: whatever a lost picture was made of, it is made of that again, and offered under a new version. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FormData } from 'undici';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FramedPaper, framedPaper, ok } from './images-world.ts';
import { type DrawnLineWorld, gradient, withDrawnLine } from './line-world.ts';

const test = suite('pictures that are made again');
const minuteMs = 60_000;

/** The newest offer's file becomes something else on the disk, and somebody finds that out. */
async function damage(world: DrawnLineWorld, serial: string): Promise<{ id: string; sha256: string; version: number }> {
  const { db, dataFolder, clock } = world;
  const offer = await db('uploads').where({ serial, replaced_at: null }).first();
  writeFileSync(join(dataFolder, 'pictures', offer.picture_sha256), 'damaged');
  await db('uploads').where({ id: offer.id }).update({ remake_at: clock.now() });
  return { id: offer.id, sha256: offer.picture_sha256, version: offer.file_version };
}

/** One row a kind of picture: shows it on the paper's frame. */
const shows: Readonly<Record<string, (world: DrawnLineWorld) => Promise<FramedPaper>>> = {
  async 'an uploaded picture'(world) {
    const paper = await framedPaper(world);
    ok(await paper.upload([['picture', await gradient()]]));
    return paper;
  },
  async 'an image of the device’s own'(world) {
    const paper = await framedPaper(world);
    const body = new FormData();
    body.append('picture', new Blob([new Uint8Array(await gradient())]), 'image.png');
    ok(await world.call('POST', `/devices/uploadSingleImage/${paper.deviceId}`, { as: world.user, body }));
    return paper;
  },
  async 'a website'(world) {
    const paper = await framedPaper(world, { kind: 'website' });
    await change(world, paper, { kind: 'website', meta: { orientation: 'landscape', url: 'https://example.org/' } });
    return paper;
  },
  async 'a text'(world) {
    const paper = await framedPaper(world, { kind: 'text' });
    await change(world, paper, { kind: 'text', meta: { orientation: 'landscape', text: 'Hello' } });
    return paper;
  },
};

async function change({ call, admin }: DrawnLineWorld, paper: FramedPaper, json: object): Promise<void> {
  const whole = { organization: admin.organizationId, deviceId: paper.deviceId, ...json };
  ok(await call('POST', `/papers/${paper.id}`, { as: admin, json: whole }));
}

for (const [what, show] of Object.entries(shows)) {
  test(`${what} is made again, stays the same offer, and is announced to its frame`, () =>
    withDrawnLine(async (world) => {
      const { serial } = await show(world);
      await world.settles();
      const before = await damage(world, serial);
      const told = world.frames.told.length;
      await world.settles();
      const offers = await world.db('uploads').where({ serial });
      assert.is(offers.length, 1, 'the same offer');
      assert.equal([offers[0].id, offers[0].remake_at], [before.id, null]);
      assert.ok(offers[0].file_version > before.version);
      assert.is((await world.pictures.get(offers[0].picture_sha256))?.length, offers[0].picture_bytes);
      assert.is(world.frames.told.length, told + 1);
      const draws = world.draws();
      await world.settles();
      assert.is(world.draws(), draws, 'once');
    }));
}

test('what cannot be made again is tried every ten minutes, until something new takes its place', () =>
  withDrawnLine(async (world) => {
    const { db, dataFolder, passes, settles } = world;
    const paper = await framedPaper(world);
    ok(await paper.upload([['picture', await gradient()]]));
    await settles();
    const { picture_key } = await paper.row();
    writeFileSync(join(dataFolder, 'pictures', picture_key), 'damaged');
    const before = await damage(world, paper.serial);
    const due = async (): Promise<number | null> =>
      (await db('uploads').where({ id: before.id }).first('remake_at')).remake_at - world.clock.now();
    await settles();
    const first = Number(await due());
    assert.ok(first > 9 * minuteMs && first <= 10 * minuteMs, String(first));
    passes(11 * minuteMs);
    await settles();
    assert.ok(Number(await due()) > 9 * minuteMs);
    const said = await world.call('GET', `/papers/${paper.id}?kind=original.jpg`, { as: world.user });
    assert.is(said.status, 404, 'a damaged source is shown to nobody');
    ok(await paper.upload([['picture', await gradient()]]));
    await settles();
    passes(11 * minuteMs);
    await settles();
    const newest = await db('uploads').where({ serial: paper.serial, replaced_at: null }).first();
    assert.is(newest.remake_at, null);
    assert.ok(await world.pictures.get(newest.picture_sha256));
  }));

test.run();
