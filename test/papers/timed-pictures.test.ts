/** Pictures that are shown at a time, or until a time, through the delivery line; nothing of them is lost or in the way. */
import { FormData } from 'undici';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { collectFiles } from '../../api/files/collect-files.ts';
import { wakeFrom } from '../../api/timed-pictures/describe-timed.ts';
import { timedShower } from '../../api/timed-pictures/show-timed.ts';
import { isoTime } from '../../runtime/clock.ts';
import { silentLogger } from '../../runtime/logger.ts';
import type { Answer } from '../http/world.ts';
import { type FramedPaper, framedPaper, ok, photo } from './images-world.ts';
import { type DrawnLineWorld, withDrawnLine } from './line-world.ts';

const test = suite('timed pictures');
const hourMs = 3_600_000;

/** A paper with a picture of its own, and the colours that stand for others. */
interface Stage {
  readonly paper: FramedPaper;
  send(to: 'paper' | 'device', colour: string, from: number | undefined, until?: number): Promise<Answer>;
  /** Time goes on, and the line does what is due. */
  passes(hours: number): Promise<void>;
  /** The colour that the frame was offered last. */
  onOffer(): Promise<string>;
  states(): Promise<string[]>;
}

const colours = { red: '#ff0000', green: '#00ff00', blue: '#0000ff', black: '#000000' } as const;

async function stageOf(world: DrawnLineWorld): Promise<Stage> {
  const { call, admin, clock, db } = world;
  const paper = await framedPaper(world);
  const hung = { meta: { orientation: 'landscape' } };
  ok(await call('POST', `/devices/${paper.deviceId}`, { as: admin, json: hung }));
  const byDigest = new Map<string, string>();
  const lastDigest = async (): Promise<string> =>
    (await db('uploads').where({ serial: paper.serial }).orderBy('file_version', 'desc').first('picture_sha256'))
      ?.picture_sha256 ?? '';
  for (const [name, colour] of [...Object.entries(colours).slice(1), ['red', colours.red] as const]) {
    ok(await paper.upload([['picture', await photo(800, 480, colour)]]));
    await world.settles();
    byDigest.set(await lastDigest(), name);
  }
  return {
    paper,
    async send(to, colour, from, until) {
      const body = new FormData();
      const hex = colours[colour as keyof typeof colours];
      body.append('picture', new Blob([new Uint8Array(await photo(800, 480, hex))]), 'x.png');
      const now = clock.now();
      if (from !== undefined) body.append('showFrom', isoTime(now + from * hourMs));
      if (until !== undefined) body.append('showUntil', isoTime(now + until * hourMs));
      const path =
        to === 'paper' ? `/papers/uploadSingleImage/${paper.id}` : `/devices/uploadSingleImage/${paper.deviceId}`;
      return call('POST', path, { as: admin, body });
    },
    async passes(hours) {
      world.passes(hours * hourMs);
      await world.settles();
    },
    onOffer: async () => byDigest.get(await lastDigest()) ?? 'another',
    states: () => db('timed_pictures').orderBy(['created_at', 'id']).pluck('state'),
  };
}

