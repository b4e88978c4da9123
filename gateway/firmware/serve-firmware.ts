/** Firmware over HTTP: the manifests of classic frames, and the images of both kinds of frame. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { recordEvent } from '../frames/event-log.ts';
import { sentWhole } from '../pictures/sent-whole.ts';
import type { Clock } from '../runtime/clock.ts';
import { type Database, transact } from '../runtime/database.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Random } from '../runtime/random.ts';
import { type OfferRow, offerLog } from './offer-log.ts';
import { firmwarePathPrefix, rolloutLog } from './rollouts.ts';
import type { FirmwareShelf } from './shelf.ts';

/** What serving is handed. */
export interface ServeEdges {
  readonly db: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly shelf: FirmwareShelf;
}

/** Answers requests for firmware; returns false for every other path. */
export function firmwareDownloads(edges: ServeEdges): (request: IncomingMessage, response: ServerResponse) => boolean {
  return (request, response) => {
    const path = request.url ?? '';
    // W-33: from memory, "there is none" included. The frame waits for it at every wake. A-3: with a closing slash or not.
    if (path.startsWith('/ota/')) answerManifest(request, response, edges.shelf.manifest(path.replace(/\/$/, '')));
    else if (path.startsWith(firmwarePathPrefix)) {
      answerImage(edges, path, request, response).catch((error: unknown) => {
        edges.logger.error({ error }, 'firmware download failed');
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
  edges: ServeEdges,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const published = edges.shelf.imageOfManifest(path);
  const offer = published === undefined ? await offerLog(edges.db).byPath(path) : undefined;
  const file = published ?? (offer && (await imageOfOffer(edges, offer)));
  if (file === undefined || !reads(request)) {
    refuseDownload(response, file === undefined ? 404 : 405);
    return;
  }
  // W-08 to W-10 hold for images too: 200, whole, exact length, and no connection that stays for ever.
  if (request.method === 'GET') {
    sentWhole(response, file.length, edges.clock)
      .then((at) => (at === undefined || offer === undefined ? undefined : recordTaken(edges, offer, at)))
      .catch((error: unknown) => edges.logger.error({ error }, 'firmware download not recorded'));
  }
  response.writeHead(200, {
    'content-type': 'application/octet-stream',
    'content-length': file.length,
    'cache-control': 'private, no-transform',
    connection: 'close',
  });
  response.end(request.method === 'GET' ? file : undefined);
}

/** An offer's image, for as long as its rollout runs and the frame has not come to an end with it. */
async function imageOfOffer(edges: ServeEdges, offer: OfferRow): Promise<Buffer | undefined> {
  const rollout = await rolloutLog(edges.db).find(offer.rollout_id);
  return rollout?.state === 'running' && offer.outcome === null ? edges.shelf.image(rollout) : undefined;
}

async function recordTaken({ db, random }: ServeEdges, { id, serial, rollout_id: rolloutId }: OfferRow, at: number) {
  await transact(db, async (trx) => {
    const offer = await offerLog(trx).find(id);
    if (offer === undefined || offer.outcome !== null) return;
    await offerLog(trx).taken(offer, at);
    await recordEvent(trx, random, { serial, type: 'firmware', at, payload: { stage: 'taken', rolloutId } });
  });
}
