/** A paper that changes by itself is judged by the picture that is due at the time: of its last planned change by then. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { markDuePictures } from '../../api/delivery/mark-due-pictures.ts';
import { type PaperRow, paperStore } from '../../api/papers/store.ts';
import { plannedAfter } from '../../gateway/frames/planned-changes.ts';
import type { FrameRow } from '../../gateway/frames/registry.ts';
import { isoTime } from '../../runtime/clock.ts';
import { hourMs, minuteMs } from '../alerts/alert-world.ts';
import { type DeadlineWorld, withDeadlines } from './deadline-world.ts';

const test = suite('deadlines/due-change');

/** A frame that proved the first entry of a playlist, whose second one begins three minutes before the time. */
async function beforeTheChange(world: DeadlineWorld, { isSame = false } = {}) {
  const { clock, renders } = world;
  const by = Math.ceil((clock.now() + hourMs) / minuteMs) * minuteMs;
  const changesAt = by - 3 * minuteMs;
  renders.with = async ({ shown, at = 0 }) => {
    const entry = !isSame && at >= changesAt ? 'second' : 'first';
    return { ok: true, file: Buffer.from(`${shown.id} ${entry}`) };
  };
  const [one, two] = [await world.addPaper({ text: 'one' }, 'text'), await world.addPaper({ text: 'two' }, 'text')];
  const entries = [
    { paperId: one, startsAt: isoTime(by - 5 * hourMs) },
    { paperId: two, startsAt: isoTime(changesAt) },
  ];
  const playlist = await world.addPaper({ playlistEntries: entries }, 'playlist');
  const frame = await world.addFrame(playlist);
  await world.settles();
  await frame.wakes();
  await world.sleeps(frame.serial, clock.now() + 30 * minuteMs);
  const state = async () => (await world.occurrences()).map((row) => row.state).join();
  /** The frame sleeps until then, and its picture is made in the minutes before. */
  const sleepsUntil = async (at: number) => {
    await world.sleeps(frame.serial, at);
    while (clock.now() < at - minuteMs) {
      clock.passes(Math.min(minuteMs, at - minuteMs - clock.now()));
      await world.settles();
      await world.works();
    }
    clock.passes(at - clock.now());
    await world.works();
  };
  return { by, changesAt, two, playlist, frame, state, sleepsUntil };
}

test('the entry of a playlist is met by the picture that was made for its wake minutes before it began', () =>
  withDeadlines(async (world) => {
    const { by, changesAt, two, playlist, frame, state, sleepsUntil } = await beforeTheChange(world);
    await world.addDeadline({ paperId: playlist, entryId: two, by });
    await sleepsUntil(changesAt + 13_000);
    const offer = await world.db('uploads').where({ serial: frame.serial }).orderBy('offered_at', 'desc').first();
    assert.ok(offer?.offered_at < changesAt - 2 * minuteMs, 'it was made long before');
    assert.is(await state(), 'planned');
    await frame.wakes();
    await world.works();
    assert.is(await state(), 'met');
    assert.equal(await world.events(), ['deadline.met']);
  }));

test('a playlist is not met by the picture that hangs before its last change, and by the one after it', () =>
  withDeadlines(async (world) => {
    const { by, changesAt, playlist, frame, state, sleepsUntil } = await beforeTheChange(world);
    await world.addDeadline({ paperId: playlist, by });
    assert.is(await state(), 'planned', 'what was proven before is another picture');
    const row = await world.db<FrameRow>('frames').where({ serial: frame.serial }).first();
    const wakes = plannedAfter(row ?? {}, 'planned_deadlines', world.clock.now()).map(({ at }) => at);
    assert.ok(wakes.length === 1 && wakes.every((at) => at > changesAt && at < by), 'it is to wake in between');
    await sleepsUntil(changesAt + 13_000);
    assert.is(await state(), 'planned');
    await frame.wakes();
    await world.works();
    assert.is(await state(), 'met');
    assert.ok(((await world.occurrences())[0]?.proof_at ?? 0) > changesAt);
  }));