for (const to of ['paper', 'device'] as const) {
  test(`${to}: a picture waits for its time, is shown, and what was there before comes back`, () =>
    withDrawnLine(async (world) => {
      const { call, admin } = world;
      const { paper, send, passes, onOffer, states } = await stageOf(world);
      const sent = ok(await send(to, 'green', 2, 4)).json;
      const { timed } = sent;
      assert.equal([timed.state, timed.message], ['waiting', `waits until ${timed.showFrom}`]);
      assert.is(to === 'paper' ? sent.reason : sent.iotUpload.reason, 'upload-waits');
      await passes(1);
      assert.is(await onOffer(), 'red');
      const why = ok(await call('GET', `/devices/why/${paper.deviceId}`, { as: admin })).json;
      assert.is(why.waitsUntil, timed.showFrom);
      await passes(1.01);
      assert.equal([await onOffer(), await states()], ['green', ['showing']]);
      await passes(1);
      assert.is(await onOffer(), 'green');
      await passes(1);
      assert.equal([await onOffer(), await states()], ['red', ['done']]);
      const { pictures } = ok(
        await call(
          'GET',
          `/timed-pictures/?organization=${admin.organizationId}&${to}=${to === 'paper' ? paper.id : paper.deviceId}`,
          { as: admin },
        ),
      ).json;
      assert.equal(
        pictures.map(({ message }: { message: string }) => message),
        ['its time is over'],
      );
    }));

  test(`${to}: of two pictures the one that began last is shown, and the other comes back when it ends`, () =>
    withDrawnLine(async (world) => {
      const { send, passes, onOffer, states } = await stageOf(world);
      ok(await send(to, 'green', 1, 8));
      ok(await send(to, 'blue', 3, 5));
      const seen: string[] = [];
      for (let hour = 0; hour < 9; hour++) {
        await passes(1.001);
        seen.push(await onOffer());
      }
      assert.equal(seen, ['green', 'green', 'blue', 'blue', 'green', 'green', 'green', 'red', 'red']);
      assert.equal(await states(), ['done', 'done']);
    }));

  test(`${to}: a picture without an end stays, and ends what began before it`, () =>
    withDrawnLine(async (world) => {
      const { send, passes, onOffer, states } = await stageOf(world);
      ok(await send(to, 'green', 1, 8));
      ok(await send(to, 'black', 2));
      await passes(1.1);
      assert.is(await onOffer(), 'green');
      await passes(1);
      assert.equal([await onOffer(), await states()], ['black', ['replaced', 'done']]);
      await passes(8);
      assert.is(await onOffer(), 'black');
    }));

  test(`${to}: what somebody shows now ends what was shown until a time, and stays after it`, () =>
    withDrawnLine(async (world) => {
      const { send, passes, onOffer, states } = await stageOf(world);
      ok(await send(to, 'green', undefined, 3));
      await passes(0.5);
      assert.is(await onOffer(), 'green');
      ok(await send(to, 'blue', undefined));
      await passes(0.1);
      assert.equal([await onOffer(), await states()], ['blue', ['replaced']]);
      await passes(5);
      assert.is(await onOffer(), 'blue');
    }));

  test(`${to}: one that waits is cancelled, one that is shown ends at once, and for one that is over the answer says so`, () =>
    withDrawnLine(async (world) => {
      const { call, admin, stranger } = world;
      const { send, passes, onOffer, states } = await stageOf(world);
      const waiting = ok(await send(to, 'green', 1, 2)).json.timed.id;
      const cancel = (id: string, as = admin) => call('DELETE', `/timed-pictures/${id}`, { as });
      assert.is((await cancel(waiting, stranger)).status, 404);
      assert.is(ok(await cancel(waiting)).json.state, 'cancelled');
      const again = await cancel(waiting);
      assert.equal([again.status, again.json.message], [409, 'The picture is over: was cancelled']);
      await passes(1.5);
      assert.is(await onOffer(), 'red');
      const shown = ok(await send(to, 'blue', undefined, 4)).json.timed.id;
      await passes(0.1);
      assert.is(await onOffer(), 'blue');
      ok(await cancel(shown));
      await passes(0);
      assert.equal([await onOffer(), await states()], ['red', ['cancelled', 'done']]);
    }));
}

test('times that cannot be are refused with a sentence, and nothing is kept of the picture', () =>
  withDrawnLine(async (world) => {
    const { send, states } = await stageOf(world);
    for (const [from, until, why] of [
      [-1, undefined, 'showFrom is in the past'],
      [undefined, -1, 'showUntil is in the past'],
      [2, 2, 'showUntil is not after showFrom'],
      [3, 2, 'showUntil is not after showFrom'],
      [24 * 400, undefined, 'The time is more than a year away'],
    ] as const) {
      for (const to of ['paper', 'device'] as const) {
        const { status, json } = await send(to, 'green', from, until);
        assert.equal([status, json.message], [400, why]);
      }
    }
    const body = new FormData();
    body.append('picture', new Blob([new Uint8Array(await photo(800, 480, '#00ff00'))]), 'x.png');
    body.append('showFrom', '2030-01-01T10:00');
    const { paper } = await stageOf(world);
    const path = `/papers/uploadSingleImage/${paper.id}`;
    const { json } = await world.call('POST', path, { as: world.admin, body });
    assert.is(json.message, 'showFrom is not a time');
    const bare = await framedPaper(world);
    const form = new FormData();
    form.append('picture', new Blob([new Uint8Array(await photo(800, 480, '#00ff00'))]), 'x.png');
    form.append('showUntil', isoTime(world.clock.now() + hourMs));
    const refused = await world.call('POST', `/papers/uploadSingleImage/${bare.id}`, { as: world.admin, body: form });
    assert.equal([refused.status, refused.json.message], [409, 'There is nothing that could come back at showUntil']);
    assert.equal(await states(), []);
  }));

test('a service that starts again goes on: late pictures are shown, missed ones are reported, files are kept at night', () =>
  withDrawnLine(async (world) => {
    const { db, clock, random, pictures, rendering, frames, dataFolder } = world;
    const { send, passes, onOffer, states } = await stageOf(world);
    ok(await send('paper', 'green', 1, 2));
    ok(await send('paper', 'blue', 1.5, 6));
    for (let night = 0; night < 3; night++) await collectFiles({ db, clock, dataFolder });
    // Another process over the same rows: the one before was ended in the middle of the first picture's time.
    await passes(3);
    assert.equal([await onOffer(), await states()], ['blue', ['missed', 'showing']]);
    const next = timedShower({
      db,
      clock,
      random,
      rendering,
      frames,
      files: pictures,
      logger: silentLogger,
      normalizeImage: async () => ({ ok: false, problem: 'broken' }),
    });
    world.passes(4 * hourMs);
    assert.is(await next(), null);
    assert.is(await next(), null, 'a second time does nothing');
    await passes(0);
    assert.equal([await onOffer(), await states()], ['red', ['missed', 'done']]);
  }));

