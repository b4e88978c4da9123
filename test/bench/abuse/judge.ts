/** The cost that an abuse may have for others, and the one that it had. */
import type { MemorySample } from './memory.ts';
import type { Played } from './play.ts';
import type { Asked } from './victim.ts';

/** Limits for everybody but the abuser. */
const limits = { apiMs: 1_000, uploadMs: 10_000, wakeMs: 1_000, serviceMb: 700, browserMb: 1_536, keptMb: 60 };
/** How many of a hundred calls may be refused or fail. */
const refusedLimit = 0.01;
/** Idle is the median of the last seconds before an abuse; what is kept of it is the lowest of the last before the end. */
const settledMs = 10_000;

/** One abuse as a row: figures, and which limits it broke. */
export interface Row {
  readonly cells: readonly string[];
  readonly broken: readonly string[];
  /** The problems of others, and how often each occurred. */
  readonly problems: Readonly<Record<string, number>>;
}

/** Names of the figures. */
export const heads = [
  'abuse',
  'API p50',
  'p99',
  'calm p99',
  'failed',
  'health max',
  'upload p50',
  'max',
  'push max',
  'website max',
  'frame p99',
  'max',
  'failed',
  'service MB',
  'idle',
  'after',
  'browser MB',
  'idle',
  'after',
  'broken limits',
];

const sorted = (all: readonly Asked[]): number[] => all.map(({ ms }) => ms).sort((a, b) => a - b);
const quantile = (values: readonly number[], part: number): number =>
  values[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0;
/** Counts the problems. */
function problemsOf(all: readonly Asked[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { what, ok, problem } of all) {
    if (!ok) counts[`${what}: ${problem}`] = (counts[`${what}: ${problem}`] ?? 0) + 1;
  }
  return counts;
}
const failures = (all: readonly Asked[]): number => all.filter(({ ok }) => !ok).length;

/** Returns the calls under way at some moment of a span. */
function during(all: readonly Asked[], [from, to]: readonly [number, number]): Asked[] {
  return all.filter(({ at, ms }) => at < to && at + ms > from);
}

/** Memory sampled within the last seconds before a moment, rising. */
function lately(samples: readonly MemorySample[], at: number, part: 'service' | 'browser'): number[] {
  const last = samples.filter((sample) => sample.at > at - settledMs && sample.at <= at).map((sample) => sample[part]);
  return last.sort((a, b) => a - b);
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
const time = (ms: number): string => (ms < 10_000 ? `${ms.toFixed(0)} ms` : seconds(ms));

/** Judges a played abuse. */
export function judge(name: string, played: Played): Row {
  const { victim, memory, calm, abuse, endedAt, incidents } = played;
  const calls = during(victim.calls, abuse);
  const before = victim.calls.filter(({ at, ms }) => at >= calm[0] && at + ms <= calm[1]);
  const [api, quiet, health] = [calls, before, during(victim.health, abuse)].map(sorted) as [
    ...[number[], number[], number[]],
  ];
  const drawn = [victim.uploads, victim.pushes, victim.websites].map((all) => during(all, abuse));
  const [uploads, pushes, websites] = drawn.map(sorted) as [number[], number[], number[]];
  const woken = during(victim.wakes, abuse);
  const wakes = sorted(woken);
  const since = memory.filter(({ at }) => at >= abuse[0]);
  const most = (part: 'service' | 'browser') => Math.max(0, ...since.map((sample) => sample[part]));
  const at = (part: 'service' | 'browser') =>
    [quantile(lately(memory, abuse[0], part), 0.5), lately(memory, endedAt, part)[0] ?? 0] as const;
  const [[idle, after], [browserIdle, browserAfter]] = [at('service'), at('browser')];
  const broken = [
    ...(quantile(api, 0.99) > limits.apiMs ? ['API'] : []),
    ...(failures(calls) > calls.length * refusedLimit ? ['calls fail'] : []),
    ...([uploads, pushes, websites].some((times) => quantile(times, 1) > limits.uploadMs) ? ['prepared'] : []),
    ...(failures(drawn.flat().filter(({ done }) => done)) > 0 ? ['pictures fail'] : []),
    ...(quantile(wakes, 1) > limits.wakeMs || failures(woken) > 0 ? ['frames'] : []),
    ...(most('service') > limits.serviceMb ? ['service memory'] : []),
    ...(most('browser') > limits.browserMb ? ['browser memory'] : []),
    ...(after - idle > limits.keptMb ? ['memory kept'] : []),
    ...incidents,
  ];
  const mb = (value: number): string => value.toFixed(0);
  const cells = [
    name,
    time(quantile(api, 0.5)),
    time(quantile(api, 0.99)),
    time(quantile(quiet, 0.99)),
    `${failures(calls)}/${calls.length}`,
    time(quantile(health, 1)),
    seconds(quantile(uploads, 0.5)),
    seconds(quantile(uploads, 1)),
    seconds(quantile(pushes, 1)),
    seconds(quantile(websites, 1)),
    time(quantile(wakes, 0.99)),
    time(quantile(wakes, 1)),
    `${failures(woken)}/${woken.length}`,
    mb(most('service')),
    mb(idle),
    mb(after),
    mb(most('browser')),
    mb(browserIdle),
    mb(browserAfter),
    broken.length === 0 ? 'none' : broken.join(', '),
  ];
  const everything = [victim.calls, victim.uploads, victim.pushes, victim.websites, victim.wakes, victim.health];
  return { cells, broken, problems: problemsOf(everything.flatMap((all) => during(all, abuse))) };
}
