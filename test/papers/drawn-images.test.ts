/** C-28, C-47, C-56: papers that draw themselves, and printers before the first page, have images and their times too. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fetched, framedPaper, must, ok, photo, pixels } from './images-world.ts';
import { type DrawnLineWorld, gradient, withDrawnLine } from './line-world.ts';

const test = suite('images of papers that draw themselves');

const offersOf = ({ db }: DrawnLineWorld, serial: string): Promise<string[]> =>
  db('uploads').where({ serial }).orderBy('file_version').pluck('revision');

const timeOf = async ({ call, user }: DrawnLineWorld, id: string): Promise<string | undefined> =>
  ok(await call('GET', `/papers/${id}`, { as: user })).json.imageUpdatedAt;

const kinds: readonly (readonly [kind: string, meta: Record<string, unknown>])[] = [
  ['text', { text: 'Hello' }],
  ['website', { url: 'https://example.org/' }],
  ['plugin', {}],
  ['calendar', { calendars: [] }],
  ['slides', {}],
];

for (const [kind, meta] of kinds) {
  test(`${kind}: the time of its image is that of its last other picture, and every form of it can be had`, () =>
    withDrawnLine(async (world) => {
      const { admin, call, settles } = world;
      const part = await framedPaper(world);
      ok(await part.upload([['picture', await gradient()]]));
      const paper = await framedPaper(world, { kind });
      const change = async (more: object): Promise<void> => {
        const whole = { organization: admin.organizationId, deviceId: paper.deviceId, kind };
        const selected = kind === 'slides' ? { selectedPapers: [part.id] } : {};
        const json = { ...whole, meta: { orientation: 'landscape', ...selected, ...meta, ...more } };
        ok(await call('POST', `/papers/${paper.id}`, { as: admin, json }));
        world.passes(1000);
        await settles();
      };
      assert.is(await timeOf(world, paper.id), undefined, 'it was not drawn yet');
      const before = new Date(world.clock.now()).toISOString();
      await change({});
      const first = must(await timeOf(world, paper.id));
      assert.ok(first > before, first);
      await change({ title: 'Only in the list' });
      assert.is(await timeOf(world, paper.id), first, 'drawn again, and no pixel changed');
      await change({ orientation: 'portrait' });
      assert.ok(((await timeOf(world, paper.id)) ?? '') > first, 'another picture');
      for (const form of ['.png', 'original.png', 'original.jpg', 'thumbnail.jpg']) {
        const { signedUrl } = ok(await call('GET', `/papers/${paper.id}?kind=${form}`, { as: admin })).json;
        const { size } = await pixels((await fetched(signedUrl)).bytes);
        assert.is(size, form === 'thumbnail.jpg' ? '240x400' : '480x800', form);
      }
    }));
}

test('C-56: who asks for the image of a paper that was just changed gets the new one', () =>
  withDrawnLine(async (world) => {
    const { admin, call, settles } = world;
    const paper = await framedPaper(world, { kind: 'text' });
    const changeAndLook = async (orientation: string): Promise<string> => {
      const whole = { organization: admin.organizationId, deviceId: paper.deviceId, kind: 'text' };
      ok(
        await call('POST', `/papers/${paper.id}`, { as: admin, json: { ...whole, meta: { orientation, text: 'x' } } }),
      );
      const look = call('POST', `/v1/papers/image/${paper.id}`, { as: admin, json: { kind: 'original.png' } });
      const [answer] = await Promise.all([look, settles()]);
      return (await pixels((await fetched(ok(answer).json.signedUrl)).bytes)).size;
    };
    assert.is(await changeAndLook('landscape'), '800x480');
    assert.is(await changeAndLook('portrait'), '480x800');
  }));

test('C-47: a printer shows a page of ours until something is printed, and what is printed from then on', () =>
  withDrawnLine(async (world) => {
    const { call, admin, settles } = world;
    const paper = await framedPaper(world, { kind: 'printer' });
    await settles();
    assert.equal(await offersOf(world, paper.serial), [`page:${paper.id}`]);
    assert.type(await timeOf(world, paper.id), 'string');
    const original = () => call('GET', `/papers/${paper.id}?kind=original.png`, { as: admin });
    assert.is((await pixels((await fetched(ok(await original()).json.signedUrl)).bytes)).size, '800x480');
    assert.is((await paper.upload([['pictureEditable', '{}']])).status, 400, 'C-07: nothing was printed');
    await settles();
    const printed = await paper.upload([['file', await photo(900, 600)]]);
    assert.equal([ok(printed).json.reason, printed.json.skippedUpload], ['device-frame-uploaded', false]);
    await settles();
    const { picture_revision: revision } = await paper.row();
    assert.equal(await offersOf(world, paper.serial), [`page:${paper.id}`, `picture:${revision}`]);
    assert.is((await pixels((await fetched(ok(await original()).json.signedUrl)).bytes)).size, '900x600');
  }));

test.run();
