/**
 * The bytes a frame fetches, and the server's own record that it took them all. This record, not the frame's word, is
 * what `synced` rests on (W-11 to W-13).
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TraitsOf } from '../frames/dialect-traits.ts';
import { recordEvent } from '../frames/event-log.ts';
import { frameRegistry } from '../frames/registry.ts';
import type { Clock } from '../runtime/clock.ts';
import { type Database, transact } from '../runtime/database.ts';
import type { DurableFolder } from '../runtime/durable-folder.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Random } from '../runtime/random.ts';
import { sentWhole } from './sent-whole.ts';
import { downloadPathCharacters, type UploadRow, uploadLog } from './upload-log.ts';

/** How long a replaced picture can still be fetched: a cycle that began before must be able to end (W-07, W-11). */
const keptAfterReplacementMs = 15 * 60_000;
/** What downloads are handed. */
export interface DownloadEdges {
  readonly db: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly pictures: DurableFolder;
  readonly traitsOf: TraitsOf;
  readonly logger: Logger;
  readonly reported: (serial: string) => void;
}

/** Answers requests for pictures; returns false for every other path. */
export function pictureDownloads(
  edges: DownloadEdges,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  return (request, response) => {
    const path = request.url ?? '';
    if (!path.startsWith('/f/') || path.length !== downloadPathCharacters) return false;
    answer(edges, path, request, response).catch((error: unknown) => {
      edges.logger.error({ error }, 'picture download failed');
      // W-11: no answer at all makes the frame keep its version and come again.
      response.socket?.destroy();
    });
    return true;
  };
}

async function answer(
  edges: DownloadEdges,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const log = uploadLog(edges.db);
  const upload = await log.byPath(path);
  if (upload === undefined || (request.method !== 'GET' && request.method !== 'HEAD')) {
    response.writeHead(upload === undefined ? 404 : 405, { 'content-length': 0, connection: 'close' }).end();
    return;
  }
  const expired = upload.replaced_at !== null && edges.clock.now() > upload.replaced_at + keptAfterReplacementMs;
  // W-10: an answer is started only with the whole file in hand.
  const file = expired ? undefined : await edges.pictures.get(upload.picture_sha256);
  if (file === undefined) {
    response.socket?.destroy();
    return;
  }
  if (request.method === 'GET') {
    const ordinal = await log.countGet(upload.id);
    sentWhole(response, file.length, edges.clock)
      .then((at) => (at === undefined ? undefined : recordFetch(edges, upload, ordinal, at)))
      .catch((error: unknown) => {
        edges.logger.error({ error }, 'download not recorded');
      });
  }
  // W-08, W-09: 200, identity, exact length, nothing cached on the way.
  response.writeHead(200, {
    'content-type': 'application/octet-stream',
    'content-length': file.length,
    'cache-control': 'private, no-transform',
    etag: `"${upload.picture_sha256}"`,
    connection: 'close',
  });
  response.end(request.method === 'GET' ? file : undefined);
}

async function recordFetch(edges: DownloadEdges, upload: UploadRow, ordinal: number, at: number): Promise<void> {
  const { db, random } = edges;
  const { id: uploadId, serial, file_version: fileVersion, picture_bytes: bytes } = upload;
  const fetched = await transact(db, async (trx) => {
    const registry = frameRegistry(trx);
    const frame = await registry.known(serial);
    const { probesFirst, knowsDigests } = edges.traitsOf(frame.dialect);
    // W-13: the first GET is a redirect probe, whose body is dropped.
    if (probesFirst && ordinal < 2) return false;
    if ((await uploadLog(trx).fetched(uploadId, fileVersion, at)) === 0) return false;
    // A quick frame may have said that it shows it while this was still being judged.
    const now = await uploadLog(trx).find(uploadId);
    const isShown = now?.shown_at !== null && frame.cycle_upload === uploadId;
    if (!knowsDigests && isShown) await registry.change(serial, { picture_synced: 1 }, at);
    const payload = { stage: 'fetched', uploadId, fileVersion, bytes };
    await recordEvent(trx, random, { serial, type: 'picture', at, payload });
    return true;
  });
  if (!fetched) return;
  edges.reported(upload.serial);
}
