/** Taking content in: validation, idempotency, the paper's order, and what a submission replaces. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rateLimit } from '../../api/http/limit-rate.ts';
import { type Connected, connect, push, type World, withWorld } from './integration-world.ts';

const test = suite('submit content');

const picture = (word: string): string => Buffer.from(`picture ${word}`).toString('base64');

const events = async (world: World) =>
  (await world.db('callback_events').orderBy(['created_at', 'id'])).map(({ body }) => JSON.parse(body));

const eventsOf = async (world: World, requestId: unknown): Promise<string[]> =>
  (await events(world)).filter((event) => event.requestId === requestId).map(({ state }) => state);

const source = (world: World) => world.db('paper_contents').where({ paper_id: world.paperId }).first();

async function withConnection(run: (world: World, connected: Connected) => Promise<void>): Promise<void> {
  await withWorld(async (world) => run(world, await connect(world, await world.addPerson('user'))));
}

test('a submission is accepted, becomes the source, and announces `available`', async () => {
  await withConnection(async (world, connected) => {
    const body = { messageId: 'note-1', text: 'Milk & bread', imageBase64: picture('a') };
    const { status, body: answer } = await push(world, connected, body);
    const { requestId } = answer;
    assert.is(status, 202);
    assert.equal(answer, { requestId, paperId: world.paperId, messageId: 'note-1', state: 'accepted' });
    const row = await source(world);
    assert.equal([row.request_id, row.text, row.sequence], [requestId, 'Milk & bread', 1]);
    assert.equal(await world.files.get(row.image_key), Buffer.from('png:picture a'));
    const [event, ...more] = await events(world);
    assert.equal(more, []);
    assert.equal(Object.keys(event), [
      'eventId',
      'connectionId',
      'paperId',
      'requestId',
      'messageId',
      'state',
      'occurredAt',
    ]);
    assert.equal(
      [event.connectionId, event.requestId, event.state, event.occurredAt],
      [connected.connectionId, requestId, 'available', '2026-01-10T08:00:00.000Z'],
    );
    assert.is(world.nudges(), 1);
    const request = await world.db('content_requests').first();
    assert.equal([request.state, request.due_at], ['accepted', world.clock.now()]);
  });
});

test('INV-14: lengths count UTF-16 units, also of emoji', async () => {
  await withConnection(async (world, connected) => {
    const code = async (body: unknown) => (await push(world, connected, body)).code ?? 'accepted';
    const malformed = 'invalid-integration-request';
    assert.is(await code({ messageId: 'a', text: 'x'.repeat(1_000) }), 'accepted');
    assert.is(await code({ messageId: 'b', text: 'x'.repeat(1_001) }), malformed);
    assert.is(await code({ messageId: 'c', text: '😀'.repeat(500) }), 'accepted');
    assert.is(await code({ messageId: 'd', text: `${'😀'.repeat(500)}x` }), malformed);
    assert.is(await code({ messageId: 'm', text: 'x' }), 'accepted');
    assert.is(await code({ messageId: 'm'.repeat(128), text: 'x' }), 'accepted');
    assert.is(await code({ messageId: '', text: 'x' }), malformed);
    assert.is(await code({ messageId: 'm'.repeat(129), text: 'x' }), malformed);
  });
});

test('malformed fields, empty content and bad pictures are distinguished, and reserve no messageId (INV-09)', async () => {
  const problems: Record<string, 'unsupported' | 'too-many-pixels' | 'broken'> = {
    svg: 'unsupported',
    huge: 'too-many-pixels',
    cut: 'broken',
  };
  await withWorld(
    async (world) => {
      const connected = await connect(world, await world.addPerson('user'));
      const rows: [body: unknown, message: string][] = [
        [{}, 'Invalid integration request'],
        [{ text: 'x' }, 'Invalid integration request'],
        [{ messageId: 7, text: 'x' }, 'Invalid integration request'],
        [{ messageId: 'a', text: ['x'] }, 'Invalid integration request'],
        [{ messageId: 'a', text: 'x', imageBase64: 7 }, 'Invalid integration request'],
        [{ messageId: 'a', text: 'NUL \0' }, 'A text in the body holds a NUL'],
        [{ messageId: 'half \ud83d', text: 'x' }, 'A text in the body is not valid Unicode'],
        [[], 'Invalid integration request'],
        [{ messageId: 'a' }, 'Text or image required'],
        [{ messageId: 'a', text: null }, 'Text or image required'],
        [{ messageId: 'a', text: null, imageBase64: null }, 'Text or image required'],
        [{ messageId: 'a', text: ' \n\t\u00a0' }, 'Text or image required'],
        [{ messageId: 'a', imageBase64: '' }, 'Invalid image (maximum 20 MB)'],
        [{ messageId: 'a', text: 'x', imageBase64: 'data:image/png;base64,AAAA' }, 'Invalid image (maximum 20 MB)'],
        [{ messageId: 'a', imageBase64: btoa('svg') }, 'Supported images: JPEG, PNG, WebP, maximum 40 MP'],
        [{ messageId: 'a', imageBase64: btoa('huge') }, 'Supported images: JPEG, PNG, WebP, maximum 40 MP'],
        [{ messageId: 'a', imageBase64: btoa('cut') }, 'Supported images: JPEG, PNG, WebP, maximum 40 MP'],
      ];
      for (const [body, message] of rows) {
        const answer = await push(world, connected, body);
        assert.equal([answer.status, answer.message], [400, message], JSON.stringify(body));
      }
      assert.equal(await world.db('content_requests'), []);
      assert.is((await world.db('papers').first()).sequence, 0);
      assert.is((await push(world, connected, { messageId: 'a', text: 'good' })).status, 202);
    },
    {
      normalizeImage: async (bytes) => {
        const problem = problems[bytes.toString()];
        return problem === undefined ? { ok: true, bytes, notes: [] } : { ok: false, problem };
      },
    },
  );
});

test('T-60: a picture waits in the name of its organization and connection', async () => {
  const sharers: unknown[] = [];
  await withWorld(
    async (world) => {
      const connected = await connect(world, await world.addPerson('user'));
      await push(world, connected, { messageId: 'a', imageBase64: btoa('picture') });
      const { id, organization_id } = await world.db('connections').first();
      assert.equal(sharers, [[organization_id, id]]);
    },
    {
      normalizeImage: async (bytes, { sharer, signal }) => {
        sharers.push(sharer);
        assert.is(signal.aborted, false);
        return { ok: true, bytes, notes: [] };
      },
    },
  );
});

test('D-5: null and absent are alike, of the text and of the image', async () => {
  await withConnection(async (world, connected) => {
    const first = await push(world, connected, { messageId: 'a', text: 'x' });
    assert.is(first.status, 202);
    assert.equal(await push(world, connected, { messageId: 'a', text: 'x', imageBase64: null }), first);
    const image = await push(world, connected, { messageId: 'b', text: null, imageBase64: picture('b') });
    assert.is(image.status, 202);
    assert.equal(await push(world, connected, { messageId: 'b', imageBase64: picture('b') }), image);
  });
});

test('INV-05, INV-08, D-5: identical retries get the same request with its present state, and no work', async () => {
  await withConnection(async (world, connected) => {
    const first = await push(world, connected, { messageId: 'a', imageBase64: picture('a') });
    const before = await events(world);
    for (const text of [undefined, null, '']) {
      const again = await push(world, connected, { messageId: 'a', text, imageBase64: picture('a') });
      assert.equal(again, first);
    }
    assert.equal(await events(world), before);
    assert.is(world.nudges(), 1);
    await push(world, connected, { messageId: 'b', text: 'newer' });
    for (const state of ['superseded', 'closed', 'active', 'revoked']) {
      await world.db('content_requests').where({ id: first.body.requestId }).update({ state });
      const late = await push(world, connected, { messageId: 'a', imageBase64: picture('a') });
      assert.equal([late.status, late.body.requestId, late.body.state], [202, first.body.requestId, state]);
    }
    assert.is((await source(world)).text, 'newer');
  });
});

test('INV-06: a used messageId with other text or picture gets 409 and changes nothing', async () => {
  await withConnection(async (world, connected) => {
    await push(world, connected, { messageId: 'a', text: 'one', imageBase64: picture('a') });
    const tables = ['papers', 'content_requests', 'paper_contents', 'callback_events'];
    const before = await Promise.all(tables.map((table) => world.db(table)));
    for (const body of [
      { text: 'two', imageBase64: picture('a') },
      { text: 'one', imageBase64: picture('b') },
      { text: 'one' },
      { imageBase64: picture('a') },
      { text: 'onepicture a' },
    ]) {
      const answer = await push(world, connected, { messageId: 'a', ...body });
      assert.equal([answer.status, answer.code], [409, 'message-id-used']);
    }
    assert.equal(await Promise.all(tables.map((table) => world.db(table))), before);
  });
});

test('INV-05, INV-07: at once, identical bodies share one request, and of different ones exactly one passes', async () => {
  await withConnection(async (world, connected) => {
    const same = { messageId: 'same', text: 'x', imageBase64: picture('x') };
    const equal = await Promise.all(Array.from({ length: 8 }, () => push(world, connected, same)));
    assert.equal(new Set(equal.map(({ status, body }) => `${status} ${body.requestId}`)).size, 1);
    assert.is((await world.db('content_requests')).length, 1);
    assert.equal(await eventsOf(world, equal[0]?.body.requestId), ['available']);
    const different = await Promise.all(
      ['x', 'y'].map((word) => push(world, connected, { messageId: 'other', imageBase64: picture(word) })),
    );
    assert.equal(different.map(({ status }) => status).sort(), [202, 409]);
  });
});

test('INV-10, INV-11: an intake that broke off is completed by the identical retry only', async () => {
  await withConnection(async (world, connected) => {
    const body = { messageId: 'a', imageBase64: picture('a') };
    const put = world.files.put;
    Object.assign(world.files, { put: () => Promise.reject(new Error('disk full')) });
    try {
      await push(world, connected, body);
      assert.unreachable('a full disk must not be answered with 202');
    } catch (error) {
      assert.is(error instanceof Error && error.message, 'disk full');
    }
    Object.assign(world.files, { put });
    assert.is((await world.db('content_requests').first()).state, 'receiving');
    assert.is(await source(world), undefined);
    assert.is((await push(world, connected, { messageId: 'a', text: 'other' })).status, 409);
    assert.is((await push(world, connected, body)).body.state, 'accepted');
    assert.is((await world.db('papers').first()).sequence, 1);
  });
});

test('INV-12: a messageId under another connection or generation is a new request', async () => {
  await withWorld(async (world) => {
    const [ada, bob] = [await world.addPerson('user'), await world.addPerson('user')];
    const [first, other] = [await connect(world, ada), await connect(world, bob)];
    const body = { messageId: 'a', text: 'x' };
    const ids = [await push(world, first, body), await push(world, other, body)];
    await world.call('DELETE', `/connections/${first.connectionId}`, { headers: first.bearer });
    ids.push(await push(world, await connect(world, ada), body));
    assert.equal(
      ids.map(({ status }) => status),
      [202, 202, 202],
    );
    assert.is(new Set(ids.map((answer) => answer.body.requestId)).size, 3);
  });
});

test('INV-17, D-2: an overtaken intake keeps its sequence, is answered 202 and superseded at once', async () => {
  await withConnection(async (world, connected) => {
    const held = world.files.hold();
    const slow = push(world, connected, { messageId: 'slow', imageBase64: picture('slow') });
    await held.arrived;
    const fast = await push(world, connected, { messageId: 'fast', text: 'fast' });
    assert.is(fast.body.state, 'accepted');
    held.release();
    const answer = await slow;
    assert.equal([answer.status, answer.body.state], [202, 'superseded']);
    assert.equal(await eventsOf(world, answer.body.requestId), ['superseded']);
    assert.equal(await eventsOf(world, fast.body.requestId), ['available']);
    assert.equal([(await source(world)).text, (await source(world)).image_key], ['fast', null]);
    const rows = await world.db('content_requests').orderBy('sequence');
    assert.equal(
      rows.map(({ message_id, due_at }) => [message_id, due_at === null]),
      [
        ['slow', true],
        ['fast', false],
      ],
    );
  });
});

test('INV-53: a submission whose connection is revoked on the way gets 401 and leaves the content alone', async () => {
  await withConnection(async (world, connected) => {
    await push(world, connected, { messageId: 'kept', text: 'kept' });
    const held = world.files.hold();
    const late = push(world, connected, { messageId: 'late', imageBase64: picture('late') });
    await held.arrived;
    const { connectionId, bearer } = connected;
    assert.is((await world.call('DELETE', `/connections/${connectionId}`, { headers: bearer })).status, 204);
    held.release();
    assert.is((await late).status, 401);
    assert.is((await source(world)).text, 'kept');
    const states = (await world.db('content_requests')).map(({ state }) => state);
    assert.equal(states, ['revoked', 'revoked']);
    assert.equal(await world.db('callback_events').whereNotNull('due_at'), []);
  });
});

test('INV-09: an intake that was refused with its connection reserves no message id once the connection may act again', async () => {
  await withConnection(async (world, connected) => {
    const held = world.files.hold();
    const late = push(world, connected, { messageId: 'a', imageBase64: picture('a') });
    await held.arrived;
    await world.db('content_requests').update({ state: 'revoked', due_at: null });
    const again = push(world, connected, { messageId: 'a', imageBase64: picture('b') });
    held.release();
    assert.is((await late).code, 'unavailable', 'its place was given away');
    const { status, body } = await again;
    assert.equal([status, body.state], [202, 'accepted']);
    assert.is((await source(world)).request_id, body.requestId);
    assert.is((await world.db('content_requests')).length, 1);
  });
});

test('INV-57: a submission whose sender loses membership on the way gets 403 and is not accepted', async () => {
  await withConnection(async (world, connected) => {
    for (const role of ['onlyself', 'patient']) {
      const held = world.files.hold();
      const late = push(world, connected, { messageId: `late ${role}`, imageBase64: picture(role) });
      await held.arrived;
      await world.db('users').update({ role });
      held.release();
      assert.is((await late).code, 'paper-access-denied', role);
      await world.db('users').update({ role: 'user' });
    }
    assert.is(await source(world), undefined);
    assert.equal(await events(world), []);
  });
});

test('INV-20: content is replaced as a pair', async () => {
  await withConnection(async (world, connected) => {
    await push(world, connected, { messageId: 'a', text: 'both', imageBase64: picture('a') });
    await push(world, connected, { messageId: 'b', text: 'text only' });
    assert.equal([(await source(world)).text, (await source(world)).image_key], ['text only', null]);
    await push(world, connected, { messageId: 'c', imageBase64: picture('c') });
    assert.is((await source(world)).text, '');
    assert.ok((await source(world)).image_key);
  });
});

const deviceId = (index: number): string => String(index).padStart(24, '0');

async function deliver(world: World, requestId: unknown, states: readonly string[]): Promise<void> {
  for (const [index, state] of states.entries()) {
    await world.db('deliveries').insert({
      id: world.random.id(),
      request_id: requestId,
      paper_id: world.paperId,
      device_id: deviceId(index),
      serial: `epd7-${index}`,
      assignment: 1,
      frame_name: `Frame ${index}`,
      state,
      attempts: 0,
      due_at: world.clock.now(),
      created_at: world.clock.now(),
      updated_at: world.clock.now(),
    });
  }
}

test('INV-18, INV-19, INV-21, INV-22: newer content ends older requests of all connections, each reported once', async () => {
  await withWorld(async (world) => {
    const [ada, bob] = [await world.addPerson('user'), await world.addPerson('user')];
    const [hers, his] = [await connect(world, ada), await connect(world, bob)];
    const first = await push(world, hers, { messageId: 'a', text: 'a' });
    const states = ['pending', 'prepared', 'synced', 'failed', 'inactive', 'unconfirmed'];
    await deliver(world, first.body.requestId, states);
    world.clock.passes(1_000);
    const second = await push(world, his, { messageId: 'b', text: 'b' });
    world.clock.passes(1_000);
    await push(world, his, { messageId: 'c', text: 'c' });
    await push(world, hers, { messageId: 'a', text: 'a' });
    const ended = (await events(world)).filter(
      ({ requestId, state }) => requestId === first.body.requestId && state === 'superseded',
    );
    assert.equal(ended.map(({ deviceId, frameName }) => [deviceId, frameName]).sort(), [
      [undefined, undefined],
      [deviceId(0), 'Frame 0'],
      [deviceId(1), 'Frame 1'],
    ]);
    assert.ok(ended.every(({ occurredAt }) => occurredAt === '2026-01-10T08:00:01.000Z'));
    assert.equal(await eventsOf(world, second.body.requestId), ['available', 'superseded']);
    const deliveries = await world.db('deliveries').orderBy('device_id');
    assert.equal(
      deliveries.map(({ state }) => state),
      ['superseded', 'superseded', ...states.slice(2)],
    );
    const requests = await world.db('content_requests').orderBy('sequence');
    assert.equal(
      requests.map(({ state }) => state),
      ['superseded', 'superseded', 'accepted'],
    );
    assert.equal(
      requests.map(({ due_at }) => due_at === null),
      [true, true, false],
    );
  });
});

test('D-1: a closed request whose paper gets newer content is superseded with one paper event', async () => {
  await withConnection(async (world, connected) => {
    const first = await push(world, connected, { messageId: 'a', text: 'a' });
    await deliver(world, first.body.requestId, ['synced', 'unconfirmed']);
    await world.db('content_requests').update({ state: 'closed', due_at: null });
    await push(world, connected, { messageId: 'b', text: 'b' });
    assert.equal((await eventsOf(world, first.body.requestId)).sort(), ['available', 'superseded']);
    assert.is((await world.db('content_requests').where({ id: first.body.requestId }).first()).state, 'superseded');
  });
});

test('INV-15: the order is the sequence, whatever the clock does', async () => {
  await withConnection(async (world, connected) => {
    world.clock.passes(3_600_000);
    await push(world, connected, { messageId: 'a', text: 'a' });
    world.clock.passes(-7_200_000);
    await push(world, connected, { messageId: 'b', text: 'b' });
    await push(world, connected, { messageId: 'c', text: 'c' });
    assert.equal([(await source(world)).text, (await source(world)).sequence], ['c', 3]);
  });
});

test('INV-67: the connections of an organization share a limit besides', () => {
  const limits = { content: rateLimit(30), organizationContent: rateLimit(3), exchange: rateLimit(60) };
  return withWorld(
    async (world) => {
      const person = await world.addPerson('user');
      const [meta] = await world.db('papers').pluck('meta');
      const statuses: number[] = [];
      for (let number = 0; number < 4; number++) {
        const paperId = await world.addPaper(JSON.parse(meta));
        const connected = await connect({ ...world, paperId }, person);
        const { status } = await push(world, connected, { messageId: 'note', text: 'x' });
        statuses.push(status);
      }
      assert.equal(statuses, [202, 202, 202, 429]);
    },
    { limits },
  );
});

test('T-77: connections of an organization that was made from another one share the limit of that one', () => {
  const limits = { content: rateLimit(30), organizationContent: rateLimit(3), exchange: rateLimit(60) };
  return withWorld(
    async (world) => {
      const connected = await connect(world, await world.addPerson('user'));
      await world.db('organizations').update({ vouched_by: 'the first one' });
      assert.is((await push(world, connected, { messageId: 'note', text: 'x' })).status, 202);
      for (let count = 0; count < 2; count++) await limits.organizationContent.count('the first one');
      assert.is((await push(world, connected, { messageId: 'more', text: 'x' })).status, 429);
    },
    { limits },
  );
});

test.run();
