/** The composition root: every room of the service, put together once. Constructors only assign; `start` does the work. */

import type { Server } from 'node:http';
import { checkFrameUrl } from '../../gateway/pictures/frame-url.ts';
import type { Clock } from '../../runtime/clock.ts';
import { giveMemoryBack } from '../../runtime/give-memory-back.ts';
import type { Logger } from '../../runtime/logger.ts';
import { readBeginning } from '../../runtime/read-beginning.ts';
import { feedFetcher } from '../calendar/fetch-feed.ts';
import { calendarReader } from '../calendar/read-calendars.ts';
import { sendCallback } from '../callbacks/send-callback.ts';
import { openIssuer } from '../directory/issuer.ts';
import type { HomeAssistant } from '../home-assistant/home-assistant.ts';
import { listen } from '../http/listen.ts';
import type { AnyRoute } from '../http/route.ts';
import { manifestFetcher } from '../integration/fetch-manifest.ts';
import { catalogueReader } from '../integration/read-catalogues.ts';
import { allowsLoopback } from '../integration/saved-urls.ts';
import { withOwnNames } from '../outgoing/own-names.ts';
import { publicHosts } from '../outgoing/reach-host.ts';
import { systemNetwork } from '../outgoing/system-network.ts';
import { openWayOut, type WayOut } from '../outgoing/way-out.ts';
import { openLogins } from '../papers/address-logins.ts';
import { measureRendering } from '../rendering/measure-rendering.ts';
import { openMetrics } from '../status/metrics.ts';
import type { ServingState } from '../status/readiness.ts';
import { integrationLimits } from '../submissions/content-deps.ts';
import { freeBytesOf, openFiles, type ServiceContext } from './open/service-context.ts';
import { boundOnDisk } from './open/storage-bound.ts';
import type { Settings } from './settings/settings.ts';
import { alertsOfService } from './wire/alerts-of-service.ts';
import { type Core, createCore } from './wire/core.ts';
import { doorsOfFrames } from './wire/frame-doors.ts';
import { homeAssistantOf } from './wire/home-assistant-of-service.ts';
import { homeOfService } from './wire/home-of-service.ts';
import { httpSurface } from './wire/http-surface.ts';
import { integrationRules } from './wire/integration-of-service.ts';
import { drainSeconds } from './wire/service-node.ts';
import { beginRendering, openBodies, openRendering } from './wire/service-rendering.ts';

/** The addresses of the running service. */
export interface Addresses {
  readonly http: string;
  readonly mqtt: string;
  readonly mqtts: string;
}

/** The whole service. */
export interface Service {
  readonly routes: readonly AnyRoute[];
  /** Starts the service. When it rejects, `stop` closes what was opened. */
  start(): Promise<Addresses>;
  /**
   * Stops the service, even while it is starting. Where the settings ask for it, it first says that it is draining, waits
   * until balancers have seen that, and lets frames that are awake finish; none of it once `hurry` resolves.
   */
  stop(hurry?: Promise<unknown>): Promise<void>;
}

/** The addresses of the service; they are empty until it is reached there. */
interface Reached {
  readonly http: string;
  readonly publicUrl: string;
  readonly mqtts: string;
}

/** Puts the service together over an opened context. */
export async function createService(settings: Settings, context: ServiceContext, logger: Logger): Promise<Service> {
  const { clock, dataFolder, node } = context;
  const freeBytes = () => freeBytesOf(dataFolder);
  const maxBytes = await boundOnDisk(settings);
  let addresses: Reached = { http: '', publicUrl: '', mqtts: '' };
  let state: ServingState = 'starting';
  let starting: Promise<Addresses> | undefined;
  let stopping = false;

  const parts = await createParts(settings, context, { logger, maxBytes }, () => addresses);
  const { rules, core } = parts;
  const { server, routes, history } = httpSurface({
    settings,
    context,
    logger,
    ...parts,
    alerts: parts.alerts.routeDeps,
    issuer: await openIssuer(dataFolder, clock),
    bodies: await openBodies(settings, context, freeBytes),
    freeBytes,
    maxBytes,
    startedAt: clock.now(),
    state: () => state,
    allowLoopback: allowsLoopback(rules),
  });
  const homeDeps = { ...parts, routes, logger, reached: () => addresses };
  const background = workBeside(parts, history, homeAssistantOf(settings, context, homeDeps), clock);

  async function start(): Promise<Addresses> {
    const http = await listen(server, settings.PAPERGATE_HTTP_PORT, settings.PAPERGATE_HTTP_HOST);
    const publicUrl = settings.PAPERGATE_PUBLIC_URL ?? http;
    const frameUrl = settings.PAPERGATE_FRAME_URL ?? http;
    checkFrameUrl(frameUrl);
    addresses = { http, publicUrl, mqtts: '' };
    await beginRendering(parts.rendering, settings, logger);
    if (stopping) throw new Error('stopped while it was starting');
    const mqtt = await core.gateway.start({ frameUrl, publicUrl: settings.PAPERGATE_DOWNLOAD_URL ?? publicUrl });
    addresses = { http, publicUrl, mqtts: mqtt.mqtts };
    await node?.reached(http);
    state = 'serving';
    background.start();
    return { http, ...mqtt };
  }

  return {
    routes,
    start() {
      starting = start();
      return starting;
    },
    async stop(hurry = new Promise(() => {})) {
      stopping = true;
      // Everything that a start has opened is closed below, and it opens nothing afterwards.
      await starting?.catch(() => undefined);
      const drainMs = state === 'serving' ? drainSeconds(settings) * 1000 : 0;
      state = 'draining';
      // A database that is away keeps nobody from stopping: others find out by themselves.
      node?.drain().catch((error: unknown) => logger.info({ error }, 'other nodes were not told that this one stops'));
      if (drainMs > 0) await Promise.race([drain(core, clock, drainMs), hurry]);
      state = 'stopping';
      await background.stop();
      await stopParts(parts, server, clock);
    },
  };
}

