/** The cost of settings to the battery, before anybody saves them. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { settingsOfMeta } from '../../api/devices/settings-of-meta.ts';
import { updateSchedule, windowsOf } from '../../api/devices/update-schedule.ts';
import { lastsTimes, wakesPerDay } from '../../gateway/frames/forecast-settings.ts';
import { forecastWakes } from '../../gateway/frames/forecast-wakes.ts';
import { keptOf } from '../../gateway/frames/planned-changes.ts';
import { withHttp } from '../http/world.ts';

const test = suite('battery forecast');
const hourMs = 3_600_000;
const monday = Date.parse('2026-06-01T00:00:00Z');

function wakes(sleepSeconds: number, windows: readonly object[] | null): number {
  const given = windows && updateSchedule.parse({ enabled: true, timezone: 'UTC', windows });
  return wakesPerDay({ sleepSeconds, updateSchedule: windowsOf(given) }, monday);
}

const daily = (hours: number) => ({ startsAt: '2026-01-01T08:00:00Z', durationMinutes: hours * 60, repeat: 'daily' });

function near(actual: number, expected: number, share = 0.1): void {
  assert.ok(Math.abs(actual - expected) <= expected * share, `${actual} is not about ${expected}`);
}

test('without windows a frame wakes as often as it sleeps, within the limits of the wire', () => {
  assert.is(wakes(3600, null), 24);
  assert.is(wakes(1, null), 1440);
  assert.is(wakes(10 * 86_400, null), 1);
});

test('with windows it wakes within them alone, and once a day at least', () => {
  near(wakes(3600, [daily(12)]), 12, 0.15);
  near(wakes(60, [daily(12)]), 720);
  near(wakes(60, [{ ...daily(1), durationMinutes: 2 }]), 3, 0.4);
  near(wakes(3600, []), 1);
  const weekly = { ...daily(24), repeat: undefined, rrule: 'FREQ=WEEKLY;BYDAY=MO' };
  near(wakes(600, [weekly]), 144 / 7 + 6 / 7, 0.2);
});

test('the largest schedule costs a bounded number of steps', () => {
  const rrule = 'FREQ=MONTHLY;BYDAY=1MO,2TU,-1FR,3WE,4TH';
  const windows = Array.from({ length: 50 }, (_, at) => ({
    ...daily(1),
    durationMinutes: 1 + at,
    repeat: null,
    rrule,
  }));
  const begun = process.cpuUsage();
  const found = wakes(60, windows);
  const { user } = process.cpuUsage(begun);
  assert.ok(found > 1 && found < 1440, `${found}`);
  assert.ok(user < 2_000_000, `${user / 1000} ms`);
});

test('a frame that wakes half as often lasts longer, though not twice as long', () => {
  const times = lastsTimes(24, 12);
  assert.ok(times > 1.3 && times < 2, `${times}`);
  assert.is(lastsTimes(24, 24), 1);
  assert.ok(Math.abs(lastsTimes(12, 24) * times - 1) < 1e-9);
});

test('the days left are returned for the settings that are asked about, and nothing is stored', () =>
  withHttp(async ({ admin, stranger, frames, call }) => {
    const serial = 'epd7-0000000000ff';
    await frames.provision(serial, { batteryMv: 5000, batteryDaysLeft: 60 });
    const register = { enable: true, organization: admin.organizationId };
    const { device } = (await call('POST', `/devices/registerdevice/${serial}`, { as: admin, json: register })).json;
    const path = `/devices/${device.id}/battery-forecast`;
    const ask = async (json: object) => (await call('POST', path, { as: admin, json })).json;
    const same = await ask({});
    const hourly = { wakesPerDay: 24, daysLeft: 60, changes: 0, leftOut: 0, lateSeconds: null, sentWaitsSeconds: 1800 };
    assert.equal(same, { now: hourly, asked: hourly, lastsTimes: 1, measuredWakesPerDay: null });
    const rarer = await ask({ sleepTime: '7200' });
    assert.is(rarer.asked.wakesPerDay, 12);
    assert.ok(rarer.asked.daysLeft > 80 && rarer.asked.daysLeft < 120, JSON.stringify(rarer));
    const night = await ask({ updateSchedule: { enabled: true, timezone: 'UTC', windows: [daily(12)] } });
    assert.ok(night.asked.daysLeft > 75 && night.asked.wakesPerDay < 14, JSON.stringify(night));
    assert.is((await call('GET', `/devices/${device.id}`, { as: admin })).json.meta.updateSchedule, undefined);
    const wrong = { enabled: true, timezone: 'Nowhere/Else', windows: [] };
    assert.is((await call('POST', path, { as: admin, json: { updateSchedule: wrong } })).status, 400);
    assert.is((await call('POST', path, { as: stranger, json: {} })).status, 404);
  }));

test('planned changes and the wakes as they really were are in the forecast, from the rows of the frame', () =>
  withHttp(async ({ admin, db, clock, frames, call }) => {
    const serial = 'epd7-0000000000ff';
    await frames.provision(serial, { batteryMv: 5000, batteryDaysLeft: 60 });
    const register = { enable: true, organization: admin.organizationId };
    const { device } = (await call('POST', `/devices/registerdevice/${serial}`, { as: admin, json: register })).json;
    const path = `/devices/${device.id}/battery-forecast`;
    const ask = async (json: object) => (await call('POST', path, { as: admin, json })).json;
    const at = clock.now();
    const planned = [7, 9.5, 15, 19].map((hours) => ({ at: at + hours * hourMs }));
    await db('frames')
      .where({ serial })
      .update({ planned_changes: JSON.stringify(planned) });
    const three = (await ask({ sleepTime: 10_800 })).asked;
    assert.is(three.changes, 4);
    assert.is(three.leftOut, 0);
    assert.ok(three.lateSeconds <= 10, `${three.lateSeconds} s late`);
    assert.ok(three.wakesPerDay >= 9 && three.wakesPerDay <= 13, `${three.wakesPerDay} wakes`);
    const once = (await ask({ sleepTime: 10_800, maxWakesPerDay: 1 })).asked;
    assert.ok(once.wakesPerDay <= 1 && once.leftOut >= 3, JSON.stringify(once));
    const sleeps = Array.from({ length: 8 }, (_, index) => [10_800, 10_800 + (index % 2 === 0 ? 40 : -40)]);
    await db('frame_watch').insert({ serial, excused: 0, periods: '[]', sleeps: JSON.stringify(sleeps) });
    assert.ok((await ask({ sleepTime: 10_800 })).asked.lateSeconds >= 40, 'its clock is that inexact');
    const wakes = Array.from({ length: 6 * 48 }, (_, index) => ({
      id: `wake-${index}`,
      at: at - 60_000 - (index * hourMs) / 2,
    }));
    for (const wake of wakes) await db('frame_events').insert({ ...wake, serial, type: 'hello', payload: '{}' });
    const measured = await ask({ sleepTime: 10_800 });
    assert.is(Math.round(measured.measuredWakesPerDay), 48, 'a person presses its button');
    assert.ok(measured.asked.daysLeft > 150, `${measured.asked.daysLeft} days: those 60 came from 48 wakes a day`);
  }));

test('a playlist of minutes is forecast for the whole day, at every age of its list', () => {
  const settings = { sleepSeconds: 10_800, updateSchedule: null, maxWakesPerDay: null };
  for (const left of [96, 73]) {
    const changes = Array.from({ length: 1440 }, (_, index) => ({ at: monday + (index + 1 - 96 + left) * 60_000 }));
    const planned = { planned_changes: JSON.stringify(keptOf(changes)), planned_deadlines: null };
    const facts = { planned, errorSeconds: 0, measuredPerDay: null };
    const found = forecastWakes(settings, facts, monday);
    near(found.wakesPerDay, 48);
    near(found.changes, 1440);
    assert.ok(found.leftOut > 1000, `${found.leftOut} left out`);
    near(found.lateSeconds ?? 0, 900, 0.2);
    near(forecastWakes({ ...settings, maxWakesPerDay: 12 }, facts, monday).wakesPerDay, 12);
  }
});

test('a bound of wakes is kept with the settings, and a value that says nothing is none', () => {
  const bounds = ['12', 12, '', 0, 2000, 'many', null, undefined].map(
    (maxWakesPerDay) => settingsOfMeta({ maxWakesPerDay }).maxWakesPerDay,
  );
  assert.equal(bounds, [12, 12, ...Array<undefined>(6).fill(undefined)]);
});

test.run();
