/** `papergate simulate`: provisions a fleet in the data folder and plays it against the service that runs there. */
import { createHash } from 'node:crypto';
import { adoptFrame, requireAdoptable } from '../api/devices/adopt-frame.ts';
import type { ServiceContext } from '../api/service-context.ts';
import { readSettings } from '../api/settings.ts';
import { provisionFrame } from '../gateway/provisioning/provision-frame.ts';
import { systemClock } from '../runtime/clock.ts';
import { behaviourNames } from '../simulator/behaviours.ts';
import type { FleetFrame } from '../simulator/fleet.ts';
import { simulate } from '../simulator/main.ts';
import { callApi, Unreachable } from './client.ts';
import { withContext } from './data-folder.ts';
import { type Endpoints, readEndpoints } from './hold-folder.ts';
import { outFolder } from './out-folder.ts';
import { printJsonLine, printLine } from './print.ts';
import { WrongUsage, wholeNumberOption } from './usage.ts';

/** The command's options, as commander gives them. */
export interface SimulateCommand {
  frames?: string;
  dialect?: string;
  organization?: string;
  scenario: string;
  speed: string;
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
  const behaviours = behavioursOf(options);
  const settings = readSettings(process.env);
  const endpoints = await reachService(settings.PAPERGATE_DATA);
  if (options.panels !== undefined) await outFolder('--panels', options.panels);
  const planned = Array.from({ length: count }, (_, at) => ({
    serial: serialOf(options.seed, at),
    dialect: dialects[at % dialects.length] ?? 'native',
    behaviours,
  }));
  const frames = await withContext(async (context) => {
    const { organization } = options;
    if (organization !== undefined) {
      for (const { serial } of planned) await requireAdoptable(context.db, serial, organization);
    }
    return Promise.all(planned.map((frame) => provisionOne(context, frame, organization)));
  });
  const frameUrl = settings.PAPERGATE_FRAME_URL ?? endpoints.http;
  await simulate({
    frames,
    mqttUrl: endpoints,
    picturePrefix: frameUrl,
    manifestPrefix: frameUrl,
    speed,
    seed: options.seed,
    clock: systemClock,
    json: options.json === true,
    print: options.json === true ? printJsonLine : printLine,
    ...(options.panels !== undefined && { panelsDir: options.panels }),
  });
}

/** Returns the named dialect, else a mixture. */
function dialectsOf({ dialect }: SimulateCommand): readonly FleetFrame['dialect'][] {
  if (dialect === undefined) return ['native', 'classic'];
  if (dialect === 'native' || dialect === 'classic') return [dialect];
  throw new WrongUsage(`--dialect ${dialect} is not known`, 'native or classic');
}

function behavioursOf({ scenario }: SimulateCommand): readonly string[] {
  if (scenario === 'well-behaved') return [];
  if (behaviourNames.some((name) => name === scenario)) return [scenario];
  throw new WrongUsage(`--scenario ${scenario} is not known`, ['well-behaved', ...behaviourNames].join(', '));
}

function serialOf(seed: string, at: number): string {
  const digits = createHash('sha256').update(`${seed}/${at}`).digest('hex').slice(0, 12);
  return `${at % 3 === 2 ? 'epd13' : 'epd7'}-${digits}`;
}

async function provisionOne(
  context: ServiceContext,
  options: Omit<FleetFrame, 'credentials'>,
  organization: string | undefined,
): Promise<FleetFrame> {
  // The key of an earlier start was in the memory of that process alone.
  const provisioned = await provisionFrame(context, { serial: options.serial, replaces: true });
  const { key, certificate: cert, root: ca } = provisioned;
  if (organization !== undefined) await adoptFrame(context, options.serial, organization);
  return { ...options, credentials: { kind: 'certificate', key, cert, ca } };
}

/** Finds the address of the service over this folder, which must answer. */
async function reachService(dataFolder: string): Promise<Endpoints> {
  const endpoints = await readEndpoints(dataFolder);
  if (endpoints === undefined) {
    const hint = 'papergate serve starts one there; for one that runs, set PAPERGATE_DATA to its data folder';
    throw new Unreachable(`No service runs over ${dataFolder}`, hint);
  }
  await callApi({ url: endpoints.http }, 'GET', '/iotdevice/status/api');
  return endpoints;
}
