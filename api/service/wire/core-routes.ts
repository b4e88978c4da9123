/** The routes of devices, papers and integrations, over frames and files that are handed in. */
import type { SingleTask } from '../../../cluster/cluster.ts';
import type { Gateway } from '../../../gateway/gateway.ts';
import type { ChangesHub } from '../../changes/changes-hub.ts';
import type { DeadlineWatch } from '../../deadlines/watch-deadlines.ts';
import type { DeliveryRow } from '../../delivery-state/states.ts';
import { defaultClaims } from '../../devices/claims.ts';
import { renderDrafts } from '../../drawing/draw-paper.ts';
import { noteHostsOf } from '../../drawing/draw-recipe.ts';
import { drawnPages } from '../../drawing/drawn-pages.ts';
import { missingLetters } from '../../drawing/missing-letters.ts';
import { organizationFiles } from '../../files/organization-files.ts';
import { addressSigner } from '../../files/sign-address.ts';
import { signedImages } from '../../files/signed-images.ts';
import type { SourceOpener } from '../../filled-albums/source-kinds.ts';
import type { RateLimit } from '../../http/limit-rate.ts';
import type { AnyRoute } from '../../http/route.ts';
import { pageOfPaper } from '../../integration/page-of-paper.ts';
import { openSettings } from '../../integration/paper-secrets.ts';
import { groupFollower } from '../../jobs/follow-groups.ts';
import { jobRunner } from '../../jobs/run-jobs.ts';
import { openLogins } from '../../papers/address-logins.ts';
import { deadlineRoutes } from '../../routes/deadlines/routes.ts';
import { readOffered } from '../../routes/devices/glass-routes.ts';
import type { ImageDeps } from '../../routes/devices/image-deps.ts';
import { deviceRoutes } from '../../routes/devices/routes.ts';
import { integrationRoutes } from '../../routes/integration/routes.ts';
import { groupRoutes } from '../../routes/jobs/group-routes.ts';
import { jobRoutes } from '../../routes/jobs/routes.ts';
import { calendarRoutes } from '../../routes/papers/calendar-routes.ts';
import { draftRoutes } from '../../routes/papers/draft-routes.ts';
import type { PaperDeps } from '../../routes/papers/paper-deps.ts';
import { postRoutes } from '../../routes/papers/post-routes.ts';
import { paperRoutes } from '../../routes/papers/routes.ts';
import type { PostOffered } from '../../routes/papers/show-post.ts';
import { sourceRoutes } from '../../routes/papers/source-routes.ts';
import { recipeDataRoutes } from '../../routes/recipes/data-routes.ts';
import { recipeOptionRoutes } from '../../routes/recipes/option-routes.ts';
import { recipeRoutes } from '../../routes/recipes/recipe-routes.ts';
import { type DeliveryDescription, describeDelivery } from '../../submissions/describe-delivery.ts';
import type { CoreDeps } from './core-deps.ts';

/** The dependencies that the routes and the delivery line have in common. */
export type CorePictureDeps = Pick<
  CoreDeps,
  | 'db'
  | 'clock'
  | 'keys'
  | 'logger'
  | 'files'
  | 'organizationBytes'
  | 'rendering'
  | 'readCalendars'
  | 'readRecipe'
  | 'follow'
  | 'integration'
  | 'publicUrl'
>;

/** Stored pictures, their signed addresses, and what papers are drawn with. */
export type CorePictures = ReturnType<typeof openCorePictures>;

/** Opens the pictures over the folder of files. */
export function openCorePictures(deps: CorePictureDeps) {
  const { db, clock, keys, logger, integration } = deps;
  const files = organizationFiles({ db, clock, files: deps.files, maxBytes: deps.organizationBytes });
  const signer = addressSigner({ key: keys.sign, clock, baseUrl: deps.publicUrl });
  const images = signedImages({ signer, files, logger });
  const drawing: Parameters<typeof renderDrafts>[0] = {
    db,
    clock,
    rendering: deps.rendering,
    readCalendars: deps.readCalendars,
    readRecipe: deps.readRecipe,
    follow: deps.follow,
    drawnPages: drawnPages(),
    normalizeImage: integration.normalizeImage,
    files,
    signImage: (imageKey, requestId) => images.sign(imageKey, requestId, 'png').url,
    loginsOf: (paper) => openLogins(db, keys.seal, paper),
    openSettings: (paper, values) => openSettings(keys.seal, paper, values),
    pageOf: (paperId) =>
      pageOfPaper({ db, rules: integration.settings, fetchManifest: integration.fetchManifest }, paperId),
  };
  return { files, signer, images, drawing };
}

