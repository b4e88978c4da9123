import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { addressBucket, rateLimit } from '../../api/http/limit-rate.ts';
import { Refusal } from '../../gateway/runtime/refusals.ts';

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

test('a bucket passes as many calls as it has, then refuses with whole seconds; other buckets are untouched', async () => {
  const limit = rateLimit(30);
  for (let count = 0; count < 30; count++) assert.is(await refusalOf(limit.count('a')), undefined);
  const spent = await refusalOf(limit.count('a'));
  assert.is(spent?.code, 'rate-limited');
  const seconds = spent?.retryAfterSeconds ?? 0;
  assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60, String(seconds));
  assert.is(await refusalOf(limit.count('b')), undefined);
});

test('looking at a bucket counts nothing', async () => {
  const limit = rateLimit(1);
  for (let look = 0; look < 5; look++) assert.is(await refusalOf(limit.check('a')), undefined);
  await limit.count('a');
  assert.is(await refusalOf(limit.check('a')), undefined);
  await refusalOf(limit.count('a'));
  assert.is((await refusalOf(limit.check('a')))?.code, 'rate-limited');
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
