/** Everything that answers over HTTP: the routes, their description, pages, metrics, and the frames' downloads. */

import type { Server } from 'node:http';
import { join } from 'node:path';
import type { Logger } from '../../../runtime/logger.ts';
import { auditedRoutes } from '../../audit/audited-routes.ts';
import { callbackWebhook } from '../../callbacks/describe-callback.ts';
import { consolePage } from '../../console/page.ts';
import { createAuthenticate } from '../../directory/authenticate.ts';
import type { DirectoryDeps } from '../../directory/directory-deps.ts';
import type { Issuer } from '../../directory/issuer.ts';
import { tokenVerifier } from '../../directory/verify-token.ts';
import { presentFieldError } from '../../field-compatible/present-errors.ts';
import { fieldRoutes } from '../../field-compatible/present-routes.ts';
import type { BodyRoom } from '../../http/body-room.ts';
import { callerAddress, trustedPeers } from '../../http/caller-address.ts';
import { crossOrigin } from '../../http/cross-origin.ts';
import { withDescription } from '../../http/description/describe-api.ts';
import type { Webhook } from '../../http/description/describe-webhook.ts';
import { requestOrigin } from '../../http/request-origin.ts';
import type { AnyRoute } from '../../http/route.ts';
import { createHttpServer, type RawHandler } from '../../http/server.ts';
import type { SharedAddresses } from '../../http/shared-addresses.ts';
import type { Rendering } from '../../rendering/rendering.ts';
import { type AlertRouteDeps, alertRoutes } from '../../routes/alerts/routes.ts';
import { directoryRoutes } from '../../routes/directory/routes.ts';
import { firmwareRoutes } from '../../routes/firmware/routes.ts';
import { recordRoutes } from '../../routes/record/routes.ts';
import type { Health } from '../../status/health.ts';
import { type History, openHistory } from '../../status/history.ts';
import type { Metrics } from '../../status/metrics.ts';
import { metricsHandler } from '../../status/metrics-handler.ts';
import { readinessHandler, type ServingState } from '../../status/readiness.ts';
import { statusRoutes } from '../../status/routes.ts';
import { serviceRoutes } from '../../status/service-routes.ts';
import { storageMeter } from '../../status/storage.ts';
import { databaseFile, type ServiceContext } from '../open/service-context.ts';
import type { ServiceKeys } from '../open/service-keys.ts';
import { keptBackups } from '../settings/kept-backups.ts';
import type { Settings } from '../settings/settings.ts';
import type { Core } from './core.ts';
import type { ServiceLimits } from './service-limits.ts';
import type { SignIn } from './sign-in-of-service.ts';

export interface SurfaceDeps {
  readonly settings: Settings;
  readonly context: Pick<ServiceContext, 'db' | 'clock' | 'random' | 'dataFolder' | 'areas' | 'archive' | 'cluster'> & {
    readonly keys: Pick<ServiceKeys, 'seal'>;
  };
  readonly logger: Logger;
  readonly core: Pick<Core, 'routes' | 'images'> & {
    readonly gateway: Pick<Core['gateway'], 'broker' | 'rollOut' | 'serve'>;
  };
  /** How alerts reach their receivers. */
  readonly alerts: Pick<AlertRouteDeps, 'hasMail' | 'refusedReceiver' | 'send'>;
  /** Sends emails with sign-in links; undefined where the operator set up no mail. */
  readonly sendLinks: DirectoryDeps['sendLinks'];
  /** The address that the service gives to others. */
  readonly publicUrl: () => string;
  readonly rendering: Pick<Rendering, 'probe' | 'printDocument'>;
  readonly meter: Metrics;
  readonly health: Health;
  readonly issuer: Issuer;
  readonly signIn: SignIn;
  readonly limits: ServiceLimits;
  readonly hashInvite: DirectoryDeps['hashInvite'];
  readonly shared: Pick<SharedAddresses, 'note' | 'noteFrame'>;
  /** Whether pages of integrations may come from this machine. */
  readonly allowLoopback: boolean;
  readonly bodies: BodyRoom;
  readonly freeBytes: () => Promise<number>;
  /** The bytes that the files of one organization may have; undefined where there is no bound. */
  readonly maxBytes: number | undefined;
  readonly startedAt: number;
  readonly state: () => ServingState;
}

/** The surface: a server that does not listen yet, and the routes that are described. */
export interface HttpSurface {
  readonly server: Server;
  readonly routes: readonly AnyRoute[];
  /** Samples the numbers of the last day, once it is started. */
  readonly history: History;
}

/** The calls that the service makes to addresses of integrations. */
export const webhooks: readonly Webhook[] = [callbackWebhook];

