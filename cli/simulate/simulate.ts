/** `papergate simulate`: provisions a fleet in the data folder and plays it against the service that runs there. */
import { createHash } from 'node:crypto';
import { adoptAsking, adoptAtOnce } from '../../api/devices/adopt-asking.ts';
import { adoptFrame, requireAdoptable } from '../../api/devices/adopt-frame.ts';
import type { ServiceContext } from '../../api/service/open/service-context.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { provisionFrame } from '../../gateway/provisioning/provision-frame.ts';
import { systemClock } from '../../runtime/clock.ts';
import { behaviourNames, behavioursFor } from '../../simulator/behaviours.ts';
import type { FleetFrame } from '../../simulator/fleet.ts';
import { simulate } from '../../simulator/main.ts';
import { trmnlVersions } from '../../simulator/trmnl-firmware.ts';
import { callApi, Unreachable } from '../ground/client.ts';
import { withContext } from '../ground/data-folder.ts';
import { type Endpoints, readEndpoints } from '../ground/hold-folder.ts';
import { outFolder } from '../ground/out-folder.ts';
import { printJsonLine, printLine, printWarning } from '../ground/print.ts';
import { WrongUsage, wholeNumberOption } from '../ground/usage.ts';

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
  const behaviours = behavioursOf(options.scenario, dialects);
  const settings = readSettings(process.env);
  const endpoints = await reachService(settings.PAPERGATE_DATA);
  if (options.panels !== undefined) await outFolder('--panels', options.panels);
  const planned = Array.from({ length: count }, (_, at) => {
    const dialect = dialects[at % dialects.length] ?? 'native';
    return { serial: serialOf(options.seed, at, dialect), dialect, behaviours, at };
  });
  const { organization } = options;
  const frames = await withContext(async (context) => {
    if (organization !== undefined) {
      for (const { serial } of planned) await requireAdoptable(context.db, serial, organization);
    }
    return Promise.all(planned.map((frame) => prepareOne(context, frame, organization)));
  });
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
    json: options.json === true,
    print: options.json === true ? printJsonLine : printLine,
    ...(options.panels !== undefined && { panelsDir: options.panels }),
  });
}

/** Returns the named dialect, else a mixture. */
function dialectsOf({ dialect }: SimulateCommand): readonly FleetFrame['dialect'][] {
  if (dialect === undefined) return ['native', 'classic'];
  if (dialect === 'native' || dialect === 'classic' || dialect === 'trmnl') return [dialect];
  throw new WrongUsage(`--dialect ${dialect} is not known`, 'native, classic or trmnl');
}

/** Returns what is wrong with the frames: the names, which commas separate, without the one that says nothing is. */
function behavioursOf(scenario: string, dialects: readonly FleetFrame['dialect'][]): readonly string[] {
  const known: readonly string[] = ['well-behaved', ...behavioursFor(dialects)];
  const names = scenario.split(',').map((name) => name.trim());
  const wrong = names.find((name) => !known.includes(name));
  if (wrong === undefined) return [...new Set(names)].filter((name) => name !== 'well-behaved');
  const what = behaviourNames.some((name) => name === wrong) ? 'is nothing that such frames do' : 'is not known';
  throw new WrongUsage(`--scenario ${wrong === '' ? '""' : wrong} ${what}`, known.join(', '));
}

/** A frame that polls has an address that no maker was given, so that it can be nobody's real one. */
function serialOf(seed: string, at: number, dialect: FleetFrame['dialect']): string {
  const digits = createHash('sha256').update(`${seed}/${at}`).digest('hex').slice(0, 12);
  if (dialect === 'trmnl') return `trmnl-02${digits.slice(2)}`;
  return `${at % 3 === 2 ? 'epd13' : 'epd7'}-${digits}`;
}

/** A frame of the plan; `at` is its place in the fleet. */
interface PlannedFrame {
  readonly serial: string;
  readonly dialect: FleetFrame['dialect'];
  readonly behaviours: readonly string[];
  readonly at: number;
}

/** Makes a frame known to the service, or has one that polls adopted: it comes for its key by itself. */
async function prepareOne(
  context: ServiceContext,
  { dialect, at, ...options }: PlannedFrame,
  organization: string | undefined,
): Promise<FleetFrame> {
  const { serial } = options;
  if (dialect === 'trmnl') {
    const version = trmnlVersions.at(-1 - (at % trmnlVersions.length)) ?? '1.8.15';
    const kind = version === '1.5.2' ? 'trmnl2' : 'trmnl4';
    if (organization !== undefined) {
      await adoptAtOnce(context.db, (trx) => adoptAsking(trx, context, { serial, kind, organization }));
    }
    return { ...options, dialect, version, kind };
  }
  // The key of an earlier start was in the memory of that process alone.
  const provisioned = await provisionFrame(context, { serial, replaces: true });
  const { key, certificate: cert, root: ca } = provisioned;
  if (organization !== undefined) await adoptFrame(context, serial, organization);
  return { ...options, dialect, credentials: { kind: 'certificate', key, cert, ca } };
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
