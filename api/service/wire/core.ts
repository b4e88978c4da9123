/**
 * The service without its network listeners: gateway, delivery line, outbox and the routes that feed them, over
 * handed-in dependencies.
 */

import type { Cluster } from '../../../cluster/cluster.ts';
import { createGateway, type Gateway, type GatewayDeps } from '../../../gateway/gateway.ts';
import type { CommonDeps } from '../../../runtime/common-deps.ts';
import type { DurableFolder } from '../../../runtime/durable-folder.ts';
import type { Failpoint } from '../../../runtime/failpoint.ts';
import { inBackground } from '../../../runtime/in-background.ts';
import { createSignal, type Signal } from '../../../runtime/signal.ts';
import type { ReadCalendars } from '../../calendar/read-calendars.ts';
import { createOutbox, type OutboxDeps } from '../../callbacks/drain-outbox.ts';
import { ChangesHub } from '../../changes/changes-hub.ts';
import { deliveryLine } from '../../delivery/delivery-line.ts';
import type { PageIsSeen } from '../../delivery/line-deps.ts';
import type { Changed } from '../../delivery/pass-loop.ts';
import type { DeliveryRow } from '../../delivery-state/states.ts';
import type { AdoptDeps } from '../../devices/adopt-asking.ts';
import { adoptInWindow } from '../../devices/adoption-window.ts';
import { defaultClaims } from '../../devices/claims.ts';
import { followFrame } from '../../devices/device-of-frame.ts';
import { signInsPerMinute } from '../../directory/directory-deps.ts';
import { renderDrafts, renderForFrames } from '../../drawing/draw-paper.ts';
import { missingLetters } from '../../drawing/missing-letters.ts';
import { organizationFiles } from '../../files/organization-files.ts';
import { addressSigner } from '../../files/sign-address.ts';
import { signedImages } from '../../files/signed-images.ts';
import { rateLimit } from '../../http/limit-rate.ts';
import type { AnyRoute } from '../../http/route.ts';
import { authorizeWork } from '../../integration/authorize.ts';
import { pageOfPaper } from '../../integration/page-of-paper.ts';
import { openSettings } from '../../integration/paper-secrets.ts';
import { openLogins } from '../../papers/address-logins.ts';
import type { Rendering } from '../../rendering/rendering.ts';
import { readOffered } from '../../routes/devices/glass-routes.ts';
import type { ImageDeps } from '../../routes/devices/image-deps.ts';
import { deviceRoutes } from '../../routes/devices/routes.ts';
import type { IntegrationDeps } from '../../routes/integration/integration-deps.ts';
import { integrationRoutes } from '../../routes/integration/routes.ts';
import { calendarRoutes } from '../../routes/papers/calendar-routes.ts';
import { draftRoutes } from '../../routes/papers/draft-routes.ts';
import { paperRoutes } from '../../routes/papers/routes.ts';
import type { ServiceMeter } from '../../status/measures.ts';
import { type DeliveryDescription, describeDelivery } from '../../submissions/describe-delivery.ts';
import { timedShower } from '../../timed-pictures/show-timed.ts';
import type { ServiceKeys } from '../open/service-keys.ts';

/** Clients ask for a paper's image once, right after a change; most pictures are drawn by then (C-56). */
const drawPatienceMs = 10_000;

/** The dependencies of the core: time, random numbers, storage, rendering, and the ways out and in. */
export interface CoreDeps extends CommonDeps {
  readonly keys: Pick<ServiceKeys, 'seal' | 'sign'>;
  readonly meter?: ServiceMeter | undefined;
  /** Normalized pictures, by digest. */
  readonly files: DurableFolder;
  /** The bytes that the files of one organization may have; undefined where there is no bound. */
  readonly organizationBytes?: number | undefined;
  readonly rendering: Pick<Rendering, 'renderPage' | 'renderDocument' | 'preparePicture'>;
  readonly readCalendars: ReadCalendars;
  /** How many claims of serials an organization may have open, and after how many days one ends. */
  readonly claims?: { readonly most: number; readonly days: number };
  /** Simulated frames, where the service may have any: how many, and what looks for new ones. */
  readonly simulated?: { readonly most: number; readonly nudge: () => void };
  readonly frames: Omit<
    GatewayDeps,
    'db' | 'clock' | 'random' | 'logger' | 'meter' | 'reported' | 'pictureLost' | 'kindNamed' | 'asksForKey' | 'cluster'
  >;
  readonly integration: Pick<
    IntegrationDeps,
    'settings' | 'limits' | 'normalizeImage' | 'fetchManifest' | 'readCatalogues'
  >;
  readonly send: OutboxDeps['send'];
  readonly at?: Failpoint | undefined;
  readonly pageIsSeen?: PageIsSeen | undefined;
  /** The clock is that of the cluster. */
  readonly cluster: Cluster;
  /** Base of signed picture addresses. */
  readonly publicUrl: () => string;
}

export type Core = Awaited<ReturnType<typeof createCore>>;