/** What works beside the answers while the service serves. What its parts hold is closed with them. */
function workBeside(
  { core, alerts }: Parts,
  history: ReturnType<typeof httpSurface>['history'],
  home: HomeAssistant | undefined,
  clock: Clock,
) {
  let keepMemory = (): void => {};
  return {
    start(): void {
      history.start();
      core.line.start();
      alerts.watch.start();
      home?.start();
      keepMemory = giveMemoryBack(clock);
    },
    async stop(): Promise<void> {
      keepMemory();
      await home?.stop();
      await history.stop();
    },
  };
}

/** The time that frames which are awake have to finish: the longest wake of the dialects takes less. */
const finishMs = 45_000;

/** Waits until balancers send no more callers and frames, then for those that are here. */
async function drain({ gateway, line, outbox, changes }: Core, clock: Clock, waitMs: number): Promise<void> {
  await new Promise<void>((resolve) => clock.after(waitMs, resolve));
  await changes.stop();
  await Promise.all([line.stop(), gateway.drain(finishMs)]);
  // A callback is sent again elsewhere when this takes too long.
  await Promise.race([outbox.idle(), new Promise<void>((resolve) => clock.after(finishMs, resolve))]);
}

type Parts = Awaited<ReturnType<typeof createParts>>;

interface PartsDeps {
  readonly logger: Logger;
  readonly maxBytes: number | undefined;
}

async function createParts(
  settings: Settings,
  context: ServiceContext,
  { logger, maxBytes }: PartsDeps,
  reached: () => Reached,
) {
  const { db, clock, random, keys, dataFolder, at, node } = context;
  const damaged = (file: string): void => logger.error({ file }, 'a stored file is damaged');
  const files = await openFiles(context, 'files', damaged);
  const rules = integrationRules(settings, reached);
  const network = systemNetwork({ clock });
  const wayOut = openWayOut({ network, clock });
  const operatorsWay = openWayOut({ network: withOwnNames(network), clock });
  const home = homeOfService(settings, reached);
  const meter = context.meter ?? openMetrics(clock);
  const rendering = openRendering(settings, { clock, logger, rule: publicHosts, home, wayOut });
  const core = await createCore({
    db,
    clock,
    random,
    keys,
    logger,
    meter,
    files,
    organizationBytes: maxBytes,
    at,
    node: node?.work,
    rendering: measureRendering(rendering, { meter, clock }),
    frames: {
      dataFolder,
      openFolder: (area) => openFiles(context, area, damaged),
      ...doorsOfFrames(settings),
      ...(node !== undefined && { nodes: node.frames }),
    },
    integration: {
      settings: rules,
      limits: integrationLimits(node?.work.tallies),
      normalizeImage: rendering.normalizeImage,
      fetchManifest: manifestFetcher({ wayOut, rules }),
      readCatalogues: cataloguesOf(settings, operatorsWay, clock),
    },
    claims: { most: settings.PAPERGATE_CLAIMS, days: settings.PAPERGATE_CLAIM_DAYS },
    readCalendars: calendarReader({
      clock,
      fetchFeed: feedFetcher(wayOut, home),
      loginsOf: (paper) => openLogins(db, keys.seal, paper),
    }),
    send: (callback) => sendCallback(wayOut, callback),
    publicUrl: () => reached().publicUrl,
  });
  const publicUrl = (): string => reached().publicUrl;
  const ways = { wayOut, operatorsWay, home, allowLoopback: allowsLoopback(rules), publicUrl };
  const alerts = alertsOfService(settings, context, { ...ways, logger, meter, core });
  return { rules, operatorsWay, meter, rendering, core, alerts };
}

const cataloguesOf = ({ PAPERGATE_CATALOGUES: sources }: Settings, wayOut: WayOut, clock: Clock) =>
  catalogueReader({ wayOut, clock, sources, readFile: readBeginning });

async function stopParts({ rendering, core, alerts }: Parts, server: Server, clock: Clock): Promise<void> {
  const { gateway, line, outbox, changes } = core;
  await changes.stop();
  await alerts.watch.stop();
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const lineStopped = line.stop();
  await rendering.stop();
  await lineStopped;
  await gateway.stop();
  await outbox.stop();
  server.closeIdleConnections();
  clock.after(5_000, () => server.closeAllConnections());
  await closed;
}
