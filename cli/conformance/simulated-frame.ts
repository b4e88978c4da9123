/** A simulated frame in place of the hardware that a trial waits for: with the trial's credentials, and what may be wrong with it. */
import { readFile } from 'node:fs/promises';
import { kindOfSerial } from '../../firmware-protocol/panels.ts';
import { systemClock } from '../../runtime/clock.ts';
import { behavioursFor } from '../../simulator/behaviours/behaviours.ts';
import { type Fleet, startFleet } from '../../simulator/fleet/fleet.ts';
import type { CheckDeps } from '../../testbed/conformance/check-frame.ts';
import { WrongUsage } from '../ground/usage.ts';

/** The serial of a simulated frame unless another one is given. */
export const simulatedSerial = 'epd7-000000000001';
/** It sleeps and draws so much faster than hardware: the minute of sleep between two stories takes 100 ms. */
const speed = 600;

/** A frame that is to be played. */
export interface SimulatedTrial {
  readonly serial: string;
  readonly dialect: CheckDeps['dialect'];
  readonly behaviours: readonly string[];
}

/**
 * Reads the value of `--simulated`: true for an honest frame, else names of behaviours with commas between them.
 * @throws WrongUsage for a name that is nothing for such a frame, and for a serial whose panel is not simulated
 */
export function simulatedTrial(
  value: string | true,
  { serial, dialect, kind }: Pick<SimulatedTrial, 'serial' | 'dialect'> & { readonly kind?: string },
): SimulatedTrial {
  if (kind !== undefined)
    throw new WrongUsage('--kind and --simulated', 'a simulated frame has the panel of its serial');
  if (kindOfSerial(serial) === undefined)
    throw new WrongUsage(
      `--serial ${serial} is not a simulated frame`,
      'begin it with epd7- or epd13-, or leave it out',
    );
  const behaviours = value === true ? [] : value.split(',').map((name) => name.trim());
  const known: readonly string[] = behavioursFor([dialect]);
  const wrong = behaviours.find((name) => !known.includes(name));
  if (wrong !== undefined)
    throw new WrongUsage(
      `--simulated ${wrong === '' ? '""' : wrong} is not a behaviour of such a frame`,
      known.join(', '),
    );
  return { serial, dialect, behaviours };
}

/** Switches it on alongside the trial. */
export async function startSimulated(
  { serial, dialect, behaviours }: SimulatedTrial,
  { mqtts, http, files }: Parameters<CheckDeps['ready']>[0],
): Promise<Fleet> {
  const [key = '', cert = '', ca = ''] = await Promise.all(files.slice(0, 3).map((file) => readFile(file, 'utf8')));
  return startFleet({
    frames: [{ serial, dialect, behaviours, credentials: { kind: 'certificate', key, cert, ca } }],
    mqttUrl: mqtts,
    picturePrefix: http,
    speed,
    seed: serial,
    clock: systemClock,
    trace: () => {},
  });
}
