/** The core of a service over its real surroundings, by its settings: files, pages, calendars, integrations, callbacks. */

import { readBeginning } from '../../../runtime/disk/read-beginning.ts';
import type { FileArea } from '../../../runtime/files/file-areas.ts';
import type { Logger } from '../../../runtime/logger.ts';
import { feedFetcher } from '../../calendar/fetch-feed.ts';
import { calendarReader } from '../../calendar/read-calendars.ts';
import { sendCallback } from '../../callbacks/send-callback.ts';
import { manifestFetcher } from '../../integration/fetch-manifest.ts';
import { catalogueReader } from '../../integration/read-catalogues.ts';
import { openLogins } from '../../papers/address-logins.ts';
import { publicRecipeSearch } from '../../recipes/public-recipes.ts';
import { recipeReader } from '../../recipes/recipe-papers.ts';
import { measureRendering } from '../../rendering/measure-rendering.ts';
import type { Rendering } from '../../rendering/rendering.ts';
import type { ServiceMeter } from '../../status/measures.ts';
import { integrationLimits } from '../../submissions/content-deps.ts';
import { openFiles, type ServiceContext } from '../open/service-context.ts';
import type { Settings } from '../settings/settings.ts';
import { type Core, createCore } from './core.ts';
import { frameConnections } from './frame-connections.ts';
import type { Messages } from './messages-of-service.ts';
import { postOfSettings } from './post-of-settings.ts';
import type { Ways } from './ways-of-service.ts';

interface CoreOfServiceDeps {
  readonly logger: Logger;
  readonly meter: ServiceMeter;
  readonly ways: Ways;
  readonly messages: Pick<Messages, 'notices' | 'mail'>;
  readonly rendering: Rendering;
  /** The bytes that the files of one organization may have; undefined where there is no bound. */
  readonly maxBytes: number | undefined;
  readonly publicUrl: () => string;
  /** Looks for simulated frames that were made, pressed or removed. */
  readonly nudgeSimulated: () => void;
}

/** Puts the core together; nothing runs before its gateway and its line are started. */
export async function coreOfService(
  settings: Settings,
  context: ServiceContext,
  { logger, meter, ways, messages, rendering, maxBytes, publicUrl, nudgeSimulated }: CoreOfServiceDeps,
): Promise<Core> {
  const { db, clock, random, keys, dataFolder, at, cluster } = context;
  const { wayOut, operatorsWay, home, rules } = ways;
  const fetchManifest = manifestFetcher({ wayOut, rules });
  const damaged = (file: string): void => logger.error({ file }, 'a stored file is damaged');
  const openFolder = (area: FileArea) => openFiles(context, area, damaged);
  return createCore({
    db,
    clock,
    random,
    keys,
    logger,
    meter,
    files: await openFolder('files'),
    organizationBytes: maxBytes,
    at,
    cluster,
    rendering: measureRendering(rendering, { meter, clock }),
    frames: { dataFolder, openFolder, ...frameConnections(settings) },
    integration: {
      settings: rules,
      limits: integrationLimits(cluster),
      normalizeImage: rendering.normalizeImage,
      fetchManifest,
      readCatalogues: catalogueReader({
        wayOut: operatorsWay,
        clock,
        sources: settings.PAPERGATE_CATALOGUES,
        readFile: readBeginning,
        manifests: { clock, wayOut, rules, fetchManifest, decodeIcon: rendering.normalizeImage },
      }),
    },
    simulated: { most: settings.PAPERGATE_SIMULATED_FRAMES, nudge: nudgeSimulated },
    claims: { most: settings.PAPERGATE_CLAIMS, days: settings.PAPERGATE_CLAIM_DAYS },
    readCalendars: calendarReader({
      clock,
      fetchFeed: feedFetcher(wayOut, home),
      loginsOf: (paper) => openLogins(db, keys.seal, paper),
    }),
    readRecipe: recipeReader({ db, clock, follow: { wayOut, home }, work: rendering.workOnRecipe }),
    follow: { wayOut, home },
    pictureFoldersFor: (organizationId) =>
      settings.PAPERGATE_HOME_NETWORKS_NOT_FOR.includes(organizationId) ? [] : settings.PAPERGATE_PICTURE_FOLDERS,
    ...(settings.PAPERGATE_PUBLIC_RECIPES === 'enabled' && {
      searchPublicRecipes: publicRecipeSearch({ wayOut, clock }),
    }),
    post: postOfSettings(settings, ways, messages),
    notices: messages.notices,
    send: (callback) => sendCallback(wayOut, callback),
    publicUrl,
  });
}
