/** Pictures that change by themselves: made again before wakes and by schedule, offered when a pixel changed. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { markDuePictures } from '../../api/delivery/mark-due-pictures.ts';
import { revisionOf } from '../../api/devices/shown-item.ts';
import { drawNext } from '../../api/devices/shown-pictures.ts';
import { findDevice } from '../../api/devices/store.ts';
import { explainDevice } from '../../api/explanations/explain-device.ts';
import { paperStore } from '../../api/papers/store.ts';
import { noteUpload } from '../../api/uploads/note-upload.ts';
import { wordsOf } from '../../reasons/words.ts';
import { type LineWorld, withLine } from './delivery-world.ts';

const test = suite('rendering again');

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** A frame whose paper is of some kind, asleep for an hour; `draws` sets what it will be shown. */
async function home(world: LineWorld, kind: string, meta: object = {}) {
  const paperId = await world.addPaper({ orientation: 'landscape', ...meta }, kind);
  const drawn = { now: 'monday', fails: false };
  world.renders.with = async ({ notice }) =>
    drawn.fails && notice === undefined
      ? { ok: false, reason: 'the page said: no data' }
      : { ok: true, file: Buffer.from(notice === undefined ? drawn.now : `notice: ${notice.text}`) };
  const frame = await world.addFrame(paperId);
  await world.settles();
  const { db, clock } = world;
  return {
    paperId,
    frame,
    drawn,
    sleeps: (ms: number) =>
      db('frames')
        .where({ serial: frame.serial })
        .update({ asleep_until: clock.now() + ms }),
    /** How often something was rendered, and offered, since the frame is there. */
    counts: async () => [world.renders.wanted.length, (await db('uploads')).length],
    shown: async () => (await explain(world, frame.deviceId)).lastFailure?.reasons.map(wordsOf).join(),
    async passes(ms: number) {
      clock.passes(ms);
      await world.settles();
    },
  };
}

async function explain(world: LineWorld, deviceId: string) {
  const device = await findDevice(world.db, deviceId);
  if (device === undefined) throw new Error('no device');
  return explainDevice(world.db, world.gateway.newestEvidence, device, world.clock.now());
}

test('A-27: before each wake the picture is made again, once, and offered only if a pixel changed', async () => {
  await withLine(async (world) => {
    const at = await home(world, 'website', { url: 'https://example.org' });
    assert.equal(await at.counts(), [1, 1]);
    await at.sleeps(hourMs);
    await at.passes(50 * minuteMs);
    assert.equal(await at.counts(), [1, 1], 'too early');
    await at.passes(6 * minuteMs);
    assert.equal(await at.counts(), [2, 1], 'rendered, and the same');
    const wake = world.clock.now() + 4 * minuteMs;
    assert.is(world.renders.wanted[1]?.at, wake - (wake % minuteMs), 'for the minute at which it is seen');
    await at.passes(3 * minuteMs);
    assert.equal(await at.counts(), [2, 1], 'once a wake');
    at.drawn.now = 'tuesday';
    await at.sleeps(2 * minuteMs);
    await at.passes(0);
    assert.equal(await at.counts(), [3, 2], 'another picture');
    assert.equal((await explain(world, at.frame.deviceId)).lastFailure, null);
    // Overdue: nobody knows when it comes, and nothing is rendered for it.
    await at.passes(5 * hourMs);
    assert.equal(await at.counts(), [3, 2]);
  });
});

test('uploaded pictures and texts are not made again, and frames that wake together share one rendering', async () => {
  await withLine(async (world) => {
    const at = await home(world, 'text', { text: 'Hello' });
    await at.sleeps(minuteMs);
    await at.passes(0);
    assert.equal(await at.counts(), [1, 1]);
    const paperId = await world.addPaper({ orientation: 'landscape' }, 'calendar');
    for (let count = 0; count < 4; count++) await world.addFrame(paperId);
    await world.settles();
    assert.equal(await at.counts(), [2, 5]);
    at.drawn.now = 'later';
    await world.db('frames').update({ asleep_until: world.clock.now() + minuteMs });
    await at.passes(0);
    assert.equal(await at.counts(), [3, 9]);
  });
});

