/**
 * Calls of people and backends: the routes of the service without HTTP around them, and with answers that may get lost.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Principal } from '../../api/access/principal.ts';
import type { Caller } from '../../api/http/caller.ts';
import { takeOutFile } from '../../api/http/read-body.ts';
import { statusOf } from '../../api/http/refusal-status.ts';
import type { UploadedFile } from '../../api/http/uploaded-file.ts';
import { Refusal } from '../../reasons/refusals.ts';
import { isDatabaseAway } from './machine/database-away.ts';
import type { SimulatedProcess } from './machine/process.ts';
import type { ServiceNode } from './service-node.ts';

/** The answer that a caller gets. After `unknown` the call may or may not have had its effect. */
export type Answer =
  | { readonly kind: 'ok'; readonly value: unknown }
  | { readonly kind: 'refused'; readonly code: string; readonly status: number }
  | { readonly kind: 'unknown' };

/** A call of one route, which is named like `POST /papers/`. */
export interface CallOptions {
  readonly route: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Values as the route's own schema has read them. */
  readonly query?: Readonly<Record<string, string | number>>;
  readonly files?: readonly UploadedFile[];
  readonly as?: Principal;
  readonly headers?: IncomingHttpHeaders;
}

/** Makes a call, and resolves with its answer. */
export type SimulatedCall = (options: CallOptions) => Promise<Answer>;

interface CallsDeps {
  /** Called with every error that is not a refusal. */
  readonly complained: (what: string) => void;
  /** Ends a call that takes too long; a caller of a service that is alone waits for as long as it lives. */
  readonly hangUpLater?: ((hangUp: () => void) => void) | undefined;
}

const nobody: Principal = { accountId: '', memberships: [] };
/** The signal of a caller who never hangs up: callers wait for their answers, whatever becomes of the service. */
const { signal } = new AbortController();
const unknown: Answer = { kind: 'unknown' };

/**
 * Opens the callers' side of a service. A call to a service that is down or dies meanwhile is answered with `unknown`.
 */
export function callsOf(node: ServiceNode, { complained, hangUpLater }: CallsDeps): SimulatedCall {
  const pending = new Map<(answer: Answer) => void, SimulatedProcess>();
  node.onDeath((died) => {
    for (const [end, process] of [...pending]) if (process === died) end(unknown);
  });
  return (options) => {
    const running = node.reached();
    if (running === undefined) return Promise.resolve(unknown);
    const { core, process } = running;
    return new Promise((resolve) => {
      const end = (answer: Answer): void => {
        pending.delete(end);
        resolve(answer);
      };
      pending.set(end, process);
      hangUpLater?.(() => end(unknown));
      const failed = (error: unknown): void => {
        if (process.dead) return;
        if (error instanceof Refusal) {
          end({ kind: 'refused', code: error.code, status: statusOf(error.code) });
          return;
        }
        if (!isDatabaseAway(error)) complained(`${options.route}: ${error instanceof Error ? error.stack : error}`);
        end(unknown);
      };
      process.run(() => {
        perform(core.routes, options).then((value) => process.dead || end({ kind: 'ok', value }), failed);
      });
    });
  };
}

type Routes = NonNullable<ReturnType<ServiceNode['running']>>['core']['routes'];

/** The caller of a call that comes over no connection. */
function callerAs(principal: Principal): Caller {
  return {
    signal,
    authenticate: async () => principal,
    origin: () => ({ origin: 'http://service', isHttps: false, prefix: '', base: 'http://service', ownHosts: [] }),
    setCookie: () => undefined,
  };
}

async function perform(routes: Routes, options: CallOptions): Promise<unknown> {
  const route = routes.find(({ method, path }) => `${method} ${path}` === options.route);
  if (route === undefined) throw new Error(`no route ${options.route}`);
  const arrival = {
    params: route.params.parse(options.params ?? {}),
    query: options.query ?? {},
    principal: options.as ?? nobody,
    address: '203.0.113.1',
    headers: options.headers ?? {},
    caller: callerAs(options.as ?? nobody),
    note: () => undefined,
  };
  const admitted = await route.admit?.(arrival);
  const { body, files } = takeOutFile(route, route.body === undefined ? {} : route.body.parse(options.body ?? {}));
  return route.handle({ ...arrival, body, files: [...files, ...(options.files ?? [])] }, admitted);
}
