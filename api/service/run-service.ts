/** The life of a service: it starts to listen and to work, and stops in an order in which nothing is lost. */
import type { Server } from 'node:http';
import { checkFrameUrl } from '../../gateway/pictures/frame-url.ts';
import type { Clock } from '../../runtime/clock.ts';
import { giveMemoryBack } from '../../runtime/give-memory-back.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { State } from '../../runtime/signal.ts';
import type { HomeAssistant } from '../home-assistant/home-assistant.ts';
import { listen } from '../http/listen.ts';
import type { Rendering } from '../rendering/rendering.ts';
import type { SimulatedFleet } from '../simulated/keep-playing.ts';
import type { ServingState } from '../status/readiness.ts';
import type { ServiceContext } from './open/service-context.ts';
import type { Settings } from './settings/settings.ts';
import type { alertsOfService } from './wire/alerts-of-service.ts';
import type { Core } from './wire/core.ts';
import type { HttpSurface } from './wire/http-surface.ts';
import type { OwnAddresses } from './wire/own-addresses.ts';
import type { WallKeeper } from './wire/record-of-service.ts';
import { drainSeconds } from './wire/service-node.ts';
import { beginRendering } from './wire/service-rendering.ts';

/** The addresses of the running service. */
export interface Addresses {
  readonly http: string;
  readonly mqtt: string;
  readonly mqtts: string;
}

export interface ServiceLife {
  /** Starts the service. When it rejects, `stop` closes what was opened. */
  start(): Promise<Addresses>;
  /**
   * Stops the service, even while it is starting. Where the settings ask for it, it first reports that it is draining,
   * waits until balancers have seen that, and lets frames that are awake finish; none of it once `hurry` resolves.
   */
  stop(hurry?: Promise<unknown>): Promise<void>;
}

/** The parts of a service that live as long as it does, and the state that it reports meanwhile. */
export interface ServiceParts {
  readonly settings: Settings;
  readonly context: Pick<ServiceContext, 'clock' | 'cluster'>;
  readonly logger: Logger;
  readonly addresses: Pick<State<OwnAddresses>, 'set'>;
  readonly serving: State<ServingState>;
  readonly rendering: Rendering;
  readonly core: Pick<Core, 'gateway' | 'line' | 'deadlines' | 'outbox' | 'changes' | 'jobs' | 'filler' | 'post'>;
  readonly watch: ReturnType<typeof alertsOfService>['watch'];
  readonly surface: Pick<HttpSurface, 'server' | 'history'>;
  /** The client of the home's broker, where there is one. */
  readonly homeAssistant: HomeAssistant | undefined;
  readonly simulated: Pick<SimulatedFleet, 'start' | 'stop'>;
  readonly record: Pick<WallKeeper, 'start' | 'stop'>;
}

/** Returns the start and the stop of a service. */
export function runService(parts: ServiceParts): ServiceLife {
  const { settings, context, logger, serving } = parts;
  const { clock, cluster } = context;
  const background = workBeside(parts);
  let starting: Promise<Addresses> | undefined;
  let stopping = false;

  async function start(): Promise<Addresses> {
    const http = await listen(parts.surface.server, settings.PAPERGATE_HTTP_PORT, settings.PAPERGATE_HTTP_HOST);
    const publicUrl = settings.PAPERGATE_PUBLIC_URL ?? http;
    const frameUrl = settings.PAPERGATE_FRAME_URL ?? http;
    checkFrameUrl(frameUrl);
    parts.addresses.set({ http, publicUrl });
    await beginRendering(parts.rendering, settings, logger);
    if (stopping) throw new Error('stopped while it was starting');
    const downloads = settings.PAPERGATE_DOWNLOAD_URL ?? publicUrl;
    const mqtt = await parts.core.gateway.start({ frameUrl, publicUrl: downloads });
    await cluster.reached(http);
    serving.set('serving');
    background.start();
    parts.simulated.start({ http, mqtt: mqtt.mqtt, told: { publicUrl: downloads, frameUrl } });
    return { http, ...mqtt };
  }

  return {
    start() {
      starting = start();
      return starting;
    },
    async stop(hurry = new Promise(() => {})) {
      stopping = true;
      // Everything that a start has opened is closed below, and it opens nothing afterwards.
      await starting?.catch(() => undefined);
      const drainMs = serving.read() === 'serving' ? drainSeconds(settings) * 1000 : 0;
      serving.set('draining');
      // A database that is away keeps nobody from stopping: others find out by themselves.
      cluster
        .drain()
        .catch((error: unknown) => logger.info({ error }, 'other nodes were not notified that this one stops'));
      if (drainMs > 0) await Promise.race([drain(parts.core, clock, drainMs), hurry]);
      serving.set('stopping');
      await background.stop();
      await stopParts(parts);
    },
  };
}

/** Returns the background work of a serving service. Its parts close what they hold. */
function workBeside({ context: { clock }, core, watch, surface: { history }, ...parts }: ServiceParts) {
  const { homeAssistant, simulated, record } = parts;
  let keepMemory = (): void => {};
  return {
    start(): void {
      history.start();
      core.line.start();
      core.jobs.start();
      core.filler.start();
      core.post.start();
      core.deadlines.start();
      watch.start();
      homeAssistant?.start();
      record.start();
      keepMemory = giveMemoryBack(clock);
    },
    async stop(): Promise<void> {
      keepMemory();
      await core.post.stop();
      await core.jobs.stop();
      await core.filler.stop();
      await simulated.stop();
      await homeAssistant?.stop();
      await history.stop();
      await record.stop();
    },
  };
}

/** The time that frames which are awake have to finish: the longest wake of the dialects takes less. */
const finishMs = 45_000;

/** Waits until balancers send no more callers and frames, then for those that are here. */
async function drain(
  { gateway, line, outbox, changes }: ServiceParts['core'],
  clock: Clock,
  waitMs: number,
): Promise<void> {
  await new Promise<void>((resolve) => clock.after(waitMs, resolve));
  await changes.stop();
  await Promise.all([line.stop(), gateway.drain(finishMs)]);
  // A callback is sent again elsewhere when this takes too long.
  await Promise.race([outbox.idle(), new Promise<void>((resolve) => clock.after(finishMs, resolve))]);
}

async function stopParts({ rendering, core, watch, surface, context }: ServiceParts): Promise<void> {
  const { gateway, line, deadlines, outbox, changes } = core;
  await changes.stop();
  await watch.stop();
  await deadlines.stop();
  const closed = closeServer(surface.server);
  const lineStopped = line.stop();
  await rendering.stop();
  await lineStopped;
  await gateway.stop();
  await outbox.stop();
  surface.server.closeIdleConnections();
  context.clock.after(5_000, () => surface.server.closeAllConnections());
  await closed;
}

/** Stops accepting connections; resolves once the last one has ended. */
const closeServer = (server: Server): Promise<void> => new Promise((resolve) => server.close(() => resolve()));
