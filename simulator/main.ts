/** A live fleet for the command line: starts it, prints what it does, ends on SIGINT or SIGTERM. */
import { keepProcess } from '../runtime/clock.ts';
import { type FleetOptions, startFleet, type TraceEvent } from './fleet.ts';

/** A fleet, and how its events are printed: one JSON object or one short line each. */
export type SimulateOptions = Omit<FleetOptions, 'trace'> & {
  readonly json: boolean;
  readonly print: (line: string) => void;
};

/** Runs the fleet until the process is told to stop. */
export async function simulate(options: SimulateOptions): Promise<void> {
  const asLine = options.json ? JSON.stringify : humanLine;
  const fleet = await startFleet({ ...options, trace: (event) => options.print(asLine(event)) });
  await new Promise<void>((resolve) => {
    const mayEnd = keepProcess();
    const end = (): void => {
      mayEnd();
      process.off('SIGINT', end).off('SIGTERM', end);
      resolve();
    };
    process.on('SIGINT', end).on('SIGTERM', end);
  });
  await fleet.stop();
}

function humanLine({ at, serial, event, ...facts }: TraceEvent): string {
  const told = Object.entries(facts).map(([name, value]) => `${name}=${value}`);
  return [new Date(at).toISOString().slice(11, 23), serial, event, ...told].join('  ');
}
