/** The renderer of the service, and the place where bodies wait for it, by its settings and its memory. */
import { join } from 'node:path';
import { Refusal } from '../../../reasons/refusals.ts';
import { collectGarbage } from '../../../runtime/collect-garbage.ts';
import type { Logger } from '../../../runtime/logger.ts';
import { machineMemory } from '../../../runtime/machine-memory.ts';
import { type BodyRoom, bodyLimitsFor, openBodyRoom } from '../../http/body-room.ts';
import { withoutBrowser } from '../../papers/kinds.ts';
import { createRendering, type Rendering, type RenderingDeps } from '../../rendering/rendering.ts';
import type { During, ServiceContext } from '../open/service-context.ts';
import type { Settings } from '../settings/settings.ts';

/** The bytes of memory that the service may count on, its browser included (T-96). */
const memoryFor = ({ PAPERGATE_MEMORY: mebibytes }: Settings): number =>
  mebibytes === undefined ? machineMemory() : mebibytes * 1024 * 1024;

/** Puts rendering together from the settings; nothing runs yet. */
export function openRendering(
  settings: Settings,
  {
    during,
    ...deps
  }: Pick<RenderingDeps, 'clock' | 'logger' | 'rule' | 'home' | 'wayOut'> & Pick<ServiceContext, 'during'>,
): Rendering {
  const idleMs = settings.PAPERGATE_BROWSER_IDLE_MINUTES * 60_000 || Number.POSITIVE_INFINITY;
  const rendering = createRendering({
    ...deps,
    browserPath: settings.PAPERGATE_BROWSER,
    searchPath: settings.PATH,
    trustsOwn: settings.NODE_EXTRA_CA_CERTS !== undefined,
    limits: { idleMs },
    memoryBytes: memoryFor(settings),
  });
  return during === undefined ? rendering : told(rendering, during);
}

/** Rendering whose works are reported while they are under way. */
const told = (rendering: Rendering, during: During): Rendering => ({
  ...rendering,
  renderPage: (options) => during(() => rendering.renderPage(options)),
  renderDocument: (document, sharer) => during(() => rendering.renderDocument(document, sharer)),
  normalizeImage: (image, options) => during(() => rendering.normalizeImage(image, options)),
  preparePicture: (image, options) => during(() => rendering.preparePicture(image, options)),
});

/** Without a browser uploaded pictures still reach their frames; pages fail with the same sentence. */
export async function beginRendering(rendering: Rendering, settings: Settings, logger: Logger): Promise<void> {
  const isKept = settings.PAPERGATE_BROWSER_IDLE_MINUTES === 0;
  await (isKept ? rendering.start() : rendering.find()).catch((error: unknown) => {
    if (!(error instanceof Refusal)) throw error;
    logger.warn({ hint: error.hint }, `${error.message}: ${withoutBrowser}`);
  });
}

/** Opens the room for callers' bodies. */
export function openBodies(
  settings: Settings,
  { dataFolder, clock }: Pick<ServiceContext, 'dataFolder' | 'clock'>,
  freeBytes: () => Promise<number>,
): Promise<BodyRoom> {
  return openBodyRoom({
    folder: join(dataFolder, 'bodies'),
    clock,
    freeBytes,
    collect: collectGarbage,
    limits: bodyLimitsFor(memoryFor(settings)),
  });
}
