/** The composition root: every room of the service, put together once. Constructors only assign; `start` does the work. */
import { statfs } from 'node:fs/promises';
import { firmwareFolder } from '../gateway/firmware/images.ts';
import { picturesFolder } from '../gateway/pictures/collect-pictures.ts';
import { checkFrameUrl } from '../gateway/pictures/frame-url.ts';
import { openDurableFolder } from '../gateway/runtime/durable-folder.ts';
import type { Logger } from '../gateway/runtime/logger.ts';
import { Refusal } from '../gateway/runtime/refusals.ts';
import { feedFetcher } from './calendar/fetch-feed.ts';
import { calendarReader } from './calendar/read-calendars.ts';
import { checkHost, isPublicAddress } from './callbacks/public-address.ts';
import { sendCallback } from './callbacks/send-callback.ts';
import { systemNetwork } from './callbacks/system-network.ts';
import { consolePage } from './console/page.ts';
import { createCore } from './core.ts';
import { joinsPerMinute } from './directory/directory-edges.ts';
import { openIssuer } from './directory/issuer.ts';
import { directoryRoutes } from './directory/routes.ts';
import { fieldRoutes } from './field-compatible/present-routes.ts';
import { filesFolder } from './files/collect-files.ts';
import type { House } from './house.ts';
import { createAuthenticate } from './http/authenticate.ts';
import { callerAddress } from './http/caller-address.ts';
import { withDescription } from './http/describe-api.ts';
import { generalRequestsPerMinute, rateLimit } from './http/limit-rate.ts';
import { listen } from './http/listen.ts';
import { providerKeys } from './http/provider-keys.ts';
import { readDocument } from './http/read-document.ts';
import type { AnyRoute } from './http/route.ts';
import { createHttpServer } from './http/server.ts';
import { tokenVerifier } from './http/verify-token.ts';
import { exchangesPerMinute, type IntegrationSettings, submissionsPerMinute } from './integration/edges.ts';
import { manifestFetcher } from './integration/fetch-manifest.ts';
import { allowsLoopback } from './integration/saved-urls.ts';
import { findBrowser } from './rendering/find-browser.ts';
import { measureRendering } from './rendering/measure-rendering.ts';
import { normalizeImage } from './rendering/normalize-image.ts';
import { createRendering } from './rendering/rendering.ts';
import { serverNames } from './server-names.ts';
import type { Settings } from './settings.ts';
import { openMetrics } from './status/metrics.ts';
import { metricsDoor } from './status/metrics-door.ts';
import { serviceHealth } from './status/probes.ts';
import { statusRoutes } from './status/routes.ts';

/** Where the gateway's files lie. */
const folderOf = { pictures: picturesFolder, firmware: firmwareFolder } as const;

/** Where the running service is reached. */
export interface Addresses {
  readonly http: string;
  readonly mqtt: string;
  readonly mqtts: string;
}

/** The whole service. */
export interface Service {
  /** The HTTP surface. */
  readonly routes: readonly AnyRoute[];
  /** When it rejects, `stop` closes what was opened. */
  start(): Promise<Addresses>;
  /** Also while it is starting. */
  stop(): Promise<void>;
}

