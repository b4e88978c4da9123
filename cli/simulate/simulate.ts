/** `papergate simulate`: provisions a fleet in the data folder and plays it against the service that runs there. */
import { createHash } from 'node:crypto';
import { requireAdoptable } from '../../api/devices/adopt-frame.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { systemClock } from '../../runtime/clock.ts';
import { type Climate, climateNames, climateOf } from '../../simulator/air/climates.ts';
import { behaviourNames, behavioursFor } from '../../simulator/behaviours/behaviours.ts';
import type { FleetFrame } from '../../simulator/fleet/fleet.ts';
import { largeFleet, simulate } from '../../simulator/fleet/main.ts';
import { defaultSleepSeconds } from '../../simulator/frame/frame.ts';
import { type PlannedMember, provisionFleet } from '../../testbed/stage/provision-fleet.ts';
import { callApi, Unreachable } from '../ground/client.ts';
import { withContext } from '../ground/data-folder.ts';
import { type Endpoints, readEndpoints } from '../ground/hold-folder.ts';
import { outFolder } from '../ground/out-folder.ts';
import { printJsonLine, printLine, printProgress, printWarning, screenPrinter } from '../ground/print.ts';
import { WrongUsage, wholeNumberOption } from '../ground/usage.ts';
import { machineLimits, requireMachine } from './fleet-limits.ts';

/** The command's options, as commander gives them. */
export interface SimulateCommand {
  frames?: string;
  dialect?: string;
  organization?: string;
  scenario: string;
  climate: string;
  login: string;
  speed: string;
  spread?: string;
  seed: string;
  panels?: string;
  json?: boolean;
}

/**
 * Runs a fleet until SIGINT or SIGTERM. Everything is checked before a frame is provisioned.
 * @throws Unreachable when no service runs over the data folder
 */
export async function simulateFleet(options: SimulateCommand): Promise<void> {
  const count = wholeNumberOption('--frames', options.frames ?? '3', 1, 10_000);
  const speed = wholeNumberOption('--speed', options.speed, 1, 100_000);
  const dialects = dialectsOf(options);
  const behaviours = behavioursOf(options.scenario, dialects);
  const climate = climateOption(options);
  const login = loginOf(options);
  const switchOnWithinMs = spreadOf(options, count, speed);
  // Before the service is asked, which may be slow to answer on a machine that is busy.
  const warning = requireMachine(count, await machineLimits());
  if (warning !== undefined) printWarning(warning);
  const settings = readSettings(process.env);
  const endpoints = await reachService(settings.PAPERGATE_DATA);
  if (options.panels !== undefined) await outFolder('--panels', options.panels);
  const planned = Array.from({ length: count }, (_, at) => {
    const dialect = dialects[at % dialects.length] ?? 'native';
    return { serial: serialOf(options.seed, at, dialect), dialect, behaviours, at };
  });
  const { organization } = options;
  const frames = await prepareFleet(planned, login, organization);
  if (organization === undefined && dialects.includes('trmnl')) {
    printWarning(
      'Frames that poll wait until somebody adopts them: papergate frames waiting lists them, papergate frames adopt ADDRESS makes one yours.',
    );
  }
  const frameUrl = settings.PAPERGATE_FRAME_URL ?? endpoints.http;
  await simulate({
    frames,
    mqttUrl: endpoints,
    picturePrefix: frameUrl,
    manifestPrefix: frameUrl,
    polledUrl: `${endpoints.http}/trmnl`,
    speed,
    seed: options.seed,
    clock: systemClock,
    climate,
    json: options.json === true,
    print: options.json === true ? printJsonLine : printLine,
    warn: printWarning,
    screen: process.stdout.isTTY ? { draw: screenPrinter(), width: () => process.stdout.columns || 80 } : undefined,
    ...(switchOnWithinMs !== undefined && { switchOnWithinMs }),
    ...(options.panels !== undefined && { panelsDir: options.panels }),
  });
}

