/** A service with a fleet in one process, over a folder of its own, whose time is moved. */
import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { adoptFrame } from '../../api/devices/adopt-frame.ts';
import type { ServiceContext } from '../../api/service/open/service-context.ts';
import { provisionFrame } from '../../gateway/provisioning/provision-frame.ts';
import type { Logger } from '../../runtime/logger.ts';
import { type BrokerFrame, type Fleet, startFleet, type TraceEvent } from '../../simulator/fleet/fleet.ts';
import type { MovedClock } from '../../testbed/moved-time/moved-clock.ts';
import { openMovedService } from '../../testbed/moved-time/moved-service.ts';
import { type People, peopleOf } from '../../testbed/moved-time/people.ts';
import { endpointsFile, holdFolder } from '../ground/hold-folder.ts';
import { requireSandbox, type SandboxMark, writeMark } from '../ground/sandbox-mark.ts';

/** The options of a sandbox. */
export interface SandboxOptions {
  /** A folder of its own; it is made where there is none. */
  readonly folder: string;
  /** How many frames are added in a new folder. */
  readonly frames: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly logger: Logger;
  readonly trace: (event: TraceEvent) => void;
}

/** A sandbox that runs. */
export interface Sandbox extends People {
  readonly http: string;
  readonly mqtt: string;
  readonly mqtts: string;
  readonly clock: MovedClock;
  readonly fleet: Fleet;
  /** Is called with the address at which the sandbox is controlled, for commands on this machine. */
  tellControl(control: string): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Opens a sandbox, which has its folder for itself until it is stopped.
 * @throws Refusal when the folder is that of a service, or another sandbox runs over it
 */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  const mark = await requireSandbox(options.folder);
  const release = await holdFolder(options.folder);
  try {
    const sandbox = await openHeld(options, mark);
    return {
      ...sandbox,
      stop: async () => {
        await sandbox.stop();
        release();
      },
    };
  } catch (error) {
    release();
    throw error;
  }
}

async function openHeld(options: SandboxOptions, mark: SandboxMark | undefined): Promise<Sandbox> {
  const { folder, trace } = options;
  const service = await openMovedService({ ...options, startsAt: Math.max(Date.now(), mark?.now ?? 0) });
  const { clock, context } = service;
  await writeMark(folder, { now: clock.now(), control: null });
  const endpoints = join(folder, endpointsFile);
  let fleet: Fleet | undefined;
  const stop = async (): Promise<void> => {
    await rm(endpoints, { force: true });
    await fleet?.stop();
    const now = await service.stop();
    await writeMark(folder, { now, control: null });
  };
  try {
    const addresses = await service.start();
    const { http, mqtt, mqtts } = addresses;
    const people = await peopleOf(context, http);
    const members = await framesOf(context, people.organizationId, options.frames);
    fleet = await startFleet({
      frames: members,
      mqttUrl: mqtt,
      picturePrefix: http,
      speed: 1,
      seed: folder,
      trace,
      clock,
    });
    service.plays(fleet);
    const tellControl = (control: string): Promise<void> => writeMark(folder, { now: clock.now(), control });
    await writeFile(endpoints, JSON.stringify(addresses));
    return { http, mqtt, mqtts, ...people, clock, fleet, tellControl, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The frames of the sandbox with passwords of this start: those that are there, and as many as are missing. */
async function framesOf(context: ServiceContext, organization: string, count: number): Promise<BrokerFrame[]> {
  const rows: { serial: string }[] = await context
    .db('devices')
    .whereNotNull('serial')
    .orderBy('created_at')
    .select('serial');
  const missing = Math.max(0, count - rows.length);
  const added = Array.from({ length: missing }, () => `epd7-${randomBytes(6).toString('hex')}`);
  const known = rows.map(({ serial }) => serial);
  const frames: BrokerFrame[] = [];
  for (const serial of [...known, ...added]) {
    const { password } = await provisionFrame(context, { serial, withPassword: true, replaces: true });
    if (password === undefined) throw new Error(`${serial} got no password`);
    if (added.includes(serial)) await adoptFrame(context, serial, organization);
    frames.push({ serial, dialect: 'native', credentials: { kind: 'password', password } });
  }
  return frames;
}
