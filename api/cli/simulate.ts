/** `papergate simulate`: provisions a fleet in the data folder and plays it against the service that runs there. */
import { createHash } from 'node:crypto';
import { provisionFrame } from '../../gateway/frames/provision-frame.ts';
import { systemClock } from '../../gateway/runtime/clock.ts';
import { behaviourNames } from '../../simulator/behaviours.ts';
import type { FleetFrame } from '../../simulator/fleet.ts';
import { simulate } from '../../simulator/main.ts';
import { adoptFrame, requireAdoptable } from '../devices/adopt-frame.ts';
import type { House } from '../house.ts';
import { readSettings } from '../settings.ts';
import { callApi, Unreachable } from './client.ts';
import { type Endpoints, readEndpoints } from './hold-folder.ts';
import { outFolder } from './out-folder.ts';
import { withHouse } from './setup.ts';
import { WrongUsage, wholeNumber } from './usage.ts';

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
  const count = wholeNumber('--frames', options.frames ?? '3', 1, 10_000);
  const speed = wholeNumber('--speed', options.speed, 1, 100_000);
  const dialects = dialectsOf(options);
  const behaviours = behavioursOf(options);
  const settings = readSettings(process.env);
  const endpoints = await reachService(settings.PAPERGATE_DATA);
  if (options.panels !== undefined) await outFolder('--panels', options.panels);
  const wishes = Array.from({ length: count }, (_, at) => ({
    serial: serialOf(options.seed, at),
    dialect: dialects[at % dialects.length] ?? 'native',
    behaviours,
  }));
  const frames = await withHouse(async (house) => {
    const { organization } = options;
    if (organization !== undefined) {
      for (const { serial } of wishes) await requireAdoptable(house.db, serial, organization);
    }
    return Promise.all(wishes.map((wish) => provisionOne(house, wish, organization)));
  });
  const frameUrl = settings.PAPERGATE_FRAME_URL ?? endpoints.http;
  await simulate({
    frames,
    mqttUrl: endpoints,
    ...{ picturePrefix: frameUrl, manifestPrefix: frameUrl },
    speed,
    seed: options.seed,
    clock: systemClock,
    json: options.json === true,
    print: (line) => process.stdout.write(`${line}\n`),
    ...(options.panels !== undefined && { panelsDir: options.panels }),
  });
}

/** A mixture unless one was named. */
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
  house: House,
  wish: Omit<FleetFrame, 'credentials'>,
  organization: string | undefined,
): Promise<FleetFrame> {
  const { key, certificate: cert, root: ca } = await provisionFrame(house, { serial: wish.serial });
  if (organization !== undefined) await adoptFrame(house, wish.serial, organization);
  return { ...wish, credentials: { kind: 'certificate', key, cert, ca } };
}

/** Where the service over this folder is reached; it answers. */
async function reachService(dataFolder: string): Promise<Endpoints> {
  const endpoints = await readEndpoints(dataFolder);
  if (endpoints === undefined) throw new Unreachable(`No service runs over ${dataFolder}`, 'papergate serve');
  await callApi({ url: endpoints.http }, 'GET', '/iotdevice/status/api');
  return endpoints;
}
