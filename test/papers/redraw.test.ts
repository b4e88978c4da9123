/** A-27, PANEL-08: a paper that a person changes is drawn again, whatever its kind, and offered if a pixel changed. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { unpackPicture } from '../../firmware-protocol/framebuffer.ts';
import { epd13 } from '../../firmware-protocol/panels.ts';
import { longTest } from '../some-times.ts';
import { framedPaper, ok } from './images-world.ts';
import { gradient, withDrawnLine } from './line-world.ts';

const test = suite('drawing a changed paper again');

const optimized = [{ intent: 'natural' }, { intent: 'vivid' }, { intent: 'vivid', palette: 'spectra6Palette' }];

/** One row a kind: what a paper needs besides its wishes, and whether they mean anything to it. */
const kinds: readonly (readonly [kind: string, meta: Record<string, unknown>, isDithered: boolean])[] = [
  ['image', {}, true],
  ['website', { url: 'https://example.org/' }, true],
  ['plugin', {}, true],
  // Letters in the inks' own colours.
  ['text', { text: 'Hello' }, false],
  ['calendar', { calendars: [] }, false],
];

for (const [kind, needed, isDithered] of kinds) {
  test(`A-27: ${kind}: other wishes are drawn and offered, the same ones drawn alone`, () =>
    withDrawnLine(async (world) => {
      const { admin, call, db, draws, settles } = world;
      const paper = await framedPaper(world, { kind });
      const change = async (meta: object): Promise<void> => {
        const whole = { organization: admin.organizationId, deviceId: paper.deviceId, kind };
        const json = { ...whole, meta: { orientation: 'landscape', ...needed, ...meta } };
        ok(await call('POST', `/papers/${paper.id}`, { as: admin, json }));
        await settles();
      };
      const offers = async (): Promise<string[]> =>
        db('uploads').where({ serial: paper.serial }).orderBy('file_version').pluck('picture_sha256');
      if (kind === 'image') ok(await paper.upload([['picture', await gradient()]]));
      await change({});
      assert.is((await offers()).length, 1);
      let drawn = draws();
      for (const optimize of optimized) {
        const before = (await offers()).length;
        await change({ optimize });
        assert.is((await offers()).length, before + (isDithered ? 1 : 0), JSON.stringify(optimize));
        await change({ optimize });
        assert.is((await offers()).length, before + (isDithered ? 1 : 0), `${JSON.stringify(optimize)} again`);
        assert.is(draws(), drawn + 2, 'looked at twice');
        drawn = draws();
      }
      const digests = await offers();
      assert.is(new Set(digests).size, digests.length, 'each another picture');
      assert.is(world.frames.told.length, digests.length, 'and the frame is told');
    }));
}

test('A-27, C-50: slides and playlists follow the papers they show, and stay where they are', () =>
  withDrawnLine(async (world) => {
    const { admin, call, db, settles } = world;
    const { organizationId: organization } = admin;
    const shown = await framedPaper(world);
    const other = await framedPaper(world);
    for (const paper of [shown, other]) ok(await paper.upload([['picture', await gradient()]]));
    const playlistEntries = [{ paperId: shown.id, startsAt: '2020-01-01T00:00:00Z' }];
    for (const [kind, meta] of [
      ['slides', { selectedPapers: [shown.id, other.id] }],
      ['playlist', { playlistEntries }],
    ] as const) {
      const composed = await framedPaper(world, { kind });
      const ofComposed = { organization, deviceId: composed.deviceId, kind };
      const change = async (paper: { id: string; deviceId: string }, json: object): Promise<number> => {
        ok(await call('POST', `/papers/${paper.id}`, { as: admin, json }));
        await settles();
        return (await db('uploads').where({ serial: composed.serial })).length;
      };
      assert.is(await change(composed, { ...ofComposed, meta: { orientation: 'landscape', ...meta } }), 1, kind);
      const looks = (paper: { deviceId: string }, intent: string) => ({
        organization,
        deviceId: paper.deviceId,
        kind: 'image',
        meta: { orientation: 'landscape', optimize: intent },
      });
      const intent = kind === 'slides' ? 'vivid' : 'photo';
      assert.is(await change(shown, looks(shown, intent)), 2, `${kind}: what is on it was changed`);
      assert.is(await change(shown, looks(shown, intent)), 2, `${kind}: to the same`);
      assert.is(await change(other, looks(other, intent)), 2, `${kind}: what is not on it was changed`);
    }
  }));

