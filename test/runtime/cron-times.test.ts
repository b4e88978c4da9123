/** Cron lines over both changes of clocks: a time of day comes once, and a pace goes on. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { nextRun } from '../../api/papers/schedule.ts';
import { cronTimes } from '../../runtime/cron-times.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { type EachMinute, followPlan } from '../../runtime/wall-plan.ts';

const test = suite('cron lines over changes of clocks');

/** The times of a line from one moment to another, in UTC, as `29T01:00`. */
function times(line: string, zone: string, from: string, until: string): string {
  const next = cronTimes(line, zone);
  const found: string[] = [];
  for (let at = next(Date.parse(`${from}:00Z`)); at !== undefined && at < Date.parse(`${until}:00Z`); at = next(at)) {
    found.push(new Date(at).toISOString().slice(8, 16));
    assert.is(nextRun({ schedule: line, timezone: zone }, at - 1), at, 'a paper changes then');
  }
  return found.join(' ');
}

const berlin = 'Europe/Berlin';
/** Clocks move by half an hour: from 2:00 to 1:30 on 5 April, and from 2:00 to 2:30 on 4 October. */
const lordHowe = 'Australia/Lord_Howe';

test('times that clocks skip come as much later, each once', () => {
  const spring = ['2026-03-28T12:00', '2026-03-30T00:10'] as const;
  assert.is(times('30 2 * * *', berlin, ...spring), '29T01:30');
  assert.is(times('*/20 2 * * *', berlin, ...spring), '29T01:00 29T01:20 29T01:40 30T00:00');
  assert.is(times('10,50 2,3 * * *', berlin, ...spring), '29T01:10 29T01:50');
  assert.is(times('0 7 * * *', berlin, '2026-03-27T12:00', '2026-03-30T12:00'), '28T06:00 29T05:00 30T05:00');
  assert.is(times('15 2 * * *', lordHowe, '2026-10-02T20:00', '2026-10-04T20:00'), '03T15:45 04T15:15');
  assert.is(times('0 0 * * *', 'America/Santiago', '2026-09-05T12:00', '2026-09-07T12:00'), '06T04:00 07T03:00');
});

test('times that clocks show twice come the first time', () => {
  const autumn = ['2026-10-24T12:00', '2026-10-26T00:10'] as const;
  assert.is(times('30 2 * * *', berlin, ...autumn), '25T00:30');
  assert.is(times('*/20 2 * * *', berlin, ...autumn), '25T00:00 25T00:20 25T00:40');
  const halfHour = ['2026-04-04T12:00', '2026-04-05T20:00'] as const;
  assert.is(times('15,45 1 * * *', lordHowe, ...halfHour), '04T14:15 04T14:45 05T14:45 05T15:15');
  assert.is(times('0 2 * * *', lordHowe, ...halfHour), '04T15:30 05T15:30');
});

test('a pace goes on, whatever clocks show', () => {
  assert.is(
    times('*/30 * * * *', berlin, '2026-10-25T00:10', '2026-10-25T02:40'),
    '25T00:30 25T01:00 25T01:30 25T02:00 25T02:30',
  );
  assert.is(times('*/30 * * * *', berlin, '2026-03-29T00:10', '2026-03-29T01:40'), '29T00:30 29T01:00 29T01:30');
  assert.is(times('*/30 * * * *', lordHowe, '2026-04-04T14:40', '2026-04-04T16:10'), '04T15:00 04T15:30 04T16:00');
});

test('the work of a night is done once where clocks are moved by half an hour', async () => {
  for (const [from, count] of [
    ['2026-04-03T20:00:00Z', 3],
    ['2026-10-02T20:00:00Z', 3],
  ] as const) {
    let now = Date.parse(from);
    let ring: (() => void) | undefined;
    const eachMinute: EachMinute = (look) => {
      ring = look;
      return () => {};
    };
    let done = 0;
    const run = async (): Promise<void> => void done++;
    const plan = followPlan(
      { line: '45 1 * * *', task: 'test', lastAt: now, run, timeZone: lordHowe },
      { clock: { now: () => now }, logger: silentLogger, eachMinute },
    );
    for (const end = now + 3 * 86_400_000; now < end; now += 60_000) {
      ring?.();
      await new Promise(setImmediate);
    }
    plan.stop();
    assert.is(done, count, from);
  }
});

test('a line that never comes has no time, and a wrong one is refused', () => {
  assert.is(cronTimes('0 0 30 2 *', berlin)(0), undefined);
  assert.throws(() => cronTimes('every day', berlin));
});

test.run();
