/** The changes that are known beforehand, as callers read them: over HTTP, from what people set to what is answered. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isoTime } from '../../runtime/clock.ts';
import { framedPaper, ok, photo } from '../papers/images-world.ts';
import { type DrawnLineWorld, withDrawnLine } from '../papers/line-world.ts';

const test = suite('shown changes');

const hourMs = 3_600_000;

interface Told {
  readonly at: string;
  readonly reason?: string;
  readonly reasons?: readonly { readonly code?: string; readonly parameters?: object }[];
  readonly mayShowEarly: boolean;
}

/** A frame with a playlist of two papers, the second of which is shown two hours from now on. */
async function home(world: DrawnLineWorld) {
  const { call, admin, clock } = world;
  const { organizationId: organization } = admin;
  const { id: menuId, deviceId, upload } = await framedPaper(world);
  const make = async (kind: string, meta: object): Promise<string> =>
    ok(await call('POST', '/papers/', { as: admin, json: { organization, deviceId, kind, meta } })).json.id;
  ok(await upload([['picture', await photo(800, 480)]], admin));
  const menu = { organization, deviceId, kind: 'image', meta: { title: 'Menu', orientation: 'landscape' } };
  ok(await call('POST', `/papers/${menuId}`, { as: admin, json: menu }));
  const news = await make('text', { title: 'News', text: 'Good morning' });
  const begin = clock.now() + 2 * hourMs;
  const playlistEntries = [
    { paperId: menuId, startsAt: isoTime(clock.now() - hourMs) },
    { paperId: news, startsAt: isoTime(begin) },
  ];
  const playlist = await make('playlist', { title: 'Day', playlistEntries });
  ok(await call('POST', `/devices/${deviceId}`, { as: admin, json: { paper: playlist } }));
  await world.settles();
  const ofPaper = async (id: string, as = admin): Promise<Told[]> =>
    ok(await call('GET', `/papers/${id}/next-changes/`, { as })).json.changes;
  const ofFrame = async (as = admin): Promise<Told | null> =>
    ok(await call('GET', `/devices/overview?ids=${deviceId}`, { as })).json[0].nextChange;
  return { menuId, news, playlist, deviceId, begin, upload, ofPaper, ofFrame };
}

test('a frame and its paper say when the picture changes next, and why, in words and in codes', async () => {
  await withDrawnLine(async (world) => {
    const { begin, news, playlist, menuId, ofPaper, ofFrame } = await home(world);
    const change = {
      at: isoTime(begin),
      reason: 'Menu changes to News',
      reasons: [
        {
          code: 'change-entry',
          parameters: { from: 'Menu', to: 'News' },
          sentence: 'Menu changes to News',
        },
      ],
      mayShowEarly: true,
    };
    assert.equal(await ofFrame(), change);
    assert.equal(await ofPaper(playlist), [change]);
    assert.equal(await ofPaper(news), []);
    world.passes(2 * hourMs);
    await world.settles();
    assert.is(await ofFrame(), null, 'nothing is known to come');
    assert.equal(await ofPaper(menuId), []);
  });
});

test('a picture that is sent for a time is known at once on every paper that shows its paper, and forgotten when it is cancelled', async () => {
  await withDrawnLine(async (world) => {
    const { call, admin, clock } = world;
    const { menuId, playlist, upload, ofPaper, ofFrame } = await home(world);
    const [from, until] = [clock.now() + hourMs, clock.now() + hourMs + 1_800_000];
    const times = { showFrom: isoTime(from), showUntil: isoTime(until) };
    const sent = ok(await upload([['picture', await photo(800, 480, '#00ff00')], ...Object.entries(times)], admin));
    await world.settles();
    const told = { at: isoTime(from), code: 'change-picture-begins', mayShowEarly: false };
    const short = ({ at, reasons, mayShowEarly }: Told) => ({ at, code: reasons?.[0]?.code, mayShowEarly });
    const expected = [told, { ...told, at: isoTime(until), code: 'change-picture-ends' }];
    assert.equal((await ofPaper(menuId)).map(short), expected);
    assert.equal((await ofPaper(playlist)).slice(0, 2).map(short), expected);
    const next = await ofFrame();
    assert.equal(next && short(next), told);
    ok(await call('DELETE', `/timed-pictures/${sent.json.timed.id}`, { as: admin }));
    await world.settles();
    assert.is((await ofFrame())?.reason, 'Menu changes to News');
  });
});

test('a frame that is removed keeps nothing of what was planned for it: it names papers of its former owner (T-63)', async () => {
  await withDrawnLine(async (world) => {
    const { call, admin, db } = world;
    const { deviceId, ofFrame } = await home(world);
    assert.is.not(await ofFrame(), null);
    ok(await call('DELETE', `/devices/${deviceId}`, { as: admin }));
    const rows: { planned_changes: string | null }[] = await db('frames').select('planned_changes');
    assert.equal(
      rows.map((row) => row.planned_changes),
      [null],
    );
  });
});

test.run();
