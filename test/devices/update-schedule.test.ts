import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { updateSchedule, windowsOf } from '../../api/devices/update-schedule.ts';
import { sleepBetweenWindows } from '../../gateway/frames/update-windows.ts';
import { type HttpWorld, type Person, withHttp } from '../http/world.ts';

const test = suite('update windows of a device');
const serial = 'epd7-0001';

/** A device with a frame, and how its meta is set. */
async function withDevice(world: HttpWorld, as: Person) {
  await world.frames.provision(serial);
  const body = { enable: true, organization: as.organizationId };
  const { json } = await world.call('POST', `/devices/registerdevice/${serial}`, { as, json: body });
  const id: string = json.device.id;
  return {
    id,
    set: (meta: unknown) => world.call('POST', `/devices/${id}`, { as, json: { meta } }),
    /** The windows that the frame's side was handed last. */
    windows: () => (world.frames.configured.get(serial) as { updateSchedule: unknown } | undefined)?.updateSchedule,
  };
}

const daily = {
  id: 'kept',
  startsAt: '2026-06-01T06:00:00.000Z',
  durationMinutes: 540,
  repeat: 'daily',
  rrule: 'DTSTART;TZID=Europe/Berlin:20260601T080000\nRRULE:FREQ=DAILY;INTERVAL=1',
};
const dailyForFrames = {
  timeZone: 'Europe/Berlin',
  firstDay: 20_605,
  lastDay: null,
  startMinutes: 480,
  durationMinutes: 540,
  every: 'day',
  interval: 1,
  weekStart: 1,
  weekdays: [],
  monthDays: [],
};

test('C-59: windows as clients in the field write them reach the frame with its sleep, and are shown as they came', () =>
  withHttp(async (world) => {
    const { id, set, windows } = await withDevice(world, world.admin);
    const meta = { sleepTime: '7200', updateSchedule: { enabled: true, timezone: 'Europe/Berlin', windows: [daily] } };
    const changed = await set(meta);
    assert.is(changed.status, 200);
    assert.equal(changed.json.meta, meta);
    assert.equal(world.frames.configured.get(serial), {
      sleepTime: '7200',
      updateSchedule: [dailyForFrames],
      flags: {},
    });
    assert.equal((await world.call('GET', `/v1/devices/${id}`, { as: world.admin })).json.meta, meta);

    // The rule alone, and the repetition alone, mean the same; without a zone it is Berlin's.
    const { rrule, startsAt, durationMinutes } = daily;
    for (const window of [
      { rrule, durationMinutes },
      { startsAt, durationMinutes, repeat: 'daily', rrule: null },
    ]) {
      await set({ updateSchedule: { enabled: true, windows: [window] } });
      assert.equal(windows(), [dailyForFrames]);
    }
    const inNewYork = { enabled: true, timezone: 'America/New_York', windows: [{ startsAt, durationMinutes }] };
    await set({ updateSchedule: inNewYork });
    const once = { timeZone: 'America/New_York', startMinutes: 120, lastDay: 20_605 };
    assert.equal(windows(), [{ ...dailyForFrames, ...once }], 'what is not repeated ends on its day');
    await set({ updateSchedule: { enabled: true, windows: [{ startsAt, durationMinutes, repeat: 'weekly' }] } });
    assert.equal(windows(), [{ ...dailyForFrames, every: 'week' }]);
    await set({ updateSchedule: { enabled: true, windows: [{ startsAt, durationMinutes, repeat: 'monthly' }] } });
    assert.equal(windows(), [{ ...dailyForFrames, every: 'month' }]);
    await set({ updateSchedule: { enabled: true, windows: [] } });
    assert.equal(windows(), []);
  }));

test('C-59: what is not enabled, or not said, leaves the frame awake at all times', () =>
  withHttp(async (world) => {
    const { set, windows } = await withDevice(world, world.admin);
    const off = [{ enabled: false, windows: [daily] }, { windows: [daily] }, { enabled: null }, null, undefined];
    for (const updateSchedule of off) {
      await set({ updateSchedule: { enabled: true, windows: [daily] } });
      assert.equal(windows(), [dailyForFrames]);
      assert.is((await set({ updateSchedule })).status, 200);
      assert.is(windows(), null, JSON.stringify(updateSchedule));
    }
  }));

