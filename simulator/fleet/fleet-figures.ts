/** The figures of a live fleet: the state of its frames, how fast things happen, and how long they take. */
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import type { FleetMember, TraceEvent } from './fleet.ts';

/** A distribution of durations, in milliseconds. */
export interface Spread {
  readonly count: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

/** A fleet at a moment. */
export interface FleetFigures {
  /** Milliseconds since it was switched on. */
  readonly sinceMs: number;
  readonly frames: number;
  readonly asleep: number;
  /** Awake, and busy with itself: it draws, or is about to sleep. */
  readonly awake: number;
  /** Awake, and waits for the service. */
  readonly waiting: number;
  /** Frames whose last wake failed. */
  readonly failed: number;
  /** Frames to which a picture was announced, and those of them whose glass shows the one that was announced last. */
  readonly expected: number;
  readonly shown: number;
  readonly wakes: { readonly due: number; readonly begun: number; readonly missed: number };
  readonly downloads: number;
  readonly failures: number;
  readonly perSecond: { readonly wakes: number; readonly downloads: number; readonly failures: number };
  /** From the beginning of a wake to its first new picture on the glass; for any further one, from its announcement. */
  readonly wakeToGlass: Spread;
  /** From the second in which a picture got its version to the glass, where the version is a time. */
  readonly offerToGlass: Spread;
  /** How late a wake began. */
  readonly lateness: Spread;
  readonly incidents: readonly TraceEvent[];
}

const failing: readonly string[] = [
  'gave up',
  'failed',
  'crashed',
  'failsafe',
  'stuck',
  'refused',
  'truncated',
  'garbled',
  'firmware failed',
  'battery empty',
  'battery gives in',
  'power lost',
  'hangs in a refresh',
  'glass not written',
];
/** The events that announce a picture to a frame, and those for a picture that it shows already. */
const told: readonly string[] = ['fetching', 'resuming'];
const already: readonly string[] = ['unchanged', 'kept'];
const maxIncidents = 6;
/** The time over which rates are measured, in milliseconds. */
const rateMs = 10_000;
/** A wake that has not begun this long after it was due counts as missed. */
const missedMs = 1000;
const maxMs = 30 * 86_400_000;

/** The facts about one frame besides its state. */
interface Known {
  wokeAt: number;
  dueAt: number | undefined;
  toldAt: number | undefined;
  version: number;
  pictures: number;
  isTaken: boolean;
  isExpected: boolean;
  isShown: boolean;
  failsNow: boolean;
  hasFailed: boolean;
}

/** Counts the events of a fleet from its trace. */
export class FleetWatch {
  readonly #speed: number;
  readonly #startedAt: number;
  readonly #known = new Map<string, Known>();
  readonly #wakeToGlass = newHistogram();
  readonly #offerToGlass = newHistogram();
  readonly #lateness = newHistogram();
  #incidents: TraceEvent[] = [];
  #counts = { due: 0, begun: 0, downloads: 0, failures: 0 };
  #marks: { readonly at: number; readonly begun: number; readonly downloads: number; readonly failures: number }[];

  constructor(speed: number, startedAt: number) {
    this.#speed = speed;
    this.#startedAt = startedAt;
    this.#marks = [{ at: startedAt, begun: 0, downloads: 0, failures: 0 }];
  }

  /** Counts an event. */
  hear(event: TraceEvent): void {
    const known = this.#knownOf(event.serial);
    const { at, event: name } = event;
    if (name === 'woke') this.#begin(known, event);
    else if (name === 'asleep') this.#end(known, event);
    else if (told.includes(name)) this.#tell(known, event);
    else if (already.includes(name)) Object.assign(known, { isExpected: true, isShown: true });
    else if (name === 'glass' && event.sha256 !== undefined) this.#show(known, at);
    else if (name === 'fetched' || name === 'truncated') this.#take(known);
    if (failing.includes(name)) {
      known.failsNow = true;
      this.#counts.failures++;
    }
    if (failing.includes(name) || name === 'link lost')
      this.#incidents = [...this.#incidents, event].slice(-maxIncidents);
  }

