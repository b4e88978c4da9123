/** `papergate simulate`: provisions a fleet in the data folder and plays it against the service that runs there. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { provisionFrame } from '../../gateway/frames/provision-frame.ts';
import { systemClock } from '../../gateway/runtime/clock.ts';
import { refuse } from '../../gateway/runtime/refusals.ts';
import type { FleetFrame } from '../../simulator/fleet.ts';
import { simulate } from '../../simulator/main.ts';
import { adoptFrame } from '../devices/adopt-frame.ts';
import type { House } from '../house.ts';
import { readSettings } from '../settings.ts';
import { endpointsFile } from './serve.ts';
import { withHouse } from './setup.ts';
import { WrongUsage, wholeNumber } from './usage.ts';

/** The command's options, as commander gives them. */
export interface SimulateCommand {
  frames: string;
  dialect?: string;
  organization?: string;
  scenario: string;
  speed: string;
  seed: string;
  panels?: string;
  json?: boolean;
}

/** Runs a fleet until SIGINT or SIGTERM. */
export async function simulateFleet(options: SimulateCommand): Promise<void> {
  const count = wholeNumber('--frames', options.frames, 1, 10_000);
  const speed = wholeNumber('--speed', options.speed, 1, 100_000);
  const settings = readSettings(process.env);
  const endpoints = await readEndpoints(settings.PAPERGATE_DATA);
  const frames = await withHouse((house) =>
    Promise.all(Array.from({ length: count }, (_, at) => provisionOne(house, options, at))),
  );
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

async function provisionOne(house: House, options: SimulateCommand, at: number): Promise<FleetFrame> {
  const dialect = options.dialect ?? (at % 2 === 0 ? 'native' : 'classic');
  if (dialect !== 'native' && dialect !== 'classic') {
    throw new WrongUsage(`--dialect ${dialect} is not known`, 'native or classic');
  }
  const digits = createHash('sha256').update(`${options.seed}/${at}`).digest('hex').slice(0, 12);
  const serial = `${at % 3 === 2 ? 'epd13' : 'epd7'}-${digits}`;
  const frame = await provisionFrame(house, { serial });
  if (options.organization !== undefined) await adoptFrame(house, serial, options.organization);
  return {
    serial,
    dialect,
    behaviours: options.scenario === 'well-behaved' ? [] : [options.scenario],
    credentials: { kind: 'certificate', key: frame.key, cert: frame.certificate, ca: frame.root },
  };
}

async function readEndpoints(dataFolder: string): Promise<{ http: string; mqtt: string; mqtts: string }> {
  const text = await readFile(join(dataFolder, endpointsFile), 'utf8').catch(() => undefined);
  if (text !== undefined) return JSON.parse(text);
  throw refuse('unavailable', { message: `No service runs in ${dataFolder}`, hint: 'papergate serve' });
}
