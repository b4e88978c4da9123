/** The HTTP server: a list of routes becomes a node server. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import Koa, { type Context } from 'koa';
import type { Logger } from '../../gateway/runtime/logger.ts';
import type { Meter } from '../../gateway/runtime/meter.ts';
import type { Random } from '../../gateway/runtime/random.ts';
import { refuse } from '../../gateway/runtime/refusals.ts';
import type { Principal } from '../directory/principal.ts';
import { answerError, answerUnparsed, answerWrongMethod, noHost } from './answer-errors.ts';
import { type AnswerEdges, answerRoute } from './answer-route.ts';
import { holdUnread } from './hold-unread.ts';
import { hasBody, isAllHere, postponeBody } from './read-body.ts';
import type { AnyRoute } from './route.ts';
import { type RouteTable, routeTable } from './route-table.ts';

/** What the server needs from outside. */
export interface HttpEdges extends AnswerEdges {
  readonly routes: readonly AnyRoute[];
  readonly random: Random;
  readonly logger: Logger;
  /** Whether the service can answer; otherwise every route says 503. */
  ready(): boolean;
  readonly meter?: Meter | undefined;
  /** They see the raw request first, in this order. */
  readonly doors?: readonly Door[];
}

/** Answers what is no route: the frames' downloads, pages, metrics. `name` is what metrics call it. */
export interface Door {
  readonly name: string;
  /** True when the request is answered here. */
  readonly serve: (req: IncomingMessage, res: ServerResponse) => boolean;
}

/**
 * A caller's own word for the request, so that its log and ours can be laid side by side. It is logged, so it must be
 * too short for any secret that this service hands out (T-12): the shortest has 43 characters.
 */
const callersRequestId = /^[A-Za-z0-9][A-Za-z0-9_.:-]{7,39}$/;

/** A server that is not listening yet. */
export function createHttpServer(edges: HttpEdges): Server {
  const table = routeTable(edges.routes);
  const server = createServer({ requireHostHeader: false }); // asked for below
  const hold = holdUnread(server, edges.clock);
  const app = new Koa();
  app.on('error', (error) => edges.logger.warn({ error }, 'an answer could not be sent'));
  app.use(async (ctx) => {
    await answerAlways(ctx, table, edges);
    if (!hasBody(ctx.req)) return;
    if (isAllHere(ctx.req)) {
      // Dropped, so that the connection can be read again and be kept.
      ctx.req.resume();
      return;
    }
    // The client may still be sending; nobody reads it (INV-66).
    ctx.set('Connection', 'close');
    hold(ctx.req.socket);
  });

  const answer = app.callback();
  const receive = (req: IncomingMessage, res: ServerResponse): void => {
    // RFC 9112: node would answer this itself, and without `no-store` (INV-69).
    if (req.headers.host === undefined && req.httpVersion === '1.1') {
      answerUnparsed(noHost, req.socket);
      return;
    }
    const startedAt = edges.clock.now();
    const door = edges.doors?.find(({ serve }) => serve(req, res));
    if (door === undefined) void answer(req, res);
    else res.once('close', () => tellOfDoor(door, req, res.statusCode, edges.clock.now() - startedAt, edges));
  };
  server.on('request', receive);
  // Listening here keeps node from saying `continue` before the headers were judged (INV-66).
  server.on('checkContinue', receive);
  // What else a caller expects is not promised, and answered like any request (RFC 9110; INV-69).
  server.on('checkExpectation', receive);
  server.on('clientError', answerUnparsed);
  return server;
}

async function answerAlways(ctx: Context, table: RouteTable, edges: HttpEdges): Promise<void> {
  const startedAt = edges.clock.now();
  // What Koa's context hands on to its request and response is asked of them: every call comes here.
  const { request, response } = ctx;
  const given = ctx.req.headers['x-request-id'];
  const requestId = typeof given === 'string' && callersRequestId.test(given) ? given : edges.random.id();
  if (hasBody(ctx.req)) postponeBody(ctx.req);
  ctx.res.setHeader('X-Request-Id', requestId);
  ctx.res.setHeader('X-Content-Type-Options', 'nosniff');
  ctx.res.setHeader('Referrer-Policy', 'no-referrer');
  if (/^\/v1\/integration-papers(\/|$)/.test(request.path)) ctx.set('Cache-Control', 'no-store'); // INV-69
  try {
    await answerFound(ctx, table, edges);
  } catch (error) {
    answerError(ctx, error, requestId, edges.logger);
  }
  const route: AnyRoute | undefined = ctx.state.route;
  const principal: Principal | undefined = ctx.state.principal;
  const ms = edges.clock.now() - startedAt;
  const user = principal?.memberships.map(({ userId }) => userId).join(' ');
  // The pattern, never the URL: addresses may carry secrets (T-12).
  edges.logger.info(
    { requestId, method: request.method, route: route?.path, status: response.status, ms, ...(user && { user }) },
    'answered',
  );
  const labels = { method: route?.method ?? 'other', route: route?.path ?? 'none', status: String(response.status) };
  edges.meter?.time('papergate_http_request_seconds', ms / 1000, labels);
}

function answerFound(ctx: Context, table: RouteTable, edges: HttpEdges): Promise<void> | undefined {
  const { method, path } = ctx.request;
  const found = table.find(method, path);
  if (found === undefined) {
    const methods = table.methodsOf(path);
    if (methods.length === 0) throw refuse('not-found', { message: 'No such route' });
    answerWrongMethod(ctx, methods);
    return undefined;
  }
  ctx.state.route = found.route;
  if (found.route.noStore) ctx.set('Cache-Control', 'no-store');
  if (!edges.ready()) throw refuse('unavailable');
  return answerRoute(ctx, found, edges);
}

/** Frames come here by the thousand, and what they fetched is in their events: a line each is for debugging. */
function tellOfDoor(door: Door, req: IncomingMessage, status: number, ms: number, edges: HttpEdges): void {
  const method = req.method === 'GET' || req.method === 'HEAD' ? req.method : 'other';
  edges.logger.debug({ method, route: door.name, status, ms }, 'answered');
  edges.meter?.time('papergate_http_request_seconds', ms / 1000, { method, route: door.name, status: String(status) });
}
