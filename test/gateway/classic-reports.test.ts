/** Wake reports of which a part is missing or makes no sense: that part is skipped, and what was known stays (W-37). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FrameRow, frameRegistry } from '../../gateway/frames/registry.ts';
import { factoryFlags } from './fielded-frame.ts';
import { placeFrame } from './placed-frame.ts';
import { type GatewayWorld, withGateway } from './world.ts';

const test = suite('classic reports');
const serial = 'epd7-b0c1d2e3f405';

async function known(world: GatewayWorld): Promise<Partial<FrameRow> | undefined> {
  const row = await frameRegistry(world.db).find(serial);
  if (row === undefined) return undefined;
  const { firmware, battery_mv, rssi, orientation, kept_sleep_seconds, reported_version } = row;
  return { firmware, battery_mv, rssi, orientation, kept_sleep_seconds, reported_version };
}

test('what a report leaves out, or says unreadably, stays as it was', async () => {
  await withGateway(async (world) => {
    const frame = await placeFrame(world, serial);
    frame.flash.file = 1_700_000_000;
    await frame.wake();
    const before = await known(world);
    assert.equal(before, {
      firmware: '3.0.21',
      battery_mv: 4870,
      rssi: -61,
      orientation: 2,
      kept_sleep_seconds: 3600,
      reported_version: 1_700_000_000,
    });
    const whole = JSON.parse(frame.wakeReport('3')) as Record<string, unknown>;
    const { act, file, wake } = whole;
    const reports = [
      { act, file, wake },
      { ...whole, v: '', bat: '', wifi: '', orient: '', timeout: '' },
      { ...whole, v: {}, bat: 'full', wifi: 'good', orient: 'up', timeout: 'long' },
      { ...whole, bat: '999999999999', wifi: '1, 61', orient: '9', timeout: '-1' },
      { ...whole, bat: '-1', wifi: '1, -151', orient: '-2', timeout: '999999999' },
    ];
    for (const report of reports) {
      const line = await frame.connect();
      await line.publish(`$aws/things/${serial}/activateepaper`, JSON.stringify(report));
      assert.equal(await line.message(), { act: 'activated', timeout: 3600, t: 1_700_000_000, ...factoryFlags });
      assert.equal(await known(world), before, JSON.stringify(report));
      line.vanish();
    }
    const hellos = await world.events(serial, 'hello');
    assert.equal(
      hellos.slice(1).map(({ payload }) => [payload.batteryMv, payload.storedTimeoutSeconds]),
      reports.map(() => [undefined, undefined]),
      'the events hold what was said',
    );
  });
});

test.run();
