/** One call of one route, in the order that A-31 asks for: everything that headers decide comes before the body. */
import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import type { z } from 'zod';
import type { Clock } from '../../gateway/runtime/clock.ts';
import { Refusal, type RefusalCode, refuse } from '../../gateway/runtime/refusals.ts';
import type { Principal } from '../directory/principal.ts';
import type { Authenticate } from './authenticate.ts';
import { addressBucket, type RateLimit } from './limit-rate.ts';
import { nothingRead, type ReadBody, readBody } from './read-body.ts';
import type { AnyRoute, Call } from './route.ts';
import type { FoundRoute } from './route-table.ts';
import { ListStream, streamOf } from './stream-list.ts';

/** What answering needs from outside. */
export interface AnswerEdges {
  readonly authenticate: Authenticate;
  readonly limitRate: RateLimit;
  /** Whom a request counts for; see `callerAddress`. */
  readonly callerAddress: (request: IncomingMessage) => string;
  readonly clock: Clock;
}

const nobody: Principal = Object.freeze({ accountId: '', memberships: [] });

/** Answers a call: who, how often, what for, may they, then the body, then the deed. */
export async function answerRoute(ctx: Context, { route, params }: FoundRoute, edges: AnswerEdges): Promise<void> {
  const address = edges.callerAddress(ctx.req);
  const principal = await recognize(ctx, route, address, edges);
  ctx.state.principal = principal;
  const arrival: Call = {
    // INV-65: holders of a connection's token are judged by `admit`, whatever the id looks like.
    params: fit(route.params, route.access === 'connection' ? params : withoutNul(params), 'invalid-request'),
    query: route.query === undefined ? {} : fit(route.query, withoutNul({ ...ctx.query }), 'invalid-request'),
    principal,
    address,
    headers: ctx.req.headers,
    body: nothingRead.body,
    files: nothingRead.files,
  };
  const admitted: unknown = route.admit && (await route.admit(arrival));
  const call = route.body === undefined ? arrival : { ...arrival, ...(await readFitting(ctx, route, edges.clock)) };
  const given: unknown = await route.handle(call, admitted);
  if (route.status === 204 || given === undefined) {
    ctx.status = 204;
    return;
  }
  // Parsing the answer drops every field the contract does not name.
  const answer =
    given instanceof ListStream ? streamOf(given, route.output) : JSON.stringify(route.output.parse(given));
  ctx.response.status = route.status;
  ctx.res.setHeader('Content-Type', 'application/json; charset=utf-8');
  ctx.response.body = answer;
}

/** A body that the route's schema has read, with the files of a form. */
async function readFitting(ctx: Context, route: AnyRoute, clock: Clock): Promise<ReadBody> {
  const { body, files } = await readBody(ctx, route, clock);
  return { body: fit(route.body, body, route.malformed ?? 'invalid-request'), files };
}

async function recognize(ctx: Context, route: AnyRoute, address: string, edges: AnswerEdges): Promise<Principal> {
  const bucket = addressBucket(address);
  // Holders of a connection's token are known to `admit`, and counted there.
  if (route.access === 'connection') return nobody;
  if (route.access === 'anyone') {
    await edges.limitRate.count(`address ${bucket}`);
    return nobody;
  }
  await edges.limitRate.check(`failures ${bucket}`);
  try {
    const { principal, credential } = await edges.authenticate(ctx.req.headers);
    await edges.limitRate.count(credential);
    return principal;
  } catch (error) {
    const guessed = ctx.req.headers['x-api-key'] !== undefined || ctx.req.headers.authorization !== undefined;
    // T-22: wrong credentials are counted by address; none at all costs nothing and needs no counting.
    if (guessed && error instanceof Refusal && error.status === 401) await edges.limitRate.count(`failures ${bucket}`);
    throw error;
  }
}

/** What an address says, without the one character that PostgreSQL does not keep. */
function withoutNul(named: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  for (const name in named) {
    const value = named[name];
    if (typeof value === 'string' && value.includes('\0')) {
      throw refuse('invalid-request', { hint: `${shortened(name)}: holds a NUL` });
    }
  }
  return named;
}

/** The value as the schema reads it, or a refusal that names the fields and never their values. */
export function fit<Fitting>(schema: z.ZodType<Fitting>, value: unknown, code: RefusalCode): Fitting {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problems = result.error.issues.flatMap(describeIssue).slice(0, 3);
  throw refuse(code, { hint: problems.join('; ') });
}

function describeIssue(issue: z.core.$ZodIssue): string[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => `${shortened([...path, key].join('.'))}: no such field`);
  }
  return [path.length === 0 ? issue.message : `${shortened(path.join('.'))}: ${issue.message}`];
}

/** Names come from outside, too, and may be of any length. */
function shortened(name: string): string {
  return name.length > 80 ? `${name.slice(0, 80)}…` : name;
}
