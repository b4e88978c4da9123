/** The outbox against a real receiver: sent, tried again, never in each other's way, and dropped in time. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createOutbox, type Outbox } from '../../api/callbacks/drain-outbox.ts';
import { oweCallback } from '../../api/callbacks/owe-callback.ts';
import { type Callback, sendCallback } from '../../api/callbacks/send-callback.ts';
import type { Network } from '../../api/outgoing/network.ts';
import { openWayOut } from '../../api/outgoing/way-out.ts';
import { alone } from '../../cluster/alone.ts';
import { readReasons } from '../../reasons/reason.ts';
import { wordsOf } from '../../reasons/words.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { heldBack } from '../database.ts';
import { type Connected, connect, push, sealKey, type World, withWorld } from '../integration/integration-world.ts';
import { fakeNetwork, hereNetwork, type Received, type Receiver, withReceiver } from './receiver.ts';

const test = suite('callback delivery');

const hourMs = 3_600_000;
const loopback = { production: false, allowLocalhost: true };

function outboxOf({ db, clock, random, deps }: World, network: Network = hereNetwork): Outbox {
  const wayOut = openWayOut({ network, clock });
  const send = (callback: Callback) => sendCallback(wayOut, callback);
  return createOutbox({ db, clock, random, send, sealKey, rules: deps.settings, logger: silentLogger, cluster: alone });
}

async function sendDue(outbox: Outbox): Promise<void> {
  await outbox.drain();
  await outbox.idle();
}

/** A world whose integration lives at the receiver, with one connection. */
async function withIntegration(
  answer: (request: Received, respond: (status: number, headers?: Record<string, string>) => void) => void,
  run: (all: { world: World; receiver: Receiver; connected: Connected; outbox: Outbox }) => Promise<void>,
): Promise<void> {
  await withReceiver(
    (request, response) => answer(request, (status, headers) => response.writeHead(status, headers).end()),
    async (receiver) => {
      await withWorld(
        async (world) => {
          const connected = await connect(world, await world.addPerson('user'));
          const outbox = outboxOf(world);
          await run({ world, receiver, connected, outbox });
          await outbox.stop();
        },
        { origin: receiver.origin, settings: loopback },
      );
    },
  );
}

const eventRows = async (world: World) =>
  (await world.db('callback_events').orderBy(['created_at', 'id'])).map((row) => ({
    ...row,
    problem: row.problem === null ? null : wordsOf(readReasons(row.problem)),
  }));

const deliveredRows = (world: World) => world.db('callback_events').whereNotNull('delivered_at');

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setImmediate(resolve));
}

test('an event is posted with the callback token and its stored body, once', async () => {
  await withIntegration(
    (_request, respond) => respond(204),
    async ({ world, receiver, connected, outbox }) => {
      await push(world, connected, { messageId: 'a', text: 'a' });
      const [row] = await eventRows(world);
      await sendDue(outbox);
      await sendDue(outbox);
      const [sent, ...more] = receiver.received;
      assert.equal(more, []);
      assert.equal([sent?.method, sent?.path, sent?.body], ['POST', '/hooks/status', row.body]);
      assert.is(sent?.headers.authorization, `Bearer ${connected.callbackToken}`);
      assert.is(sent?.headers['content-type'], 'application/json');
      const [settled] = await eventRows(world);
      assert.equal([settled.attempts, settled.due_at, settled.delivered_at], [1, null, world.clock.now()]);
    },
  );
});

