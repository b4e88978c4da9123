/** The service without its doors: gateway, delivery line, outbox and the routes that feed them, over what they are handed. */
import { createGateway, type GatewayEdges } from '../gateway/gateway.ts';
import type { Clock } from '../gateway/runtime/clock.ts';
import type { Database } from '../gateway/runtime/database.ts';
import type { DurableFolder } from '../gateway/runtime/durable-folder.ts';
import type { Failpoint } from '../gateway/runtime/failpoint.ts';
import type { Logger } from '../gateway/runtime/logger.ts';
import type { Meter } from '../gateway/runtime/meter.ts';
import type { Random } from '../gateway/runtime/random.ts';
import type { ReadCalendars } from './calendar/read-calendars.ts';
import { calendarRoutes } from './calendar/routes.ts';
import { createOutbox, type OutboxEdges } from './callbacks/drain-outbox.ts';
import { deliveryLine } from './delivery/delivery-line.ts';
import { describeDelivery } from './delivery/describe-delivery.ts';
import { renderForFrames } from './delivery/render-for-frames.ts';
import { followFrame } from './devices/device-of-frame.ts';
import { deviceRoutes } from './devices/routes.ts';
import { addressSigner } from './files/sign-address.ts';
import { signedImages } from './files/signed-images.ts';
import type { HouseKeys } from './house-keys.ts';
import type { AnyRoute } from './http/route.ts';
import { connectionInForce } from './integration/authorize.ts';
import type { IntegrationEdges } from './integration/edges.ts';
import { pageOfPaper } from './integration/page-of-paper.ts';
import { integrationRoutes } from './integration/routes.ts';
import { paperRoutes } from './papers/routes.ts';
import type { Rendering } from './rendering/rendering.ts';

/** What the core is handed: time, chance, storage, rendering, and the ways out and in. */
export interface CoreEdges {
  readonly db: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly keys: HouseKeys;
  readonly logger: Logger;
  readonly meter?: Meter | undefined;
  /** Normalized pictures, by digest. */
  readonly files: DurableFolder;
  readonly rendering: Pick<Rendering, 'renderPage' | 'renderDocument' | 'preparePicture'>;
  readonly readCalendars: ReadCalendars;
  readonly frames: Omit<GatewayEdges, 'db' | 'clock' | 'random' | 'logger' | 'meter' | 'reported' | 'kindNamed'>;
  readonly integration: Pick<IntegrationEdges, 'settings' | 'limits' | 'normalizeImage' | 'fetchManifest'>;
  readonly send: OutboxEdges['send'];
  readonly at?: Failpoint | undefined;
  /** Base of signed picture addresses. */
  readonly publicUrl: () => string;
}

export type Core = Awaited<ReturnType<typeof createCore>>;

/** Puts the core together; nothing runs before `gateway.start` and `line.start`. */
export async function createCore(edges: CoreEdges) {
  const { db, clock, random, keys, logger, files, rendering, send } = edges;
  const { settings: rules, normalizeImage } = edges.integration;
  const common = { db, clock, random, logger, meter: edges.meter };
  const signer = addressSigner({ key: keys.sign, clock, baseUrl: edges.publicUrl });
  const images = signedImages({ signer, files, logger });
  const signImage = (imageKey: string, requestId: string): string => images.sign(imageKey, requestId, 'png').url;
  const outbox = createOutbox({ ...common, send, sealKey: keys.seal, rules, at: edges.at });

  const gateway = await createGateway({
    ...edges.frames,
    ...common,
    reported: (serial) => line.nudge({ reported: serial }),
    kindNamed: followFrame,
  });

  const line = deliveryLine({
    ...common,
    gateway,
    render: renderForFrames({
      ...{ db, clock, files, logger, rendering },
      readCalendars: edges.readCalendars,
      signImage,
      pageOf: (paperId) => pageOfPaper({ db, rules, fetchManifest: edges.integration.fetchManifest }, paperId),
    }),
    authorized: async (trx, connectionId, generation) =>
      (await connectionInForce(trx, { connectionId, generation }, rules)).ok,
    announced: () => {
      outbox.drain().catch((error: unknown) => logger.error({ error }, 'the outbox could not be read'));
    },
  });

  const recheck = (): void => line.nudge({ assignments: true });
  const subject = { database: db, clock, random, nudge: recheck };
  const routes: AnyRoute[] = [
    ...deviceRoutes({
      ...{ ...subject, files, images, rendering, normalizeImage },
      frames: { ...gateway, status: gateway.facts },
    }),
    ...paperRoutes({ ...subject, files, images, signer, rendering, frames: gateway, normalizeImage }),
    ...calendarRoutes({ ...subject, readCalendars: edges.readCalendars }),
    ...integrationRoutes({
      ...common,
      ...edges.integration,
      files,
      at: edges.at,
      sealKey: keys.seal,
      nudge: () => line.nudge(),
      signImage,
      async describeDelivery(row) {
        const evidence = row.upload_id === null ? undefined : await gateway.evidence(row.upload_id);
        return describeDelivery(row, evidence, evidence ?? (await gateway.facts(row.serial)), clock.now());
      },
    }),
  ];
  return { gateway, line, outbox, images, routes };
}
