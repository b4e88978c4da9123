/** A live fleet for the command line: starts it, reports what it does, ends on SIGINT or SIGTERM with a summary. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type Clock, keepProcess } from '../../runtime/clock.ts';
import { writeContactPage, writeContactSheet } from './contact-sheet.ts';
import { type Fleet, type FleetOptions, startFleet, type TraceEvent } from './fleet.ts';
import { FleetWatch } from './fleet-figures.ts';
import { eventLine, figuresLine, type MachineFigures, screenOf, summaryOf } from './fleet-screen.ts';

/** A fleet, and how its events are reported. */
export type SimulateOptions = Omit<FleetOptions, 'trace'> & {
  /** Each event as a JSON object, and the summary as the last one. */
  readonly json: boolean;
  readonly print: (line: string) => void;
  /** Reports in a sentence something that needs attention. */
  readonly warn: (sentence: string) => void;
  /** The terminal, if there is one: a large fleet is drawn there. */
  readonly screen?: { draw(lines: readonly string[]): void; width(): number } | undefined;
};

/** A fleet of more frames is shown at a glance rather than event by event. */
export const largeFleet = 20;
const drawEveryMs = 1000;
const lineEveryMs = 10_000;
const sheetEveryMs = 10_000;
/** How often the delay of the event loop is sampled. */
const resolutionMs = 10;

/** Runs the fleet until the process is told to stop. */
export async function simulate(options: SimulateOptions): Promise<void> {
  const { clock, json, print, warn, frames, panelsDir } = options;
  const watch = new FleetWatch(options.speed, clock.now());
  const loop = monitorEventLoopDelay({ resolution: resolutionMs });
  loop.enable();
  const tellsEvents = json || frames.length <= largeFleet;
  let hasNewGlass = true;
  const asLine = json ? JSON.stringify : eventLine;
  const trace = (event: TraceEvent): void => {
    watch.hear(event);
    if (event.event === 'glass') hasNewGlass = true;
    if (event.event === 'glass not written')
      warn(
        `The glasses are not written to ${panelsDir}: ${event.why}. Make room there, or end this and name another folder.`,
      );
    else if (tellsEvents) print(asLine(event));
  };
  const fleet = await startFleet({ ...options, trace });
  const serials = [...fleet.frames.keys()];
  const figures = () => watch.figures(fleet.frames.values(), clock.now());
  const machine = (): MachineFigures => ({
    loopDelayMs: Math.max(0, loop.percentile(99) / 1e6 - resolutionMs),
    memoryMb: process.memoryUsage.rss() / 1e6,
  });
  const drawSheet = async (dir: string): Promise<void> => {
    if (!hasNewGlass) return;
    hasNewGlass = false;
    await writeContactSheet(dir, serials).catch((error: Error) => glassesMissed(fleet, error, trace, clock));
  };
  const stops = [
    tellsEvents ? undefined : tellAtAGlance(options, () => ({ figures: figures(), machine: machine() })),
    panelsDir === undefined ? undefined : repeat(clock, sheetEveryMs, () => drawSheet(panelsDir)),
  ];
  if (panelsDir !== undefined) {
    await writeContactPage(panelsDir, serials).catch((error: Error) => glassesMissed(fleet, error, trace, clock));
  }
  await untilToldToStop();
  for (const stop of stops) stop?.();
  const last = { figures: figures(), machine: machine() };
  await fleet.stop();
  loop.disable();
  if (panelsDir !== undefined) await drawSheet(panelsDir);
  if (json) print(JSON.stringify({ event: 'summary', ...last.figures, ...last.machine, incidents: undefined }));
  else for (const line of summaryOf(last.figures, last.machine).split('\n')) print(line);
}

/** Draws the fleet where there is a terminal, else prints a line now and then. */
function tellAtAGlance(
  { clock, print, screen }: SimulateOptions,
  present: () => { figures: ReturnType<FleetWatch['figures']>; machine: MachineFigures },
): () => void {
  if (screen === undefined) return repeat(clock, lineEveryMs, async () => print(figuresLine(present().figures)));
  return repeat(clock, drawEveryMs, async () => {
    const { figures, machine } = present();
    screen.draw(screenOf(figures, machine, screen.width()));
  });
}

/** Repeats something, never twice at once, until the returned function is called. */
function repeat(clock: Clock, everyMs: number, work: () => Promise<void>): () => void {
  const again = () =>
    clock.after(everyMs, async () => {
      await work();
      if (isOn) timer = again();
    });
  let isOn = true;
  let timer = again();
  return () => {
    isOn = false;
    timer.cancel();
  };
}

function glassesMissed(fleet: Fleet, { message }: Error, trace: (event: TraceEvent) => void, clock: Clock): void {
  const [serial = ''] = fleet.frames.keys();
  trace({ at: clock.now(), serial, event: 'glass not written', why: message });
}

function untilToldToStop(): Promise<void> {
  return new Promise<void>((resolve) => {
    const mayEnd = keepProcess();
    const end = (): void => {
      mayEnd();
      process.off('SIGINT', end).off('SIGTERM', end);
      resolve();
    };
    process.on('SIGINT', end).on('SIGTERM', end);
  });
}
