/** The composition root: every room of the service, put together once. Constructors only assign; `start` does the work. */
import { createGateway } from '../gateway/gateway.ts';
import { checkFrameUrl } from '../gateway/pictures/frame-url.ts';
import { openDurableFolder } from '../gateway/runtime/durable-folder.ts';
import type { Logger } from '../gateway/runtime/logger.ts';
import { Refusal, refuse } from '../gateway/runtime/refusals.ts';
import { createOutbox } from './callbacks/drain-outbox.ts';
import { isPublicAddress } from './callbacks/public-address.ts';
import { systemNetwork } from './callbacks/system-network.ts';
import { consolePage } from './console/page.ts';
import { deliveryLine } from './delivery/delivery-line.ts';
import { describeDelivery } from './delivery/describe-delivery.ts';
import { renderForFrames } from './delivery/render-for-frames.ts';
import { deviceRoutes } from './devices/routes.ts';
import { openIssuer } from './directory/issuer.ts';
import { directoryRoutes } from './directory/routes.ts';
import { filesFolder } from './files/collect-files.ts';
import { signedImages } from './files/signed-images.ts';
import type { House } from './house.ts';
import { createAuthenticate } from './http/authenticate.ts';
import { generalRequestsPerMinute, rateLimit } from './http/limit-rate.ts';
import { listen } from './http/listen.ts';
import type { AnyRoute } from './http/route.ts';
import { createHttpServer } from './http/server.ts';
import { remoteKeys, tokenVerifier } from './http/verify-token.ts';
import { connectionInForce } from './integration/authorize.ts';
import { exchangesPerMinute, type IntegrationSettings, submissionsPerMinute } from './integration/edges.ts';
import { manifestFetcher } from './integration/fetch-manifest.ts';
import { pageOfPaper } from './integration/page-of-paper.ts';
import { integrationRoutes } from './integration/routes.ts';
import { allowsLoopback } from './integration/saved-urls.ts';
import { paperRoutes } from './papers/routes.ts';
import { normalizeImage } from './rendering/normalize-image.ts';
import { createRendering } from './rendering/rendering.ts';
import { serverNames } from './server-names.ts';
import type { Settings } from './settings.ts';
import { type StatusEdges, statusRoutes } from './status/routes.ts';

/** Where the running service is reached. */
export interface Addresses {
  readonly http: string;
  readonly mqtt: string;
  readonly mqtts: string;
}

/** The whole service. */
export interface Service {
  start(): Promise<Addresses>;
  stop(): Promise<void>;
}

