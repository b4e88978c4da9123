import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { countInAll, type RateLimit, rateLimit } from '../../api/http/limit-rate.ts';
import { countersAmongNodes } from '../../cluster/nodes/counters.ts';
import { Refusal } from '../../reasons/refusals.ts';
import { addressBucket } from '../../runtime/plain-address.ts';
import { nodeHub } from '../cluster/node-hub.ts';
import { steppedClock } from '../cluster/nodes-world.ts';

const test = suite('rate limits');

async function refusalOf(run: Promise<void>): Promise<Refusal | undefined> {
  try {
    await run;
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

/** A limit, and its hand on the time. */
function limited(callsPerMinute: number) {
  const time = { at: 1_000_000.5 };
  return { time, limit: rateLimit(callsPerMinute, undefined, () => time.at) };
}

test('INV-67: a bucket passes so many calls, then refuses with whole seconds that suffice; others are untouched', async () => {
  const { time, limit } = limited(30);
  for (let count = 0; count < 30; count++) {
    assert.is(await refusalOf(limit.count('a')), undefined);
    time.at += 700;
  }
  for (let tries = 0; tries < 40; tries++) {
    const spent = await refusalOf(limit.count('a'));
    assert.equal([spent?.code, spent?.retryAfterSeconds], ['rate-limited', 39]);
  }
  assert.is(await refusalOf(limit.count('b')), undefined);
  time.at += 38_000;
  assert.is((await refusalOf(limit.count('a')))?.retryAfterSeconds, 1);
  time.at += 1_000;
  assert.is(await refusalOf(limit.count('a')), undefined);
});

test('INV-67: no 60 seconds see more calls than a minute may, wherever they begin', async () => {
  const { time, limit } = limited(30);
  const passed: number[] = [];
  for (let call = 0; call < 4_000; call++) {
    // One early, and the rest at the end of its minute; then all kinds of steps.
    time.at += call === 1 ? 59_000 : (call * 7_919) % 997;
    if ((await refusalOf(limit.count('a'))) === undefined) passed.push(time.at);
  }
  for (const [index, at] of passed.entries()) {
    assert.ok((passed[index + 30] ?? Number.POSITIVE_INFINITY) - at >= 60_000, String(index));
  }
  const minutes = ((passed.at(-1) ?? 0) - (passed[0] ?? 0)) / 60_000;
  assert.ok(passed.length > 29 * minutes, 'and it is no stricter');
});

/** A limit at each of several nodes, which notify each other of the calls that pass. */
function amongNodes(callsPerMinute: number, count: number) {
  const hub = nodeHub({ byHand: true });
  const clock = steppedClock();
  const nodes = Array.from({ length: count }, (_, at) => {
    const counters = countersAmongNodes(hub.channel(`n${at}`), clock);
    return rateLimit(callsPerMinute, counters('calls'), clock.now);
  }) as [RateLimit, RateLimit, ...RateLimit[]];
  return {
    nodes,
    passes(ms: number): void {
      clock.passes(ms);
      hub.deliverAll();
    },
  };
}

test('INV-67: a limit holds for all nodes together, a second later', async () => {
  const { nodes, passes } = amongNodes(30, 3);
  const [first, second, third] = nodes as [RateLimit, RateLimit, RateLimit];
  for (let call = 0; call < 15; call++) await first.count('a');
  for (let call = 0; call < 14; call++) await second.count('a');
  passes(1_000);
  assert.is(await refusalOf(third.count('a')), undefined, 'the thirtieth');
  assert.is((await refusalOf(third.count('a')))?.retryAfterSeconds, 60);
  passes(1_000);
  for (const limit of nodes) assert.is((await refusalOf(limit.check('a')))?.code, 'rate-limited');
  assert.is(await refusalOf(second.count('b')), undefined, 'others are untouched');
  passes(60_000);
  for (const limit of nodes) assert.is(await refusalOf(limit.check('a')), undefined);
});

test('INV-67: what passes elsewhere within the second is the tolerance, and no more than a minute’s calls at each node', async () => {
  const { nodes, passes } = amongNodes(30, 2);
  let passed = 0;
  for (let second = 0; second < 58; second++) {
    for (const limit of nodes) {
      for (let call = 0; call < 2; call++) if ((await refusalOf(limit.count('a'))) === undefined) passed++;
    }
    passes(1_000);
  }
  assert.ok(passed >= 30 && passed <= 32, `${passed} calls`);
});

test('a caller is published from a hundredth of the limit on', async () => {
  const { nodes, passes } = amongNodes(300, 2);
  const [first, second] = nodes;
  for (let call = 0; call < 2; call++) await first.count('a');
  passes(1_000);
  for (let call = 0; call < 300; call++) assert.is(await refusalOf(second.count('a')), undefined);
  for (let call = 0; call < 298; call++) assert.is(await refusalOf(first.check('b')), undefined);
  for (let call = 0; call < 3; call++) await first.count('b');
  passes(1_000);
  for (let call = 0; call < 297; call++) assert.is(await refusalOf(second.count('b')), undefined);
  assert.is((await refusalOf(second.count('b')))?.code, 'rate-limited');
});

test('looking at a bucket counts nothing', async () => {
  const { time, limit } = limited(1);
  for (let look = 0; look < 5; look++) assert.is(await refusalOf(limit.check('a')), undefined);
  await limit.count('a');
  assert.is((await refusalOf(limit.check('a')))?.code, 'rate-limited');
  time.at += 60_000;
  assert.is(await refusalOf(limit.check('a')), undefined);
});

test('INV-67: a call that several limits judge counts in all of them or in none, and waits for the longest', async () => {
  const [short, long] = [limited(2), limited(2)];
  const buckets = [
    [short.limit, 'account'],
    [long.limit, 'organization'],
  ] as const;
  await long.limit.count('organization');
  long.time.at += 20_000;
  await countInAll(buckets);
  const spent = await refusalOf(countInAll(buckets));
  assert.equal([spent?.code, spent?.retryAfterSeconds], ['rate-limited', 40]);
  // What was refused was not counted: one is left.
  await short.limit.count('account');
  const both = await refusalOf(countInAll(buckets));
  assert.is(both?.retryAfterSeconds, 60);
});

test('T-23: an IPv6 caller is counted by its /64, a mapped address as the IPv4 it is', () => {
  const same: [string, string][] = [
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::ffff', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['192.0.2.1', '192.0.2.1'],
    ['', ''],
  ];
  for (const [address, bucket] of same) assert.is(addressBucket(address), bucket, address);
});

test.run();
