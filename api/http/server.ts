/** The HTTP server: a list of routes becomes a node server. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import Koa, { type Context } from 'koa';
import { refuse } from '../../reasons/refusals.ts';
import { inBackground } from '../../runtime/in-background.ts';
import type { Random } from '../../runtime/random.ts';
import type { Principal } from '../access/principal.ts';
import { answerError, answerUnparsed, answerWrongMethod, type ErrorDeps, noHost, twoHosts } from './answer-errors.ts';
import { type AnswerDeps, answerRoute } from './answer-route.ts';
import { takeBalancedConnections } from './balanced-connections.ts';
import type { HttpMeter } from './http-measures.ts';
import { limitConnections } from './limit-connections.ts';
import { lingerClose } from './linger-close.ts';
import { hasBody, isAllHere, postponeBody } from './read-body.ts';
import type { AnyRoute } from './route.ts';
import { type RouteTable, routeTable } from './route-table.ts';

export interface HttpDeps extends AnswerDeps, ErrorDeps {
  readonly routes: readonly AnyRoute[];
  readonly random: Random;
  /** Whether a peer is a trusted proxy, whose PROXY headers name its clients; absent where none is. */
  readonly isProxy?: (address: string) => boolean;
  /** Returns whether the service can answer; otherwise every route answers 503. */
  ready(): boolean;
  readonly meter?: HttpMeter | undefined;
  /** The handlers that see the raw request first, in this order. */
  readonly rawHandlers?: readonly RawHandler[];
}

/** Answers requests that are not a route's: the frames' downloads, pages, metrics. `name` is its name in metrics. */
export interface RawHandler {
  readonly name: string;
  /** Returns true when it answers the request. */
  readonly serve: (req: IncomingMessage, res: ServerResponse) => boolean;
}

/**
 * A caller's own id for the request, by which its log and ours can be compared. It is logged, so it must be too short
 * for any secret of this service (T-12): the shortest has 43 characters.
 */
const callersRequestId = /^[A-Za-z0-9][A-Za-z0-9_.:-]{7,39}$/;

/**
 * How long a connection without a request stays open: longer than proxies keep theirs (nginx, load balancers 60 s; Traefik
 * 90 s; Caddy 2 min; `deploy/haproxy.cfg` 150 s). One that is closed here first may just be taken for a request, which then
 * fails as 502. Too many of them are closed earlier (T-61).
 */
export const keptOpenMs = 185_000;

