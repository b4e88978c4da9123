import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  awakeSecondsOf,
  classicSleepSeconds,
  frameStatus,
  graceMs,
  wakefulness,
} from '../../gateway/frames/presence.ts';
import type { FrameRow } from '../../gateway/frames/registry.ts';
import { placeFrame } from './placed-frame.ts';
import { until, withGateway } from './world.ts';

const test = suite('presence');
const now = 1_800_000_000_000;
const minute = 60_000;
const hour = 60 * minute;

/** A frame that was in contact now and sleeps an hour. */
const asleep: FrameRow = {
  serial: 'epd7-b0c1d2e3f405',
  spelling: 'epd7-b0c1d2e3f405',
  kind: 'epd7',
  dialect: 'classic',
  activation: 'activated',
  ownership: 1,
  activated_answer_at: now,
  password_hash: null,
  password_ownership: null,
  kept_sleep_seconds: null,
  update_schedule: null,
  flags: null,
  prove_soon: null,
  planned_changes: null,
  planned_deadlines: null,
  max_wakes_per_day: null,
  sleep_seconds: 3600,
  reported_version: 1,
  announced_version: 1,
  picture_synced: 1,
  glass_sha256: null,
  firmware: '3.0.21',
  panel: null,
  battery_mv: 4870,
  rssi: -61,
  orientation: 2,
  wake: 'timer',
  boot: null,
  last_contact_at: now,
  last_full_wake_at: now,
  asleep_until: now + hour,
  cycle_upload: null,
  cycle_started_at: now,
  session_epoch: 0,
  last_failure: null,
  created_at: now,
  updated_at: now,
};

test('a frame in the field is awake as long as it may still draw, not as long as its connection stands (W-26)', () => {
  const seconds = 1000;
  const spoke = { awake: true, lastSeenAt: now };
  const table: readonly [
    frame: Partial<FrameRow>,
    connection: typeof spoke | undefined,
    at: number,
    until: number | null,
  ][] = [
    [{}, spoke, now + 15 * seconds, now + 15 * seconds],
    [{}, spoke, now + 15 * seconds + 1, null],
    [{ cycle_upload: 'u' }, spoke, now + 30 * seconds, now + 50 * seconds],
    [{ cycle_upload: 'u' }, spoke, now + minute + 1, null],
    [{}, { awake: true, lastSeenAt: now + minute }, now + minute, now + minute + 15 * seconds],
    [{}, undefined, now, null],
  ];
  for (const [changes, connection, at, until] of table) {
    const known = wakefulness({ ...asleep, ...changes }, connection, false, at);
    assert.equal(known, { awake: until !== null, awakeUntil: until });
  }
  for (const awake of [true, false]) {
    const told = wakefulness(asleep, { awake, lastSeenAt: now - hour }, true, now);
    assert.equal(told, { awake, awakeUntil: null }, 'a frame that knows commands tells its sleep itself');
  }
});

test('status is online, offline or error by what was recorded and by now (A-12)', () => {
  const never = { last_contact_at: null, asleep_until: null };
  const dayLong = { asleep_until: now + 24 * hour };
  const table: readonly [why: string, frame: Partial<FrameRow>, connected: boolean, at: number, status: string][] = [
    ['connected', {}, true, now, 'online'],
    ['connected for long', {}, true, now + 100 * hour, 'online'],
    ['connected for the first time', never, true, now, 'online'],
    ['never heard from', never, false, now, 'offline'],
    ['heard from, without the time of its return', { asleep_until: null }, false, now, 'offline'],
    ['asleep', {}, false, now + 30 * minute, 'online'],
    ['expected this very moment', {}, false, now + hour, 'online'],
    ['a tenth of an hour late', {}, false, now + hour + 6 * minute, 'online'],
    ['later than a tenth of an hour', {}, false, now + hour + 6 * minute + 1, 'offline'],
    ['a minute late after a short sleep', { asleep_until: now + minute }, false, now + 2 * minute, 'online'],
    ['later than a minute after a short sleep', { asleep_until: now + minute }, false, now + 2 * minute + 1, 'offline'],
    ['W-39: a day’s sleep and its tenth', dayLong, false, now + 26.4 * hour, 'online'],
    ['W-39: later than that', dayLong, false, now + 26.4 * hour + 1, 'offline'],
    ['its last update failed', { last_failure: 'update_failed' }, true, now, 'error'],
    ['failed and long gone', { last_failure: 'update_failed' }, false, now + 100 * hour, 'error'],
    ['battery critical', { battery_mv: 4199 }, true, now, 'error'],
    ['battery low, not critical', { battery_mv: 4200 }, true, now, 'online'],
    ['no battery to measure', { battery_mv: 0 }, true, now, 'online'],
    ['battery not reported', { battery_mv: null }, true, now, 'online'],
  ];
  for (const [why, frame, connected, at, status] of table) {
    assert.is(frameStatus({ ...asleep, ...frame }, connected, at), status, why);
  }
});