/** Puts the service together over an opened house. */
export async function createService(settings: Settings, house: House, logger: Logger): Promise<Service> {
  const { db, clock, random, keys, dataFolder, at, syncFailed } = house;
  const files = await openDurableFolder(filesFolder(dataFolder), at, syncFailed);
  const issuer = await openIssuer(dataFolder, clock);
  const production = settings.NODE_ENV === 'production';
  let addresses = { http: '', publicUrl: '', mqtts: '' };
  let ready = false;
  let starting: Promise<Addresses> | undefined;
  let stopping = false;
  const startedAt = clock.now();

  const rules: IntegrationSettings = {
    production,
    processingEnabled: settings.INTEGRATION_PROCESSING === 'enabled',
    messageSourcePrefix: settings.PAPERGATE_MESSAGE_SOURCE_PREFIX,
    allowLocalhost: settings.INTEGRATION_ALLOW_LOCALHOST === 'true',
    // T-56: known once the service listens, since its port may be chosen then.
    get publicHosts() {
      return [addresses.http, addresses.publicUrl].filter((url) => url !== '').map((url) => new URL(url).host);
    },
  };

  const meter = openMetrics(clock);
  const browserPlaces = { browserPath: settings.PAPERGATE_BROWSER, searchPath: settings.PATH };
  const rendering = createRendering({
    ...browserPlaces,
    clock,
    logger,
    rule: { mayResolve: (name) => checkHost(name).kind === 'name', mayDial: isPublicAddress },
  });
  const {
    gateway,
    line,
    outbox,
    images,
    routes: coreRoutes,
  } = await createCore({
    ...{ db, clock, random, keys, logger, meter, files, at },
    rendering: measureRendering(rendering, { meter, clock }),
    frames: {
      dataFolder,
      openFolder: (name) => openDurableFolder(folderOf[name](dataFolder), undefined, syncFailed),
      listen: {
        host: settings.PAPERGATE_MQTT_HOST,
        tlsPort: settings.PAPERGATE_MQTTS_PORT,
        plainPort: settings.PAPERGATE_MQTT_PORT,
      },
      serverNames: serverNames(settings),
    },
    integration: {
      settings: rules,
      limits: { content: rateLimit(submissionsPerMinute), exchange: rateLimit(exchangesPerMinute) },
      normalizeImage,
      fetchManifest: manifestFetcher({ network: systemNetwork, clock, rules }),
    },
    readCalendars: calendarReader({ clock, fetchFeed: feedFetcher({ network: systemNetwork, clock }) }),
    send: (callback) => sendCallback({ network: systemNetwork, clock }, callback),
    publicUrl: () => addresses.publicUrl,
  });

  const looked = { db, clock, broker: gateway.broker, rendering: rendering.probe };
  const health = serviceHealth({
    ...looked,
    mqttHost: settings.PAPERGATE_MQTT_HOST,
    findBrowser: () => findBrowser(browserPlaces),
    freeBytes: () => statfs(dataFolder).then(({ bavail, bsize }) => bavail * bsize),
  });
  const plain: AnyRoute[] = [
    ...directoryRoutes({ database: db, clock, random, limitJoins: rateLimit(joinsPerMinute) }),
    ...coreRoutes,
    ...statusRoutes({ clock, startedAt, health }),
  ];
  const routes = withDescription(plain);

  const { PAPERGATE_JWKS_URL: jwksUrl } = settings;
  const provider =
    jwksUrl === undefined
      ? undefined
      : {
          issuer: settings.PAPERGATE_JWT_ISSUER,
          audience: settings.PAPERGATE_JWT_AUDIENCE,
          keys: providerKeys({ read: () => readDocument(jwksUrl), clock }),
        };
  const showConsole = consolePage({
    health: async (kind) => (await health.look(kind))?.status ?? 'down',
    mqtts: () => addresses.mqtts,
    allowLoopback: allowsLoopback(rules),
  });
  const showMetrics = metricsDoor({
    text: () => meter.text({ ...looked, health }),
    contentType: meter.contentType,
    token: settings.PAPERGATE_METRICS_TOKEN,
    isPublic: settings.PAPERGATE_PUBLIC_URL !== undefined || settings.PAPERGATE_TRUSTED_PROXIES.length > 0,
  });
  const server = createHttpServer({
    routes: [...routes, ...fieldRoutes(plain)],
    authenticate: createAuthenticate({
      database: db,
      clock,
      random,
      verifyToken: tokenVerifier({ issuer, clock, ...(provider && { provider }) }),
    }),
    limitRate: rateLimit(generalRequestsPerMinute),
    callerAddress: callerAddress(settings.PAPERGATE_TRUSTED_PROXIES),
    clock,
    random,
    logger,
    ready: () => ready,
    meter,
    doors: [
      { name: 'frames', serve: gateway.serve },
      { name: 'signed images', serve: images.serve },
      { name: 'console', serve: showConsole },
      { name: 'metrics', serve: showMetrics },
    ],
  });

  async function start(): Promise<Addresses> {
    const http = await listen(server, settings.PAPERGATE_HTTP_PORT, settings.PAPERGATE_HTTP_HOST);
    const publicUrl = settings.PAPERGATE_PUBLIC_URL ?? http;
    const frameUrl = settings.PAPERGATE_FRAME_URL ?? http;
    checkFrameUrl(frameUrl);
    addresses = { http, publicUrl, mqtts: '' };
    // Without a browser uploaded pictures still reach their frames; pages fail with the same sentence.
    await rendering.start().catch((error: unknown) => {
      if (!(error instanceof Refusal)) throw error;
      logger.warn({ hint: error.hint }, error.message);
    });
    if (stopping) throw new Error('stopped while it was starting');
    const mqtt = await gateway.start({ frameUrl, publicUrl });
    addresses = { http, publicUrl, mqtts: mqtt.mqtts };
    ready = true;
    line.start();
    return { http, ...mqtt };
  }

  return {
    routes,
    start() {
      starting = start();
      return starting;
    },
    async stop() {
      stopping = true;
      // What a start has opened is closed below, and it opens nothing afterwards.
      await starting?.catch(() => undefined);
      ready = false;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const lineStopped = line.stop();
      await rendering.stop();
      await lineStopped;
      await gateway.stop();
      await outbox.stop();
      server.closeIdleConnections();
      clock.after(5_000, () => server.closeAllConnections());
      await closed;
    },
  };
}
