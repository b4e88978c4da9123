/** Answers one call of one route, in a fixed order: everything that headers decide comes before the body. */

import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import { reasonOf } from '../../reasons/reason.ts';
import { Refusal, refuse } from '../../reasons/refusals.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import type { Sharer } from '../../runtime/fair-shares.ts';
import { inBackground } from '../../runtime/in-background.ts';
import { addressBucket } from '../../runtime/plain-address.ts';
import { allowanceOf, homeOf, type Principal, sharerOf } from '../access/principal.ts';
import type { BodyRoom } from './body-room.ts';
import { type CallerDeps, HttpCaller } from './caller.ts';
import { EventStream } from './event-stream.ts';
import { FileAnswer } from './file-answer.ts';
import { fit, shortened } from './fit-schema.ts';
import { countInAll, type RateLimit } from './limit-rate.ts';
import { hasBody, nothingRead, readBody, takeBody } from './read-body.ts';
import { Redirect } from './redirect.ts';
import { statusOf } from './refusal-status.ts';
import type { AnyRoute, Arrival, Call } from './route.ts';
import type { FoundRoute } from './route-table.ts';
import { ListStream, streamOf } from './stream-list.ts';
import type { ReadBody } from './uploaded-file.ts';
import { WrittenAnswer } from './written-answer.ts';

export interface AnswerDeps extends CallerDeps, Pick<CommonDeps, 'clock' | 'logger'> {
  /** The limit by account, or by address where there is no account. */
  readonly limitRate: RateLimit;
  readonly limitOrganization: RateLimit;
  /** The limit of all that was made from one organization; it is a part of that organization's own. */
  readonly limitMade: RateLimit;
  /** Returns the address that a request counts for; see `callerAddress`. */
  readonly callerAddress: (request: IncomingMessage) => string;
  readonly bodies: BodyRoom;
}

const nobody: Principal = Object.freeze({ accountId: '', memberships: [] });

/**
 * Answers a call: identity, rate, parameters and permission are settled first, then the body is read, then the handler
 * runs.
 */
export async function answerRoute(ctx: Context, { route, params }: FoundRoute, deps: AnswerDeps): Promise<void> {
  const address = deps.callerAddress(ctx.req);
  const caller = new HttpCaller(ctx, deps);
  const principal = await recognize(ctx, route, { caller, address }, deps);
  ctx.state.principal = principal;
  // Holders of a connection's token are judged by `admit`, whatever the id looks like (INV-65).
  const fitting = fit(route.params, route.access === 'connection' ? params : withoutNul(params), 'invalid-request');
  const query = route.query === undefined ? {} : fit(route.query, withoutNul({ ...ctx.query }), 'invalid-request');
  const { body, files } = nothingRead;
  const { headers } = ctx.req;
  const note = noteNothing;
  const call: OpenCall = { params: fitting, query, principal, address, headers, body, files, caller, note };
  call.admitted = route.admit && (await route.admit(call));
  const given: unknown = await handle(ctx, route, call, deps);
  if (route.status === 204 || given === undefined) {
    ctx.status = 204;
    return;
  }
  if (given instanceof Redirect) {
    ctx.status = 302;
    ctx.res.setHeader('Location', given.location);
    return;
  }
  if (given instanceof EventStream) {
    answerEvents(ctx, given);
    return;
  }
  const file = given instanceof FileAnswer ? given : undefined;
  const answer = file?.content ?? answerOf(given, route);
  const own = file?.content ?? (typeof answer === 'string' ? answer : '');
  if (own.length > largeAnswerBytes) holdAnswer(ctx, own, sharerOfCall(route, call), deps);
  ctx.response.status = route.status;
  const type = route.fileType ?? 'application/json';
  ctx.res.setHeader('Content-Type', type === 'application/pdf' ? type : `${type}; charset=utf-8`);
  if (file !== undefined) ctx.res.setHeader('Content-Disposition', `attachment; filename="${file.name}"`);
  ctx.response.body = answer;
}

function answerOf(given: unknown, { output }: AnyRoute): string | Buffer | ReturnType<typeof streamOf> {
  if (given instanceof WrittenAnswer) return given.bytes;
  // Parsing the answer drops every field that the contract does not name.
  return given instanceof ListStream ? streamOf(given, output) : JSON.stringify(output.parse(given));
}

/** Audited calls are wrapped and collect notes. */
const noteNothing = (): void => undefined;

/** A call as it is put together here: what `admit` gave for it comes late, its body last. */
type OpenCall = Arrival & { -readonly [Part in 'body' | 'files']: Call[Part] } & { admitted?: unknown };

/** Sends events as they come, past proxies that would gather or keep them, until either side ends. */
function answerEvents({ res, response }: Context, events: EventStream): void {
  response.status = 200;
  res.setHeader('Content-Type', 'text/event-stream; charset=utf-8');
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('X-Accel-Buffering', 'no');
  // The connection ends with the stream, so that a stopping service need not wait for it.
  res.setHeader('Connection', 'close');
  res.once('close', () => events.destroy());
  events.once('close', () => {
    if (!events.readableEnded) res.destroy();
  });
  response.body = events;
  if (res.destroyed) events.destroy();
}

