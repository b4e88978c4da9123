/** Everything that answers over HTTP: the routes, their description, pages, metrics, and the frames' downloads. */

import type { Server } from 'node:http';
import { join } from 'node:path';
import type { Logger } from '../../../runtime/logger.ts';
import { auditedRoutes } from '../../audit/audited-routes.ts';
import { findBrowser } from '../../browser/find-browser.ts';
import { callbackWebhook } from '../../callbacks/describe-callback.ts';
import { consolePage } from '../../console/page.ts';
import { createAuthenticate } from '../../directory/authenticate.ts';
import {
  challengesPerMinute,
  type DirectoryDeps,
  joinsPerMinute,
  signInsPerMinute,
} from '../../directory/directory-deps.ts';
import { identityProvider } from '../../directory/identity-provider.ts';
import { slowInviteHash } from '../../directory/invite-hash.ts';
import type { Issuer } from '../../directory/issuer.ts';
import { openIdSignIn, type SignInProvider } from '../../directory/open-id.ts';
import { type IdentityProvider, tokenVerifier } from '../../directory/verify-token.ts';
import { presentFieldError } from '../../field-compatible/present-errors.ts';
import { fieldRoutes } from '../../field-compatible/present-routes.ts';
import type { BodyRoom } from '../../http/body-room.ts';
import { callerAddress, trustedPeers } from '../../http/caller-address.ts';
import { crossOrigin } from '../../http/cross-origin.ts';
import { withDescription } from '../../http/describe-api.ts';
import type { Webhook } from '../../http/describe-webhook.ts';
import {
  generalRequestsPerMinute,
  madeShare,
  organizationRequestsPerMinute,
  rateLimit,
} from '../../http/limit-rate.ts';
import { requestOrigin } from '../../http/request-origin.ts';
import type { AnyRoute } from '../../http/route.ts';
import { createHttpServer, type RawHandler } from '../../http/server.ts';
import { type SharedAddresses, watchSharedAddresses } from '../../http/shared-addresses.ts';
import type { Rendering } from '../../rendering/rendering.ts';
import { type AlertRouteDeps, alertRoutes } from '../../routes/alerts/routes.ts';
import { directoryRoutes } from '../../routes/directory/routes.ts';
import { firmwareRoutes } from '../../routes/firmware/routes.ts';
import { type History, openHistory } from '../../status/history.ts';
import type { Metrics } from '../../status/metrics.ts';
import { metricsHandler } from '../../status/metrics-handler.ts';
import { serviceHealth } from '../../status/probes.ts';
import { readinessHandler, type ServingState } from '../../status/readiness.ts';
import { statusRoutes } from '../../status/routes.ts';
import { serviceRoutes } from '../../status/service-routes.ts';
import { storageMeter } from '../../status/storage.ts';
import { databaseFile, type ServiceContext } from '../open/service-context.ts';
import type { Settings } from '../settings/settings.ts';
import type { Core } from './core.ts';
import type { Ways } from './ways-of-service.ts';