  /** Returns the current figures. */
  figures(members: Iterable<Pick<FleetMember, 'state' | 'isWaiting'>>, now: number): FleetFigures {
    const states = { frames: 0, asleep: 0, awake: 0, waiting: 0 };
    for (const { state, isWaiting } of members) {
      states.frames++;
      states[state.asleep ? 'asleep' : isWaiting ? 'waiting' : 'awake']++;
    }
    const all = [...this.#known.values()];
    const { due, begun, downloads, failures } = this.#counts;
    return {
      sinceMs: now - this.#startedAt,
      ...states,
      failed: all.filter(({ hasFailed }) => hasFailed).length,
      expected: all.filter(({ isExpected }) => isExpected).length,
      shown: all.filter(({ isExpected, isShown }) => isExpected && isShown).length,
      wakes: { due, begun, missed: all.filter(({ dueAt }) => dueAt !== undefined && dueAt + missedMs < now).length },
      downloads,
      failures,
      perSecond: this.#rates(now),
      wakeToGlass: spreadOf(this.#wakeToGlass),
      offerToGlass: spreadOf(this.#offerToGlass),
      lateness: spreadOf(this.#lateness),
      incidents: this.#incidents,
    };
  }

  #knownOf(serial: string): Known {
    const known = this.#known.get(serial);
    if (known !== undefined) return known;
    const fresh = {
      wokeAt: 0,
      dueAt: undefined,
      toldAt: undefined,
      version: 0,
      pictures: 0,
      isTaken: false,
      isExpected: false,
      isShown: false,
      failsNow: false,
      hasFailed: false,
    };
    this.#known.set(serial, fresh);
    return fresh;
  }

  #begin(known: Known, { at }: TraceEvent): void {
    this.#counts.begun++;
    // A button may wake it before its time.
    if (known.dueAt !== undefined) {
      this.#counts.due++;
      record(this.#lateness, at - known.dueAt);
    }
    // A frame that lost its power did not fall asleep.
    if (known.failsNow) known.hasFailed = true;
    Object.assign(known, { wokeAt: at, dueAt: undefined, toldAt: undefined, pictures: 0, failsNow: false });
  }

  #end(known: Known, { at, seconds }: TraceEvent): void {
    known.hasFailed = known.failsNow;
    known.dueAt = typeof seconds === 'number' ? at + (seconds * 1000) / this.#speed : undefined;
  }

  #tell(known: Known, { at, fileVersion, t }: TraceEvent): void {
    const version = Number(fileVersion ?? t ?? 0);
    if (known.toldAt !== undefined && version === known.version) return;
    Object.assign(known, { toldAt: at, version, isExpected: true, isShown: false, isTaken: false });
  }

  #take(known: Known): void {
    known.isTaken = true;
    this.#counts.downloads++;
  }

  #show(known: Known, at: number): void {
    // A frame that polls does not report that it took a picture before it shows it.
    if (!known.isTaken) this.#take(known);
    known.isShown = true;
    const { wokeAt, toldAt, version } = known;
    record(this.#wakeToGlass, at - (known.pictures === 0 ? wokeAt : (toldAt ?? wokeAt)));
    const offeredMs = version * 1000;
    if (at >= offeredMs && at - offeredMs < maxMs) record(this.#offerToGlass, at - offeredMs);
    known.pictures++;
  }

  #rates(now: number): FleetFigures['perSecond'] {
    const { begun, downloads, failures } = this.#counts;
    const mark = { at: now, begun, downloads, failures };
    // The last mark before the measured time is the one to count from.
    const from = this.#marks.findLastIndex(({ at }) => at <= now - rateMs);
    this.#marks = [...this.#marks.slice(Math.max(0, from)), mark];
    const first = this.#marks[0] ?? mark;
    const seconds = Math.max(1, (now - first.at) / 1000);
    const rate = (count: number, before: number): number => (count - before) / seconds;
    return {
      wakes: rate(begun, first.begun),
      downloads: rate(downloads, first.downloads),
      failures: rate(failures, first.failures),
    };
  }
}

const newHistogram = (): RecordableHistogram => createHistogram({ lowest: 1, highest: maxMs, figures: 3 });

/** Records a duration in a histogram, whose least value is 1. */
const record = (histogram: RecordableHistogram, ms: number): void =>
  histogram.record(Math.min(maxMs, Math.max(1, Math.round(ms))));

function spreadOf(histogram: RecordableHistogram): Spread {
  const { count } = histogram;
  if (count === 0) return { count, p50: 0, p90: 0, p99: 0, max: 0 };
  const at = (percentile: number): number => histogram.percentile(percentile);
  return { count, p50: at(50), p90: at(90), p99: at(99), max: histogram.max };
}
