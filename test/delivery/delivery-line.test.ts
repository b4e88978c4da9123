import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { deliveryLine } from '../../api/delivery/delivery-line.ts';
import { readReasons, reasonOf } from '../../reasons/reason.ts';
import { push } from '../integration/integration-world.ts';
import { withLine } from './delivery-world.ts';

const test = suite('delivery line');

const hourMs = 3_600_000;
const states = (rows: readonly { state: string }[]) => rows.map(({ state }) => state);

test('INV-35, INV-43: a frame that fetched and shows the content is synced, and the request stays active', async () => {
  await withLine(async (world) => {
    const frame = await world.addFrame();
    const request = await world.submit('one');
    assert.equal(states(await world.deliveries(request)), ['prepared']);
    await frame.wakes();
    assert.equal(states(await world.deliveries(request)), ['synced']);
    assert.equal(await world.events(request), ['available', 'Frame 1: prepared', 'Frame 1: synced']);
    assert.is(await world.requestState(request), 'active');
  });
});

test('moves are counted once they are committed, with the time since acceptance; what only looks is not', async () => {
  await withLine(async (world) => {
    const frame = await world.addFrame();
    await world.submit('one');
    assert.equal(world.counted, ['prepared', 'prepared after 0 s']);
    await frame.wakes({ shows: false });
    await world.settles();
    assert.is(world.counted.length, 2);
    await frame.wakes();
    // Before the replay moves the clock on.
    await world.settles();
    await frame.replays();
    assert.equal(world.counted.slice(2), ['synced', 'synced after 6 s']);
    world.renders.with = async () => ({ ok: false, reason: 'nothing is drawn' });
    await world.submit('two');
    for (let attempt = 1; attempt < 4; attempt++) {
      world.clock.passes(30_000);
      await world.settles();
    }
    assert.equal(world.counted.slice(4), ['failed']);
    world.renders.with = async () => ({ ok: true, file: Buffer.from('three') });
    await world.submit('three');
    world.clock.passes(48 * hourMs);
    await world.settles();
    assert.equal(world.counted.slice(5), ['prepared', 'prepared after 0 s', 'unconfirmed']);
  });
});

test('T-49: a frame that says it shows what it never fetched stays prepared, however often it says so', async () => {
  await withLine(async (world) => {
    const liar = await world.addFrame();
    const request = await world.submit('one');
    await liar.wakes({ fetches: false });
    await liar.replays();
    await liar.wakes({ fetches: false });
    assert.equal(states(await world.deliveries(request)), ['prepared']);
  });
});

test('T-48, INV-40: a report of the content before does not make the newer one synced', async () => {
  await withLine(async (world) => {
    const frame = await world.addFrame();
    const first = await world.submit('one');
    await frame.wakes();
    const second = await world.submit('two');
    await frame.replays();
    await frame.replays();
    assert.equal(states(await world.deliveries(first)), ['synced']);
    assert.equal(states(await world.deliveries(second)), ['prepared']);
    await frame.wakes();
    assert.equal(states(await world.deliveries(second)), ['synced']);
  });
});

test('INV-21, INV-31: newer content supersedes what is not yet synced, and leaves what is', async () => {
  await withLine(async (world) => {
    const early = await world.addFrame();
    await world.addFrame();
    const first = await world.submit('one');
    await early.wakes();
    const second = await world.submit('two');
    assert.equal(states(await world.deliveries(first)).sort(), ['superseded', 'synced']);
    assert.is(await world.requestState(first), 'superseded');
    const events = await world.events(first);
    assert.is(events.filter((event) => event === 'superseded').length, 1);
    assert.is(events.filter((event) => event === 'Frame 2: superseded').length, 1);
    assert.not.ok(events.includes('Frame 1: superseded'));
    assert.equal(states(await world.deliveries(second)), ['prepared', 'prepared']);
  });
});

test('INV-31: content superseded while it is being rendered is never offered', async () => {
  await withLine(async (world) => {
    await world.addFrame();
    let finish = (): void => {};
    world.renders.with = async () => {
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      return { ok: true, file: Buffer.from('old') };
    };
    const submitting = world.submit('one');
    while (world.renders.wanted.length === 0) await new Promise((resolve) => setImmediate(resolve));
    world.renders.with = async () => ({ ok: true, file: Buffer.from('new') });
    const overtaking = world.submit('two');
    while (world.renders.wanted.length < 2) await new Promise((resolve) => setImmediate(resolve));
    finish();
    const [first, second] = [await submitting, await overtaking];
    assert.equal(states(await world.deliveries(first)), ['superseded']);
    assert.equal(states(await world.deliveries(second)), ['prepared']);
    const uploads = await world.db('uploads').select('revision');
    assert.equal(uploads, [{ revision: second }]);
  });
});

