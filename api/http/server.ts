/** The HTTP server: a list of routes becomes a node server. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import Router from '@koa/router';
import Koa, { type Context, type Next } from 'koa';
import type { Logger } from '../../gateway/runtime/logger.ts';
import type { Random } from '../../gateway/runtime/random.ts';
import { refuse } from '../../gateway/runtime/refusals.ts';
import { answerError, answerUnparsed, answerWrongMethod } from './answer-errors.ts';
import { type AnswerEdges, answerRoute } from './answer-route.ts';
import { hasBody } from './read-body.ts';
import type { AnyRoute } from './route.ts';

/** What the server needs from outside. */
export interface HttpEdges extends AnswerEdges {
  readonly routes: readonly AnyRoute[];
  readonly random: Random;
  readonly logger: Logger;
  /** Whether the service can answer; otherwise every route says 503. */
  ready(): boolean;
  /** Sees the raw request first; true when it was answered there (the frames' downloads). */
  readonly before?: (req: IncomingMessage, res: ServerResponse) => boolean;
}

/** A server that is not listening yet. */
export function createHttpServer(edges: HttpEdges): Server {
  const router = new Router();
  for (const route of edges.routes) {
    router.register(withoutTrailingSlash(route.path), [route.method], async (ctx) => {
      ctx.state.route = route;
      if (route.noStore) ctx.set('Cache-Control', 'no-store');
      if (!edges.ready()) throw refuse('unavailable');
      await answerRoute(ctx, route, edges);
    });
  }
  const app = new Koa();
  app.on('error', (error) => edges.logger.warn({ error }, 'an answer could not be sent'));
  app.use((ctx, next) => answerAlways(ctx, next, edges));
  app.use(router.routes());
  app.use((ctx) => answerUnrouted(ctx, router));

  const answer = app.callback();
  const server = createServer();
  const receive = (req: IncomingMessage, res: ServerResponse): void => {
    if (edges.before?.(req, res) !== true) void answer(req, res);
  };
  server.on('request', receive);
  // Listening here keeps node from saying `continue` before the headers were judged (INV-66).
  server.on('checkContinue', receive);
  server.on('clientError', answerUnparsed);
  return server;
}

/** `/users/` and `/users` are one route: the router takes either, without a redirect (A-3, C-01). */
function withoutTrailingSlash(path: string): string {
  return path.replace(/(?<=.)\/$/, '');
}

async function answerAlways(ctx: Context, next: Next, edges: HttpEdges): Promise<void> {
  const startedAt = edges.clock.now();
  const requestId = edges.random.id();
  // Measured: after this empty read node stops at 64 KiB of an unread body; without it, it takes a lump more (INV-66).
  if (hasBody(ctx.req)) ctx.req.read(0);
  ctx.set('X-Request-Id', requestId);
  ctx.set('X-Content-Type-Options', 'nosniff');
  ctx.set('Referrer-Policy', 'no-referrer');
  if (/^\/v1\/integration-papers(\/|$)/.test(ctx.path)) ctx.set('Cache-Control', 'no-store'); // INV-69
  try {
    await next();
  } catch (error) {
    answerError(ctx, error, requestId, edges.logger);
  }
  // Otherwise node would read the rest of the body only to drop it (INV-66).
  if (hasBody(ctx.req) && !ctx.req.complete) ctx.set('Connection', 'close');
  const route: AnyRoute | undefined = ctx.state.route;
  // The pattern, never the URL: addresses may carry secrets (T-12).
  edges.logger.info(
    { requestId, method: ctx.method, route: route?.path, status: ctx.status, ms: edges.clock.now() - startedAt },
    'answered',
  );
}

function answerUnrouted(ctx: Context, router: Router): void {
  const methods = router.match(ctx.path, ctx.method).path.flatMap((layer) => layer.methods);
  if (methods.length === 0) throw refuse('not-found', { message: 'No such route' });
  answerWrongMethod(ctx, methods);
}
