/**
 * T-65: the way out that strangers share: a caller that asks servers which never answer holds up nobody else, and costs
 * a bounded amount.
 */

import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Network } from '../../api/outgoing/network.ts';
import { publicHosts } from '../../api/outgoing/reach-host.ts';
import { openWayOut } from '../../api/outgoing/way-out.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Sharer } from '../../runtime/fair-shares.ts';
import { type HandClock, handClock } from '../integration/integration-world.ts';

const test = suite('way out');

const publicAddress = '93.184.215.14';

interface Street {
  readonly clock: HandClock;
  /** Asks for a host; whether it was reached, or why not. */
  reach(sharer: Sharer, hostname: string, signal?: AbortSignal): Promise<string>;
  /** Look-ups, and connections that are being made. */
  readonly underWay: { lookUps: number; dials: number; most: number };
}

/** Silence, ended by the signal alone. */
function silence(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
}

/** A way out on which names that begin with `silent` have no answer, and those with `hole` an address that never connects. */
async function withStreet(run: (street: Street) => Promise<void>): Promise<void> {
  const server = createServer((socket) => socket.on('error', () => {}));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const clock = handClock();
  const underWay = { lookUps: 0, dials: 0, most: 0 };
  const counted = async <T>(what: 'lookUps' | 'dials', work: () => Promise<T>): Promise<T> => {
    underWay[what]++;
    underWay.most = Math.max(underWay.most, underWay.lookUps + underWay.dials);
    try {
      return await work();
    } finally {
      underWay[what]--;
    }
  };
  const network: Network = {
    resolve: (name, signal) =>
      counted('lookUps', async () => {
        if (name.startsWith('silent')) return silence(signal);
        return [name.startsWith('hole') ? '93.184.215.1' : publicAddress];
      }),
    dial: ({ address }, signal) =>
      counted('dials', async () => {
        if (address !== publicAddress) return silence(signal);
        const socket = connect(port, '127.0.0.1');
        return Object.defineProperty(socket, 'remoteAddress', { value: address });
      }),
  };
  const wayOut = openWayOut({ network, clock: clock as Clock });
  try {
    await run({
      clock,
      underWay,
      async reach(sharer, hostname, signal = new AbortController().signal) {
        const destination = { hostname, port: 443, secure: false };
        return wayOut.reach({ sharer, destination, rule: publicHosts, signal }).then(
          (socket) => {
            socket.destroy();
            return 'reached';
          },
          ({ message }: Error) => message,
        );
      },
    });
  } finally {
    server.close();
  }
}

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
};

test('a thousand silent names and black holes of one organization: another one is served at once', () =>
  withStreet(async ({ clock, reach, underWay }) => {
    const leaving = new AbortController();
    const stuck = Array.from({ length: 1_000 }, (_, each) =>
      reach(['hostile', `paper ${each}`], `${each % 2 === 0 ? 'silent' : 'hole'}${each}.example`, leaving.signal),
    );
    await turns();
    assert.is(await reach(['kind', 'paper'], 'good.example'), 'reached');
    for (let second = 0; second < 4; second++) {
      clock.passes(500);
      await turns();
    }
    assert.is(await reach(['kind', 'paper'], 'good.example'), 'reached');
    assert.is(underWay.most, 161, 'the bounds of one organization, and the other one');
    leaving.abort(new Error('the visit is over'));
    assert.equal([...new Set(await Promise.all(stuck))], ['the visit is over']);
    assert.equal([underWay.lookUps, underWay.dials], [0, 0], 'nothing lingers');
  }));

test('the ways of many organizations are bounded in all, and a new one waits half a second at most', () =>
  withStreet(async ({ clock, reach, underWay }) => {
    const leaving = new AbortController();
    const stuck = Array.from({ length: 40 }, (_, context) =>
      Array.from({ length: 50 }, (_each, at) => reach([`house ${context}`], `silent${at}.example`, leaving.signal)),
    ).flat();
    await turns();
    assert.is(underWay.lookUps, 128);
    const late = reach(['new'], 'good.example');
    clock.passes(500);
    await turns();
    assert.is(await late, 'reached');
    for (let second = 0; second < 20; second++) {
      clock.passes(500);
      await turns();
    }
    assert.ok(underWay.most <= 128 + 1_024, `${underWay.most} at once`);
    leaving.abort();
    await Promise.all(stuck);
    assert.is(underWay.lookUps, 0);
  }));

test('an address that never connects is given up after 4 s, and the next one of the name is tried', () =>
  withStreet(async ({ clock, reach }) => {
    const reaching = reach(['house'], 'hole.example');
    await turns();
    clock.passes(3_999);
    await turns();
    assert.is(await Promise.race([reaching, Promise.resolve('under way')]), 'under way');
    clock.passes(1);
    assert.is(await reaching, 'the host does not answer');
  }));

test.run();