test('C-59, C-33: what cannot be kept is refused by the name of its field, and nothing changes', () =>
  withHttp(async (world) => {
    const { id, set } = await withDevice(world, world.admin);
    const kept = { name: 'Kitchen', updateSchedule: { enabled: true, windows: [daily] } };
    await set(kept);
    world.frames.configured.clear();
    const one = (window: unknown) => ({ enabled: true, windows: [daily, window] });
    const wrong: [updateSchedule: unknown, hint: RegExp][] = [
      [{ enabled: 'yes' }, /^meta\.updateSchedule\.enabled: /],
      [{ enabled: true, timezone: 'Mars/Olympus' }, /^meta\.updateSchedule\.timezone: this time zone is not known$/],
      [
        { enabled: true, timezone: 'Mars', windows: [daily] },
        /^meta\.updateSchedule\.timezone: this time zone is not known[^;]*$/,
      ],
      [{ enabled: true, windows: 'always' }, /^meta\.updateSchedule\.windows: /],
      [{ enabled: true, windows: Array(51).fill(daily) }, /^meta\.updateSchedule\.windows: .*50/],
      [one({ ...daily, durationMinutes: -1 }), /^meta\.updateSchedule\.windows\.1\.durationMinutes: /],
      [one({ ...daily, durationMinutes: 44_641 }), /^meta\.updateSchedule\.windows\.1\.durationMinutes: /],
      [one({ ...daily, durationMinutes: undefined }), /^meta\.updateSchedule\.windows\.1\.durationMinutes: /],
      [one({ ...daily, repeat: 'hourly' }), /^meta\.updateSchedule\.windows\.1\.repeat: /],
      [one({ ...daily, startsAt: 'tomorrow' }), /^meta\.updateSchedule\.windows\.1\.startsAt: /],
      [
        one({ ...daily, startsAt: '1999-01-01T00:00:00Z', rrule: '' }),
        /^meta\.updateSchedule\.windows\.1\.startsAt: begins/,
      ],
      [one({ durationMinutes: 60 }), /^meta\.updateSchedule\.windows\.1\.startsAt: is missing$/],
      [
        one({ ...daily, rrule: 'not an rrule' }),
        /^meta\.updateSchedule\.windows\.1\.rrule: NOT AN RRULE is not understood/,
      ],
      [one({ ...daily, rrule: 'FREQ=SECONDLY' }), /^meta\.updateSchedule\.windows\.1\.rrule: FREQ is to be/],
      [[], /^meta\.updateSchedule: /],
      ['08:00-17:00', /^meta\.updateSchedule: /],
    ];
    for (const surface of ['', '/v1']) {
      for (const [updateSchedule, hint] of wrong) {
        const json = { meta: { name: 'Hall', updateSchedule } };
        const refused = await world.call('POST', `${surface}/devices/${id}`, { as: world.admin, json });
        assert.is(refused.status, 400, JSON.stringify(updateSchedule).slice(0, 200));
        if (surface === '') assert.match(refused.json.hint, hint);
      }
    }
    assert.equal((await world.call('GET', `/devices/${id}`, { as: world.admin })).json.meta, kept);
    assert.is(world.frames.configured.size, 0);
  }));

test('A-17, C-59: a reset takes the windows away with the sleep', () =>
  withHttp(async (world) => {
    const { id, set } = await withDevice(world, world.admin);
    await set({ name: 'Kitchen', sleepTime: '900', updateSchedule: { enabled: true, windows: [daily] } });
    assert.is((await world.call('POST', `/devices/reset/${id}`, { as: world.admin })).status, 200);
    assert.equal((await world.call('GET', `/devices/${id}`, { as: world.admin })).json.meta, { name: 'Kitchen' });
  }));

/** The least processor time that some runs of a deed took, milliseconds: what others do on this machine counts little. */
function minMs(deed: () => void): number {
  const runs = Array.from({ length: 7 }, () => {
    const before = process.cpuUsage();
    deed();
    return process.cpuUsage(before).user / 1000;
  });
  return Math.min(...runs);
}

test('T-61: as many windows as there may be hold nobody up, neither when they are saved nor when a frame wakes', () => {
  const rules: readonly [rule: string, durationMinutes: number][] = [
    ['FREQ=MONTHLY;BYDAY=5MO;COUNT=30', 44_640],
    ['FREQ=MONTHLY;BYMONTHDAY=31;BYDAY=1MO;COUNT=2', 44_640],
    [`FREQ=MONTHLY;BYDAY=${Array(100).fill('5MO').join()};COUNT=20`, 44_640],
    ['FREQ=DAILY;INTERVAL=7;BYMONTHDAY=31', 44_640],
    ['FREQ=DAILY', 1],
  ];
  for (const [rrule, durationMinutes] of rules) {
    const windows = Array(50).fill({ startsAt: '2024-01-01T06:00:00Z', durationMinutes, rrule });
    const given = { enabled: true, windows };
    const saveMs = minMs(() => updateSchedule.safeParse(given));
    assert.ok(saveMs < 60, `${rrule} is read in ${saveMs} ms`);
    const { data } = updateSchedule.safeParse(given);
    if (data === undefined) continue;
    const schedule = windowsOf(data) ?? [];
    const wakeMs = minMs(() => sleepBetweenWindows(schedule, 900, Date.parse('2026-06-02T06:30:00Z')));
    assert.ok(wakeMs < 30, `${rrule} is asked in ${wakeMs} ms`);
  }
});

test('T-61: a schedule names few time zones', () => {
  const zones = ['Asia/Tokyo', 'Asia/Seoul', 'Asia/Dhaka', 'Asia/Dubai', 'Asia/Kabul'];
  const inZone = (zone: string) => ({ durationMinutes: 60, rrule: `DTSTART;TZID=${zone}:20260601T080000\nFREQ=DAILY` });
  const few = { enabled: true, timezone: 'Asia/Tokyo', windows: zones.map(inZone) };
  assert.ok(updateSchedule.safeParse(few).success);
  const refused = updateSchedule.safeParse({ ...few, timezone: 'Europe/Berlin' });
  assert.equal(
    refused.error?.issues.map(({ path, message }) => [path.join('.'), message]),
    [['windows.4', 'field-many-time-zones']],
  );
});

test.run();