/** Puts the core together; nothing runs before `gateway.start` and `line.start`. */
export async function createCore(deps: CoreDeps) {
  const { db, clock, random, keys, logger, rendering, send, cluster } = deps;
  const files = organizationFiles({ db, clock, files: deps.files, maxBytes: deps.organizationBytes });
  const { settings: rules, normalizeImage } = deps.integration;
  const common = { db, clock, random, logger, meter: deps.meter };
  const signer = addressSigner({ key: keys.sign, clock, baseUrl: deps.publicUrl });
  const images = signedImages({ signer, files, logger });
  const signImage = (imageKey: string, requestId: string): string => images.sign(imageKey, requestId, 'png').url;
  const outbox = createOutbox({ ...common, cluster, send, sealKey: keys.seal, rules, at: deps.at });

  const fromFrames = createSignal<Changed>();
  const gateway = await createGateway({
    ...deps.frames,
    ...common,
    ...newsOfFrames(fromFrames),
    ...devicesOfFrames({ clock, random }),
    cluster,
  });

  const drawing = { ...drawingOf(deps), files, signImage };
  const frames = { ...gateway, status: gateway.facts };
  const line = deliveryLine({
    ...common,
    cluster,
    gateway,
    pageIsSeen: deps.pageIsSeen,
    showTimed: timedShower({ ...common, files, rendering, normalizeImage, frames }),
    render: renderForFrames({ ...drawing, logger }),
    authorized: async (trx, connectionId, generation) =>
      (await authorizeWork(trx, { connectionId, generation }, rules)).ok,
    callbacksOwed: () => inBackground(logger, 'read the outbox', () => outbox.drain()),
  });
  fromFrames.listen(line.nudge);

  const changes = new ChangesHub({ db, clock, logger, cluster });
  const subject = { db, clock, random, changes, nudge: nudgeAll(line, deps.simulated) };
  const pictured = { files, images, rendering, normalizeImage, frames, missed: missingLetters(logger) };
  const forDevices = { ...subject, ...pictured, ...boundsOfDevices(deps) };
  const routes: AnyRoute[] = [
    ...deviceRoutes(forDevices),
    ...paperRoutes({
      ...subject,
      ...pictured,
      drawPatienceMs,
      signer,
      sealKey: keys.seal,
      limitGuests: rateLimit(signInsPerMinute, cluster.counters('guests')),
    }),
    ...calendarRoutes({ ...subject, readCalendars: deps.readCalendars }),
    ...draftRoutes({ ...subject, drawDraft: renderDrafts(drawing) }),
    ...integrationRoutes({
      ...common,
      ...deps.integration,
      files,
      at: deps.at,
      sealKey: keys.seal,
      nudge: () => line.nudge(),
      signImage,
      describeDelivery: deliveryDescriber(deps, gateway),
    }),
  ];
  return { gateway, line, outbox, images, routes, changes, readPicture: readOffered(forDevices) };
}

/** What papers are drawn with, but for the files of what was sent. */
function drawingOf({ db, clock, keys, rendering, readCalendars, integration }: CoreDeps): Drawing {
  const { settings: rules, fetchManifest } = integration;
  return {
    db,
    clock,
    rendering,
    readCalendars,
    loginsOf: (paper) => openLogins(db, keys.seal, paper),
    openSettings: (paper, values) => openSettings(keys.seal, paper, values),
    pageOf: (paperId) => pageOfPaper({ db, rules, fetchManifest }, paperId),
  };
}

type Drawing = Omit<Parameters<typeof renderDrafts>[0], 'files' | 'signImage'>;

/** How many devices of some sorts an organization may have. */
function boundsOfDevices({
  claims = defaultClaims,
  simulated,
  keys,
}: CoreDeps): Pick<ImageDeps, 'claims' | 'simulated'> {
  return { claims, simulated: { most: simulated?.most ?? 0, sealKey: keys.seal } };
}

/** Returns what looks everywhere after a change of devices and papers. */
function nudgeAll(line: ReturnType<typeof deliveryLine>, simulated: CoreDeps['simulated']): () => void {
  return () => {
    line.nudge({ assignments: true });
    simulated?.nudge();
  };
}

/** What the line looks at after a frame. */
function newsOfFrames({ emit }: Signal<Changed>): Pick<GatewayDeps, 'reported' | 'pictureLost'> {
  return { reported: (serial) => emit({ reported: serial }), pictureLost: () => emit({}) };
}

/** The change of a device when its frame speaks. */
function devicesOfFrames(deps: AdoptDeps): Pick<GatewayDeps, 'kindNamed' | 'asksForKey'> {
  return { kindNamed: followFrame, asksForKey: (trx, asking) => adoptInWindow(trx, deps, asking) };
}

/** Returns how deliveries are described: the times at which a frame comes and goes are for its present owner (T-63). */
function deliveryDescriber(
  { db, clock }: Pick<CoreDeps, 'db' | 'clock'>,
  gateway: Pick<Gateway, 'evidence' | 'facts'>,
) {
  return async (row: DeliveryRow): Promise<DeliveryDescription> => {
    const evidence = row.upload_id === null ? undefined : await gateway.evidence(row.upload_id);
    const { device_id: id, assignment, serial } = row;
    const isTheirs = (await db('devices').where({ id, assignment, serial }).first('id')) !== undefined;
    const wakes = evidence ?? (isTheirs ? await gateway.facts(serial) : undefined);
    return describeDelivery(row, evidence, wakes, clock.now());
  };
}
