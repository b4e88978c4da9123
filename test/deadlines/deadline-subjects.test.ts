/** The subjects of deadlines: entries of playlists, pictures with a time of their own, places, fresh pictures, and grades. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { UploadRow } from '../../gateway/pictures/upload-row.ts';
import { readReasons } from '../../reasons/reason.ts';
import { isoTime } from '../../runtime/clock.ts';
import { hourMs, minuteMs } from '../alerts/alert-world.ts';
import { type DeadlineWorld, withDeadlines } from './deadline-world.ts';

const test = suite('deadlines/deadline-subjects');

/** The state and the code of the cause of each day, by its time. */
async function states({ occurrences }: DeadlineWorld): Promise<string[]> {
  return (await occurrences()).map(({ state, cause }) => {
    const [first] = readReasons(cause);
    return typeof first === 'object' ? `${state} ${first.code}` : state;
  });
}

test('the entry of a playlist is met by its own picture, and not by the one before it', () =>
  withDeadlines(async (world) => {
    const { clock } = world;
    const by = clock.now() + hourMs;
    const [one, two] = [await world.addPaper({ text: 'one' }, 'text'), await world.addPaper({ text: 'two' }, 'text')];
    const entries = [
      { paperId: one, startsAt: isoTime(clock.now() - hourMs) },
      { paperId: two, startsAt: isoTime(by - 30 * minuteMs) },
    ];
    const playlist = await world.addPaper({ playlistEntries: entries }, 'playlist');
    const frame = await world.addFrame(playlist);
    await world.settles();
    await world.addDeadline({ paperId: playlist, entryId: two, by });
    await frame.wakes();
    await world.sleeps(frame.serial, by - 29 * minuteMs);
    await world.works();
    assert.equal(await states(world), ['planned'], 'what hangs before its time is another entry');
    await world.passes(31 * minuteMs);
    // The picture of the entry was drawn when it began, and the frame reports it.
    const at = clock.now();
    const proven = { announced_at: at, fetched_at: at, shown_at: at, confirmed_at: at, graded_at: at };
    await world
      .db<UploadRow>('uploads')
      .where({ serial: frame.serial })
      .update({ offered_at: at, ...proven });
    world.watch.nudge({ reported: frame.serial });
    await world.works();
    assert.equal(await states(world), ['met']);
    const [row] = await world.occurrences();
    assert.ok((row?.proof_at ?? 0) >= by - 30 * minuteMs);
  }));

test('an entry that is not shown at the time cannot be kept by the playlist as it is', () =>
  withDeadlines(async (world) => {
    const one = await world.addPaper({ text: 'one' }, 'text');
    const two = await world.addPaper({ text: 'two' }, 'text');
    const entries = [one, two].map((paperId, at) => ({
      paperId,
      startsAt: isoTime(world.clock.now() + (at === 0 ? -hourMs : 2 * hourMs)),
    }));
    const playlist = await world.addPaper({ playlistEntries: entries }, 'playlist');
    await world.addFrame(playlist);
    await world.addDeadline({ paperId: playlist, entryId: two });
    assert.equal(await states(world), ['at-risk deadline-other-paper']);
  }));

test('a picture with a time of its own is planned for it, and given up where it comes too late or is gone', () =>
  withDeadlines(async (world) => {
    const { db, clock, random, organizationId, paperId } = world;
    await world.addFrame();
    const by = clock.now() + hourMs;
    const timed = async (showFrom: number) => {
      const id = random.id();
      const times = { show_from: showFrom, created_at: clock.now(), updated_at: clock.now() };
      const sender = { account_id: 'a', author: 'Ada' };
      await db('timed_pictures').insert({
        id,
        organization_id: organizationId,
        paper_id: paperId,
        state: 'waiting',
        ...sender,
        ...times,
      });
      return id;
    };
    const [early, late] = [await timed(by - 30 * minuteMs), await timed(by - 1000)];
    await world.addDeadline({ timedId: early, by });
    await world.addDeadline({ timedId: late, by: by + 1 });
    assert.equal(await states(world), ['planned', 'unavoidable deadline-too-late']);
    await db('timed_pictures').where({ id: early }).delete();
    await world.passes(6 * minuteMs);
    assert.equal((await states(world))[0], 'at-risk deadline-other-paper');
  }));

test('all frames that hang in a place are meant, also one that is hung there later, and no other', () =>
  withDeadlines(async (world) => {
    const { db, clock } = world;
    const hang = async (room: string) => {
      const frame = await world.addFrame();
      const meta = JSON.stringify({ place: { building: 'North', floor: '1', room } });
      await db('devices').where({ id: frame.deviceId }).update({ meta });
      return frame;
    };
    const hall = await hang('Hall');
    await hang('Office');
    await world.submit('menu');
    await world.addDeadline({ places: [{ building: 'North', room: 'Hall' }], by: clock.now() + 3 * hourMs });
    const meant = async () => (await world.occurrences()).map(({ device_id }) => device_id).sort();
    assert.equal(await meant(), [hall.deviceId]);
    const later = await hang('Hall');
    await world.passes(minuteMs);
    assert.equal(await meant(), [hall.deviceId, later.deviceId].sort());
  }));

test('a picture that is too old for its time does not keep it, and a fresh one does', () =>
  withDeadlines(async (world) => {
    const frame = await world.addFrame();
    await world.submit('yesterday');
    await frame.wakes();
    await world.passes(3 * hourMs, hourMs);
    await world.addDeadline({ freshMinutes: 120 });
    assert.equal(await states(world), ['at-risk deadline-making']);
    await world.submit('today');
    await frame.wakes();
    await world.works();
    assert.equal(await states(world), ['met']);
  }));

test('a stronger grade that is reached after the time does not count as reached before it (DL-13, DL-15)', () =>
  withDeadlines(async (world) => {
    const { db, clock } = world;
    const frame = await world.addFrame();
    await world.submit('menu');
    const by = clock.now() + 20 * minuteMs;
    await frame.wakes();
    const weak = { grade: 'processed', graded_at: clock.now() } as const;
    await db<UploadRow>('uploads').where({ serial: frame.serial }).update(weak);
    await world.addDeadline({ by, grade: 'processed' });
    await world.addDeadline({ by: by + 1, grade: 'named' });
    assert.is((await states(world))[0], 'met', 'the weak grade is enough for one');
    await world.passes(30 * minuteMs);
    assert.is((await states(world))[1]?.split(' ')[0], 'shown-unproven');
    const strong = { grade: 'named', graded_at: clock.now() } as const;
    await db<UploadRow>('uploads').where({ serial: frame.serial }).update(strong);
    world.watch.nudge({ reported: frame.serial });
    await world.works();
    const [, named] = await world.occurrences();
    assert.is(named?.state, 'met-late');
    assert.is(named?.proof_at, strong.graded_at);
    assert.ok((await world.events()).includes('deadline.met-late'));
  }));

test.run();