/** The dependencies of the surface. */
export interface SurfaceDeps {
  readonly settings: Settings;
  readonly context: ServiceContext;
  readonly logger: Logger;
  readonly core: Core;
  readonly alerts: AlertRouteDeps;
  /** Sends emails with sign-in links; undefined where the operator set up no mail. */
  readonly sendLinks: DirectoryDeps['sendLinks'];
  /** The address that the service gives to others. */
  readonly publicUrl: () => string;
  readonly rendering: Pick<Rendering, 'probe'>;
  readonly meter: Metrics;
  readonly issuer: Issuer;
  /** The operator's way leads to the identity provider. Requests of others never use it. */
  readonly ways: Pick<Ways, 'operatorsWay' | 'allowLoopback'>;
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
  const { settings, context, core, meter, bodies, issuer, logger } = deps;
  const { db, clock, random } = context;
  const shared = watchSharedAddresses(settings.PAPERGATE_TRUSTED_PROXIES, { clock, logger });
  const { cluster } = context;
  const { counters } = cluster;
  const looked = { db, clock, broker: core.gateway.broker, rendering: deps.rendering.probe, cluster };
  const health = serviceHealth({
    ...looked,
    mqttHost: settings.PAPERGATE_MQTT_HOST,
    findBrowser: () => findBrowser({ browserPath: settings.PAPERGATE_BROWSER, searchPath: settings.PATH }),
    freeBytes: deps.freeBytes,
    sharesAddress: shared.found,
  });
  const provider = identityProvider(settings, { wayOut: deps.ways.operatorsWay, clock });
  const history = openHistory({ clock, read: { ...looked, health }, totals: meter.totals, memoryBytes: heldMemory });
  const unaudited: AnyRoute[] = [
    ...directoryRoutes({
      db,
      clock,
      random,
      sealKey: context.keys.seal,
      providerIssuer: provider?.issuer,
      signInProvider: signInProvider(deps, provider),
      limitJoins: rateLimit(joinsPerMinute, counters('joins')),
      limitSignIns: rateLimit(signInsPerMinute, counters('sign-ins')),
      limitChallenges: rateLimit(challengesPerMinute, counters('challenges')),
      logger,
      sendLinks: deps.sendLinks,
      publicUrl: deps.publicUrl,
      maxOrganizations: settings.PAPERGATE_ORGANIZATIONS,
      hashInvite: slowInviteHash(context.keys.invite),
    }),
    ...core.routes,
    ...firmwareRoutes({ db, clock, rollOut: core.gateway.rollOut }),
    ...alertRoutes(deps.alerts),
    ...statusRoutes({ clock, startedAt: deps.startedAt, health }),
    ...ownRoutes(deps, history),
  ];
  const plain = auditedRoutes(unaudited, { db, clock, random, logger });
  const routes = withDescription(plain, webhooks);
  const { addressOf, originOf, isProxy } = believedOf(settings, shared);
  const verifyToken = tokenVerifier({ issuer, clock, ...(provider && { provider }) });
  const server = createHttpServer({
    presentError: presentFieldError,
    routes: [...routes, ...fieldRoutes(plain)],
    authenticate: createAuthenticate({ db, clock, random, verifyToken }),
    limitRate: rateLimit(generalRequestsPerMinute, counters('requests')),
    limitOrganization: rateLimit(organizationRequestsPerMinute, counters('organization requests')),
    limitMade: rateLimit(organizationRequestsPerMinute * madeShare, counters('made requests')),
    callerAddress: addressOf,
    requestOrigin: originOf,
    isProxy,
    bodies,
    clock,
    random,
    logger,
    ready: () => deps.state() === 'serving' || deps.state() === 'draining',
    meter,
    rawHandlers: rawHandlers(deps, {
      addressOf,
      originOf,
      noteFrame: shared.noteFrame,
      text: () => meter.text({ ...looked, health }),
    }),
  });
  return { server, routes, history };
}

/** Who is believed about the address of a caller, and the one under which he reaches the service. */
function believedOf(
  { PAPERGATE_TRUSTED_PROXIES: proxies, PAPERGATE_PUBLIC_URL: publicUrl }: Settings,
  shared: SharedAddresses,
) {
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
      keep: settings.PAPERGATE_BACKUP_KEEP,
    },
  });
}

/** Returns the identity provider as a way to sign in, if the operator registered this service with it. */
function signInProvider(
  { settings, context, ways: { operatorsWay: wayOut }, logger }: SurfaceDeps,
  provider: IdentityProvider | undefined,
): SignInProvider | undefined {
  const { PAPERGATE_OIDC_CLIENT_ID: clientId, PAPERGATE_OIDC_CLIENT_SECRET: clientSecret } = settings;
  if (provider === undefined || clientId === undefined) return undefined;
  const { clock, random, keys } = context;
  return openIdSignIn({ provider, clientId, clientSecret, wayOut, clock, random, sealKey: keys.seal, logger });
}

/** Returns the handlers of requests that are not a route's, in the order in which they are asked. */
function rawHandlers(
  { settings, context: { db, clock, cluster }, core, meter, ways, state, freeBytes }: SurfaceDeps,
  made: {
    readonly addressOf: ReturnType<typeof callerAddress>;
    readonly originOf: ReturnType<typeof requestOrigin>;
    readonly noteFrame: SharedAddresses['noteFrame'];
    readonly text: () => Promise<string>;
  },
): RawHandler[] {
  const showConsole = consolePage({
    prefixOf: (request) => made.originOf(request).prefix,
    allowLoopback: ways.allowLoopback,
  });
  const showMetrics = metricsHandler({
    text: made.text,
    contentType: meter.contentType,
    token: settings.PAPERGATE_METRICS_TOKEN,
    isPublic: settings.PAPERGATE_PUBLIC_URL !== undefined || settings.PAPERGATE_TRUSTED_PROXIES.length > 0,
  });
  const serveFrame: RawHandler['serve'] = (req, res) => {
    const isFrames = core.gateway.serve(req, res);
    if (isFrames) made.noteFrame(req);
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
