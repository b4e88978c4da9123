/**
 * The numbers of the last day, for people who have no Prometheus: sampled once a minute, in memory, bounded. A restart
 * begins again.
 */
import type { Clock } from '../../runtime/clock.ts';
import { inRounds } from '../../runtime/rounds.ts';
import { type Gauge, type GaugeDeps, gauges } from './read-gauges.ts';

/** The time between two samples. */
export const sampleEveryMs = 60_000;
/** The samples of a day. */
export const maxSamples = 1_440;

/** Values that are read as they are: the sum over a gauge's labels. */
const levels = {
  framesConnected: 'papergate_frames_connected',
  framesOverdue: 'papergate_frames_overdue',
  messagesWaiting: 'papergate_messages_waiting',
  deliveriesOpen: 'papergate_deliveries_open',
  rendersWaiting: 'papergate_renders_waiting',
  callbacksWaiting: 'papergate_callbacks_waiting',
} as const satisfies Record<string, keyof typeof gauges>;

/** Values that are counted, and reported by the minute. */
const rates = {
  messages: 'papergate_frame_messages_total',
  deliveries: 'papergate_deliveries_total',
  downloads: 'papergate_downloads_total',
  callbacks: 'papergate_callback_attempts_total',
  requests: 'papergate_http_request_seconds',
} as const;

export const levelNames = Object.keys(levels) as (keyof typeof levels)[];
export const rateNames = Object.keys(rates) as (keyof typeof rates)[];
export type SeriesName = keyof typeof levels | keyof typeof rates | 'memoryBytes';
export const seriesNames: readonly SeriesName[] = [...levelNames, ...rateNames, 'memoryBytes'];

/** The measurements of one moment. Null is a value that could not be read. */
export interface Sample {
  readonly at: number;
  readonly values: Readonly<Record<SeriesName, number | null>>;
}

export interface HistoryDeps {
  readonly clock: Clock;
  readonly read: GaugeDeps;
  /** The events that were counted since the start, by the measure's name. */
  readonly totals: () => Readonly<Record<string, number>>;
  readonly memoryBytes: () => number;
}

/** The history. Nothing is sampled before `start`. */
export interface History {
  start(): void;
  stop(): Promise<void>;
  /** The samples, oldest first, gathered into at most so many points: levels at their highest, rates on average. */
  points(most: number): Sample[];
}

/** Opens an empty history. */
export function openHistory(deps: HistoryDeps): History {
  const { clock, totals } = deps;
  const samples: Sample[] = [];
  let before: { readonly at: number; readonly totals: Readonly<Record<string, number>> } | undefined;

  async function sample(): Promise<void> {
    const values: Partial<Record<SeriesName, number | null>> = { memoryBytes: deps.memoryBytes() };
    for (const name of levelNames) values[name] = await levelOf(gauges[levels[name]], deps.read);
    const [at, now] = [clock.now(), totals()];
    const minutes = before === undefined ? 0 : (at - before.at) / 60_000;
    for (const name of rateNames) {
      const grown = (now[rates[name]] ?? 0) - (before?.totals[rates[name]] ?? 0);
      // A clock that was set back, and the first look, give no rate.
      values[name] = minutes > 0 ? Math.max(0, grown) / minutes : null;
    }
    before = { at, totals: now };
    samples.push({ at, values: values as Sample['values'] });
    if (samples.length > maxSamples) samples.shift();
  }

  const rounds = inRounds(clock, sampleEveryMs, () => sample().catch(() => undefined));
  return {
    start() {
      before = { at: clock.now(), totals: totals() };
      rounds.start();
    },
    stop: rounds.stop,
    points: (most) => gather(samples, most),
  };
}

async function levelOf(gauge: Gauge, deps: GaugeDeps): Promise<number | null> {
  const readings = await gauge.read(deps).catch(() => []);
  return readings.length === 0 ? null : readings.reduce((sum, { value }) => sum + value, 0);
}

/** Gathers neighbouring samples, so that at most `most` remain; each point has the time of its last sample. */
function gather(samples: readonly Sample[], most: number): Sample[] {
  const size = Math.max(1, Math.ceil(samples.length / most));
  const points: Sample[] = [];
  // Groups end with the newest sample, so that the last point is whole.
  for (let end = samples.length; end > 0; end -= size)
    points.unshift(onePoint(samples.slice(Math.max(0, end - size), end)));
  return points;
}

function onePoint(group: readonly Sample[]): Sample {
  const values = Object.fromEntries(
    seriesNames.map((name) => {
      const known = group.map((sample) => sample.values[name]).filter((value) => value !== null);
      if (known.length === 0) return [name, null];
      const isRate = rateNames.some((rate) => rate === name);
      return [name, isRate ? known.reduce((sum, value) => sum + value, 0) / known.length : Math.max(...known)];
    }),
  );
  return { at: group.at(-1)?.at ?? 0, values: values as Sample['values'] };
}