test('a rendering that fails keeps the picture, says why, is tried again shortly, and then waits for the next wake', async () => {
  await withLine(async (world) => {
    const at = await home(world, 'calendar');
    at.drawn.fails = true;
    await at.sleeps(4 * minuteMs);
    for (let second = 0; second < 120; second += 5) await at.passes(5_000);
    assert.equal(await at.counts(), [5, 1], 'four tries');
    assert.is(await at.shown(), 'the page said: no data');
    assert.equal((await explain(world, at.frame.deviceId)).offered !== null, true);
    await at.passes(2 * hourMs);
    assert.equal(await at.counts(), [5, 1]);
    at.drawn.fails = false;
    await at.sleeps(minuteMs);
    await at.passes(0);
    assert.equal(await at.counts(), [6, 1], 'the same picture as before');
    assert.is(await at.shown(), undefined);
  });
});

test('A-27: a schedule makes the picture again at its times, whenever the frame wakes', async () => {
  await withLine(async (world) => {
    const { db, clock } = world;
    const at = await home(world, 'website');
    const paper = await paperStore(db).find(at.paperId);
    if (paper === undefined) throw new Error('no paper');
    const meta = JSON.stringify({ orientation: 'landscape', schedule: '15 * * * *', timezone: 'Asia/Kolkata' });
    await paperStore(db).change(paper, { meta, updated_at: clock.now() });
    await world.settles();
    const [renders = 0, offers = 0] = await at.counts();
    // It is 8:00 UTC, which is 13:30 there.
    await at.passes(44 * minuteMs);
    assert.equal(await at.counts(), [renders, offers]);
    at.drawn.now = 'a quarter past';
    await at.passes(2 * minuteMs);
    assert.equal(await at.counts(), [renders + 1, offers + 1]);
    await at.passes(hourMs);
    assert.equal(await at.counts(), [renders + 2, offers + 1]);
    // Times that were missed are made up for once.
    await at.passes(7 * hourMs);
    assert.equal(await at.counts(), [renders + 3, offers + 1]);
    await paperStore(db).change(paper, { meta: '{}', updated_at: clock.now() });
    await world.settles();
    const [last] = await at.counts();
    await at.passes(3 * hourMs);
    assert.equal((await at.counts())[0], last);
  });
});

test('pushed content is not made again before it is proven, and its receipts stay what they are', async () => {
  await withLine(async (world) => {
    const frame = await world.addFrame();
    const request = await world.submit('one');
    const wakesSoon = () =>
      world
        .db('frames')
        .where({ serial: frame.serial })
        .update({ asleep_until: world.clock.now() + minuteMs });
    await wakesSoon();
    await world.settles();
    assert.is(world.renders.wanted.length, 1, 'its evidence is waited for');
    await frame.wakes();
    await wakesSoon();
    world.renders.with = async () => ({ ok: true, file: Buffer.from('the clock on the page moved') });
    await world.settles();
    assert.is(world.renders.wanted.length, 2);
    const uploads = await world.db('uploads').select('revision');
    assert.equal(uploads, [{ revision: request }, { revision: request }]);
    const states = (await world.deliveries(request)).map(({ state }) => state);
    assert.equal([states, await world.requestState(request)], [['synced'], 'active']);
    // The same content again: new evidence needs a newer version, whatever the pixels are.
    const second = await world.submit('two');
    assert.is((await world.db('uploads').where({ revision: second })).length, 1);
  });
});

/** Changes a paper as a person does: what it is drawn from is another edition then. */
async function edit({ db, clock }: LineWorld, paperId: string): Promise<void> {
  const paper = await paperStore(db).find(paperId);
  if (paper === undefined) throw new Error('no paper');
  await paperStore(db).change(paper, { meta: paper.meta, updated_at: clock.now() });
}