test('a picture is rendered once for all frames that need that very one', async () => {
  await withLine(async (world) => {
    for (let count = 0; count < 5; count++) await world.addFrame();
    const request = await world.submit('one');
    assert.equal(states(await world.deliveries(request)), Array(5).fill('prepared'));
    assert.is(world.renders.wanted.length, 1);
  });
});

test('INV-28, INV-29: the fourth failed attempt fails the frame, with the page’s reason; others go on', async () => {
  await withLine(async (world) => {
    await world.addFrame();
    world.renders.with = async () => ({ ok: false, reason: 'the page said: no data' });
    const request = await world.submit('one');
    for (let attempt = 2; attempt <= 3; attempt++) {
      world.clock.passes(60_000);
      await world.settles();
      assert.equal(states(await world.deliveries(request)), ['pending'], `after attempt ${attempt}`);
    }
    world.clock.passes(60_000);
    await world.settles();
    const [delivery] = await world.deliveries(request);
    assert.is(delivery?.state, 'failed');
    assert.equal(readReasons(delivery?.reason), ['the page said: no data']);
    assert.is(world.renders.wanted.length, 4);
    assert.equal(await world.events(request), ['available', 'Frame 1: failed']);
    world.clock.passes(hourMs);
    await world.settles();
    assert.is(world.renders.wanted.length, 4, 'nothing is tried again');
  });
});

test('INV-28: an attempt lost with its process counts once, when its lease is over', async () => {
  await withLine(async (world) => {
    await world.addFrame();
    await world.submit('one');
    // What a crash in the first attempt leaves behind: claimed, leased, never ended.
    const leased = { state: 'pending', attempts: 1, upload_id: null, due_at: world.clock.now() + 180_000 };
    await world.db('deliveries').update(leased);
    world.clock.passes(179_000);
    await world.settles();
    assert.is((await world.db('deliveries').first()).attempts, 1);
    world.clock.passes(2_000);
    await world.settles();
    assert.equal(await world.db('deliveries').select('state', 'attempts'), [{ state: 'prepared', attempts: 2 }]);
  });
});