/** Returns the named dialect, else a mixture. */
function dialectsOf({ dialect }: SimulateCommand): readonly FleetFrame['dialect'][] {
  if (dialect === undefined) return ['native', 'classic'];
  const known = (['native', 'classic', 'trmnl', 'offline'] as const).find((one) => one === dialect);
  if (known !== undefined) return [known];
  throw new WrongUsage(`--dialect ${dialect} is not known`, 'native, classic, trmnl or offline');
}

/** Returns the faults of the frames: the names, separated by commas, without the one for no fault. */
function behavioursOf(scenario: string, dialects: readonly FleetFrame['dialect'][]): readonly string[] {
  const known: readonly string[] = ['well-behaved', ...behavioursFor(dialects)];
  const names = scenario.split(',').map((name) => name.trim());
  const wrong = names.find((name) => !known.includes(name));
  if (wrong === undefined) return [...new Set(names)].filter((name) => name !== 'well-behaved');
  const what = behaviourNames.some((name) => name === wrong) ? 'is not a behaviour of such frames' : 'is not known';
  throw new WrongUsage(`--scenario ${wrong === '' ? '""' : wrong} ${what}`, known.join(', '));
}

/** A frame that polls has an address that no maker was given, so that it can be nobody's real one. */
function serialOf(seed: string, at: number, dialect: FleetFrame['dialect']): string {
  const digits = createHash('sha256').update(`${seed}/${at}`).digest('hex').slice(0, 12);
  if (dialect === 'trmnl') return `trmnl-02${digits.slice(2)}`;
  if (dialect === 'offline') return `offline-${digits}`;
  return `${at % 3 === 2 ? 'epd13' : 'epd7'}-${digits}`;
}

/** By what the frames log in. */
function loginOf({ login }: SimulateCommand): 'certificate' | 'password' {
  if (login === 'certificate' || login === 'password') return login;
  throw new WrongUsage(`--login ${login} is not known`, 'certificate or password');
}

/** Reads the climate: one of the names, or a record as JSON. */
function climateOption({ climate }: SimulateCommand): Climate {
  try {
    return climateOf(climate);
  } catch (error) {
    const hint = `${climateNames.join(', ')}, or a record such as '{"latencyMs":200,"loss":0.05}'`;
    throw new WrongUsage(`--climate ${climate}: ${(error as Error).message}`, hint);
  }
}

/** Frames that sleep an hour wake evenly over it; the few of a small fleet begin at once. */
function spreadOf({ spread }: SimulateCommand, frames: number, speed: number): number | undefined {
  if (spread !== undefined) return wholeNumberOption('--spread', spread, 0, 86_400) * 1000;
  return frames > largeFleet ? (defaultSleepSeconds * 1000) / speed : undefined;
}

/** Provisions the fleet, and reports the progress where a person looks on. */
async function prepareFleet(
  planned: readonly PlannedMember[],
  login: 'certificate' | 'password',
  organization: string | undefined,
): Promise<FleetFrame[]> {
  return withContext(async (context) => {
    if (organization !== undefined) {
      for (const { serial } of planned) await requireAdoptable(context.db, serial, organization);
    }
    const all = planned.length;
    const done = (frames: number): void =>
      printProgress(`${frames} of ${all} frames have their credentials`, frames === all);
    return provisionFleet(context, planned, { organization, login, done });
  });
}

/** Finds the address of the service over this folder, which must answer. */
async function reachService(dataFolder: string): Promise<Endpoints> {
  const endpoints = await readEndpoints(dataFolder);
  if (endpoints === undefined) {
    const hint = 'papergate serve starts one there; for one that runs, set PAPERGATE_DATA to its data folder';
    throw new Unreachable(`No service runs over ${dataFolder}`, hint);
  }
  await callApi({ url: endpoints.http }, 'GET /iotdevice/status/{kind}', { path: { kind: 'api' } });
  return endpoints;
}
