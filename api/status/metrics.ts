/** The meter that Prometheus reads: values that were counted, and values that are read on demand. */
import { Counter, collectDefaultMetrics, Histogram, Gauge as PromGauge, Registry } from 'prom-client';
import type { Clock } from '../../runtime/clock.ts';
import type { Measure } from '../../runtime/meter.ts';
import { measures, type ServiceMeter } from './measures.ts';
import { type Gauge, type GaugeDeps, gauges, type Reading } from './read-gauges.ts';

/** The metrics of one service. */
export interface Metrics extends ServiceMeter {
  /** Returns the exposition text. A value that cannot be read in time is left out of it. */
  text(deps: GaugeDeps): Promise<string>;
  readonly contentType: string;
  /** The events that each counter and histogram has seen. */
  totals(): Readonly<Record<string, number>>;
}

type Labels = Readonly<Record<string, string>>;

/** The time for which read values are repeated, so that several readers cost no more than one. */
const freshMs = 2_000;
const readTimeoutMs = 3_000;

function keyOf(labels: Labels): string {
  const values = Object.values(labels);
  return values.length === 1 ? (values[0] ?? '') : values.join(' ');
}

/**
 * Returns every set of labels that is known beforehand. Each begins at 0: Prometheus sees no increase in a series whose
 * first sample is its first event, so that an alarm would miss the first failure.
 */
function knownLabels(labels: Measure['labels']): Labels[] {
  let sets: Labels[] = [{}];
  for (const [label, values] of Object.entries(labels)) {
    const known = values === 'bounded' ? [] : values;
    sets = sets.flatMap((set) => known.map((value) => ({ ...set, [label]: value })));
  }
  return sets;
}

/** Opens every counter and histogram, with what they have counted. */
function openMeasures(registry: Registry) {
  const counters = new Map<string, Counter>();
  const histograms = new Map<string, Histogram>();
  const tallies = new Map<string, Map<string, { readonly labels: Labels; count: number }>>();
  for (const [name, { kind, help, labels, ...more }] of Object.entries(measures)) {
    const shape = { name, help, labelNames: Object.keys(labels), registers: [registry] };
    const begun = knownLabels(labels);
    if (kind === 'counter') {
      counters.set(name, new Counter(shape));
      tallies.set(name, new Map(begun.map((values) => [keyOf(values), { labels: values, count: 0 }])));
    } else {
      const histogram = new Histogram({ ...shape, buckets: 'buckets' in more ? [...more.buckets] : [] });
      for (const values of begun) histogram.zero(values);
      histograms.set(name, histogram);
    }
  }
  return { counters, histograms, tallies };
}

/** Opens the meter, with the process's own measures: memory, processor, event loop lag, garbage collection. */
export function openMetrics(clock: Clock): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const { counters, histograms, tallies } = openMeasures(registry);
  const shown = new Map<string, PromGauge | Counter>(
    Object.entries<Gauge>(gauges).map(([name, { kind, help, label }]) => {
      const shape = { name, help, labelNames: label === undefined ? [] : [label], registers: [registry] };
      return [name, kind === 'gauge' ? new PromGauge(shape) : new Counter(shape)];
    }),
  );
  const timed = new Map<string, number>();
  let reading: { readonly at: number; readonly done: Promise<string> } | undefined;

  async function readAll(deps: GaugeDeps): Promise<string> {
    const all = Object.entries<Gauge>(gauges).map(async ([name, gauge]) => {
      const readings = await inTime(gauge.read(deps), clock);
      const metric = shown.get(name);
      metric?.reset();
      for (const { value, label } of readings) {
        const labels = gauge.label === undefined || label === undefined ? {} : { [gauge.label]: label };
        if (metric instanceof PromGauge) metric.set(labels, value);
        else metric?.inc(labels, value);
      }
      // Without a label prom-client shows 0 for a missing value, but unknown is not 0.
      if (readings.length === 0) metric?.remove({});
    });
    await Promise.all(all);
    for (const [name, counter] of counters) {
      counter.reset();
      for (const { labels, count } of tallies.get(name)?.values() ?? []) counter.inc(labels, count);
    }
    return registry.metrics();
  }

  return {
    count(name, given, times = 1) {
      // Every message of every frame is counted here: the library's own counting takes ten times as long.
      const labels = given as object as Labels;
      const key = keyOf(labels);
      const tally = tallies.get(name)?.get(key);
      if (tally === undefined) tallies.get(name)?.set(key, { labels, count: times });
      else tally.count += times;
    },
    // A value that is not a number would throw, and nothing may fail because it is measured.
    time(name, seconds, labels) {
      timed.set(name, (timed.get(name) ?? 0) + 1);
      histograms.get(name)?.observe(labels as object as Labels, seconds > 0 ? seconds : 0);
    },
    totals: () => totalsOf(timed, tallies),
    contentType: registry.contentType,
    text(deps) {
      const age = reading === undefined ? -1 : clock.now() - reading.at;
      if (reading === undefined || age < 0 || age >= freshMs) reading = { at: clock.now(), done: readAll(deps) };
      return reading.done;
    },
  };
}

/** Sums up what was timed and counted, whatever its labels. */
function totalsOf(
  timed: ReadonlyMap<string, number>,
  tallies: ReadonlyMap<string, ReadonlyMap<string, { readonly count: number }>>,
): Record<string, number> {
  const sumOf = (byLabel: ReadonlyMap<string, { readonly count: number }>): number =>
    [...byLabel.values()].reduce((sum, { count }) => sum + count, 0);
  const counted = [...tallies].map(([name, byLabel]) => [name, sumOf(byLabel)] as const);
  return Object.fromEntries([...timed, ...counted]);
}

/** Returns the readings, or none when reading failed or took too long. */
function inTime(read: Promise<readonly Reading[]>, clock: Clock): Promise<readonly Reading[]> {
  return new Promise((resolve) => {
    const timeout = clock.after(readTimeoutMs, () => resolve([]));
    const answered = (readings: readonly Reading[]): void => {
      timeout.cancel();
      resolve(readings);
    };
    read.then(answered, () => answered([]));
  });
}
