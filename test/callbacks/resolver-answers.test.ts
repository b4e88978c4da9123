/** The resolver corpus, NS-01 to NS-12: whatever the name of a callback resolves to, an event goes to a checked address or waits. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createOutbox, type OutboxDeps } from '../../api/callbacks/drain-outbox.ts';
import { sendCallback } from '../../api/callbacks/send-callback.ts';
import type { Network } from '../../api/outgoing/network.ts';
import { requestTimeoutMs } from '../../api/outgoing/request-once.ts';
import { openWayOut } from '../../api/outgoing/way-out.ts';
import { alone } from '../../cluster/alone.ts';
import { readReasons } from '../../reasons/reason.ts';
import { wordsOf } from '../../reasons/words.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { connect, push, sealKey, type World, withWorld } from '../integration/integration-world.ts';
import { type FakeNetwork, fakeNetwork, type Receiver, withReceiver } from './receiver.ts';

const test = suite('resolver answers');

const publicV4 = '93.184.215.14';
const publicV6 = '2606:2800:220:1:248:1893:25c8:1946';
const notPublic = 'the host name has an address that is not public';

interface Callback {
  readonly world: World;
  readonly receiver: Receiver;
  /** Drains the outbox; `meanwhile` runs while the attempt is under way. Returns the event's row. */
  attempt(meanwhile?: () => Promise<void>): Promise<Record<string, unknown>>;
}

/** One event that is due, over a network of the test's own. */
async function withEvent(
  network: (port: number) => Network,
  run: (callback: Callback) => Promise<void>,
): Promise<void> {
  await withReceiver(
    (_request, response) => response.writeHead(204).end(),
    async (receiver) => {
      await withWorld(async (world) => {
        const connected = await connect(world, await world.addPerson('user'));
        const { db, clock, random, deps } = world;
        const wayOut = openWayOut({ network: network(receiver.port), clock });
        const send: OutboxDeps['send'] = (callback) => sendCallback(wayOut, callback);
        const outside = { send, sealKey, rules: deps.settings, logger: silentLogger, cluster: alone };
        const outbox = createOutbox({ db, clock, random, ...outside });
        await push(world, connected, { messageId: 'a', text: 'a' });
        const row = async () => {
          const { problem, ...found } = await db('callback_events').first();
          return { ...found, problem: wordsOf(readReasons(problem)) };
        };
        await run({
          world,
          receiver,
          async attempt(meanwhile) {
            const { due_at } = await row();
            clock.passes(Math.max(0, due_at - clock.now()));
            await outbox.drain();
            await meanwhile?.();
            await outbox.idle();
            return row();
          },
        });
        await outbox.stop();
      });
    },
  );
}

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
};

const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
};

/** Answers that end an attempt: what is resolved, and the problem that is written down. */
const refused: Readonly<Record<string, readonly [answers: readonly string[], problem: string]>> = {
  'NS-04 a private A beside a public one': [[publicV4, '10.0.0.1'], notPublic],
  'NS-05 AAAA loopback beside a public A': [[publicV4, '::1'], notPublic],
  'NS-06 mapped': [['::ffff:127.0.0.1'], notPublic],
  'NS-06 mapped public': [['::ffff:93.184.215.14'], notPublic],
  'NS-06 NAT64': [['64:ff9b::7f00:1'], notPublic],
  'NS-06 6to4': [['2002:7f00:1::1'], notPublic],
  'NS-06 unique-local': [['fd00::1'], notPublic],
  'NS-06 link-local with a zone': [['fe80::1%eth0'], notPublic],
  'NS-07 unspecified': [['0.0.0.0'], notPublic],
  'NS-07 broadcast': [['255.255.255.255'], notPublic],
  'NS-07 multicast': [['224.0.0.1'], notPublic],
  'NS-07 reserved': [['240.0.0.1'], notPublic],
  'NS-07 shared': [['100.64.0.1'], notPublic],
  'NS-07 benchmark': [['198.18.0.1'], notPublic],
  'NS-08 an alias of a metadata name, with its address': [['169.254.169.254'], notPublic],
  'NS-09 empty': [[], 'the host name has no address'],
  'NS-10 a thousand': [
    Array.from({ length: 1_000 }, (_, each) => `93.184.${each >> 8}.${each & 255}`),
    'the host name has too many addresses',
  ],
};

for (const [name, [answers, problem]] of Object.entries(refused)) {
  test(`${name}: nothing is dialled, and the event waits for a better answer`, async () => {
    let fake: FakeNetwork | undefined;
    const answersOf = (_name: string, attempt: number) => (attempt === 1 ? answers : [publicV4]);
    await withEvent(
      (port) => (fake = fakeNetwork(port, answersOf)),
      async ({ attempt, receiver }) => {
        const row = await attempt();
        assert.equal([row.problem, row.attempts, row.delivered_at], [problem, 1, null]);
        assert.equal([fake?.dialled, receiver.received], [[], []]);
        const later = await attempt();
        assert.ok(later.delivered_at, 'it is sent once the name is public again');
        assert.is(receiver.received.length, 1);
      },
    );
  });
}

