/**
 * One picture download of a frame, as TCP carries it. The service's own code judges a download by the events of its
 * socket, so this model has those events: bytes handed over, the peer's end, a reset, silence.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FrameEffect, FrameIncident } from '../../../simulator/frame/frame.ts';
import type { Chance } from './chance.ts';
import type { FaultRates } from './fault-rates.ts';
import { type LineAnswer, LineResponse, LineSocket } from './line-socket.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface FetchDeps {
  /** Is called when a frame has every byte of the file at this path. */
  readonly tookWhole: (path: string, etag: string | undefined) => void;
  /** Is called when the service answers a request for this path. */
  readonly answered?: (path: string, status: number) => void;
  readonly time: VirtualTime;
  readonly chance: Chance;
  readonly currentFaults: () => FaultRates;
  /** True where a proxy takes answers in the frame's place: the service sees it take all, whatever the frame gets. */
  readonly isProxied?: boolean;
  /** The HTTP side of the service; undefined while nobody listens. */
  readonly serve: () =>
    | {
        answer(request: IncomingMessage, response: ServerResponse): boolean;
        isDead(): boolean;
        /** Lets the service notice something now, or when its process goes on after a pause. */
        run(what: () => void): void;
      }
    | undefined;
}

/** A peer that went away answers further bytes with a reset within this round trip; the service waits longer for it. */
const maxResetMs = 400;

type Download = Extract<FrameEffect, { do: 'download' }>;

/**
 * Fetches a file, and reports the outcome exactly once.
 * @returns a function that turns the radio off: nothing more is reported, and the service notices nothing
 */
export function fetchOver(deps: FetchDeps, download: Download, tell: (incident: FrameIncident) => void): () => void {
  const { time, chance } = deps;
  let over = false;
  let service: ReturnType<FetchDeps['serve']>;
  const isServiceDead = (): boolean => service?.isDead() !== false;
  const run = (what: () => void): void => (service === undefined ? what() : service.run(what));
  const settle = (incident: FrameIncident): void => {
    if (over) return;
    over = true;
    patience.cancel();
    tell(incident);
  };
  const wayMs = (): number => chance.whole(2, deps.currentFaults().delayMs);
  const patience = time.after(download.headersMs, () => settle({ kind: 'download failed', why: 'no answer in time' }));
  const socket = new LineSocket(() => time.after(wayMs(), () => settle({ kind: 'download failed', why: 'reset' })));
  const response = new LineResponse(socket, (answer) => {
    deps.answered?.(new URL(download.url).pathname, answer.status);
    time.after(1, () => run(() => isServiceDead() || response.emit('finish')));
    time.after(wayMs(), () => {
      patience.cancel();
      if (!over) takeAnswer(deps, { download, socket, answer, isServiceDead, run, isOver: () => over, settle });
    });
  });
  time.after(wayMs(), () => {
    service = deps.serve();
    if (service === undefined) return settle({ kind: 'download failed', why: 'connection refused' });
    const request = requestOf(download, socket);
    const { answer } = service;
    run(() => {
      const isOurs = answer(request as unknown as IncomingMessage, response as unknown as ServerResponse);
      if (!isOurs) response.writeHead(404, { 'content-length': 0 }).end();
    });
  });
  return () => {
    over = true;
    patience.cancel();
  };
}

/** The request as the service sees it; the body comes in one piece. */
function requestOf({ url, from, call }: Download, socket: LineSocket) {
  const own = Object.entries(call?.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value] as const);
  const range = from === undefined ? {} : { range: `bytes=${from}-` };
  return {
    method: call?.method ?? 'GET',
    url: new URL(url).pathname,
    headers: { ...range, ...Object.fromEntries(own) },
    socket,
    async *iterator() {
      if (call?.body !== undefined) yield Buffer.from(call.body);
    },
  };
}

/** A download whose answer has begun to arrive. */
interface Taking {
  readonly download: Download;
  readonly socket: LineSocket;
  readonly answer: LineAnswer;
  readonly isServiceDead: () => boolean;
  readonly run: (what: () => void) => void;
  readonly isOver: () => boolean;
  readonly settle: (incident: FrameIncident) => void;
}

/** Receives the answer once its headers have arrived. */
function takeAnswer({ time, chance, currentFaults, tookWhole, isProxied = false }: FetchDeps, taking: Taking): void {
  const { download, socket, answer, run, settle } = taking;
  const { status, headers, body } = answer;
  const wayMs = (): number => chance.whole(2, currentFaults().delayMs);
  const ends = (): void => void time.after(wayMs(), () => run(() => socket.peerEnds()));
  // The peer answers bytes that it does not want with a reset, at once or within a round trip after its end.
  const resets = (): void => {
    const endMs = wayMs();
    if (chance.hits(0.5)) time.after(endMs, () => run(() => socket.peerGivesUp()));
    time.after(endMs + chance.whole(1, maxResetMs), () => run(() => socket.peerResets()));
  };
  if (download.part === 'headers') {
    const { location } = headers;
    settle({ kind: 'probed', status, location: typeof location === 'string' ? location : undefined });
    if (body.length > 0) resets();
    else ends();
    return;
  }
  const said = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));
  const { unread } = download;
  if (unread !== undefined && body.length > 0 && (said.etag === unread || said['last-modified'] === unread)) {
    const held = { body: new Uint8Array(), complete: false, lengthKnown: true, partsOffered: false, headers: said };
    settle({ kind: 'downloaded', status, ...held });
    resets();
    return;
  }
  const breaks = chance.happens(currentFaults().downloadBreaks, 'download breaks');
  const takesMs = chance.whole(10, currentFaults().downloadMs);
  // A frame that waits for a body no longer has what came until then.
  const { bodyMs = takesMs } = download;
  time.after(Math.min(takesMs, bodyMs), () => {
    if (taking.isOver()) return;
    const isCut = takesMs > bodyMs || breaks || taking.isServiceDead() || socket.destroyed;
    const all = body.length;
    const taken = download.part === 'half' ? Math.floor(all / 2) : isCut ? chance.whole(0, all) : all;
    const complete = taken === all;
    const lengthKnown = headers['content-length'] !== undefined;
    if (complete || isProxied) tookWhole(new URL(download.url).pathname, said.etag);
    const partsOffered = headers['accept-ranges'] === 'bytes';
    const type = headers['content-type'] === undefined ? undefined : String(headers['content-type']);
    settle({
      kind: 'downloaded',
      status,
      body: body.slice(0, taken),
      complete,
      lengthKnown,
      partsOffered,
      type,
      headers: said,
    });
    // After a whole download the frame's end follows, if the network still carries it. After a cut a reset follows, or
    // nothing.
    if (isProxied) ends();
    else if (complete) isCut && chance.hits(0.5) ? undefined : ends();
    else if (chance.hits(0.5)) resets();
  });
}
