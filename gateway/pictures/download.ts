/**
 * The bytes a frame fetches, and the server's own record that it took them all. This record, not the frame's word, is
 * what `synced` rests on (W-11 to W-13).
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { recordEvent } from '../frames/event-log.ts';
import { frameRegistry } from '../frames/registry.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Database } from '../runtime/database.ts';
import type { DurableFolder } from '../runtime/durable-folder.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Random } from '../runtime/random.ts';
import { downloadPathCharacters, type UploadRow, uploadLog } from './upload-log.ts';

/** How long a replaced picture can still be fetched: a cycle that began before must be able to end (W-07, W-11). */
const keptAfterReplacementMs = 15 * 60_000;
/** A frame on a poor link may take this long; the connection is ended then, so that none is held for ever. */
const sendingLimitMs = 15 * 60_000;
/** The peer's end of the connection is waited for this long after the last byte. */
const closeWaitMs = 30_000;

/** What downloads are handed. */
export interface DownloadEdges {
  readonly db: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly pictures: DurableFolder;
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
    const ended = sentWhole(response, file.length, edges.clock);
    ended
      .then((whole) => (whole ? recordFetch(edges, upload, ordinal) : undefined))
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

/**
 * Resolves true when every byte went out and the peer then ended the connection itself, false for anything else.
 * `finish` and `close` of a response also come for an answer the peer threw away after the headers, with all bytes
 * counted; only a reset tells (W-13). So our side is ended first and the socket kept until the peer's end arrives.
 */
function sentWhole(response: ServerResponse, bodyBytes: number, clock: Clock): Promise<boolean> {
  const socket = response.socket as Socket;
  const before = socket.bytesWritten;
  // Node would destroy the socket as soon as the last byte is in the kernel, and never see the reset.
  socket.destroySoon = () => {
    socket.end();
  };
  return new Promise((resolve) => {
    let finished = false;
    let failed = false;
    let giveUp = clock.after(sendingLimitMs, () => socket.destroy());
    response.once('finish', () => {
      finished = true;
      giveUp.cancel();
      giveUp = clock.after(closeWaitMs, () => socket.destroy());
    });
    socket.once('error', () => {
      failed = true;
    });
    let peerEnded = false;
    socket.once('end', () => {
      peerEnded = finished;
    });
    socket.once('close', () => {
      giveUp.cancel();
      resolve(finished && peerEnded && !failed && socket.bytesWritten - before >= bodyBytes);
    });
  });
}

async function recordFetch(edges: DownloadEdges, upload: UploadRow, ordinal: number): Promise<void> {
  const { db, clock, random } = edges;
  const now = clock.now();
  const frame = await frameRegistry(db).known(upload.serial);
  // W-13: a classic frame's first GET is its redirect probe, whose body it drops.
  if (frame.dialect === 'classic' && ordinal < 2) return;
  const first = await uploadLog(db).fetched(upload.id, upload.file_version, now);
  if (first === 0) return;
  await recordEvent(db, random, {
    serial: upload.serial,
    type: 'picture',
    at: now,
    payload: { stage: 'fetched', uploadId: upload.id, fileVersion: upload.file_version, bytes: upload.picture_bytes },
  });
  edges.reported(upload.serial);
}