test('INV-64: frame events carry their frame, and no event carries more than its fields', async () => {
  await withIntegration(
    (_request, respond) => respond(200),
    async ({ world, receiver, connected, outbox }) => {
      await push(world, connected, { messageId: 'a', text: 'a' });
      const request = await world.db('content_requests').first();
      const deviceId = '0123456789abcdef01234567';
      const delivery = { id: 'd1', device_id: deviceId, frame_name: 'Kitchen', serial: 'epd7-1', upload_id: 'secret' };
      await world.db.transaction(async (trx) => {
        await oweCallback(trx, { request, delivery, state: 'prepared' }, world.clock.now(), world.random);
      });
      await sendDue(outbox);
      const [paper, frame] = ['available', 'prepared'].map((state) =>
        receiver.received.map(({ body }) => body).find((body) => JSON.parse(body).state === state),
      );
      const { connectionId } = connected;
      const told = { connectionId, paperId: world.paperId, requestId: request.id, messageId: 'a' };
      const { eventId: ofPaper } = JSON.parse(paper ?? '');
      const occurredAt = new Date(world.clock.now()).toISOString();
      assert.is(paper, JSON.stringify({ eventId: ofPaper, ...told, state: 'available', occurredAt }));
      const { eventId: ofFrame } = JSON.parse(frame ?? '');
      const named = { deviceId, frameName: 'Kitchen' };
      assert.is(frame, JSON.stringify({ eventId: ofFrame, ...told, state: 'prepared', ...named, occurredAt }));
    },
  );
});

test('INV-64: an invalid callback is not written, and its change is rolled back with it', async () => {
  await withIntegration(
    (_request, respond) => respond(200),
    async ({ world, connected }) => {
      await push(world, connected, { messageId: 'a', text: 'a' });
      const request = await world.db('content_requests').first();
      const delivery = { id: 'd1', device_id: '0123456789abcdef01234567', frame_name: 'Kitchen' };
      for (const wrong of [
        { request, state: 'prepared' },
        { request, delivery, state: 'available' },
        { request, delivery: { ...delivery, device_id: 'epd7-1' }, state: 'prepared' },
        { request: { ...request, message_id: '' }, state: 'unconfirmed' },
      ] as const) {
        const change = world.db.transaction(async (trx) => {
          await trx('content_requests').update({ state: 'closed' });
          await oweCallback(trx, wrong, world.clock.now(), world.random);
        });
        await change.then(
          () => assert.unreachable(`${wrong.state} was written`),
          (error: Error) => assert.is(error.name, 'ZodError'),
        );
      }
      assert.equal(await world.db('content_requests').pluck('state'), ['accepted']);
      assert.is((await eventRows(world)).length, 1);
    },
  );
});

test('INV-60: an event of a change that was rolled back does not exist', async () => {
  await withIntegration(
    (_request, respond) => respond(200),
    async ({ world, connected }) => {
      await push(world, connected, { messageId: 'a', text: 'a' });
      const request = await world.db('content_requests').first();
      const rolledBack = world.db.transaction(async (trx) => {
        await oweCallback(trx, { request, state: 'unconfirmed' }, world.clock.now(), world.random);
        throw new Error('rolled back');
      });
      await rolledBack.catch(() => {});
      assert.equal(
        (await eventRows(world)).map(({ state }) => state),
        ['available'],
      );
    },
  );
});

test('INV-59, INV-63: after every answer but 2xx the same bytes are sent again, later and later', async () => {
  const answers = [500, 503, 404, 302, 301, 307, 204];
  let next = 0;
  await withIntegration(
    (request, respond) => respond(answers[next++] ?? 200, { location: `http://${request.headers.host}/canary` }),
    async ({ world, receiver, connected, outbox }) => {
      await push(world, connected, { messageId: 'a', text: 'a' });
      let wait = 0;
      for (const [index, status] of answers.entries()) {
        await sendDue(outbox);
        assert.is(receiver.received.length, index + 1);
        const [row] = await eventRows(world);
        if (status === 204) {
          assert.is(row.delivered_at, world.clock.now());
          continue;
        }
        assert.is(row.problem, `status ${status}`);
        const delay = row.due_at - world.clock.now();
        assert.ok(delay >= wait, 'delays grow');
        wait = delay;
        world.clock.passes(delay - 1);
        await sendDue(outbox);
        assert.is(receiver.received.length, index + 1, 'not before it is due');
        world.clock.passes(1);
      }
      assert.is(new Set(receiver.received.map(({ body }) => body)).size, 1);
      assert.equal([...new Set(receiver.received.map(({ path }) => path))], ['/hooks/status']);
    },
  );
});

