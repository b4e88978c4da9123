/** Work by the clock on the wall: over both clock changes, and over a machine that was off or asleep. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { silentLogger } from '../../runtime/logger.ts';
import { catchUpMs, type EachMinute, followPlan } from '../../runtime/wall-plan.ts';

const test = suite('plans by the clock on the wall');

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const at = (iso: string): number => Date.parse(iso);

/** Follows the plan of each night in Berlin from one time to another, and returns when it worked. */
async function worked(
  from: string,
  until: string,
  {
    line = '37 2 * * *',
    lastAt = at(from),
    asleep,
  }: { line?: string; lastAt?: number; asleep?: [string, string] } = {},
): Promise<string[]> {
  let now = at(from);
  let ring: (() => void) | undefined;
  const eachMinute: EachMinute = (look) => {
    ring = look;
    return () => {
      ring = undefined;
    };
  };
  const times: string[] = [];
  const run = async (): Promise<void> => void times.push(new Date(now).toISOString().slice(0, 16));
  const plan = followPlan(
    { line, task: 'test', lastAt, run, timeZone: 'Europe/Berlin' },
    { clock: { now: () => now }, logger: silentLogger, eachMinute },
  );
  while (now < at(until)) {
    now += minuteMs;
    // The timers of a machine that sleeps stand still.
    if (asleep !== undefined && now >= at(asleep[0]) && now < at(asleep[1])) now = at(asleep[1]) + minuteMs;
    ring?.();
    await new Promise(setImmediate);
  }
  await Promise.resolve();
  plan.stop();
  assert.is(ring, undefined, 'nothing waits after the stop');
  return times;
}

test('each night once: where clocks skip the time, and where they show it twice', async () => {
  const spring = await worked('2026-03-27T12:00:00Z', '2026-03-30T12:00:00Z');
  assert.is(spring.length, 3, spring.join());
  assert.equal([spring[0], spring[2]], ['2026-03-28T01:37', '2026-03-30T00:37']);
  // 2:37 is skipped on the 29th: it is done when clocks have moved.
  assert.ok(spring[1]?.startsWith('2026-03-29T01:'), spring[1]);
  const autumn = await worked('2026-10-23T12:00:00Z', '2026-10-26T12:00:00Z');
  assert.is(autumn.length, 3, autumn.join());
  assert.equal([autumn[0], autumn[2]], ['2026-10-24T00:37', '2026-10-26T01:37']);
});

test('a machine that sleeps at that time works when it is awake, once for all nights that it slept', async () => {
  const night = { asleep: ['2026-01-10T22:00:00Z', '2026-01-11T07:00:00Z'] as [string, string] };
  const [first, ...more] = await worked('2026-01-10T12:00:00Z', '2026-01-11T12:00:00Z', night);
  assert.ok(first !== undefined && at(`${first}:00Z`) - at('2026-01-11T07:00:00Z') <= 2 * minuteMs, first);
  assert.equal(more, []);
  const weeks = { asleep: ['2026-01-10T22:00:00Z', '2026-01-30T07:00:00Z'] as [string, string] };
  assert.is((await worked('2026-01-10T12:00:00Z', '2026-01-30T12:00:00Z', weeks)).length, 1);
});

test('a machine that was off at that time makes up for it a little after its start, and another one waits', async () => {
  const start = '2026-01-11T08:00:00Z';
  const missed = await worked(start, '2026-01-11T12:00:00Z', { lastAt: at('2026-01-10T01:37:00Z') });
  assert.equal(
    missed.map((time) => at(`${time}:00Z`)),
    [at(start) + catchUpMs],
  );
  assert.equal(await worked(start, '2026-01-11T12:00:00Z', { lastAt: at('2026-01-11T01:38:00Z') }), []);
  assert.equal(await worked(start, '2026-01-11T12:00:00Z', { lastAt: at(start) - hourMs }), []);
});

test.run();