test('a frame that sleeps from before the last change until after the time misses it, which is said at once', () =>
  withDeadlines(async (world) => {
    const { by, playlist, frame, state } = await beforeTheChange(world);
    await world.sleeps(frame.serial, by + minuteMs);
    await world.addDeadline({ paperId: playlist, by });
    assert.is(await state(), 'unavoidable');
    await world.line.stop();
    await world.passes(2 * hourMs, minuteMs);
    assert.is(await state(), 'missed');
  }));

test('a picture that is the same after the change counts with a contact after it', () =>
  withDeadlines(async (world) => {
    const { by, changesAt, playlist, frame, state, sleepsUntil } = await beforeTheChange(world, { isSame: true });
    await world.addDeadline({ paperId: playlist, by });
    await sleepsUntil(changesAt + 13_000);
    assert.is(await state(), 'planned');
    await frame.wakes();
    await world.works();
    assert.is(await state(), 'met');
  }));

test('a text that somebody changes after it was met begins again, until the new one is proven', () =>
  withDeadlines(async (world) => {
    const { db, clock, renders } = world;
    renders.with = async ({ edition }) => ({ ok: true, file: Buffer.from(`edition ${edition}`) });
    const paperId = await world.addPaper({ text: 'Soup' }, 'text');
    const frame = await world.addFrame(paperId);
    await world.settles();
    await frame.wakes();
    await world.addDeadline({ paperId, by: clock.now() + hourMs });
    const state = async () => (await world.occurrences()).map((row) => row.state).join();
    assert.is(await state(), 'met');
    await world.sleeps(frame.serial, clock.now() + 30 * minuteMs);
    const paper = await paperStore(db).find(paperId);
    await paperStore(db).change(paper as PaperRow, { meta: '{"text":"Stew"}', updated_at: clock.now() });
    await world.works();
    assert.is(await state(), 'planned');
    await world.settles();
    clock.passes(30 * minuteMs);
    await frame.wakes();
    await world.works();
    assert.is(await state(), 'met');
  }));

test('a change that is planned after it was met begins again', () =>
  withDeadlines(async (world) => {
    const { by, changesAt, two, playlist, frame, state, sleepsUntil } = await beforeTheChange(world);
    await world.addDeadline({ paperId: playlist, by });
    await sleepsUntil(changesAt + 5000);
    await frame.wakes();
    await world.works();
    assert.is(await state(), 'met');
    const [one] = JSON.parse((await world.db('papers').where({ id: playlist }).first('meta')).meta).playlistEntries;
    const entries = [one, { paperId: two, startsAt: isoTime(by - minuteMs) }];
    const meta = JSON.stringify({ playlistEntries: entries });
    await world.db('papers').where({ id: playlist }).update({ meta, updated_at: world.clock.now() });
    await world.works();
    assert.is.not(await state(), 'met');
    assert.is((await world.occurrences())[0]?.round, 2);
  }));

test('a page is drawn for the wake by which a deadline is judged, also where nobody would look', () =>
  withDeadlines(async (world) => {
    const { clock, db } = world;
    const page = await world.addPaper({ url: 'https://page.example' }, 'website');
    const frame = await world.addFrame(page);
    await world.settles();
    const shown = () => db('shown_pictures').where({ device_id: frame.deviceId }).first('render_due_at');
    const marks = async () => {
      await markDuePictures({ ...world.lineDeps, pageIsSeen: () => false });
      return (await shown()).render_due_at !== null;
    };
    await world.line.stop();
    await world.sleeps(frame.serial, clock.now() + 4 * minuteMs);
    assert.not(await marks());
    const planned = JSON.stringify([{ at: clock.now() + 6 * minuteMs }]);
    await db('frames').where({ serial: frame.serial }).update({ planned_deadlines: planned });
    assert.ok(await marks());
  }));

test.run();
