/** The connection that a call came over, with what few handlers ask of it. */
import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import type { Authenticate, Principal } from '../access/principal.ts';
import { callerSignal } from './caller-left.ts';
import type { RequestOrigin } from './request-origin.ts';

export interface CallerDeps {
  readonly authenticate: Authenticate;
  /** Returns how the caller reaches the service; see `requestOrigin`. */
  readonly requestOrigin: (request: IncomingMessage) => RequestOrigin;
}

/** The caller of one call, with what few handlers ask of the connection. */
export interface Caller {
  /** Aborts when the caller leaves before the answer: it ends work that is done for this answer alone. */
  readonly signal: AbortSignal;
  /**
   * Finds out who the caller is; answers that stay open ask again.
   * @throws Refusal `not-authenticated` when there are no credentials, or they no longer count
   */
  authenticate(): Promise<Principal>;
  /** Finds out how the caller reaches the service; it costs several addresses to read. */
  origin(): RequestOrigin;
  /** Sets a cookie with the answer; only for routes that declare `setsCookie`. */
  setCookie(cookie: string): void;
}

/**
 * A caller over HTTP. All of it is made when it is asked for: a signal alone costs as much as reading a small body. Its
 * functions are the class's, because functions of each call's own cost a fifth of a short call.
 */
export class HttpCaller implements Caller {
  readonly #ctx: Context;
  readonly #deps: CallerDeps;
  #signal: AbortSignal | undefined;

  constructor(ctx: Context, deps: CallerDeps) {
    this.#ctx = ctx;
    this.#deps = deps;
  }

  get signal(): AbortSignal {
    this.#signal ??= callerSignal(this.#ctx.req, this.#ctx.res);
    return this.#signal;
  }

  authenticate(): Promise<Principal> {
    return this.#deps.authenticate(this.#ctx.req.headers, () => this.origin().ownHosts);
  }

  origin(): RequestOrigin {
    return this.#deps.requestOrigin(this.#ctx.req);
  }

  setCookie(cookie: string): void {
    this.#ctx.res.appendHeader('Set-Cookie', cookie);
  }
}