test('INV-62, INV-63: a hanging event delays no other event, and is given up after 15 s', async () => {
  await withIntegration(
    ({ body }, respond) => {
      if (JSON.parse(body).messageId !== 'hangs') respond(200);
    },
    async ({ world, receiver, connected, outbox }) => {
      const other = await connect(world, await world.addPerson('user'));
      await push(world, connected, { messageId: 'hangs', text: 'a' });
      await outbox.drain();
      await receiver.arrived(1);
      await push(world, connected, { messageId: 'same connection', text: 'b' });
      await push(world, other, { messageId: 'other connection', text: 'c' });
      await outbox.drain();
      await until(async () => (await deliveredRows(world)).length === 3);
      // The end of the first request is an event, too, which also names `hangs`. Time stands until each has arrived.
      await until(async () => {
        await outbox.drain();
        return receiver.received.length >= (await eventRows(world)).length;
      });
      world.clock.passes(15_000);
      await outbox.idle();
      const rows = await eventRows(world);
      const told = (messageId: string) => rows.filter(({ body }) => JSON.parse(body).messageId === messageId);
      const hanging = told('hangs').map(
        ({ problem, due_at }) => `${problem}, ${due_at === null ? 'over' : 'due again'}`,
      );
      assert.equal([...new Set(hanging)], ['no answer within 15 s, due again']);
      for (const word of ['same connection', 'other connection']) {
        assert.ok(told(word).length > 0 && told(word).every(({ delivered_at }) => delivered_at !== null), word);
      }
    },
  );
});

test('INV-62: a connection with hundreds of hanging events leaves slots to the others', async () => {
  let quiet = '';
  await withIntegration(
    ({ body }, respond) => {
      if (JSON.parse(body).connectionId !== quiet) respond(200);
    },
    async ({ world, receiver, connected, outbox }) => {
      quiet = connected.connectionId;
      await push(world, connected, { messageId: 'a', text: 'a' });
      const request = await world.db('content_requests').first();
      await world.db.transaction(async (trx) => {
        for (let i = 0; i < 300; i++) {
          await oweCallback(trx, { request, state: 'available' }, world.clock.now(), world.random);
        }
      });
      await outbox.drain();
      world.clock.passes(1_000);
      const other = await connect(world, await world.addPerson('user'));
      await push(world, other, { messageId: 'b', text: 'b' });
      await outbox.drain();
      await receiver.arrived(17);
      await until(async () => (await deliveredRows(world)).length > 0);
      assert.is((await deliveredRows(world))[0]?.connection_id, other.connectionId);
      await outbox.stop();
    },
  );
});

test('what found no slot is sent when one is free, without another drain', async () => {
  await withIntegration(
    (_request, respond) => respond(200),
    async ({ world, receiver, connected, outbox }) => {
      await push(world, connected, { messageId: 'a', text: 'a' });
      const request = await world.db('content_requests').first();
      await world.db.transaction(async (trx) => {
        for (let i = 0; i < 99; i++) {
          await oweCallback(trx, { request, state: 'available' }, world.clock.now(), world.random);
        }
      });
      await sendDue(outbox);
      assert.is(receiver.received.length, 100);
      assert.is(new Set(receiver.received.map(({ body }) => JSON.parse(body).eventId)).size, 100);
    },
  );
});

test('two nodes that drain one database send each event once', async () => {
  await withIntegration(
    (_request, respond) => respond(200),
    async ({ world, receiver, connected, outbox }) => {
      await push(world, connected, { messageId: 'a', text: 'a' });
      const request = await world.db('content_requests').first();
      await world.db.transaction(async (trx) => {
        for (let i = 0; i < 30; i++) {
          await oweCallback(trx, { request, state: 'available' }, world.clock.now(), world.random);
        }
      });
      const second = outboxOf(world);
      await Promise.all([sendDue(outbox), sendDue(second), sendDue(outbox), sendDue(second)]);
      assert.is(receiver.received.length, 31);
      await second.stop();
    },
  );
});

