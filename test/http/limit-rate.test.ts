import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { addressBucket, countInAll, rateLimit } from '../../api/http/limit-rate.ts';
import { Refusal } from '../../runtime/refusals.ts';

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
  return { time, limit: rateLimit(callsPerMinute, () => time.at) };
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
