/** An HTTP request as a frame makes it: on a connection of its own, without following redirects or decoding the body. */
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import type { Duplex } from 'node:stream';
import tls from 'node:tls';
import type { Clock } from '../../runtime/clock.ts';
import { checkedBy } from '../frame/certificate-dates.ts';
import type { FrameEffect, FrameIncident } from '../frame/frame.ts';
import type { Connect } from './air.ts';

type Download = Extract<FrameEffect, { do: 'download' }>;

/** How a frame reaches the server. */
interface Way {
  /** Certificates to trust for https; the machine's own when absent. */
  readonly ca?: string | undefined;
  /** Opens its connections; a socket of its own where absent. */
  readonly connect?: Connect | undefined;
}

/**
 * Fetches a file, and reports the outcome exactly once.
 * @returns a function that drops the connection without a report
 */
export function fetchFile(
  download: Download,
  way: Way,
  clock: Clock,
  done: (incident: FrameIncident) => void,
): () => void {
  if (!URL.canParse(download.url) || !/^https?:/.test(download.url)) {
    const late = clock.after(0, () => done({ kind: 'download failed', why: 'not an http address' }));
    return () => late.cancel();
  }
  let over = false;
  const settle = (incident: FrameIncident): void => {
    if (over) return;
    over = true;
    patience.cancel();
    done(incident);
  };
  const request = begin(download, way);
  let patience = clock.after(download.headersMs, () => request.destroy(new Error('no answer in time')));
  let isAnswered = false;
  // The report of an answer that broke off includes what arrived of it.
  request.on('error', (error) => isAnswered || settle({ kind: 'download failed', why: error.message }));
  request.on('response', (response) => {
    isAnswered = true;
    patience.cancel();
    const status = response.statusCode ?? 0;
    if (download.part === 'headers') {
      settle({ kind: 'probed', status, location: response.headers.location });
      request.destroy(); // W-13: the body is dropped, however much of it came
      return;
    }
    if (isHeld(download, response.headers)) {
      settle({ ...answerOf(response), body: new Uint8Array(), complete: false });
      request.destroy();
      return;
    }
    if (download.bodyMs !== undefined) patience = clock.after(download.bodyMs, () => request.destroy());
    readBody(request, response, download.part, settle);
  });
  request.end(download.call?.body);
  return () => {
    over = true;
    patience.cancel();
    request.destroy();
  };
}

/**
 * Begins a request on a connection that stays open after the answer; the frame ends it cleanly once it has everything.
 */
function begin({ url, from, call, clockMs }: Download, { ca, connect }: Way): http.ClientRequest {
  const sent = { method: call?.method ?? 'GET', headers: { ...call?.headers, ...rangeFrom(from) } };
  const isSecure = url.startsWith('https:');
  const agent = isSecure
    ? new https.Agent({ keepAlive: true, checkServerIdentity: checkedBy(clockMs), ...(ca === undefined ? {} : { ca }) })
    : new http.Agent({ keepAlive: true });
  if (connect !== undefined) agent.createConnection = () => connectTo(new URL(url), connect, ca, clockMs);
  const request = isSecure ? https.request(url, { agent, ...sent }) : http.request(url, { agent, ...sent });
  return request.once('close', () => agent.destroy());
}

/** Opens a connection for a request through the frame's replacement for a socket. */
function connectTo(
  { protocol, hostname, port }: URL,
  connect: Connect,
  ca: string | undefined,
  clockMs: number | undefined,
): Duplex {
  const host = hostname.replace(/^\[|\]$/g, '');
  const isSecure = protocol === 'https:';
  const socket = connect({ host, port: Number(port || (isSecure ? 443 : 80)) });
  if (!isSecure) return socket;
  const name = net.isIP(host) === 0 ? { servername: host } : {};
  return tls.connect({
    host,
    socket,
    checkServerIdentity: checkedBy(clockMs),
    ...name,
    ...(ca === undefined ? {} : { ca }),
  });
}

const rangeFrom = (from: number | undefined) => (from === undefined ? {} : { range: `bytes=${from}-` });

function readBody(
  request: http.ClientRequest,
  response: http.IncomingMessage,
  part: 'half' | 'whole',
  settle: (incident: FrameIncident) => void,
): void {
  const length = response.headers['content-length'];
  const enough = part === 'half' ? Math.max(1, Math.floor(Number(length ?? 2) / 2)) : Number.POSITIVE_INFINITY;
  const chunks: Buffer[] = [];
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= enough) request.destroy();
  });
  response.on('error', () => undefined); // said by `complete`
  // The outcome is reported at the socket's close, by which the other side has seen how the connection ended.
  response.socket.once('close', () =>
    settle({
      ...answerOf(response),
      body: new Uint8Array(Buffer.concat(chunks).subarray(0, enough)),
      complete: response.complete && bytes < enough,
    }),
  );
}

/** The head of an answer, as frames read it. */
function answerOf({ statusCode = 0, headers }: http.IncomingMessage) {
  return {
    kind: 'downloaded',
    status: statusCode,
    lengthKnown: headers['content-length'] !== undefined,
    partsOffered: headers['accept-ranges'] === 'bytes',
    type: headers['content-type'],
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
  } as const;
}

/** True for a body that a frame does not read, because it holds what it is. */
function isHeld({ unread }: Download, { etag, 'last-modified': modified }: http.IncomingHttpHeaders): boolean {
  return unread !== undefined && (etag === unread || modified === unread);
}