test('INV-33: of two nodes that read the same due event one claims it; without the comparison both would', async () => {
  await withIntegration(
    (_request, respond) => respond(200),
    async ({ world, receiver, connected, outbox }) => {
      await push(world, connected, { messageId: 'a', text: 'a' });
      const { id } = await world.db('callback_events').first('id');
      const second = outboxOf(world);
      const { ended } = await heldBack(world.db, 'callback_events', { id }, 2, () =>
        Promise.all([sendDue(outbox), sendDue(second)]),
      );
      await ended;
      assert.is(receiver.received.length, 1);
      await second.stop();

      const careless = async (): Promise<number> => {
        await world.db('callback_events').where({ id }).first('due_at');
        return world.db('callback_events').where({ id }).update({ due_at: world.clock.now() });
      };
      const control = await heldBack(world.db, 'callback_events', { id }, 2, () =>
        Promise.all([careless(), careless()]),
      );
      assert.equal(await control.ended, [1, 1], 'the meeting is real');
    },
  );
});

test('INV-53, INV-56, T-55: nothing is sent after revocation, reconnection, lost membership or a moved host', async () => {
  const endings: Record<string, (world: World, connected: Connected) => Promise<unknown>> = {
    revoked: (world, { connectionId, bearer }) =>
      world.call('DELETE', `/connections/${connectionId}`, { headers: bearer }),
    'next generation': (world) => world.db('connections').update({ generation: 2 }),
    'no member': (world) => world.db('users').delete(),
    onlyself: (world) => world.db('users').update({ role: 'onlyself' }),
    'moved host': (world) => {
      const pluginManifest = { ...world.manifest, capabilities: { contentPush: { callbackPath: '/moved' } } };
      return world.setMeta({ pluginConfigUrl: `${world.origin}/notes/config.json`, pluginManifest });
    },
    'moved paper': async (world) => world.db('papers').update({ organization_id: await world.addOrganization() }),
  };
  for (const [name, end] of Object.entries(endings)) {
    await withIntegration(
      (_request, respond) => respond(500),
      async ({ world, receiver, connected, outbox }) => {
        await push(world, connected, { messageId: 'a', text: 'a' });
        await sendDue(outbox);
        assert.is(receiver.received.length, 1, name);
        await end(world, connected);
        world.clock.passes(hourMs);
        await sendDue(outbox);
        assert.is(receiver.received.length, 1, name);
        const [row] = await eventRows(world);
        assert.equal([row.due_at, row.delivered_at, row.attempts], [null, null, 1], name);
      },
    );
  }
});

test('INV-53: no revocation is answered between two looks at the right to send', async () => {
  await withWorld(async (world) => {
    const connected = await connect(world, await world.addPerson('user'));
    await push(world, connected, { messageId: 'a', text: 'a' });
    const order: string[] = [];
    const revoke = async () => {
      await world.call('DELETE', `/connections/${connected.connectionId}`, { headers: connected.bearer });
      order.push('revoked');
    };
    // Whoever asks for the membership outside of a transaction gets the answer after a revocation.
    const db = new Proxy(world.db, {
      apply(target, _self, [table]: [string]) {
        const query = target(table);
        const first = query.first.bind(query);
        if (table === 'users') Object.assign(query, { first: (column: string) => revoke().then(() => first(column)) });
        return query;
      },
    });
    const outbox = createOutbox({
      db,
      clock: world.clock,
      random: world.random,
      logger: silentLogger,
      sealKey,
      rules: world.deps.settings,
      cluster: alone,
      async send() {
        order.push('sent');
        return { delivered: true };
      },
    });
    await sendDue(outbox);
    assert.is(order[0], 'sent');
  });
});

test('INV-53: a connection that ends while its callback is connecting is sent nothing', async () => {
  await withIntegration(
    (_request, respond) => respond(200),
    async ({ world, receiver, connected }) => {
      const slow: Network = {
        ...hereNetwork,
        async dial(target, signal) {
          const socket = await hereNetwork.dial(target, signal);
          const { connectionId, bearer } = connected;
          const { status } = await world.call('DELETE', `/connections/${connectionId}`, { headers: bearer });
          assert.is(status, 204);
          return socket;
        },
      };
      const outbox = outboxOf(world, slow);
      await push(world, connected, { messageId: 'a', text: 'a' });
      await sendDue(outbox);
      assert.is(receiver.received.length, 0);
      const [row] = await eventRows(world);
      assert.equal([row.due_at, row.attempts], [null, 0]);
      await outbox.stop();
    },
  );
});