/** Smaller answers are taken by the operating system at once. */
const largeAnswerBytes = 64 * 1024;
/** A change that was made is reported, whatever else is being sent: no answer to a change is larger. */
const largestChangeBytes = 1024 * 1024;
const takingLimitMs = 5 * 60_000;

/**
 * Counts a large answer for its caller until it is taken, which has a time limit (T-61).
 * @throws Refusal `unavailable` when others, or the caller, take their time with too many
 */
function holdAnswer(
  { req, res }: Context,
  answer: string | Buffer,
  sharer: Sharer,
  { bodies, clock, logger }: AnswerDeps,
): void {
  if (res.destroyed) return;
  const room = bodies.enter(sharer);
  if (req.method === 'GET' || answer.length > largestChangeBytes) room.takeMemory(answer.length);
  const timeout = clock.after(takingLimitMs, () => res.destroy());
  res.once('close', () => {
    timeout.cancel();
    inBackground(logger, 'remove the files of a call', room.leave);
  });
}

/**
 * Reads the body and runs the handler. A handler that parses a large body or works on files waits in a queue (T-61).
 */
async function handle(ctx: Context, route: AnyRoute, call: OpenCall, { bodies, clock }: AnswerDeps): Promise<unknown> {
  if (route.body === undefined) return route.handle(call, call.admitted);
  if (!hasBody(ctx.req)) {
    call.body = fit(route.body, nothingRead.body, route.malformed ?? 'invalid-request');
    return route.handle(call, call.admitted);
  }
  const room = bodies.enter(sharerOfCall(route, call));
  try {
    const received = await takeBody(ctx, route, room, clock);
    const isSmallJson = Buffer.isBuffer(received) && (route.bodyType ?? 'json') === 'json';
    if (!isSmallJson) {
      return await room.work(async () => {
        giveBody(call, await readBody(ctx, route, received, room));
        return route.handle(call, call.admitted);
      }, call.caller.signal);
    }
    giveBody(call, await readBody(ctx, route, received, room));
    if (call.files.length === 0) return await route.handle(call, call.admitted);
    return await room.work(async () => route.handle(call, call.admitted), call.caller.signal);
  } finally {
    await room.leave();
  }
}

function giveBody(call: OpenCall, { body, files }: ReadBody): void {
  call.body = body;
  call.files = files;
}

function sharerOfCall(route: AnyRoute, { principal, address, admitted }: OpenCall): Sharer {
  if (route.sharer !== undefined) return route.sharer(admitted);
  return principal === nobody ? [`address ${addressBucket(address)}`] : sharerOf(principal);
}

async function recognize(
  ctx: Context,
  route: AnyRoute,
  { caller, address }: Pick<Call, 'caller' | 'address'>,
  deps: AnswerDeps,
): Promise<Principal> {
  const bucket = addressBucket(address);
  // Holders of a connection's token are known to `admit`, and counted there.
  if (route.access === 'connection') return nobody;
  // Guests are known to `admit` as well.
  if (route.access === 'anyone' || route.access === 'guest') {
    await deps.limitRate.count(`address ${bucket}`);
    return nobody;
  }
  await deps.limitRate.check(`failures ${bucket}`);
  try {
    const principal = await caller.authenticate();
    await countCaller(principal, deps);
    return principal;
  } catch (error) {
    const guessed = ['x-api-key', 'authorization', 'cookie'].some((name) => ctx.req.headers[name] !== undefined);
    // Wrong credentials are counted by address (T-22); a call without any costs nothing and needs no counting.
    if (guessed && error instanceof Refusal && statusOf(error.code) === 401)
      await deps.limitRate.count(`failures ${bucket}`);
    throw error;
  }
}

/**
 * Counts a call for the account and for the organization whose allowance it uses: an account makes keys, accounts and
 * organizations at will, and none of them gives it more calls (T-23, T-77). What was made from an organization leaves
 * half of the allowance to the organization itself.
 */
async function countCaller(principal: Principal, limits: AnswerDeps): Promise<void> {
  const allowance = allowanceOf(principal);
  const account = [limits.limitRate, `account ${principal.accountId}`] as const;
  if (allowance === undefined) return countInAll([account]);
  const organization = [limits.limitOrganization, allowance] as const;
  if (allowance === homeOf(principal)) return countInAll([account, organization]);
  return countInAll([account, organization, [limits.limitMade, allowance]]);
}

/** Drops from the parameters of an address the one character that PostgreSQL does not store. */
function withoutNul(named: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  for (const name in named) {
    const value = named[name];
    if (typeof value === 'string' && value.includes('\0')) {
      throw refuse('invalid-request', { hint: reasonOf('field-holds-nul', { field: shortened(name) }) });
    }
  }
  return named;
}