/** Puts the service together over an opened house. */
export async function createService(settings: Settings, house: House, logger: Logger): Promise<Service> {
  const { db, clock, random, keys, dataFolder, at } = house;
  const files = await openDurableFolder(filesFolder(dataFolder), at);
  const issuer = await openIssuer(dataFolder, clock);
  const production = settings.NODE_ENV === 'production';
  let addresses = { http: '', publicUrl: '', mqtts: '' };
  let ready = false;
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

  const rendering = createRendering({
    browserPath: settings.PAPERGATE_BROWSER,
    searchPath: settings.PATH,
    clock,
    logger,
    mayDial: isPublicAddress,
  });
  const images = signedImages({ key: keys.sign, clock, files, logger, baseUrl: () => addresses.publicUrl });
  const outbox = createOutbox({ db, clock, random, network: systemNetwork, sealKey: keys.seal, rules, logger, at });
  const drain = (): void => {
    outbox.drain().catch((error: unknown) => logger.error({ error }, 'the outbox could not be read'));
  };

  const gateway = await createGateway({
    db,
    clock,
    random,
    logger,
    dataFolder,
    listen: {
      host: settings.PAPERGATE_MQTT_HOST,
      tlsPort: settings.PAPERGATE_MQTTS_PORT,
      plainPort: settings.PAPERGATE_MQTT_PORT,
    },
    serverNames: serverNames(settings),
    reported: (serial) => line.nudge({ reported: serial }),
  });

  const line = deliveryLine({
    db,
    clock,
    random,
    logger,
    gateway,
    render: renderForFrames({
      db,
      files,
      rendering,
      signImage: images.sign,
      pageOf: (paperId) => pageOfPaper(db, rules, paperId),
    }),
    authorized: async (trx, connectionId, generation) =>
      (await connectionInForce(trx, { connectionId, generation }, rules)).ok,
    announced: drain,
  });

  const probes = {
    api: async () => 'ok',
    database: () =>
      db.raw('select 1').then(
        () => 'ok',
        () => 'down',
      ),
    rendering: async () => (rendering.probe().browser === 'running' ? 'ok' : 'degraded'),
    gateway: async () => gateway.health(),
    mqtt: async () => gateway.health(),
    callbacks: () => overdueCallbacks(db, clock.now()),
    epaper: async () => (ready ? gateway.health() : 'down'),
  } satisfies StatusEdges['probes'];
  const recheck = (): void => line.nudge({ assignments: true });
  const routes: AnyRoute[] = [
    ...directoryRoutes({ database: db, clock, random }),
    ...deviceRoutes({
      database: db,
      clock,
      random,
      frames: { ...gateway, status: gateway.facts },
      nudge: recheck,
    }),
    ...paperRoutes({ database: db, clock, random, pictures: files, normalizeImage: uploadedPicture, nudge: recheck }),
    ...integrationRoutes({
      db,
      clock,
      random,
      files,
      sealKey: keys.seal,
      settings: rules,
      limits: { content: rateLimit(submissionsPerMinute), exchange: rateLimit(exchangesPerMinute) },
      normalizeImage,
      nudge: () => line.nudge(),
      signImage: images.sign,
      describeDelivery: async (row) =>
        describeDelivery(row, row.upload_id === null ? undefined : await gateway.evidence(row.upload_id), clock.now()),
      fetchManifest: manifestFetcher({ network: systemNetwork, clock, rules }),
      logger,
      at,
    }),
    ...statusRoutes({ clock, startedAt, probes }),
  ];

  const provider =
    settings.PAPERGATE_JWKS_URL === undefined
      ? undefined
      : {
          issuer: settings.PAPERGATE_JWT_ISSUER,
          audience: settings.PAPERGATE_JWT_AUDIENCE,
          keys: remoteKeys(settings.PAPERGATE_JWKS_URL),
        };
  const showConsole = consolePage({
    health: (kind) => probes[kind](),
    mqtts: () => addresses.mqtts,
    allowLoopback: allowsLoopback(rules),
  });
  const server = createHttpServer({
    routes,
    authenticate: createAuthenticate({
      database: db,
      clock,
      random,
      verifyToken: tokenVerifier({ issuer, clock, ...(provider && { provider }) }),
    }),
    limitRate: rateLimit(generalRequestsPerMinute),
    clock,
    random,
    logger,
    ready: () => ready,
    before: (request, response) =>
      gateway.serve(request, response) || images.serve(request, response) || showConsole(request, response),
  });

  return {
    async start() {
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
      const mqtt = await gateway.start({ frameUrl, publicUrl });
      addresses = { http, publicUrl, mqtts: mqtt.mqtts };
      ready = true;
      line.start();
      return { http, ...mqtt };
    },
    async stop() {
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

/** Callbacks that have been failing for an hour: somebody waits for news. */
async function overdueCallbacks(db: House['db'], now: number): Promise<'ok' | 'degraded'> {
  const late = await db('callback_events')
    .whereNotNull('due_at')
    .where('created_at', '<', now - 3_600_000)
    .first('id');
  return late === undefined ? 'ok' : 'degraded';
}

/** A picture that a person uploads: the same rules as for pushed ones, refused in the same words. */
async function uploadedPicture(bytes: Buffer): Promise<Buffer> {
  const image = await normalizeImage(bytes);
  if (image.ok) return image.png;
  throw refuse(image.problem === 'broken' ? 'invalid-image' : 'unsupported-image');
}
