/**
 * A stage: a whole service in this process with its administrator, a fleet, and a clock that may be moved. Sandboxes, live
 * scenarios and the demo are played on one.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { refusedStart } from '../../api/service/open/refuse-start.ts';
import { openContext, type ServiceContext } from '../../api/service/open/service-context.ts';
import { createService, type Service } from '../../api/service/service.ts';
import { readSettings, type Settings } from '../../api/service/settings/settings.ts';
import type { PlayFrame } from '../../api/simulated/frame-player.ts';
import { openMetrics } from '../../api/status/metrics.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Logger } from '../../runtime/logger.ts';
import { systemRandom } from '../../runtime/random.ts';
import { type Fleet, type FleetOptions, startFleet } from '../../simulator/fleet/fleet.ts';
import { isWorthDrawing, type MovedClock } from '../moved-time/moved-clock.ts';
import { countUnderWay } from '../moved-time/under-way.ts';
import { type Owner, type People, peopleOf } from './people.ts';

/** The clock of a stage: one that is moved, or any other. */
export type StageClock = Clock & Partial<Pick<MovedClock, 'leapsTo' | 'stop'>>;

/** The options of a stage. */
export interface StageOptions<Time extends StageClock = MovedClock> {
  /** Its data folder; a temporary one, which is removed at the end, when absent. */
  readonly folder?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly logger: Logger;
  /** Makes its clock, which must not run ahead while something is under way or a frame waits for the service. */
  readonly clock: (isBusy: () => boolean) => Time;
  /** Who administers it; somebody of a sandbox when absent. */
  readonly owner?: Owner;
  /** Plays the simulated frames that people add; without it they stay away. */
  readonly play?: PlayFrame;
}

/** The fleet of a stage; it sleeps and draws as real frames do unless `speed` is given. */
type StageFleet = Pick<FleetOptions, 'frames' | 'seed' | 'trace' | 'switchOnWithinMs' | 'panelsDir'> &
  Partial<Pick<FleetOptions, 'speed'>>;

/** An open stage. */
export interface Stage<Time extends StageClock = MovedClock> extends People, Awaited<ReturnType<Service['start']>> {
  readonly clock: Time;
  readonly context: ServiceContext;
  /** Switches its fleet on, which ends with the stage. */
  play(fleet: StageFleet): Promise<Fleet>;
  /** Finds the device that a frame is, by its serial. */
  deviceId(serial: string): Promise<string>;
  /** Stops the service, and starts it again at the same addresses after so long by its clock. */
  restart(awayMs: number): Promise<void>;
  stop(): Promise<void>;
}

/** The variables by which a service listens where there is room, alongside any other one. */
export const freePorts = { PAPERGATE_HTTP_PORT: '0', PAPERGATE_MQTT_PORT: '0', PAPERGATE_MQTTS_PORT: '0' } as const;

/** The variables that it follows. No other: it must not reach the rows, files, emails and messages of a real service. */
const followed =
  /^(?:PATH|PAPERGATE_(?:HTTP|MQTT|MQTTS)_(?:PORT|HOST)|PAPERGATE_(?:BROWSER|MEMORY|BROWSER_IDLE_MINUTES|CATALOGUES|HOME_NETWORKS|MESSAGE_SOURCE_PREFIX)|INTEGRATION_\w+)$/;

/**
 * Opens a stage whose service listens.
 * @throws Refusal where it cannot
 */
export async function openStage<Time extends StageClock>(options: StageOptions<Time>): Promise<Stage<Time>> {
  const ends: (() => unknown)[] = [];
  const stop = async (): Promise<void> => {
    for (const end of ends.splice(0).reverse()) await end();
  };
  try {
    const folder = options.folder ?? (await temporaryFolder(ends));
    const settingsWith = settingsOver(folder, options.env);
    const opened = await openContext(settingsWith({}));
    ends.push(opened.close);
    const underWay = countUnderWay();
    ends.push(underWay.stop);
    let fleet: Fleet | undefined;
    const isWaiting = (): boolean => [...(fleet?.frames.values() ?? [])].some((frame) => frame.isWaiting);
    const clock = options.clock(() => underWay.isBusy() || isWaiting());
    ends.push(() => clock.stop?.());
    const context = {
      ...opened,
      clock,
      // Ids begin with the second in which they are made: rows are looked for by them.
      random: systemRandom(clock),
      during: underWay.during,
      pageIsSeen: (drawnFor: number, wake: number) => isWorthDrawing(clock.leapsTo?.(), drawnFor, wake),
    };
    const service = serviceOver(context, settingsWith, options);
    ends.push(service.stop);
    const addresses = await service.start();
    const { http, mqtt, mqtts } = addresses;
    return {
      ...addresses,
      ...(await peopleOf(context, http, options.owner)),
      clock,
      context,
      async play(played) {
        const toService = { mqttUrl: { mqtt, mqtts }, picturePrefix: http, polledUrl: `${http}/trmnl` };
        fleet = await startFleet({ speed: 1, ...played, ...toService, clock });
        ends.push(fleet.stop);
        return fleet;
      },
      async deviceId(serial) {
        const device = await context.db('devices').where({ serial }).first('id');
        if (device === undefined) throw new Error(`${serial} is not registered`);
        return device.id;
      },
      restart: service.restart,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function temporaryFolder(ends: (() => unknown)[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'papergate-stage-'));
  ends.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Reads the settings of a service over a folder, with the ports that it has. */
function settingsOver(folder: string, env: StageOptions['env']) {
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => followed.test(name)));
  return (ports: Readonly<Record<string, string>>): Settings =>
    readSettings({ INTEGRATION_ALLOW_LOCALHOST: 'true', ...own, PAPERGATE_DATA: folder, ...ports });
}

/** A service that can be started again where it listened before. */
function serviceOver(
  context: ServiceContext,
  settingsWith: ReturnType<typeof settingsOver>,
  { logger, play }: Pick<StageOptions, 'logger' | 'play'>,
) {
  const { clock } = context;
  let ports: Readonly<Record<string, string>> = {};
  let service: Service | undefined;
  const start = async (): ReturnType<Service['start']> => {
    const settings = settingsWith(ports);
    service = await createService(settings, { ...context, meter: openMetrics(clock) }, logger, play);
    const addresses = await service.start().catch((error: unknown) => {
      throw refusedStart(error, settings) ?? error;
    });
    ports = portsOf(addresses);
    return addresses;
  };
  const stop = async (): Promise<void> => {
    const ending = service;
    service = undefined;
    await ending?.stop(Promise.resolve());
  };
  return {
    start,
    stop,
    async restart(awayMs: number): Promise<void> {
      await stop();
      await new Promise<void>((resolve) => clock.after(awayMs, resolve));
      await start();
    },
  };
}

/** The variables by which another start listens where this one did. */
function portsOf({ http, mqtt, mqtts }: { http: string; mqtt: string; mqtts: string }): Record<string, string> {
  const port = (url: string): string => new URL(url).port;
  return { PAPERGATE_HTTP_PORT: port(http), PAPERGATE_MQTT_PORT: port(mqtt), PAPERGATE_MQTTS_PORT: port(mqtts) };
}
