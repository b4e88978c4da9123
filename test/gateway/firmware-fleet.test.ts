/** Whole fleets of simulated frames and one firmware: healthy ones take it, bricked ones stop the rollout. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readReasons } from '../../reasons/reason.ts';
import { wordsOf } from '../../reasons/words.ts';
import { systemClock } from '../../runtime/clock.ts';
import { type BrokerFrame, type Fleet, startFleet } from '../../simulator/fleet/fleet.ts';
import { looks, outcomes, rollOut, rolloutNow } from './firmware-world.ts';
import { type GatewayWorld, until, withGateway } from './world.ts';

const test = suite('firmware, fleets');
const hour = 3_600_000;

/** Registers frames and lets them live; an hour's sleep takes a twentieth of a second. */
async function fleetOf(world: GatewayWorld, frames: readonly Omit<BrokerFrame, 'credentials'>[]): Promise<Fleet> {
  const provisioned: BrokerFrame[] = [];
  for (const frame of frames) {
    const { key, certificate: cert, root: ca } = await world.provision(frame.serial);
    await world.activate(frame.serial);
    provisioned.push({ ...frame, credentials: { kind: 'certificate', key, cert, ca } });
  }
  return startFleet({
    frames: provisioned,
    mqttUrl: `mqtts://127.0.0.1:${world.ports.tls}`,
    picturePrefix: world.url,
    manifestPrefix: world.url,
    speed: 72_000,
    seed: 'firmware',
    clock: systemClock,
    trace: () => {},
  });
}

test('a fleet of both dialects takes its firmware and proves it by coming back', async () => {
  await withGateway(async (world) => {
    const frames = [1, 2, 3, 4].map((number) => ({
      serial: `epd7-00000000000${number}`,
      dialect: number % 2 === 0 ? ('classic' as const) : ('native' as const),
    }));
    const fleet = await fleetOf(world, frames);
    try {
      await until(
        async () =>
          (await Promise.all(frames.map((frame) => world.gateway.facts(frame.serial)))).every((f) => f?.firmware),
        'every frame has been heard from',
        20_000,
      );
      const native = await rollOut(world, '1.5.0');
      const classic = await rollOut(world, '3.1.0', { dialect: 'classic' });
      const both = async () => ({ ...(await outcomes(world, native.id)), ...(await outcomes(world, classic.id)) });
      await until(
        async () => Object.values(await both()).filter((one) => one === 'updated').length === 4,
        'all have it',
        20_000,
      );
      for (const { serial, dialect } of frames) {
        const version = dialect === 'native' ? '1.5.0' : '3.1.0';
        assert.is(fleet.frames.get(serial)?.state.firmware, version);
        assert.is((await world.gateway.facts(serial))?.firmware, version);
      }
      assert.equal(
        [(await rolloutNow(world, native.id)).state, (await rolloutNow(world, classic.id)).state],
        ['running', 'running'],
      );
    } finally {
      await fleet.stop();
    }
  });
});

for (const dialect of ['native', 'classic'] as const) {
  test(`a ${dialect} fleet that a firmware bricks stops its rollout, and the rest keeps what it has`, async () => {
    await withGateway(async (world) => {
      const serials = [1, 2, 3].map((number) => `epd7-00000000000${number}`);
      const frames = serials.map((serial) => ({ serial, dialect, behaviours: ['bricked'] }));
      const fleet = await fleetOf(world, frames);
      const version = dialect === 'native' ? '1.5.0' : '3.1.0';
      try {
        const heard = async (one: string) => (await world.gateway.facts(one))?.firmware;
        for (const one of serials) await until(() => heard(one), 'it was heard from', 20_000);
        const rollout = await rollOut(world, version, { dialect });
        const isDead = (one: string) => fleet.frames.get(one)?.state.firmware === version;
        await until(() => serials.every(isDead), 'every frame took it', 20_000);
        for (const one of serials) {
          await until(async () => (await world.gateway.facts(one))?.connected === false, 'it is gone', 40_000);
        }
        await until(async () => {
          await looks(world, hour);
          return (await rolloutNow(world, rollout.id)).state === 'paused';
        }, 'the rollout stopped');
        assert.match(wordsOf(readReasons((await rolloutNow(world, rollout.id)).reason)), /^3 of 3 frames that started/);
        assert.equal(new Set(Object.values(await outcomes(world, rollout.id))), new Set(['lost']));
      } finally {
        await fleet.stop();
      }
      const late = await fleetOf(world, [{ serial: 'epd7-000000000009', dialect }]);
      try {
        await until(
          async () => (await world.gateway.facts('epd7-000000000009'))?.firmware,
          'it was heard from',
          20_000,
        );
        await until(() => (late.frames.get('epd7-000000000009')?.state.boots ?? 0) > 3, 'it woke some times', 20_000);
        assert.not.equal(late.frames.get('epd7-000000000009')?.state.firmware, version);
      } finally {
        await late.stop();
      }
    });
  });
}

test.run();