test('NS-01, NS-02, NS-03: a public A is dialled; each attempt resolves once, and the checked address is the one dialled', async () => {
  const resolutions = [[publicV4], ['127.0.0.1'], [publicV4], ['10.0.0.1']];
  let fake: FakeNetwork | undefined;
  await withEvent(
    (port) => (fake = fakeNetwork(port, (_name, attempt) => resolutions[attempt - 1] ?? [])),
    async ({ attempt, world, receiver }) => {
      assert.ok((await attempt()).delivered_at);
      assert.equal(fake?.resolved, ['notes.example']);
      // Asked for again, as after a crash: now the name has been rebound.
      await world.db('callback_events').update({ delivered_at: null, due_at: world.clock.now() });
      const rebound = await attempt();
      assert.equal([rebound.problem, rebound.delivered_at], [notPublic, null]);
      assert.ok(Number(rebound.due_at) > world.clock.now(), 'it stays queued');
      assert.is(fake?.resolved.length, 2);
      assert.ok((await attempt()).delivered_at);
      assert.equal(
        fake?.dialled.map(({ address }) => address),
        [publicV4, publicV4],
      );
      assert.is(receiver.received.length, 2);
    },
  );
});

test('NS-03: a socket that ended up at a private address gets no header', async () => {
  await withEvent(
    (port) => fakeNetwork(port, () => [publicV4], { remote: '10.0.0.1' }),
    async ({ attempt, receiver }) => {
      assert.is((await attempt()).problem, 'the connection led to a different address than the one that was checked');
      assert.equal(receiver.received, []);
    },
  );
});

test('NS-09: NXDOMAIN, SERVFAIL and silence are tried again, later each time; silence ends after 15 s', async () => {
  const problems = {
    ENOTFOUND: 'no name server knows this host (ENOTFOUND)',
    ESERVFAIL: 'network error: ESERVFAIL',
    silence: 'no answer within 15 s',
    ETIMEOUT: 'network error: ETIMEOUT',
  };
  const failures = Object.keys(problems) as (keyof typeof problems)[];
  let asked = 0;
  const network: Network = {
    resolve() {
      const code = failures[asked++ % failures.length];
      if (code === 'silence') return new Promise(() => {});
      return Promise.reject(Object.assign(new Error('no answer'), { code }));
    },
    dial: () => Promise.reject(new Error('nothing was resolved')),
  };
  await withEvent(
    () => network,
    async ({ attempt, world }) => {
      let delay = 0;
      for (const [index, code] of failures.entries()) {
        let startedAt = 0;
        const row = await attempt(async () => {
          await until(() => asked === index + 1);
          await turns();
          startedAt = world.clock.now();
          if (code === 'silence') world.clock.passes(requestTimeoutMs);
        });
        assert.is(row.problem, problems[code]);
        assert.is(world.clock.now() - startedAt, code === 'silence' ? 15_000 : 0);
        assert.is(row.attempts, index + 1);
        const next = Number(row.due_at) - world.clock.now();
        assert.ok(next > delay, `${next} ms after ${delay} ms`);
        delay = next;
      }
    },
  );
});

test('NS-11: a resolver that gives one text where a list was asked for is not believed', async () => {
  for (const answer of [publicV4, '127.0.0.1', '10.0.0.1'] as readonly unknown[]) {
    let fake: FakeNetwork | undefined;
    await withEvent(
      (port) => (fake = fakeNetwork(port, () => answer as readonly string[])),
      async ({ attempt, receiver }) => {
        assert.type((await attempt()).problem, 'string');
        assert.equal([fake?.dialled, receiver.received], [[], []]);
      },
    );
  }
});

test('NS-12: without a way for IPv6, and past an address that only stays silent, the A of the same answer is taken', async () => {
  let fake: FakeNetwork | undefined;
  await withEvent(
    (port) => (fake = fakeNetwork(port, () => [publicV6, publicV4], { unreachable: [publicV6] })),
    async ({ attempt }) => {
      assert.ok((await attempt()).delivered_at);
      assert.is(fake?.resolved.length, 1);
    },
  );
  const silentAddress = '93.184.215.13';
  const dialled: string[] = [];
  await withEvent(
    (port) => {
      const open = fakeNetwork(port, () => [silentAddress, publicV4]);
      return {
        resolve: open.resolve,
        dial(target, signal) {
          dialled.push(target.address);
          if (target.address !== silentAddress) return open.dial(target, signal);
          return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
        },
      };
    },
    async ({ attempt, world }) => {
      let startedAt = 0;
      const row = await attempt(async () => {
        await until(() => dialled.length > 0);
        await turns();
        startedAt = world.clock.now();
        world.clock.passes(4_000);
      });
      assert.equal(dialled, [silentAddress, publicV4]);
      assert.ok(Number(row.delivered_at) - startedAt < requestTimeoutMs);
    },
  );
});

test.run();
