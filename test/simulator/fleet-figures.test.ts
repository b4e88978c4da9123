import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { requireMachine } from '../../cli/simulate/fleet-limits.ts';
import type { TraceEvent } from '../../simulator/fleet/fleet.ts';
import { FleetWatch } from '../../simulator/fleet/fleet-figures.ts';
import { figuresLine, screenOf, summaryOf } from '../../simulator/fleet/fleet-screen.ts';

const test = suite('fleet figures');
const startedAt = 1_760_000_000_000;
const machine = { loopDelayMs: 3, memoryMb: 120 };

/** Feeds a story to a watch: each event is seconds after the start, the frame, its name, and further facts. */
function watched(story: readonly (readonly [number, string, string, Partial<TraceEvent>?])[]): FleetWatch {
  const watch = new FleetWatch(60, startedAt);
  for (const [seconds, serial, event, facts] of story) {
    watch.hear({ at: startedAt + seconds * 1000, serial, event, ...facts } as TraceEvent);
  }
  return watch;
}

const member = (asleep: boolean, isWaiting: boolean) => ({ state: { asleep }, isWaiting }) as never;
const shown = { sha256: 'ab' };
const version = { fileVersion: startedAt / 1000 - 20 };

test('time to glass runs from the wake, of a further picture from its announcement, and from the second of the version', () => {
  const watch = watched([
    [1, 'a', 'woke'],
    [2, 'a', 'fetching', version],
    [4, 'a', 'fetched', version],
    [6, 'a', 'glass', shown],
    [10, 'a', 'fetching', { fileVersion: startedAt / 1000 + 9 }],
    [11, 'a', 'fetched'],
    [12, 'a', 'glass', shown],
  ]);
  const { wakeToGlass, offerToGlass, downloads, expected, shown: right } = watch.figures([], startedAt + 12_000);
  const about = (ms: number, wanted: number): void => assert.ok(Math.abs(ms - wanted) <= wanted / 100, `${ms} ms`);
  assert.equal([wakeToGlass.count, offerToGlass.count, downloads, expected, right], [2, 2, 2, 1, 1]);
  about(wakeToGlass.max, 5000);
  about(wakeToGlass.p50, 2000);
  about(offerToGlass.max, 26_000);
  about(offerToGlass.p50, 3000);
});

test('a wake that is not begun a second after it was due is missed, and a late one is not', () => {
  const watch = watched([
    [0, 'a', 'woke'],
    [1, 'a', 'asleep', { seconds: 600 }],
    [0, 'b', 'woke'],
    [1, 'b', 'asleep', { seconds: 600 }],
    [0, 'c', 'woke'],
    [1, 'c', 'asleep', { seconds: 'for ever' }],
    [11.2, 'a', 'woke'],
  ]);
  const { wakes, lateness } = watch.figures([], startedAt + 12_001);
  assert.equal(wakes, { due: 1, begun: 4, missed: 1 });
  assert.ok(Math.abs(lateness.max - 200) <= 2);
  watch.hear({ at: startedAt + 13_000, serial: 'b', event: 'woke' });
  assert.is(watch.figures([], startedAt + 13_000).wakes.missed, 0);
});

test('a frame has failed until a wake ends well, and shows what it should until something else is announced', () => {
  const watch = watched([
    [0, 'a', 'woke'],
    [1, 'a', 'fetching', version],
    [2, 'a', 'failed', { why: 'reset' }],
    [3, 'a', 'asleep', { seconds: 60 }],
  ]);
  const first = watch.figures([member(true, false), member(false, true), member(false, false)], startedAt + 3000);
  assert.equal([first.failed, first.expected, first.shown, first.failures], [1, 1, 0, 1]);
  assert.equal([first.frames, first.asleep, first.waiting, first.awake], [3, 1, 1, 1]);
  assert.equal(
    first.incidents.map(({ event }) => event),
    ['failed'],
  );
  for (const [seconds, event] of [
    [4, 'woke'],
    [5, 'unchanged'],
    [6, 'asleep'],
  ] as const) {
    watch.hear({ at: startedAt + seconds * 1000, serial: 'a', event, seconds: 60 });
  }
  const second = watch.figures([], startedAt + 6000);
  assert.equal([second.failed, second.expected, second.shown], [0, 1, 1]);
});

test('rates are over the last ten seconds', () => {
  const watch = watched([]);
  for (let at = 0; at < 40; at++) {
    const event = { at: startedAt + at * 1000, serial: String(at), event: 'woke' };
    if (at < 20) watch.hear(event);
    watch.figures([], event.at);
    if (at === 19) assert.is(watch.figures([], event.at).perSecond.wakes, 1);
  }
  assert.is(watch.figures([], startedAt + 40_000).perSecond.wakes, 0);
});

test('the screen, the line and the summary say it in words, no wider than the terminal', () => {
  const watch = watched([
    [0, 'a', 'woke'],
    [1, 'a', 'fetching', version],
    [2, 'a', 'glass', shown],
    [3, 'a', 'link lost', { why: 'x'.repeat(200) }],
    [3, 'a', 'asleep', { seconds: 600 }],
  ]);
  const figures = watch.figures([member(true, false), member(false, true)], startedAt + 5000);
  const lines = screenOf(figures, machine, 70);
  assert.ok(lines.every((line) => line.length <= 70));
  assert.is(lines[0], '2 frames for 5 s');
  assert.is(lines[1], `[${'.'.repeat(30)}${'?'.repeat(30)}]`);
  assert.match(
    lines.join('\n'),
    /shown 1 of 1 that were sent a picture\nper second: 0\.2 wakes, 0\.2 downloads, 0\.0 failures/,
  );
  assert.match(lines.at(-1) ?? '', /^ {2}\d\d:\d\d:\d\d\.000 {2}a {2}link lost {2}why=x+$/);
  const line =
    '5 s  1 asleep, 0 awake, 1 waiting, 0 failed; shown 1 of 1; 0.2 wakes/s, 0.2 downloads/s, 0.0 failures/s; missed wakes 0';
  assert.is(figuresLine(figures), line);
  const summary = summaryOf(figures, machine);
  assert.match(summary, /^2 frames for 5 s: 1 wakes, 1 downloads, 0 failures$/m);
  assert.match(summary, /^wake to glass {4}p50 2 s, p90 2 s, p99 2 s, max 2 s \(1\)$/m);
  assert.match(summary, /^wakes due {8}0, missed 0, late none yet$/m);
});

test('a fleet larger than the machine is refused with the largest that fits; one that may become too large is warned of', () => {
  const roomy = { openFiles: 100_000, memory: 64e9 };
  assert.is(requireMachine(5000, roomy), undefined);
  const refused = (limits: typeof roomy): string => {
    try {
      requireMachine(5000, limits);
      return 'it is not refused';
    } catch (error) {
      const { message, hint } = error as { message: string; hint: string };
      return `${message}: ${hint}`;
    }
  };
  assert.match(
    refused({ ...roomy, openFiles: 1024 }),
    /need up to 10100 open files, and this process may have 1024: .*ulimit -n 10100, or take 462 frames$/,
  );
  assert.match(refused({ ...roomy, memory: 350e6 }), /need 500 MB of memory, and 350 MB are free: take 2500 frames/);
  assert.match(
    requireMachine(5000, { ...roomy, memory: 1e9 }) ?? '',
    /When each of 5000 frames shows another picture they take 2740 MB/,
  );
});

test.run();
