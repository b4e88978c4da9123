/** Firmware over HTTP: the manifests of classic frames, and the images for frames of both dialects. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import { transact } from '../../runtime/database/database.ts';
import { recordFrameEvent } from '../frames/event-log.ts';
import { sentWhole } from '../pictures/sent-whole.ts';
import { type OfferRow, offerLog } from './offer-log.ts';
import type { RolloutCache } from './rollout-cache.ts';
import { firmwarePathPrefix, rolloutLog } from './rollouts.ts';

export interface ServeDeps extends CommonDeps {
  readonly rolloutCache: RolloutCache;
}

/** Creates the request handler of firmware; it returns false for every other path. */
export function firmwareDownloads(deps: ServeDeps): (request: IncomingMessage, response: ServerResponse) => boolean {
  return (request, response) => {
    const path = request.url ?? '';
    // W-33: a frame waits for the manifest at every wake, so it is answered from memory, also when there is none. The
    // address may end with a slash or not.
    if (path.startsWith('/ota/'))
      answerManifest(request, response, deps.rolloutCache.manifest(path.replace(/\/$/, '')));
    else if (path.startsWith(firmwarePathPrefix)) {
      answerImage(deps, path, request, response).catch((error: unknown) => {
        deps.logger.error({ error }, 'firmware download failed');
        response.socket?.destroy();
      });
    } else return false;
    return true;
  };
}

function refuseDownload(response: ServerResponse, status: 404 | 405): void {
  response.writeHead(status, { 'content-length': 0, connection: 'close' }).end();
}

const reads = (request: IncomingMessage): boolean => request.method === 'GET' || request.method === 'HEAD';

function answerManifest(request: IncomingMessage, response: ServerResponse, manifest: Uint8Array | undefined): void {
  if (manifest === undefined || !reads(request)) {
    refuseDownload(response, manifest === undefined ? 404 : 405);
    return;
  }
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': manifest.length,
    'cache-control': 'no-store',
    connection: 'close',
  });
  response.end(request.method === 'GET' ? manifest : undefined);
}

async function answerImage(
  deps: ServeDeps,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const published = deps.rolloutCache.imageOfManifest(path);
  const offer = published === undefined ? await offerLog(deps.db).byPath(path) : undefined;
  const file = published ?? (offer && (await imageOfOffer(deps, offer)));
  if (file === undefined || !reads(request)) {
    refuseDownload(response, file === undefined ? 404 : 405);
    return;
  }
  // W-09: images are answered like pictures: 200, whole, with the exact length, on a connection that ends.
  if (request.method === 'GET') {
    sentWhole(response, file.length, deps.clock)
      .then((at) => (at === undefined || offer === undefined ? undefined : recordTaken(deps, offer, at)))
      .catch((error: unknown) => deps.logger.error({ error }, 'firmware download not recorded'));
  }
  response.writeHead(200, {
    'content-type': 'application/octet-stream',
    'content-length': file.length,
    'cache-control': 'private, no-transform',
    connection: 'close',
  });
  response.end(request.method === 'GET' ? file : undefined);
}

/** Finds the image of an offer, as long as its rollout runs and the frame's update is not settled. */
async function imageOfOffer(deps: ServeDeps, offer: OfferRow): Promise<Buffer | undefined> {
  const rollout = await rolloutLog(deps.db).find(offer.rollout_id);
  return rollout?.state === 'running' && offer.outcome === null ? deps.rolloutCache.image(rollout) : undefined;
}

async function recordTaken({ db, random }: ServeDeps, { id, serial, rollout_id: rolloutId }: OfferRow, at: number) {
  await transact(db, async (trx) => {
    const offer = await offerLog(trx).find(id);
    if (offer === undefined || offer.outcome !== null) return;
    await offerLog(trx).taken(offer, at);
    await recordFrameEvent(trx, random, { serial, type: 'firmware', at, payload: { stage: 'taken', rolloutId } });
  });
}