export interface CoreRoutesDeps
  extends CorePictureDeps,
    Pick<CoreDeps, 'random' | 'claims' | 'simulated' | 'searchPublicRecipes' | 'at'> {
  readonly pictures: CorePictures;
  readonly frames: ImageDeps['frames'] & PaperDeps['frames'] & Pick<Gateway, 'evidence' | 'rollOut'>;
  /** Of several nodes one works on jobs. */
  readonly single: SingleTask;
  readonly changes: ChangesHub;
  readonly deadlines: Pick<DeadlineWatch, 'look' | 'nudge'>;
  readonly sources: SourceOpener;
  /** Wakes the worker that fills albums. */
  readonly nudgeFiller: () => void;
  /** The ways by which pictures come by mail and Telegram. */
  readonly post: PostOffered;
  /** Wakes the delivery line for new content; called after a commit. */
  readonly nudge: () => void;
  /** Wakes whatever follows devices and papers; called after a change of them. */
  readonly nudgeAll: () => void;
  /** The limit on tries of guest links that nobody has, by address. */
  readonly limitGuests: RateLimit;
  /** The limit on data that are sent to one recipe. */
  readonly limitHooks: RateLimit;
  /** The time that a request for an image waits for a picture that delivery is drawing; 0 where nothing draws. */
  readonly drawPatienceMs: number;
}

/** Returns the routes, the worker of jobs, and the reader of the picture that a frame was offered. */
export function coreRoutes(deps: CoreRoutesDeps) {
  const { db, clock, random, keys, logger, rendering, integration, frames, changes } = deps;
  const { files, signer, images, drawing } = deps.pictures;
  const { normalizeImage } = integration;
  const { deadlines } = deps;
  const subject = { db, clock, random, changes, deadlines, nudge: deps.nudgeAll };
  const pictured = { files, images, rendering, normalizeImage, frames, missed: missingLetters(logger) };
  const importing = { work: rendering.workOnRecipe, follow: deps.follow };
  const forDevices = { ...subject, ...pictured, ...boundsOfDevices(deps) };
  const before = groupFollower(forDevices);
  const jobs = jobRunner({ ...forDevices, logger, single: deps.single, before });
  const forJobs = { ...forDevices, logger, rollOut: frames.rollOut, nudgeJobs: jobs.nudge };
  const routes: AnyRoute[] = [
    ...deviceRoutes(forDevices),
    ...paperRoutes({
      ...subject,
      ...pictured,
      drawPatienceMs: deps.drawPatienceMs,
      signer,
      sealKey: keys.seal,
      limitGuests: deps.limitGuests,
      noteHosts: (paper) => noteHostsOf({ ...drawing, ...importing, db, clock }, paper),
    }),
    ...sourceRoutes({
      ...subject,
      normalizeImage,
      sealKey: keys.seal,
      nudge: deps.nudge,
      sources: deps.sources,
      nudgeFiller: deps.nudgeFiller,
    }),
    ...postRoutes({ ...subject, post: deps.post }),
    ...recipeRoutes({ ...subject, ...importing, sealKey: keys.seal, searchPublicRecipes: deps.searchPublicRecipes }),
    ...recipeOptionRoutes({ ...subject, ...importing, sealKey: keys.seal }),
    ...recipeDataRoutes({ ...subject, ...importing, drawing, sealKey: keys.seal, limitHooks: deps.limitHooks }),
    ...jobRoutes(forJobs),
    ...groupRoutes(forJobs),
    ...calendarRoutes({ ...subject, readCalendars: deps.readCalendars }),
    ...deadlineRoutes({ db, clock, random, deadlines }),
    ...draftRoutes({ ...subject, drawDraft: renderDrafts(drawing) }),
    ...integrationRoutes({
      ...integration,
      db,
      clock,
      random,
      logger,
      files,
      at: deps.at,
      sealKey: keys.seal,
      nudge: deps.nudge,
      signImage: drawing.signImage,
      describeDelivery: deliveryDescriber(deps, frames),
    }),
  ];
  return { routes, jobs, readPicture: readOffered(forDevices) };
}

/** How many devices of some sorts an organization may have. */
function boundsOfDevices({
  claims = defaultClaims,
  simulated,
  keys,
}: CoreRoutesDeps): Pick<ImageDeps, 'claims' | 'simulated'> {
  return { claims, simulated: { most: simulated?.most ?? 0, sealKey: keys.seal } };
}

/** Returns how deliveries are described: the times at which a frame comes and goes are for its present owner (T-63). */
function deliveryDescriber(
  { db, clock }: Pick<CoreDeps, 'db' | 'clock'>,
  frames: Pick<CoreRoutesDeps['frames'], 'evidence' | 'status'>,
) {
  return async (row: DeliveryRow): Promise<DeliveryDescription> => {
    const evidence = row.upload_id === null ? undefined : await frames.evidence(row.upload_id);
    const { device_id: id, assignment, serial } = row;
    const isTheirs = (await db('devices').where({ id, assignment, serial }).first('id')) !== undefined;
    const wakes = evidence ?? (isTheirs ? await frames.status(serial) : undefined);
    return describeDelivery(row, evidence, wakes, clock.now());
  };
}
