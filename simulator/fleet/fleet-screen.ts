/** A fleet at a glance, in words: the screen of a terminal, a line where there is none, and the summary at the end. */
import { duration } from '../../runtime/spans.ts';
import type { TraceEvent } from './fleet.ts';
import type { FleetFigures, Spread } from './fleet-figures.ts';

/** The machine's own figures next to those of a fleet. */
export interface MachineFigures {
  /** The delay of the event loop in the slowest of a hundred iterations, in milliseconds. */
  readonly loopDelayMs: number;
  readonly memoryMb: number;
}

/** Writes an event in one line. */
export function eventLine({ at, serial, event, ...facts }: TraceEvent): string {
  const words = Object.entries(facts).map(([name, value]) => `${name}=${value}`);
  return [new Date(at).toISOString().slice(11, 23), serial, event, ...words].join('  ');
}

/** Draws the screen as lines of at most this width. */
export function screenOf(figures: FleetFigures, machine: MachineFigures, width: number): string[] {
  const { frames, asleep, awake, waiting, failed, shown, expected, perSecond, wakes, incidents } = figures;
  const rate = (value: number): string => value.toFixed(1);
  return [
    `${frames} frames for ${duration(figures.sinceMs)}`,
    `${bar([asleep, awake, waiting], frames, Math.min(60, width - 2))}`,
    `. asleep ${asleep}   # awake ${awake}   ? waiting for the service ${waiting}   failed at their last wake ${failed}`,
    `shown ${shown} of ${expected} that were sent a picture`,
    `per second: ${rate(perSecond.wakes)} wakes, ${rate(perSecond.downloads)} downloads, ${rate(perSecond.failures)} failures`,
    `wakes ${wakes.begun}, missed ${wakes.missed}, late ${spreadLine(figures.lateness)}`,
    `wake to glass ${spreadLine(figures.wakeToGlass)}`,
    `offer to glass ${spreadLine(figures.offerToGlass)}`,
    machineLine(machine),
    '',
    incidents.length === 0 ? 'no incidents' : 'last incidents',
    ...incidents.map((event) => `  ${eventLine(event)}`),
  ].map((line) => line.slice(0, width));
}

/** Describes the state of a fleet in one line. */
export function figuresLine(figures: FleetFigures): string {
  const { asleep, awake, waiting, failed, shown, expected, perSecond, wakes } = figures;
  const states = `${asleep} asleep, ${awake} awake, ${waiting} waiting, ${failed} failed`;
  const rates = `${perSecond.wakes.toFixed(1)} wakes/s, ${perSecond.downloads.toFixed(1)} downloads/s, ${perSecond.failures.toFixed(1)} failures/s`;
  return `${duration(figures.sinceMs)}  ${states}; shown ${shown} of ${expected}; ${rates}; missed wakes ${wakes.missed}`;
}

/** Summarizes a fleet at its end. */
export function summaryOf(figures: FleetFigures, machine: MachineFigures): string {
  const { frames, wakes, downloads, failures, shown, expected, failed } = figures;
  return [
    `${frames} frames for ${duration(figures.sinceMs)}: ${wakes.begun} wakes, ${downloads} downloads, ${failures} failures`,
    `shown ${shown} of ${expected} that were sent a picture; ${failed} failed at their last wake`,
    `wake to glass    ${spreadLine(figures.wakeToGlass)}`,
    `offer to glass   ${spreadLine(figures.offerToGlass)}`,
    `wakes due        ${wakes.due + wakes.missed}, missed ${wakes.missed}, late ${spreadLine(figures.lateness)}`,
    machineLine(machine),
  ].join('\n');
}

const machineLine = ({ loopDelayMs, memoryMb }: MachineFigures): string =>
  `this process: event loop late ${duration(loopDelayMs)} (p99), ${Math.round(memoryMb)} MB`;

function spreadLine({ count, p50, p90, p99, max }: Spread): string {
  if (count === 0) return 'none yet';
  const [half, most, nearly, last] = [p50, p90, p99, max].map(duration);
  return `p50 ${half}, p90 ${most}, p99 ${nearly}, max ${last} (${count})`;
}

/** Draws the parts of a whole side by side; a part above zero has at least one character. */
function bar(parts: readonly number[], whole: number, width: number): string {
  const signs = ['.', '#', '?'];
  const drawn = parts.map((part, at) => {
    const length = part === 0 ? 0 : Math.max(1, Math.round((part / Math.max(1, whole)) * width));
    return (signs[at] ?? ' ').repeat(length);
  });
  return `[${drawn.join('').slice(0, width).padEnd(width)}]`;
}