test('grace is the larger of a minute and a tenth of the sleep, also before any contact (A-12)', () => {
  assert.is(graceMs({ asleep_until: null, last_contact_at: null }), minute);
  assert.is(graceMs({ asleep_until: now + 9 * minute, last_contact_at: now }), minute);
  assert.is(graceMs({ asleep_until: now + 11 * minute, last_contact_at: now }), 66_000);
  const odd = graceMs({ asleep_until: now + hour + 1, last_contact_at: now });
  assert.is(odd, 6 * minute + 1, 'whole milliseconds, or the moment that follows could not be stored');
  assert.is(graceMs({ asleep_until: now - hour, last_contact_at: now }), minute);
});

test('a classic frame is expected after its effective sleep and the time it is awake (W-29)', () => {
  const timer = { wake: 'timer', timeoutSeconds: 3600, storedTimeoutSeconds: 3600 } as const;
  const fresh = { last_full_wake_at: null };
  const since = (seconds: number) => ({ last_full_wake_at: now - seconds * 1000 });
  const table: readonly [string, Partial<Parameters<typeof classicSleepSeconds>[0]>, number][] = [
    ['timer: the full sleep', {}, 3600],
    ['button: the full sleep', { wake: 'button', frame: since(1000) }, 3600],
    ['motion: the rest of the interval', { wake: 'motion', frame: since(1000) }, 2600],
    ['reset: the rest of the interval', { wake: 'reset', frame: since(3570) }, 30],
    ['less than 30 s would remain: the full sleep', { wake: 'motion', frame: since(3571) }, 3600],
    [
      'motion with a changed timeout: the full sleep',
      { wake: 'motion', storedTimeoutSeconds: 600, frame: since(1000) },
      3600,
    ],
    [
      'motion, stored timeout not reported',
      { wake: 'motion', storedTimeoutSeconds: undefined, frame: since(1000) },
      2600,
    ],
    ['motion before any full wake', { wake: 'motion' }, 3600],
  ];
  for (const [why, change, seconds] of table) {
    assert.is(classicSleepSeconds({ frame: fresh, ...timer, now, ...change }), seconds, why);
  }
  assert.is(awakeSecondsOf({ kind: 'epd7' }, false), 1, 'without a new picture it sleeps at once');
  assert.is(awakeSecondsOf({ kind: 'epd7' }, true), 50, 'a new picture takes 7-inch time');
  assert.is(awakeSecondsOf({ kind: 'openpaper13' }, true), 60, 'a new picture takes 13-inch time');
  assert.is(awakeSecondsOf({ kind: 'epaper' }, true), 60, 'a kind without a known panel');
});

test('a frame is online while it sleeps and offline when it stays away (A-12, W-26)', async () => {
  await withGateway(async (world) => {
    const frame = await placeFrame(world, asleep.serial);
    const status = async () => (await world.gateway.facts(asleep.serial))?.status;
    assert.is(await status(), 'offline');
    await frame.wake();
    await until(async () => !(await world.gateway.facts(asleep.serial))?.connected, 'its connection is gone');
    assert.is(await status(), 'online');
    world.clock.passes(65 * minute);
    assert.is(await status(), 'online');
    world.clock.passes(2 * minute);
    assert.is(await status(), 'offline');
    await frame.wake();
    assert.is(await status(), 'online');
    assert.is(await world.gateway.facts('epd7-unknown'), undefined);
  });
});

test.run();
