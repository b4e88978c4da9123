/**
 * The composition root: every room of the service, put together once, each from those before it. Constructors only
 * assign; `start` does the work.
 */
import type { Logger } from '../../runtime/logger.ts';
import { createState } from '../../runtime/signal.ts';
import { slowInviteHash } from '../directory/invite-hash.ts';
import { openIssuer } from '../directory/issuer.ts';
import type { AnyRoute } from '../http/route.ts';
import { watchSharedAddresses } from '../http/shared-addresses.ts';
import { publicHosts } from '../outgoing/reach-host.ts';
import type { PlayFrame } from '../simulated/frame-player.ts';
import { openMetrics } from '../status/metrics.ts';
import type { ServingState } from '../status/readiness.ts';
import { freeBytesOf, type ServiceContext } from './open/service-context.ts';
import { boundOnDisk } from './open/storage-bound.ts';
import { runService, type ServiceLife } from './run-service.ts';
import type { Settings } from './settings/settings.ts';
import { alertsOfService } from './wire/alerts-of-service.ts';
import { coreOfService } from './wire/core-of-service.ts';
import { healthOfService } from './wire/health-of-service.ts';
import { homeAssistantOf } from './wire/home-assistant-of-service.ts';
import { httpSurface } from './wire/http-surface.ts';
import { messagesOfService } from './wire/messages-of-service.ts';
import { unreached } from './wire/own-addresses.ts';
import { recordOfService } from './wire/record-of-service.ts';
import { serviceLimits } from './wire/service-limits.ts';
import { openBodies, openRendering } from './wire/service-rendering.ts';
import { signInOfService } from './wire/sign-in-of-service.ts';
import { simulatedOfService } from './wire/simulated-of-service.ts';
import { waysOfService } from './wire/ways-of-service.ts';

/** The whole service. */
export interface Service extends ServiceLife {
  readonly routes: readonly AnyRoute[];
}

/**
 * Puts the service together over an opened context.
 * @param play plays simulated frames; without it those that are made stay away
 */
export async function createService(
  settings: Settings,
  context: ServiceContext,
  logger: Logger,
  play?: PlayFrame,
): Promise<Service> {
  const { clock, dataFolder } = context;
  const addresses = createState(unreached);
  const serving = createState<ServingState>('starting');
  const publicUrl = (): string => addresses.read().publicUrl;
  const freeBytes = (): Promise<number> => freeBytesOf(dataFolder);
  const maxBytes = await boundOnDisk(settings);
  const meter = context.meter ?? openMetrics(clock);
  const ways = waysOfService(settings, context, addresses);
  const { wayOut, home } = ways;
  const rendering = openRendering(settings, { clock, logger, rule: publicHosts, home, wayOut, during: context.during });

  const messages = messagesOfService(settings, context, ways);
  const common = { logger, meter, ways, messages, rendering, publicUrl };
  const simulated = simulatedOfService(settings, context, { logger, play });
  const core = await coreOfService(settings, context, { ...common, maxBytes, nudgeSimulated: simulated.nudge });
  const alerts = alertsOfService(settings, context, { ...common, core });
  const shared = watchSharedAddresses(settings.PAPERGATE_TRUSTED_PROXIES, { clock, logger });
  const surface = httpSurface({
    ...common,
    settings,
    context,
    core,
    alerts: alerts.receivers,
    sendLinks: alerts.sendLinks,
    health: healthOfService(settings, context, { core, rendering, freeBytes, shared }),
    signIn: signInOfService(settings, context, { ways, logger }),
    hashInvite: slowInviteHash(context.keys.invite),
    limits: serviceLimits(context.cluster),
    shared,
    allowLoopback: ways.allowLoopback,
    issuer: await openIssuer(dataFolder, clock),
    bodies: await openBodies(settings, context, freeBytes),
    freeBytes,
    maxBytes,
    startedAt: clock.now(),
    state: serving.read,
  });
  const { routes } = surface;
  const homeAssistant = homeAssistantOf(settings, context, { ...common, core, routes });
  const states = { addresses, serving };
  const record = recordOfService(context, { logger, core });
  const beside = { watch: alerts.watch, homeAssistant, simulated, record };
  const parts = { settings, context, logger, ...states, rendering, core, surface, ...beside };
  return { routes, ...runService(parts) };
}
