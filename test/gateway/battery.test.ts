/** A battery, day by day: how many days it has left, and what it is called. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { batteryLevel, batteryPercent, cellsOf, forecastDays } from '../../gateway/frames/battery.ts';
import { nativeLine } from './native-line.ts';
import { withGateway } from './world.ts';

const test = suite('battery');
const serial = 'epd7-b0c1d2e3f405';
const day = 86_400_000;

/** One sample a day, from day 20,000 on. */
const daily = (...meanMv: number[]) => meanMv.map((mv, at) => ({ day: 20_000 + at, meanMv: mv }));
const falling = (days: number, perDay: number, from = 5000) =>
  daily(...Array.from({ length: days }, (_, at) => from - at * perDay));

const forecasts: readonly [why: string, samples: ReturnType<typeof daily>, days: number | undefined][] = [
  ['nothing known', [], undefined],
  ['two days show no direction', daily(4900, 4890), undefined],
  ['ten millivolts a day', daily(4220, 4210, 4200), 0],
  ['70 days at ten millivolts a day', falling(11, 10), 70],
  ['days without a sample in between', [...falling(3, 10), { day: 20_010, meanMv: 4900 }], 70],
  ['order does not matter', [...falling(11, 10)].reverse(), 70],
  ['below empty: none left', daily(4150, 4140, 4130), 0],
  ['a battery that does not fall', daily(4900, 4900, 4900), undefined],
  ['a battery that rises is being charged', daily(4500, 4520, 4540, 4560), undefined],
  ['charged yesterday: what was before says nothing', [...daily(4500, 4490, 4480, 5000, 4990)], undefined],
  ['charged, and three days since', [...daily(4500, 4490, 4480, 5000, 4990, 4980)], 78],
  ['a trickle is cut at ten years', falling(5, 0.1), 3650],
  ['one odd day does not bend the line', daily(5000, 4990, 4980, 4700, 4755, 4950, 4940, 4930, 4920), 72],
];
for (const [why, samples, days] of forecasts) test(why, () => assert.is(forecastDays(samples, 4200), days));

test('a straight line is followed to its end, and noise of a few millivolts moves the end by little', () => {
  const line = fc.record({
    perDay: fc.integer({ min: 4, max: 40 }),
    noise: fc.array(fc.integer({ min: -2, max: 2 }), { minLength: 20, maxLength: 30 }),
  });
  fc.assert(
    fc.property(line, ({ perDay, noise }) => {
      const samples = daily(...noise.map((off, at) => 6000 - at * perDay + off));
      const exact = (6000 - (samples.length - 1) * perDay - 4200) / perDay;
      const said = forecastDays(samples, 4200) ?? Number.NaN;
      assert.ok(Math.abs(said - exact) <= 2 + exact * 0.1, `${said} for ${exact}`);
    }),
  );
});

test('whatever was measured, the forecast is a whole number of days from 0 to ten years, or nothing', () => {
  const samples = fc.uniqueArray(
    fc.record({ day: fc.integer({ min: 0, max: 40_000 }), meanMv: fc.integer({ min: 1, max: 20_000 }) }),
    { selector: ({ day }) => day, maxLength: 40 },
  );
  fc.assert(
    fc.property(samples, (known) => {
      const days = forecastDays(known, 4200);
      assert.ok(days === undefined || (Number.isInteger(days) && days >= 0 && days <= 3650));
    }),
  );
});

test('a battery is called low below 4300 and critical below 4200, and better only 50 above', () => {
  const table = [
    [4300, 'ok', 'ok'],
    [4299, 'ok', 'low'],
    [4349, 'low', 'low'],
    [4350, 'low', 'ok'],
    [4199, 'ok', 'critical'],
    [4199, 'low', 'critical'],
    [4249, 'critical', 'critical'],
    [4250, 'critical', 'low'],
    [4349, 'critical', 'low'],
    [4350, 'critical', 'ok'],
  ] as const;
  const cells = cellsOf('epd7-b0c1d2e3f405');
  for (const [mv, before, level] of table) assert.is(batteryLevel(mv, before, cells), level, `${mv} after ${before}`);
});

test('a frame that polls has one lithium cell', () => {
  const serial = 'trmnl-aabbcc001122';
  assert.is(batteryLevel(3700, 'ok', cellsOf(serial)), 'ok');
  assert.is(batteryLevel(3450, 'ok', cellsOf(serial)), 'low');
  assert.equal([batteryPercent(serial, 4150), batteryPercent(serial, 3300)], [100, 0]);
});

test('a frame’s battery is said once when it becomes low and once when critical, with the days that are left', async () => {
  await withGateway(async (world) => {
    const credential = await world.provision(serial);
    const { hello } = await nativeLine(world, serial, credential);
    const batteries = [4390, 4360, 4330, 4295, 4305, 4290, 4190, 4195, 0];
    for (const [at, batteryMv] of batteries.entries()) {
      if (at > 0) world.clock.passes(day);
      await hello({ boot: at, batteryMv });
    }
    const said = (await world.events(serial, 'battery')).map(({ payload }) => payload);
    assert.equal(said, [
      { level: 'low', batteryMv: 4295, daysLeft: 3 },
      { level: 'critical', batteryMv: 4190, daysLeft: 0 },
    ]);
    assert.is((await world.gateway.facts(serial))?.batteryDaysLeft, 0);
    await hello({ boot: 99, batteryMv: 4900 });
    await hello({ boot: 100, batteryMv: 4299 });
    assert.is((await world.events(serial, 'battery')).length, 3, 'charged in between, low again');
  });
});

test('the days that are left count from today, and readings of one day are one sample', async () => {
  await withGateway(async (world) => {
    const credential = await world.provision(serial);
    const { hello } = await nativeLine(world, serial, credential);
    assert.is((await world.gateway.facts(serial))?.batteryDaysLeft, null);
    for (const [boot, batteryMv] of [4900, 4880, 4860].entries()) {
      for (const odd of [-5, 0, 5]) await hello({ boot, batteryMv: batteryMv + odd });
      const known = (await world.gateway.facts(serial))?.batteryDaysLeft;
      assert.is(known, boot < 2 ? null : 33);
      world.clock.passes(day);
    }
    world.clock.passes(2 * day);
    assert.is((await world.gateway.facts(serial))?.batteryDaysLeft, 30);
    assert.is(Number((await world.db('battery_days').count({ rows: '*' }))[0]?.rows), 3);
    assert.equal(
      (await world.db('battery_days').orderBy('day')).map(({ min_mv, samples }) => [min_mv, samples]),
      [
        [4895, 3],
        [4875, 3],
        [4855, 3],
      ],
    );
  });
});

test.run();