/** Error codes of callers that are gone before the end of an answer, as with a closed tab. No operator could act on it. */
const callersLeft = new Set(['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'EPIPE']);

/** Makes a server that does not listen yet. */
export function createHttpServer(deps: HttpDeps): Server {
  const table = routeTable(deps.routes);
  // A missing Host is asked for below.
  const server = createServer({ requireHostHeader: false, keepAliveTimeout: keptOpenMs });
  if (deps.isProxy !== undefined) takeBalancedConnections(server, { ...deps, isProxy: deps.isProxy });
  const linger = lingerClose(server, deps.clock);
  const begin = limitConnections(server);
  const app = new Koa();
  app.on('error', (error) => {
    deps.logger[callersLeft.has(error?.code) ? 'debug' : 'warn']({ error }, 'an answer could not be sent');
  });
  app.use(async (ctx) => {
    await answerAlways(ctx, table, deps);
    if (!hasBody(ctx.req)) return;
    if (isAllHere(ctx.req)) {
      // The body is dropped, so that the connection can be read again and be kept.
      ctx.req.resume();
      return;
    }
    // The client may still be sending what nobody wants (INV-66).
    ctx.set('Connection', 'close');
  });

  const answer = app.callback();
  const take = (req: IncomingMessage, res: ServerResponse): void => {
    begin(req.socket, res);
    const wrong = wrongHost(req);
    if (wrong !== undefined) {
      answerUnparsed(wrong, req.socket);
      if (hasBody(req)) linger.now(req.socket);
      return;
    }
    const startedAt = deps.clock.now();
    if (hasBody(req)) linger.afterAnswer(req);
    const rawHandler = deps.rawHandlers?.find(({ serve }) => serve(req, res));
    if (rawHandler === undefined) inBackground(deps.logger, 'answer a call', () => answer(req, res));
    else {
      res.once('close', () => {
        const ms = deps.clock.now() - startedAt;
        noteRawAnswer({ route: rawHandler.name, method: req.method, status: res.statusCode, ms }, deps);
      });
    }
  };
  // T-75: what an emitter calls must not throw.
  const receive = (req: IncomingMessage, res: ServerResponse): void => {
    try {
      take(req, res);
    } catch (error) {
      deps.logger.error({ error }, 'a request could not be taken');
      req.socket.destroy();
    }
  };
  server.on('request', receive);
  // A listener here keeps node from sending `continue` before the headers were judged (INV-66).
  server.on('checkContinue', receive);
  // Any other expectation is not promised: the request is answered like any other (INV-69).
  server.on('checkExpectation', receive);
  server.on('clientError', answerUnparsed);
  // A failure to begin listening is reported by the caller that tried.
  server.on('error', (error) => {
    if (server.listening) deps.logger.error({ error }, 'the server of HTTP has an error');
  });
  return server;
}

/**
 * Finds a wrong `Host` by RFC 9112 for every handler: of two hosts node takes the first, and it would refuse a missing
 * one without `no-store` (INV-69).
 */
function wrongHost({ rawHeaders, httpVersion }: IncomingMessage): typeof noHost | undefined {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.toLowerCase() === 'host') hosts++;
  if (hosts > 1) return twoHosts;
  return hosts === 0 && httpVersion === '1.1' ? noHost : undefined;
}

async function answerAlways(ctx: Context, table: RouteTable, deps: HttpDeps): Promise<void> {
  const startedAt = deps.clock.now();
  // Koa's context delegates to its request and response, which are asked directly here because every call passes here.
  const { request, response } = ctx;
  const given = ctx.req.headers['x-request-id'];
  const requestId = typeof given === 'string' && callersRequestId.test(given) ? given : deps.random.id();
  if (hasBody(ctx.req)) postponeBody(ctx.req);
  ctx.res.setHeader('X-Request-Id', requestId);
  ctx.res.setHeader('X-Content-Type-Options', 'nosniff');
  ctx.res.setHeader('Referrer-Policy', 'no-referrer');
  if (/^\/v1\/integration-papers(\/|$)/.test(request.path)) ctx.set('Cache-Control', 'no-store'); // INV-69
  try {
    await answerFound(ctx, table, deps);
  } catch (error) {
    answerError(ctx, error, requestId, deps);
  }
  const route: AnyRoute | undefined = ctx.state.route;
  const principal: Principal | undefined = ctx.state.principal;
  const ms = deps.clock.now() - startedAt;
  const user = principal?.memberships.map(({ userId }) => userId).join(' ');
  // The pattern is logged, never the URL: addresses may carry secrets (T-12).
  deps.logger.info(
    { requestId, method: request.method, route: route?.path, status: response.status, ms, ...(user && { user }) },
    'answered',
  );
  const labels = { method: route?.method ?? 'other', route: route?.path ?? 'none', status: String(response.status) };
  deps.meter?.time('papergate_http_request_seconds', ms / 1000, labels);
}

function answerFound(ctx: Context, table: RouteTable, deps: HttpDeps): Promise<void> | undefined {
  const { method, path } = ctx.request;
  const found = table.find(method, path);
  if (found === undefined) {
    const methods = table.methodsOf(path);
    if (methods.length === 0) throw refuse('not-found', { message: 'No such route' });
    answerWrongMethod(ctx, methods, deps);
    return undefined;
  }
  ctx.state.route = found.route;
  if (found.route.noStore) ctx.set('Cache-Control', 'no-store');
  if (!deps.ready()) throw refuse('unavailable');
  return answerRoute(ctx, found, deps);
}

/** An answer of a raw handler, whose name it has as its route. */
interface RawAnswer {
  readonly route: string;
  readonly method: string | undefined;
  readonly status: number;
  readonly ms: number;
}

/** Logs a raw answer for debugging alone: frames come by the thousand, and their downloads are in their events. */
function noteRawAnswer({ route, method: asked, status, ms }: RawAnswer, { logger, meter }: HttpDeps): void {
  const method = asked === 'GET' || asked === 'HEAD' ? asked : 'other';
  logger.debug({ method, route, status, ms }, 'answered');
  meter?.time('papergate_http_request_seconds', ms / 1000, { method, route, status: String(status) });
}