for (const to of ['paper', 'device'] as const) {
  test(`${to}: nodes that find the time come at the same moment show and uncover once`, () =>
    withDrawnLine(async (world) => {
      const { db, clock, random, rendering, frames, pictures } = world;
      const { paper, send, states } = await stageOf(world);
      ok(await send(to, 'green', 1, 2));
      ok(await send(to, 'blue', 3));
      const nodes = Array.from({ length: 3 }, () =>
        timedShower({
          db,
          clock,
          random,
          rendering,
          frames,
          files: pictures,
          logger: silentLogger,
          normalizeImage: async () => ({ ok: false, problem: 'broken' }),
        }),
      );
      const attempts = async () =>
        (await db('upload_attempts').where({ device_id: paper.deviceId, cause: to === 'paper' ? 'picture' : 'image' }))
          .length;
      const assignment = async () => (await db('devices').where({ id: paper.deviceId }).first('assignment')).assignment;
      const seen: unknown[] = [];
      const before = [await attempts(), await assignment()] as const;
      for (const hours of [1.1, 1, 1]) {
        world.passes(hours * hourMs);
        await Promise.all(nodes.map((show) => show()));
        seen.push([(await attempts()) - before[0], (await assignment()) - before[1], await states()]);
      }
      assert.equal(
        seen,
        to === 'paper'
          ? [
              [1, 0, ['showing', 'waiting']],
              [2, 0, ['done', 'waiting']],
              [3, 0, ['done', 'done']],
            ]
          : [
              [1, 0, ['showing', 'waiting']],
              [1, 1, ['done', 'waiting']],
              [2, 1, ['done', 'done']],
            ],
      );
    }));
}

test('who may no longer write when the time comes shows nothing, and a device that moves takes nothing along', () =>
  withDrawnLine(async (world) => {
    const { db, admin } = world;
    const { paper, send, passes, onOffer, states } = await stageOf(world);
    ok(await send('paper', 'green', 1));
    ok(await send('device', 'blue', 1));
    await db('users').where({ id: admin.userId }).update({ role: 'onlyself' });
    await passes(2);
    assert.equal([await onOffer(), await states()], ['red', ['failed', 'failed']]);
    await db('users').where({ id: admin.userId }).update({ role: 'admin' });
    ok(await send('device', 'blue', 1));
    ok(await world.call('DELETE', `/devices/${paper.deviceId}`, { as: admin }));
    assert.equal(await db('timed_pictures').where({ device_id: paper.deviceId }), []);
  }));

test('the settings that came with a picture go with it, and those of a person stay', () =>
  withDrawnLine(async (world) => {
    const { call, admin, db } = world;
    const { paper, passes } = await stageOf(world);
    const body = new FormData();
    body.append('picture', new Blob([new Uint8Array(await photo(800, 480, '#00ff00'))]), 'x.png');
    body.append('settings', JSON.stringify({ optimize: { intent: 'vivid' } }));
    body.append('showUntil', isoTime(world.clock.now() + hourMs));
    ok(await call('POST', `/papers/uploadSingleImage/${paper.id}`, { as: admin, body }));
    await passes(0.1);
    const meta = async () => JSON.parse((await db('papers').where({ id: paper.id }).first('meta')).meta);
    assert.equal(await meta(), { orientation: 'landscape', optimize: { intent: 'vivid' } });
    const json = { organization: admin.organizationId, deviceId: paper.deviceId, kind: 'image' };
    const whole = { ...json, meta: { ...(await meta()), title: 'Garden' } };
    ok(await call('POST', `/papers/${paper.id}`, { as: admin, json: whole }));
    await passes(1);
    assert.equal(await meta(), { orientation: 'landscape', title: 'Garden' });
  }));

test('a frame that sleeps is expected at its first wake in the time, and one that sleeps through it is reported', () =>
  withDrawnLine(async (world) => {
    const { clock, frames } = world;
    const { paper, send } = await stageOf(world);
    const known = frames.facts.get(paper.serial);
    if (known === undefined) throw new Error('the frame is known');
    const expectedWakeAt = clock.now() + hourMs / 3;
    frames.facts.set(paper.serial, { ...known, expectedWakeAt, sleepSeconds: 3_600 });
    const [frame] = ok(await send('paper', 'green', 1, 2)).json.timed.frames;
    assert.equal([frame.expectedAt, frame.isMissed], [isoTime(expectedWakeAt + hourMs), false]);
    const [missed] = ok(await send('paper', 'blue', 0.4, 0.5)).json.timed.frames;
    assert.is(missed.isMissed, true);
    assert.is(wakeFrom({ connected: true, expectedWakeAt: null, sleepSeconds: 60, changesAt: [] }, 7), 7);
    assert.is(wakeFrom({ connected: false, expectedWakeAt: null, sleepSeconds: 60, changesAt: [] }, 7), null);
    assert.is(wakeFrom({ connected: false, expectedWakeAt: 100, sleepSeconds: 0, changesAt: [] }, 7), 100);
    const planned = { connected: false, expectedWakeAt: 100, sleepSeconds: 3600, changesAt: [500_000] };
    assert.is(wakeFrom(planned, 500_000), 510_000, 'the frame wakes for it');
    assert.is(wakeFrom(planned, 500_001), 3_600_100);
  }));

test.run();