test('INV-53: an attempt on the wire when the connection ends may finish and is not retried', async () => {
  let answer = (): void => {};
  await withIntegration(
    (_request, respond) => {
      answer = () => respond(500);
    },
    async ({ world, receiver, connected, outbox }) => {
      await push(world, connected, { messageId: 'a', text: 'a' });
      await outbox.drain();
      await receiver.arrived(1);
      await world.call('DELETE', `/connections/${connected.connectionId}`, { headers: connected.bearer });
      answer();
      await outbox.idle();
      assert.is((await eventRows(world))[0].due_at, null);
      world.clock.passes(hourMs);
      await sendDue(outbox);
      assert.is(receiver.received.length, 1);
    },
  );
});

test('INV-61: an event is dropped after seven days', async () => {
  await withIntegration(
    (_request, respond) => respond(500),
    async ({ world, receiver, connected, outbox }) => {
      await push(world, connected, { messageId: 'a', text: 'a' });
      const start = world.clock.now();
      let last = start;
      for (;;) {
        const before = receiver.received.length;
        await sendDue(outbox);
        if (receiver.received.length > before) last = world.clock.now();
        const [row] = await eventRows(world);
        if (row.due_at === null) break;
        world.clock.passes(row.due_at - world.clock.now());
      }
      const lifetimeMs = 7 * 24 * hourMs;
      assert.ok(last <= start + lifetimeMs && last > start + lifetimeMs - 2 * hourMs);
      const sent = receiver.received.length;
      world.clock.passes(48 * hourMs);
      await sendDue(outbox);
      assert.is(receiver.received.length, sent);
    },
  );
});

test('INV-74: stopping ends what hangs, counts no attempt and gives the claim back', async () => {
  await withIntegration(
    () => {},
    async ({ world, receiver, connected, outbox }) => {
      await push(world, connected, { messageId: 'a', text: 'a' });
      await outbox.drain();
      await receiver.arrived(1);
      await outbox.stop();
      const [row] = await eventRows(world);
      assert.equal([row.attempts, row.due_at, row.delivered_at], [0, world.clock.now(), null]);
      await outbox.drain();
      assert.is(receiver.received.length, 1);
    },
  );
});

test('a claim of a process that died is taken over when its lease ends', async () => {
  await withIntegration(
    (_request, respond) => respond(200),
    async ({ world, receiver, connected, outbox }) => {
      await push(world, connected, { messageId: 'a', text: 'a' });
      await world.db('callback_events').update({ due_at: world.clock.now() + 60_000 });
      await sendDue(outbox);
      assert.is(receiver.received.length, 0);
      world.clock.passes(60_000);
      await sendDue(outbox);
      assert.is(receiver.received.length, 1);
    },
  );
});

test('T-02: a name that rebinds to a private address is not dialled there, and its event stays queued', async () => {
  await withReceiver(
    (_request, response) => response.writeHead(500).end(),
    async ({ port, received }) => {
      await withWorld(async (world) => {
        const connected = await connect(world, await world.addPerson('user'));
        const network = fakeNetwork(port, (_name, attempt) => [attempt % 2 === 1 ? '93.184.215.14' : '127.0.0.1']);
        const outbox = outboxOf(world, network);
        await push(world, connected, { messageId: 'a', text: 'a' });
        for (let attempt = 1; attempt <= 6; attempt++) {
          await sendDue(outbox);
          const [row] = await eventRows(world);
          assert.is(row.attempts, attempt);
          assert.is(row.problem, attempt % 2 === 1 ? 'status 500' : 'the host name has an address that is not public');
          world.clock.passes(row.due_at - world.clock.now());
        }
        assert.is(received.length, 3);
        assert.equal([...new Set(network.dialled.map(({ address }) => address))], ['93.184.215.14']);
        await outbox.stop();
      });
    },
  );
});

test('T-06: a loopback connection left over from development is not called in production', async () => {
  await withIntegration(
    (_request, respond) => respond(200),
    async ({ world, receiver, connected }) => {
      await push(world, connected, { messageId: 'a', text: 'a' });
      Object.assign(world.deps.settings, { production: true });
      const outbox = outboxOf(world);
      await sendDue(outbox);
      assert.is(receiver.received.length, 0);
      assert.is((await eventRows(world))[0].problem, 'integration-changed');
    },
  );
});

test.run();
