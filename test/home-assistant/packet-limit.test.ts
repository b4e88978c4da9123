/** A home's broker that takes no large packets: it gets the rest, once, and the reason why something is missing. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { HomeLink } from '../../api/home-assistant/home-link.ts';
import { PacketLimit } from '../../api/home-assistant/packet-limit.ts';
import { type Clock, systemClock } from '../../runtime/clock.ts';
import { systemRandom } from '../../runtime/random.ts';
import { until } from '../gateway/world.ts';
import { openHomeBroker } from './home-broker.ts';

const test = suite('packet limit');

test('two ends in a row at the largest message so far are its limit, and one is chance', () => {
  const limit = new PacketLimit();
  limit.sent(500).ended(true);
  limit.sent(9_000);
  assert.is(limit.closed(), undefined, 'a network that broke');
  limit.sent(9_000).ended(true);
  limit.sent(9_000);
  assert.is(limit.closed(), undefined, 'it took one of this size');
  for (const expected of [undefined, 20_000]) {
    limit.sent(300);
    limit.sent(20_000);
    assert.is(limit.closed(), expected);
  }
  assert.equal([limit.takes(19_999), limit.takes(20_000)], [true, false]);
  limit.sent(12_000);
  assert.is(limit.closed(), 12_000, 'a lower one is believed at once');
  limit.sent(12_000).ended(false);
  assert.is(limit.closed(), undefined);
  limit.forget();
  assert.ok(limit.takes(12_000));
});

test('small messages stay, large ones are left out, it is said once with its reason, and the connection is kept', async () => {
  const broker = await openHomeBroker(0, { maxBytes: 6_000 });
  const warned: string[] = [];
  let connections = 0;
  const waits: number[] = [];
  const { now, after } = systemClock;
  const hurried: Clock = {
    now,
    after: (ms, run) => {
      if (ms < 10_000) waits.push(ms);
      return after(ms / 20, run);
    },
  };
  const link = new HomeLink({
    url: broker.url,
    filters: ['homeassistant/status'],
    clock: hurried,
    random: systemRandom(systemClock),
    logger: { debug() {}, info() {}, error() {}, warn: (_fields, words) => void warned.push(words) },
    count() {},
    hear() {},
    connected: () => void connections++,
  });
  const picture = Buffer.alloc(7_500, 1);
  const tell = () => link.publish('papergate/x/due', picture, { retain: true });
  link.dial();
  try {
    for (const time of [1, 2]) {
      await until(() => connections === time && link.isUp(), 'the connection');
      assert.is(await tell(), false);
    }
    await until(() => connections === 3 && link.isUp(), 'the third connection');
    assert.not.ok(link.takes('papergate/x/due', picture));
    for (let at = 0; at < 5; at++) assert.is(await tell(), false);
    assert.is(await link.publish('papergate/x/state', '{}', { retain: true }), true);
    assert.equal([connections, link.isUp()], [3, true]);
    assert.is(warned.filter((words) => words.includes('at a message of 7515 bytes')).length, 1);
    const [first, second] = waits.filter((ms) => ms === 1_000 || ms === 2_000);
    assert.equal([first, second], [1_000, 2_000], 'waits grow');
    await until(() => broker.retained.get('papergate/status') === 'online', 'its word that the service is there');
  } finally {
    await link.stop();
    await broker.close();
  }
});

test.run();