longTest(test)(
  'PANEL-08, PANEL-09: a device has a measured palette of its own, by a name or six colours; others are refused',
  () =>
    withDrawnLine(async (world) => {
      const { admin, call, db, settles } = world;
      const paper = await framedPaper(world);
      ok(await paper.upload([['picture', await gradient()]]));
      const save = async (palette: unknown) => {
        const json = { meta: { orientation: 'landscape', ...(palette !== undefined && { palette }) } };
        const answer = await call('POST', `/devices/${paper.deviceId}`, { as: admin, json });
        await settles();
        return answer;
      };
      const digests = (): Promise<string[]> =>
        db('uploads').where({ serial: paper.serial }).orderBy('file_version').pluck('picture_sha256');
      await save(undefined);
      const [first] = await digests();
      const own = {
        black: '#101010',
        white: '#d0d8d8',
        blue: '#123f90',
        green: '#2a6a40',
        red: '#8a2010',
        yellow: '#D0C810',
      };
      const before = await db('devices').where({ id: paper.deviceId });
      for (const [wrong, hint] of [
        ['nobody', /no palette of these inks is called "nobody"/],
        [7, /name exactly these inks: black, white, blue, green, red, yellow/],
        [{ ...own, orange: '#ff8800' }, /name exactly these inks/],
        [{ black: '#000000', white: '#ffffff' }, /name exactly these inks/],
        [{ ...own, blue: 'blue' }, /colours are written #rrggbb/],
        [{ ...own, blue: own.red }, /two colours look the same/],
        [{ ...own, black: '#808080' }, /black is not the darkest/],
        [{ ...own, white: '#202020' }, /white is not the lightest/],
      ] as const) {
        const refused = await save(wrong);
        assert.is(refused.status, 400, JSON.stringify(wrong));
        assert.match(refused.json.hint, /^meta\.palette: /);
        assert.match(refused.json.hint, hint);
      }
      assert.equal(await db('devices').where({ id: paper.deviceId }), before);
      for (const [count, palette] of [
        [1, undefined],
        [2, own],
        [2, own],
        [3, 'pimoroniSpectra6'],
      ] as const) {
        ok(await save(palette));
        assert.is((await digests()).length, count, JSON.stringify(palette));
      }
      assert.is(new Set(await digests()).size, 3);
      // A page's palette is for any panel; this one was measured.
      const json = { organization: admin.organizationId, deviceId: paper.deviceId, kind: 'image' };
      const meta = { orientation: 'landscape', optimize: { palette: 'spectra6Palette' } };
      ok(await call('POST', `/papers/${paper.id}`, { as: admin, json: { ...json, meta } }));
      await settles();
      assert.is((await digests()).length, 3);
      ok(
        await call('POST', `/papers/${paper.id}`, { as: admin, json: { ...json, meta: { orientation: 'landscape' } } }),
      );
      ok(await save(undefined));
      assert.is((await digests()).at(-1), first);
    }),
);

longTest(test)(
  'a 13-inch device says how its landscape pictures are turned; panels without that question refuse it',
  () =>
    withDrawnLine(async (world) => {
      const { admin, call, db, pictures, settles } = world;
      const paper = await framedPaper(world);
      const save = (landscapeTurn: unknown, more: object = {}) => {
        const json = { meta: { orientation: 'landscape', landscapeTurn }, ...more };
        return call('POST', `/devices/${paper.deviceId}`, { as: admin, json });
      };
      const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;
      const offered = async (): Promise<Uint8Array> => {
        await settles();
        const digest = await db('uploads').where({ serial: paper.serial }).orderBy('file_version', 'desc').first();
        return unpackPicture(epd13, (await pictures.get(digest.picture_sha256)) as Buffer) as Uint8Array;
      };
      for (const [landscapeTurn, more, hint] of [
        ['clockwise', {}, 'OpenPaper 7, Spectra 6, 7.3 inch is not turned sideways for landscape'],
        ['clockwise', { kind: 'toaster' }, 'no panel is known for devices of kind toaster'],
        [90, { kind: 'openpaper13' }, 'clockwise or counter-clockwise'],
      ] as const) {
        const refused = await save(landscapeTurn, more);
        assert.equal([refused.status, refused.json.hint], [400, `meta.landscapeTurn: ${hint}`]);
      }
      await db('frames').where({ serial: paper.serial }).update({ kind: 'openpaper13' });
      ok(await save(undefined, { kind: 'openpaper13' }));
      ok(await paper.upload([['picture', await gradient()]]));
      const usual = await offered();
      ok(await save('clockwise'));
      const other = await offered();
      assert.not.ok(same(other, usual));
      assert.ok(same(other, usual.slice().reverse()), 'the same picture, the other way round');
      ok(await save('counter-clockwise'));
      assert.ok(same(await offered(), usual));
    }),
);

test('an upload whose settings alone are new makes a picture of them, and a skipped one none', () =>
  withDrawnLine(async (world) => {
    const { db, settles } = world;
    const paper = await framedPaper(world);
    const picture = await gradient();
    const upload = async (intent: string): Promise<number> => {
      const settings = JSON.stringify({ meta: { optimize: intent } });
      ok(
        await paper.upload([
          ['picture', picture],
          ['settings', settings],
        ]),
      );
      await settles();
      return (await db('uploads').where({ serial: paper.serial })).length;
    };
    assert.equal([await upload('photo'), await upload('photo'), await upload('vivid')], [1, 1, 2]);
  }));

test('A-23, A-27: a paper that cannot be shown holds up no other, and itself until it is selected again', () =>
  withDrawnLine(async (world) => {
    const { admin, call, db, draws, passes, settles } = world;
    const bad = await framedPaper(world, { kind: 'text' });
    const { deviceId, serial } = bad;
    const text = { organization: admin.organizationId, deviceId, kind: 'text', meta: { text: 'GOOD' } };
    const good = (await call('POST', '/papers', { as: admin, json: text })).json;
    const select = async (paper: { id: string }): Promise<void> => {
      ok(await call('POST', `/devices/${deviceId}`, { as: admin, json: { paper: paper.id } }));
      await settles();
    };
    const attempts = async (): Promise<number> =>
      (await db('shown_pictures').where({ device_id: deviceId }).first('attempts')).attempts;
    const failure = async () => (await call('GET', `/devices/why/${deviceId}`, { as: admin })).json.why?.reason;
    const givesUp = async (): Promise<void> => {
      for (const waitMs of [0, 2_000, 10_000, 30_000]) {
        passes(waitMs);
        await settles();
      }
      assert.equal([await attempts(), await failure()], [4, 'the paper has no text yet: write one (meta.text)']);
    };
    const offers = (): Promise<string[]> => db('uploads').where({ serial }).orderBy('file_version').pluck('revision');
    await givesUp();
    // Not by way of the API, which also forgives: it may be selected while the last attempt is under way.
    await db('devices').where({ id: deviceId }).update({ paper_id: good.id });
    assert.is(await failure(), undefined, 'it was that of another paper');
    await settles();
    assert.equal(await offers(), [`notice:${bad.id}`, `page:${good.id}`]);
    await select(bad);
    assert.is(await attempts(), 1);
    await select(good);
    assert.equal((await offers()).length, 3, 'at once, also after the first failure');
    const drawn = draws();
    await select(good);
    assert.is(draws(), drawn, 'it is shown already');
    await select(bad);
    await givesUp();
    await select(bad);
    assert.is(await attempts(), 1, 'tried anew');
    await givesUp();
  }));

test.run();
