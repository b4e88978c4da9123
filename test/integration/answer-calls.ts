/** Calls of routes, answered as the server answers them but without a line: requests and answers are made in memory. */
import { type IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import Koa from 'koa';
import type { Principal } from '../../api/access/principal.ts';
import { answerError } from '../../api/http/answer-errors.ts';
import { type AnswerDeps, answerRoute } from '../../api/http/answer-route.ts';
import type { AnyRoute } from '../../api/http/route.ts';
import { routeTable } from '../../api/http/route-table.ts';
import { Refusal } from '../../reasons/refusals.ts';
import { silentLogger } from '../../runtime/logger.ts';

/** The answer to a call: a body, or the refusal's code and message. */
export interface CallAnswer {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly code?: string;
  readonly message?: string;
  readonly retryAfterSeconds?: number;
}

/** The values of a call. */
export interface CallGiven {
  readonly as?: Principal;
  readonly headers?: IncomingHttpHeaders;
  readonly body?: unknown;
  readonly address?: string;
}

/** Calls a route by its method and path. Throws anything but a refusal: a bug, or a planted failure. */
export type CallRoute = (method: string, path: string, given?: CallGiven) => Promise<CallAnswer>;

const nobody: Principal = { accountId: '', memberships: [] };
const unlimited = { count: async () => {}, check: async () => {} };

/** A way to call these routes; the test sets who calls. */
export function answerCalls(routes: readonly AnyRoute[], deps: Pick<AnswerDeps, 'clock' | 'bodies'>): CallRoute {
  const table = routeTable(routes);
  const koa = new Koa();
  return async (method, path, { as = nobody, headers = {}, body, address = '192.0.2.1' } = {}) => {
    const found = table.find(method, path.replace(/\?.*/, ''));
    if (found === undefined) throw new Error(`no route ${method} ${path}`);
    const ctx = contextOf(koa, method, path, headers, body);
    const who = {
      authenticate: async () => as,
      logger: silentLogger,
      callerAddress: () => address,
      requestOrigin: () => ({
        origin: 'http://service',
        isHttps: false,
        prefix: '',
        base: 'http://service',
        ownHosts: [],
      }),
    };
    try {
      const limits = { limitRate: unlimited, limitOrganization: unlimited, limitMade: unlimited };
      await answerRoute(ctx, found, { ...deps, ...who, ...limits });
      const text = ctx.body;
      return { status: ctx.status, body: typeof text === 'string' ? JSON.parse(text) : {} };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      answerError(ctx, error, '', { logger: silentLogger });
      const { code, message } = ctx.body as { code: string; message: string };
      const wait = ctx.response.get('Retry-After');
      return { status: ctx.status, body: {}, code, message, ...(wait !== '' && { retryAfterSeconds: Number(wait) }) };
    } finally {
      ctx.res.emit('close');
    }
  };
}

/** A request whose body is here already, and the answer to it. */
function contextOf(koa: Koa, method: string, url: string, headers: IncomingHttpHeaders, body: unknown): Koa.Context {
  const request = new IncomingMessage(new Socket());
  const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  const ofBody = bytes && { 'content-type': 'application/json', 'content-length': String(bytes.length) };
  Object.assign(request, { complete: true, method, url, headers: { ...headers, ...ofBody } });
  if (bytes !== undefined) request.push(bytes);
  request.push(null);
  return koa.createContext(request, new ServerResponse(request));
}