/** Puts the surface together. */
export function httpSurface(deps: SurfaceDeps): HttpSurface {
  const { context, core, meter, bodies, health, limits, logger } = deps;
  const { db, clock, random } = context;
  const { cluster } = context;
  const looked = { db, clock, broker: core.gateway.broker, rendering: deps.rendering.probe, cluster };
  const history = openHistory({ clock, read: { ...looked, health }, totals: meter.totals, memoryBytes: heldMemory });
  const plain = auditedRoutes(everyRoute(deps, history), { db, clock, random, logger });
  const routes = withDescription(plain, webhooks);
  const { addressOf, originOf, isProxy } = believedOf(deps);
  const { provider } = deps.signIn;
  const verifyToken = tokenVerifier({ issuer: deps.issuer, clock, ...(provider && { provider }) });
  const server = createHttpServer({
    presentError: presentFieldError,
    routes: [...routes, ...fieldRoutes(plain)],
    authenticate: createAuthenticate({ db, clock, random, verifyToken }),
    limitRate: limits.requests,
    limitOrganization: limits.organizationRequests,
    limitMade: limits.madeRequests,
    callerAddress: addressOf,
    requestOrigin: originOf,
    isProxy,
    bodies,
    clock,
    random,
    logger,
    ready: () => deps.state() === 'serving' || deps.state() === 'draining',
    meter,
    rawHandlers: rawHandlers(deps, { addressOf, originOf, text: () => meter.text({ ...looked, health }) }),
  });
  return { server, routes, history };
}

/** Returns every route of the service, before it is audited and described. */
function everyRoute(deps: SurfaceDeps, history: History): AnyRoute[] {
  const { settings, context, core, limits, signIn, logger, publicUrl } = deps;
  const { db, clock, random, keys } = context;
  const sealed = { db, clock, random, sealKey: keys.seal, publicUrl };
  return [
    ...directoryRoutes({
      ...sealed,
      providerIssuer: signIn.provider?.issuer,
      signInProvider: signIn.signInProvider,
      limitJoins: limits.joins,
      limitSignIns: limits.signIns,
      limitChallenges: limits.challenges,
      logger,
      sendLinks: deps.sendLinks,
      maxOrganizations: settings.PAPERGATE_ORGANIZATIONS,
      hashInvite: deps.hashInvite,
    }),
    ...core.routes,
    ...firmwareRoutes({ db, clock, rollOut: core.gateway.rollOut }),
    ...recordRoutes({ ...sealed, printDocument: deps.rendering.printDocument }),
    ...alertRoutes({ ...sealed, ...deps.alerts, limitTests: limits.alertTests }),
    ...statusRoutes({ clock, startedAt: deps.startedAt, health: deps.health }),
    ...ownRoutes(deps, history),
  ];
}

/** Who is believed about the address of a caller, and the one under which he reaches the service. */
function believedOf({ settings, shared }: SurfaceDeps) {
  const { PAPERGATE_TRUSTED_PROXIES: proxies, PAPERGATE_PUBLIC_URL: publicUrl } = settings;
  const believed = callerAddress(proxies);
  const addressOf: typeof believed = (request) => {
    shared.note(request);
    return believed(request);
  };
  return { addressOf, originOf: requestOrigin(proxies, publicUrl), isProxy: trustedPeers(proxies) };
}

const heldMemory = (): number => process.memoryUsage.rss();

/** Returns the routes about the service itself. */
function ownRoutes({ settings, context, rendering, freeBytes, maxBytes }: SurfaceDeps, history: History): AnyRoute[] {
  const { db, clock, dataFolder, areas } = context;
  return serviceRoutes({
    db,
    history,
    stored: storageMeter({ db, clock, dataFolder, databaseFile, freeBytes, areas }),
    maxBytes,
    browserVersion: () => rendering.probe().version,
    metricsToken: settings.PAPERGATE_METRICS_TOKEN,
    backups: {
      folder: settings.PAPERGATE_BACKUPS ?? join(dataFolder, 'backups'),
      keep: keptBackups(settings),
    },
    archive: context.archive,
  });
}

/** Returns the handlers of requests that are not a route's, in the order in which they are asked. */
function rawHandlers(
  { settings, context: { db, clock, cluster }, core, meter, shared, allowLoopback, state, freeBytes }: SurfaceDeps,
  made: {
    readonly addressOf: ReturnType<typeof callerAddress>;
    readonly originOf: ReturnType<typeof requestOrigin>;
    readonly text: () => Promise<string>;
  },
): RawHandler[] {
  const showConsole = consolePage({
    prefixOf: (request) => made.originOf(request).prefix,
    allowLoopback,
  });
  const showMetrics = metricsHandler({
    text: made.text,
    contentType: meter.contentType,
    token: settings.PAPERGATE_METRICS_TOKEN,
    isPublic: settings.PAPERGATE_PUBLIC_URL !== undefined || settings.PAPERGATE_TRUSTED_PROXIES.length > 0,
  });
  const serveFrame: RawHandler['serve'] = (req, res) => {
    const isFrames = core.gateway.serve(req, res);
    if (isFrames) shared.noteFrame(req);
    return isFrames;
  };
  return [
    {
      name: 'readiness',
      serve: readinessHandler({ db, clock, broker: core.gateway.broker, state, freeBytes, cluster }),
    },
    { name: 'preflights', serve: crossOrigin(settings.PAPERGATE_CORS_ORIGINS) },
    { name: 'frames', serve: serveFrame },
    { name: 'signed images', serve: (req, res) => core.images.serve(req, res, made.addressOf(req)) },
    { name: 'console', serve: showConsole },
    { name: 'metrics', serve: showMetrics },
  ];
}