test('A-27: a change of pushed content waits for its proof, and takes no receipt away', async () => {
  await withLine(async (world) => {
    const frame = await world.addFrame();
    const request = await world.submit('one');
    world.renders.with = async ({ edition }) => ({ ok: true, file: Buffer.from(`edition ${edition}`) });
    await edit(world, world.paperId);
    await world.settles();
    assert.is(world.renders.wanted.length, 1, 'its evidence is waited for');
    // A frame that comes later gets the content as it is drawn now.
    const later = await world.addFrame();
    await world.settles();
    assert.equal(
      world.renders.wanted.map(({ edition, shown }) => [edition, revisionOf(shown)]),
      [
        [0, request],
        [1, request],
      ],
    );
    await later.wakes();
    await world.settles();
    assert.is(world.renders.wanted.length, 2, 'which is what it shows');
    await frame.wakes();
    await world.settles();
    const uploads = () => world.db('uploads').where({ serial: frame.serial }).pluck('revision');
    assert.equal(await uploads(), [request, request]);
    await edit(world, world.paperId);
    world.renders.with = async () => ({ ok: true, file: Buffer.from('edition 1') });
    await world.settles();
    assert.equal(await uploads(), [request, request], 'no other pixel');
    assert.is((await world.deliveries(request))[0]?.state, 'synced');
  });
});

test('a paper that is changed while it is drawn, or after it could not be, is drawn again at once', async () => {
  await withLine(async (world) => {
    const at = await home(world, 'website');
    let edits = 0;
    world.renders.with = async ({ edition }) => {
      if (edits++ < 2) await edit(world, at.paperId);
      return { ok: true, file: Buffer.from(`edition ${edition}`) };
    };
    await edit(world, at.paperId);
    await world.settles();
    assert.equal(await at.counts(), [4, 2], 'the first two were overtaken');
    assert.is(world.renders.wanted.at(-1)?.edition, 3);
    world.renders.with = async () => ({ ok: false, reason: 'no such site' });
    await edit(world, at.paperId);
    await world.settles();
    for (let second = 0; second < 120; second += 5) await at.passes(5_000);
    assert.equal(await at.counts(), [8, 2], 'four tries');
    await at.passes(2 * hourMs);
    assert.equal(await at.counts(), [8, 2], 'its next wake is waited for');
    await edit(world, at.paperId);
    await world.settles();
    for (let second = 0; second < 120; second += 5) await at.passes(5_000);
    assert.equal(await at.counts(), [12, 2], 'four more');
    world.renders.with = async () => ({ ok: true, file: Buffer.from('it is there') });
    await edit(world, at.paperId);
    await world.settles();
    assert.equal(await at.counts(), [13, 3]);
    assert.is(await at.shown(), undefined);
  });
});

test('a picture for a wake that came to be known while one was drawn for the wake before is drawn as well', async () => {
  await withLine(async (world) => {
    const at = await home(world, 'website', { url: 'https://example.org' });
    await at.sleeps(hourMs);
    const wakes: number[] = [];
    world.renders.with = async ({ at: wake = 0 }) => {
      wakes.push(wake);
      if (wakes.length === 1) {
        await at.sleeps(4 * minuteMs);
        await markDuePictures({ ...world.lineDeps, pageIsSeen: () => true });
      }
      return { ok: true, file: Buffer.from(`for ${wake}`) };
    };
    await at.passes(57 * minuteMs);
    assert.equal(wakes, [wakes[0] ?? 0, (wakes[0] ?? 0) + minuteMs]);
    assert.equal(await at.counts(), [3, 2], 'the one for the wake before is not offered');
  });
});

test('a text that could not be drawn again has no other occasion, and is tried every hour', async () => {
  await withLine(async (world) => {
    const at = await home(world, 'text');
    at.drawn.fails = true;
    await edit(world, at.paperId);
    await world.settles();
    for (let second = 0; second < 120; second += 5) await at.passes(5_000);
    assert.equal(await at.counts(), [5, 1], 'four tries');
    at.drawn.fails = false;
    at.drawn.now = 'tuesday';
    await at.passes(hourMs);
    assert.equal(await at.counts(), [6, 2]);
  });
});

test('C-50: slides go on with every rendering, also past one that fails', async () => {
  await withLine(async (world) => {
    const at = await home(world, 'slides');
    const positions = () => world.renders.wanted.map(({ position }) => position);
    for (let wake = 0; wake < 2; wake++) {
      await at.sleeps(minuteMs + wake);
      await at.passes(0);
    }
    assert.equal(positions(), [0, 1, 2]);
    at.drawn.fails = true;
    await at.sleeps(minuteMs + 5);
    await at.passes(0);
    at.drawn.fails = false;
    await at.passes(2_000);
    assert.equal(positions(), [0, 1, 2, 3, 4]);
    await edit(world, at.paperId);
    await world.settles();
    assert.equal(positions(), [0, 1, 2, 3, 4, 4], 'a change moves no slide on');
    await at.sleeps(minuteMs + 6);
    await at.passes(0);
    assert.equal(positions(), [0, 1, 2, 3, 4, 4, 5]);
  });
});