test('INV-74: an attempt that a shutdown cuts off is given back', async () => {
  await withLine(async (world) => {
    await world.addFrame();
    let cutOff = (): void => {};
    world.renders.with = async () => {
      await new Promise<void>((resolve) => {
        cutOff = resolve;
      });
      return { ok: false, reason: 'the browser ended' };
    };
    const submitted = world.submit('one');
    while (world.renders.wanted.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const stopped = world.line.stop();
    cutOff();
    await stopped;
    await submitted;
    assert.equal(await world.db('deliveries').select('state', 'attempts'), [{ state: 'pending', attempts: 0 }]);
  });
});

test('INV-36: a frame assigned within 48 hours gets the content, one assigned later gets no receipt', async () => {
  await withLine(async (world) => {
    const late = await world.addFrame(null);
    const tooLate = await world.addFrame(null);
    const request = await world.submit('one');
    world.clock.passes(47 * hourMs);
    await world.assign(late, world.paperId);
    assert.equal(states(await world.deliveries(request)), ['prepared']);
    world.clock.passes(hourMs + 1);
    await world.assign(tooLate, world.paperId);
    assert.is((await world.deliveries(request)).length, 1);
    // INV-72: it is shown the content all the same.
    await tooLate.wakes();
    assert.is(
      (await world.db('uploads').where({ serial: tooLate.serial, revision: request }).first('revision')) !== undefined,
      true,
    );
  });
});

test('INV-37, D-3: a frame that chooses another paper is let go, and gets a new delivery when it returns', async () => {
  await withLine(async (world) => {
    const frame = await world.addFrame();
    const other = await world.addPaper({}, 'website');
    const request = await world.submit('one');
    await world.assign(frame, other);
    assert.equal(states(await world.deliveries(request)), ['inactive']);
    await world.assign(frame, world.paperId);
    assert.equal(states(await world.deliveries(request)), ['inactive', 'prepared']);
    await frame.wakes();
    assert.equal(states(await world.deliveries(request)), ['inactive', 'synced']);
    await world.assign(frame, other);
    assert.equal(states(await world.deliveries(request)), ['inactive', 'synced'], 'synced stays synced');
  });
});

test('INV-39: another picture offered to the frame blocks synced', async () => {
  await withLine(async (world) => {
    const frame = await world.addFrame();
    const request = await world.submit('one');
    const image = await world.addPaper({}, 'image');
    await world.db('papers').where({ id: image }).update({ picture_key: 'x', picture_revision: 'r1' });
    const [delivery] = await world.deliveries(request);
    // Assigned elsewhere and back within one pass: the delivery stays, but the frame was offered something else.
    await world.db('devices').where({ id: frame.deviceId }).update({ paper_id: image });
    world.line.nudge();
    await world.line.idle();
    await world.db('devices').where({ id: frame.deviceId }).update({ paper_id: world.paperId });
    await frame.wakes();
    assert.not.equal((await world.deliveries(request)).find(({ id }) => id === delivery?.id)?.state, 'synced');
  });
});

test('INV-53, INV-56: after a revocation nothing is rendered, offered or announced', async () => {
  await withLine(async (world) => {
    const frame = await world.addFrame(null);
    const request = await world.submit('one');
    const path = `/connections/${world.connection.connectionId}`;
    assert.is((await world.call('DELETE', path, { headers: world.connection.bearer })).status, 204);
    await world.assign(frame, world.paperId);
    assert.is(await world.requestState(request), 'revoked');
    assert.equal(await world.deliveries(request), []);
    assert.not.ok((await world.events(request)).some((event) => event.includes('Frame')));
  });
});

test('INV-44: after 48 hours the request closes; open frames are unconfirmed', async () => {
  await withLine(async (world) => {
    const shown = await world.addFrame();
    await world.addFrame();
    const request = await world.submit('one');
    await shown.wakes();
    world.clock.passes(48 * hourMs + 31_000);
    await world.settles();
    assert.is(await world.requestState(request), 'closed');
    assert.equal(states(await world.deliveries(request)).sort(), ['synced', 'unconfirmed']);
    assert.not.ok(
      (await world.events(request)).includes('unconfirmed'),
      'no paper-level event when there are deliveries',
    );
  });
});

test('INV-44: without any frame the paper itself is unconfirmed, once', async () => {
  await withLine(async (world) => {
    const request = await world.submit('one');
    world.clock.passes(48 * hourMs + 31_000);
    await world.settles();
    await world.settles();
    assert.equal(await world.events(request), ['available', 'unconfirmed']);
  });
});

test('INV-45, INV-46: evidence recorded before the deadline is weighed before the request closes, also after downtime', async () => {
  await withLine(async (world) => {
    const frame = await world.addFrame();
    const request = await world.submit('one');
    await world.line.stop();
    await frame.wakes();
    assert.equal(states(await world.deliveries(request)), ['prepared'], 'the line is down');
    world.clock.passes(24 * hourMs);
    await world.db('content_requests').update({ accepted_at: world.clock.now() - 49 * hourMs });
    world.line.start();
    await world.settles();
    assert.equal(states(await world.deliveries(request)), ['synced']);
    assert.is(await world.requestState(request), 'closed');
  });
});

test('INV-45: proof that a crash kept from being weighed counts when the request closes', async () => {
  await withLine(async (world) => {
    const frame = await world.addFrame();
    const silent = await world.addFrame();
    const request = await world.submit('one');
    const deadline = world.clock.now() + 30_000;
    await world.db('content_requests').update({ accepted_at: deadline - 48 * hourMs });
    world.line.nudge();
    await world.line.idle();
    await world.line.stop();
    await frame.wakes();
    assert.ok(world.clock.now() < deadline, 'the proof came in time');
    world.clock.passes(deadline - world.clock.now() + 5000);
    // Both were looked at less than a minute ago, and the process that received the report no longer exists.
    const [one] = await world.deliveries(request);
    assert.ok(Number(one?.due_at) > world.clock.now());
    const next = deliveryLine(world.lineDeps);
    next.start();
    await next.idle();
    await next.stop();
    const ends = Object.fromEntries((await world.deliveries(request)).map(({ serial, state }) => [serial, state]));
    assert.equal(ends, { [frame.serial]: 'synced', [silent.serial]: 'unconfirmed' });
    assert.is(await world.requestState(request), 'closed');
    const told = (await world.events(request)).filter((event) => /synced|unconfirmed/.test(event)).sort();
    assert.equal(told, ['Frame 1: synced', 'Frame 2: unconfirmed']);
  });
});

test('a frame that reports the last version there is fails with that reason and holds up nobody', async () => {
  await withLine(async (world) => {
    const honest = await world.addFrame();
    const lying = await world.addFrame();
    await world.db('frames').where({ serial: lying.serial }).update({ reported_version: 2_147_483_647 });
    const request = await world.submit('one');
    for (let attempt = 2; attempt <= 4; attempt++) {
      world.clock.passes(60_000);
      await world.settles();
    }
    const ended = await world.deliveries(request);
    assert.is(ended.find(({ serial }) => serial === honest.serial)?.state, 'prepared');
    const failed = ended.find(({ serial }) => serial === lying.serial);
    assert.is(failed?.state, 'failed');
    assert.equal(readReasons(failed?.reason), [reasonOf('versions-used-up')]);
  });
});

test('a paper that cannot be drawn is tried a few times, not without pause', async () => {
  await withLine(async (world) => {
    const image = await world.addPaper({}, 'image');
    await world.db('papers').where({ id: image }).update({ picture_key: 'x', picture_revision: 'r1' });
    for (const fault of [
      async () => ({ ok: false as const, reason: 'no ink' }),
      () => Promise.reject(new Error('a bug')),
    ]) {
      world.renders.with = fault;
      world.renders.wanted.length = 0;
      const frame = await world.addFrame(image);
      await world.settles();
      await world.settles();
      assert.is(world.renders.wanted.length, 1);
      world.clock.passes(60_000);
      await world.settles();
      assert.is(world.renders.wanted.length, 2);
      await world.db('devices').where({ id: frame.deviceId }).delete();
    }
  });
});

test('an uploaded picture reaches the frame that shows its paper, once', async () => {
  await withLine(async (world) => {
    const image = await world.addPaper({}, 'image');
    await world.db('papers').where({ id: image }).update({ picture_key: 'x', picture_revision: 'r1' });
    const frame = await world.addFrame(image);
    await world.settles();
    await world.settles();
    const uploads = await world.db('uploads').where({ serial: frame.serial }).select('revision');
    assert.equal(uploads, [{ revision: 'picture:r1' }]);
  });
});

test('INV-53: a rendering that fails after the connection ended is neither repeated nor reported', async () => {
  for (const failures of [1, 4]) {
    await withLine(async (world) => {
      await world.addFrame();
      let end = (): void => {};
      world.renders.with = () =>
        new Promise((resolve) => {
          end = () => resolve({ ok: false, reason: 'the page failed' });
        });
      const { connectionId, bearer } = world.connection;
      const { body } = await push(world, world.connection, { messageId: 'a', text: 'a' });
      world.line.nudge();
      for (let failure = 1; failure <= failures; failure++) {
        for (let looks = 0; world.renders.wanted.length < failure; looks++) {
          const [row] = await world.deliveries(String(body.requestId));
          assert.ok(looks < 50_000, `attempt ${failure} of ${failures} was never made: ${JSON.stringify(row)}`);
          const waitMs = (row?.due_at ?? 0) - world.clock.now();
          // It waits for its next attempt, not for one that is under way.
          if (waitMs > 0 && waitMs <= 30_000) world.clock.passes(waitMs);
          await new Promise(setImmediate);
        }
        if (failure < failures) end();
      }
      await world.call('DELETE', `/connections/${connectionId}`, { headers: bearer });
      // The paper's content stays and is still shown (INV-54), without receipts.
      world.renders.with = async () => ({ ok: false, reason: 'the page failed' });
      end();
      await world.settles();
      world.clock.passes(300_000);
      await world.settles();
      const [delivery] = await world.deliveries(String(body.requestId));
      assert.equal([delivery?.state, delivery?.due_at, delivery?.attempts], ['pending', null, failures]);
      assert.equal(await world.events(String(body.requestId)), ['available']);
    });
  }
});

test('C-55: what a delivery offered stays written down with its paper, whatever is pushed next', async () => {
  await withLine(async (world) => {
    const { db, paperId, submit, addFrame } = world;
    const { deviceId } = await addFrame();
    for (const message of ['one', 'two']) await submit(message);
    const offers: string[] = await db('uploads').orderBy('file_version').pluck('id');
    const attempts = await db('upload_attempts').where({ device_id: deviceId, paper_id: paperId, cause: 'content' });
    assert.equal(attempts.map(({ upload_id }) => upload_id).sort(), offers.sort());
    assert.is(offers.length, 2);
  });
});

test.run();
