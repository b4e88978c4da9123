/** A stage over a folder of its own that is kept, whose time is moved. */
import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Fleet, FleetFrame, TraceEvent } from '../../simulator/fleet/fleet.ts';
import { movedClock } from '../../testbed/moved-time/moved-clock.ts';
import { provisionFleet } from '../../testbed/stage/provision-fleet.ts';
import { openStage, type Stage, type StageOptions } from '../../testbed/stage/stage.ts';
import { endpointsFile, holdFolder } from '../ground/hold-folder.ts';
import { requireSandbox, writeMark } from '../ground/sandbox-mark.ts';

/** The options of a sandbox. */
export interface SandboxOptions extends Pick<StageOptions, 'env' | 'logger'> {
  /** A folder of its own; it is made where there is none. */
  readonly folder: string;
  /** How many frames are added in a new folder. */
  readonly frames: number;
  readonly trace: (event: TraceEvent) => void;
}

/** A sandbox that runs. */
export interface Sandbox extends Stage {
  readonly fleet: Fleet;
  /** Is called with the address at which the sandbox is controlled, for commands on this machine. */
  tellControl(control: string): Promise<void>;
}

/**
 * Opens a sandbox, which has its folder for itself until it is stopped.
 * @throws Refusal when the folder is that of a service, or another sandbox runs over it
 */
export async function openSandbox({ folder, frames, trace, ...options }: SandboxOptions): Promise<Sandbox> {
  const mark = await requireSandbox(folder);
  const release = await holdFolder(folder);
  const endpoints = join(folder, endpointsFile);
  const startsAt = Math.max(Date.now(), mark?.now ?? 0);
  let stage: Stage | undefined;
  const keepMark = (control: string | null): Promise<void> =>
    writeMark(folder, { now: stage?.clock.now() ?? startsAt, control });
  const stop = async (): Promise<void> => {
    await rm(endpoints, { force: true });
    await stage?.stop();
    await keepMark(null);
    release();
  };
  try {
    await keepMark(null);
    stage = await openStage({ folder, ...options, clock: (isBusy) => movedClock(startsAt, isBusy) });
    const fleet = await stage.play({ frames: await framesOf(stage, frames), seed: folder, trace });
    const { http, mqtt, mqtts } = stage;
    await writeFile(endpoints, JSON.stringify({ http, mqtt, mqtts }));
    return { ...stage, fleet, tellControl: keepMark, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The frames of the sandbox with passwords of this start: those that are there, and as many as are missing. */
async function framesOf({ context, organizationId }: Stage, count: number): Promise<FleetFrame[]> {
  const known: { serial: string }[] = await context
    .db('devices')
    .whereNotNull('serial')
    .orderBy('created_at')
    .select('serial');
  const added = Array.from({ length: Math.max(0, count - known.length) }, () => ({
    serial: `epd7-${randomBytes(6).toString('hex')}`,
  }));
  const provision = (serials: typeof added, organization?: string): Promise<FleetFrame[]> =>
    provisionFleet(
      context,
      serials.map(({ serial }) => ({ serial, dialect: 'native' })),
      { login: 'password', organization },
    );
  return [...(await provision(known)), ...(await provision(added, organizationId))];
}