test('C-49: each upload takes the next slide, also where several come before one is drawn, and past one that fails', async () => {
  await withLine(async (world) => {
    const { db, clock, random } = world;
    const at = await home(world, 'slides');
    const positions = () => world.renders.wanted.map(({ position }) => position);
    const upload = async () => {
      const paper = await paperStore(db).find(at.paperId);
      if (paper === undefined) throw new Error('no paper');
      await db.transaction(async (trx) => {
        await paperStore(trx).change(paper, { updated_at: clock.now() });
        await drawNext(trx, at.paperId, clock.now());
        const decided = { attemptId: random.id(), forced: false, skipped: false, similarity: null, isRepeat: false };
        await noteUpload(trx, paper, decided, clock.now());
      });
    };
    for (let count = 0; count < 3; count++) await upload();
    await world.settles();
    assert.equal(positions(), [0, 3]);
    await upload();
    await world.settles();
    assert.equal(positions(), [0, 3, 4]);
    at.drawn.fails = true;
    for (let count = 0; count < 2; count++) await upload();
    await world.settles();
    at.drawn.fails = false;
    await at.passes(2_000);
    assert.equal(positions(), [0, 3, 4, 6, 7]);
    await at.sleeps(minuteMs);
    await at.passes(0);
    assert.equal(positions(), [0, 3, 4, 6, 7, 8], 'they are counted once');
  });
});

test('C-50: a short sleep that is sent at the wake and again at its end is one turn of slides', async () => {
  await withLine(async (world) => {
    const at = await home(world, 'slides');
    const positions = () => world.renders.wanted.map(({ position }) => position);
    for (const wake of [1, 2]) {
      const atItsHello = 4 * minuteMs;
      await at.sleeps(atItsHello);
      await at.passes(20_000);
      const atItsFarewell = 3 * minuteMs;
      await at.sleeps(atItsFarewell);
      await at.passes(atItsFarewell);
      assert.is(positions().length, 1 + wake);
    }
    assert.equal(positions(), [0, 1, 2]);
  });
});

test('A-23: an unknown kind is never rendered, and one can read why', async () => {
  await withLine(async (world) => {
    const at = await home(world, 'hologram');
    await at.sleeps(minuteMs);
    await at.passes(0);
    assert.equal(await at.counts(), [0, 0]);
    const { missing } = await explain(world, at.frame.deviceId);
    assert.match(missing.join(), /kind "hologram" are not rendered; known kinds are image, printer, website/);
  });
});

test('a frame that was never offered anything shows why; one that has a picture keeps it', async () => {
  await withLine(async (world) => {
    const paperId = await world.addPaper({ orientation: 'landscape' }, 'website');
    const files: string[] = [];
    world.renders.with = async ({ notice }) => {
      if (notice === undefined) return { ok: false, reason: 'example.org could not be reached' };
      files.push(notice.text);
      return { ok: true, file: Buffer.from('notice') };
    };
    await world.addFrame(paperId);
    await world.settles();
    assert.equal((await world.db('uploads')).length, 0, 'it may be over in a moment');
    for (let second = 0; second < 60; second += 5) {
      world.clock.passes(5_000);
      await world.settles();
    }
    assert.equal(files, ['example.org could not be reached']);
    assert.equal((await world.db('uploads')).length, 1);
    // Another paper that cannot be shown changes nothing.
    await world.db('devices').update({ paper_id: await world.addPaper({}, 'website') });
    for (let second = 0; second < 60; second += 5) {
      world.clock.passes(5_000);
      await world.settles();
    }
    assert.equal((await world.db('uploads')).length, 1);
    world.renders.with = async () => ({ ok: true, file: Buffer.from('the site') });
    world.clock.passes(2 * hourMs);
    await world.settles();
    assert.equal((await world.db('uploads')).length, 2);
  });
});

test.run();
