/** A service in this process over a folder of its own, by a clock that is moved. */
import { refusedStart } from '../../api/service/open/refuse-start.ts';
import { openContext, type ServiceContext } from '../../api/service/open/service-context.ts';
import { createService, type Service } from '../../api/service/service.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { openMetrics } from '../../api/status/metrics.ts';
import type { Logger } from '../../runtime/logger.ts';
import { systemRandom } from '../../runtime/random.ts';
import type { Fleet } from '../../simulator/fleet/fleet.ts';
import { type MovedClock, movedClock } from './moved-clock.ts';
import { countUnderWay } from './under-way.ts';

/** The options with which the service is opened. */
export interface MovedServiceOptions {
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly logger: Logger;
  /** The time that its clock shows at first, epoch milliseconds. */
  readonly startsAt: number;
}

/** The service, which does nothing before it is started. */
export interface MovedService {
  readonly clock: MovedClock;
  readonly context: ServiceContext;
  /** @throws Refusal where it cannot listen */
  start(): ReturnType<Service['start']>;
  /** Stops it, and starts it again at the same addresses after so long by its clock. */
  restart(awayMs: number): Promise<void>;
  /** Time does not run ahead while one of these frames waits for the service. */
  plays(fleet: Pick<Fleet, 'frames'>): void;
  /** Ends it, and returns what its clock showed last. */
  stop(): Promise<number>;
}

/** The variables that it follows. No other: rows, files, emails and messages of a real service are none of its business. */
const followed =
  /^(?:PATH|PAPERGATE_(?:HTTP|MQTT|MQTTS)_(?:PORT|HOST)|PAPERGATE_(?:BROWSER|MEMORY|BROWSER_IDLE_MINUTES|CATALOGUES|HOME_NETWORKS|MESSAGE_SOURCE_PREFIX)|INTEGRATION_\w+)$/;

/** Opens it. */
export async function openMovedService({ folder, env, logger, startsAt }: MovedServiceOptions): Promise<MovedService> {
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => followed.test(name)));
  const wanted = { INTEGRATION_ALLOW_LOCALHOST: 'true', ...own, PAPERGATE_DATA: folder };
  const underWay = countUnderWay();
  let fleet: Pick<Fleet, 'frames'> | undefined;
  const isBusy = (): boolean =>
    underWay.isBusy() || [...(fleet?.frames.values() ?? [])].some(({ isWaiting }) => isWaiting);
  const settings = readSettings(wanted);
  const opened = await openContext(settings);
  const clock = movedClock(startsAt, isBusy);
  // Ids begin with the second in which they are made: rows are looked for by them.
  const context = {
    ...opened,
    clock,
    random: systemRandom(clock),
    during: underWay.during,
    pageIsSeen: (drawnFor: number, wake: number) => isWorthDrawing(clock.leapsTo(), drawnFor, wake),
  };
  const create = (ports: Readonly<Record<string, string>>): Promise<Service> =>
    createService(readSettings({ ...wanted, ...ports }), { ...context, meter: openMetrics(clock) }, logger);
  let ports: Readonly<Record<string, string>> = {};
  let service: Service | undefined = await create(ports);
  const end = async (): Promise<void> => {
    const ending = service;
    service = undefined;
    await ending?.stop(Promise.resolve());
  };
  return {
    clock,
    context,
    async start() {
      service ??= await create(ports);
      const addresses = await service.start().catch((error: unknown) => {
        throw refusedStart(error, settings) ?? error;
      });
      ports = portsOf(addresses);
      return addresses;
    },
    async restart(awayMs) {
      await end();
      await new Promise<void>((resolve) => clock.after(awayMs, resolve));
      service = await create(ports);
      await service.start();
    },
    plays(played) {
      fleet = played;
    },
    async stop() {
      await end();
      await clock.stop();
      underWay.stop();
      await opened.close();
      return clock.now();
    },
  };
}

/**
 * Whether a page is drawn again for a wake within a leap: when the leap goes on for no longer than since it was drawn. So a
 * page is drawn some six times in a leap over 48 wakes, and always for the last one.
 * @param leapsTo the end of the leap, epoch milliseconds; undefined outside of one
 */
export function isWorthDrawing(leapsTo: number | undefined, drawnFor: number, wake: number): boolean {
  return leapsTo === undefined || leapsTo - wake <= wake - drawnFor;
}

/** The variables by which another start listens where this one did. */
function portsOf({ http, mqtt, mqtts }: { http: string; mqtt: string; mqtts: string }): Record<string, string> {
  const port = (url: string): string => new URL(url).port;
  return { PAPERGATE_HTTP_PORT: port(http), PAPERGATE_MQTT_PORT: port(mqtt), PAPERGATE_MQTTS_PORT: port(mqtts) };
}
