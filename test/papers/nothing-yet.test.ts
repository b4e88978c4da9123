/** A frame keeps its picture until the paper that was chosen for it has something to show, and nobody is alarmed meanwhile. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findConditions } from '../../api/alerts/find-conditions.ts';
import { isoTime } from '../../runtime/clock.ts';
import { pictureFormOf } from './album-world.ts';
import { type FramedPaper, framedPaper, ok, photo } from './images-world.ts';
import { type DrawnLineWorld, withDrawnLine } from './line-world.ts';

const test = suite('papers with nothing to show yet');

interface Glass extends DrawnLineWorld {
  readonly frame: FramedPaper;
  make(kind: string, meta?: object): Promise<string>;
  select(paper: string): Promise<void>;
  change(paper: string, kind: string, meta: object): Promise<void>;
  /** Returns the row on the page of all frames. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  row(): Promise<any>;
  offers(): Promise<number>;
}

/** A frame that shows a picture of its own paper. */
const withGlass = (run: (world: Glass) => Promise<void>): Promise<void> =>
  withDrawnLine(async (world) => {
    const { admin, call, db, settles } = world;
    const { organizationId: organization } = admin;
    const frame = await framedPaper(world);
    ok(await frame.upload([['picture', await photo(800, 480)]]));
    await settles();
    const { deviceId, serial } = frame;
    await db('frames').where({ serial }).update({ password_hash: 'set', last_contact_at: world.clock.now() });
    await run({
      ...world,
      frame,
      async make(kind, meta = {}) {
        const answer = await call('POST', '/papers/', { as: admin, json: { organization, deviceId, kind, meta } });
        ok(answer);
        return answer.json.id;
      },
      async select(paper) {
        ok(await call('POST', `/devices/${deviceId}`, { as: admin, json: { paper } }));
        await settles();
      },
      async change(paper, kind, meta) {
        ok(await call('POST', `/papers/${paper}`, { as: admin, json: { organization, deviceId, kind, meta } }));
        await settles();
      },
      row: async () => (await call('GET', `/devices/overview?ids=${deviceId}`, { as: admin })).json[0],
      offers: async () => (await db('uploads').where({ serial })).length,
    });
  });

test('a paper that is still empty takes no picture from the glass and troubles nobody; what it needs is shown', () =>
  withGlass(async (world) => {
    const { make, select, row, offers, db, clock } = world;
    const text = await make('text');
    for (const [kind, meta, paperKind] of [
      ['album', {}, 'album'],
      ['slides', { selectedPapers: {} }, 'slides'],
      ['playlist', { playlistEntries: [] }, 'playlist'],
      ['website', { url: '' }, 'website'],
      ['text', { text: '' }, 'text'],
      ['slides', { selectedPapers: [text, await make('album')] }, 'text'],
    ] as const) {
      await select(await make(kind, meta));
      const { why, trouble, due } = await row();
      assert.equal([why.code, why.paperKind], ['not-set-up', paperKind], kind);
      assert.is.not(trouble?.code, 'picture-not-made', kind);
      assert.is.not(due?.state, 'not-made', kind);
      assert.is(await offers(), 1, `${kind}: the frame keeps its picture`);
    }
    const wrong = await findConditions(db, clock.now());
    assert.not.ok(wrong.some(({ kind }) => kind === 'picture-failing'));
  }));

test('an album comes to the glass with its first picture, and what was taken out of it leaves the glass', () =>
  withGlass(async ({ make, select, offers, row, call, admin, settles }) => {
    const album = await make('album');
    await select(album);
    assert.is(await offers(), 1);
    const send = async (): Promise<string> => {
      const body = pictureFormOf(await photo(800, 480, '#ff0000'));
      return (await call('POST', `/papers/${album}/pictures/`, { as: admin, body })).json.id;
    };
    const picture = await send();
    await settles();
    assert.is(await offers(), 2);
    assert.is.not((await row()).why?.code, 'not-set-up');
    await call('DELETE', `/papers/${album}/pictures/${picture}`, { as: admin });
    await settles();
    assert.is(await offers(), 3, 'nobody goes on seeing a picture that was taken out');
  }));

test('a playlist that has not begun says when it does, is shown from then on, and is not a trouble before', () =>
  withGlass(async ({ make, select, offers, row, clock, passes, settles, call, admin, frame }) => {
    const text = await make('text', { text: 'Good morning' });
    const begin = clock.now() + 38 * 60_000;
    const startsAt = isoTime(begin);
    const playlist = await make('playlist', { playlistEntries: [{ paperId: text, startsAt, rrule: 'FREQ=DAILY' }] });
    await select(playlist);
    const { why, trouble, due } = await row();
    assert.equal([why.code, why.expectedAt], ['begins-later', startsAt]);
    assert.equal([trouble?.code === 'picture-not-made', due?.state === 'not-made', await offers()], [false, false, 1]);
    const told = (await call('GET', `/devices/why?id=${frame.deviceId}`, { as: admin })).json;
    assert.is(told.lastFailure ?? null, null);
    for (let step = 0; step < 9; step++) {
      passes(4 * 60_000);
      await settles();
    }
    assert.is(await offers(), 1, 'two minutes before');
    passes(3 * 60_000);
    await settles();
    assert.is(await offers(), 2, 'at its time, not an hour after the last try');
    assert.is.not((await row()).why?.code, 'begins-later');
  }));

test('slides that can all not be shown are named with their titles, and why', () =>
  withGlass(async ({ make, select, row }) => {
    const nested = await make('playlist', { title: 'Mornings' });
    await select(await make('slides', { selectedPapers: [nested, 'f'.repeat(24)] }));
    const { why, trouble } = await row();
    assert.is(why.code, 'not-made');
    assert.is(trouble.code, 'picture-not-made');
    assert.equal(
      why.reasons.map(({ code, parameters }: { code: string; parameters?: { title: string } }) => [
        code,
        parameters?.title,
      ]),
      [
        ['no-slide', undefined],
        ['of-paper', 'Mornings'],
        ['paper-is-composed', undefined],
        ['of-paper', ''],
        ['paper-deleted', undefined],
      ],
    );
  }));

test.run();
