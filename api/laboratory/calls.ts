/** Calls of people and backends: the routes of the service without HTTP around them, and answers that may get lost. */
import type { IncomingHttpHeaders } from 'node:http';
import { Refusal } from '../../gateway/runtime/refusals.ts';
import type { Principal } from '../directory/principal.ts';
import type { UploadedFile } from '../http/route.ts';
import type { ServiceNode } from './node.ts';

/** What a caller gets to see. `unknown`: it may or may not have happened. */
export type Answer =
  | { readonly kind: 'ok'; readonly value: unknown }
  | { readonly kind: 'refused'; readonly code: string; readonly status: number }
  | { readonly kind: 'unknown' };

/** A call of one route, named as `POST /papers/`. */
export interface Wish {
  readonly route: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly files?: readonly UploadedFile[];
  readonly as?: Principal;
  readonly headers?: IncomingHttpHeaders;
}

export type Call = (wish: Wish) => Promise<Answer>;

const nobody: Principal = { accountId: '', memberships: [] };
const unknown: Answer = { kind: 'unknown' };

/** Opens the callers' side of a service. A call to a service that is away, or dies meanwhile, ends `unknown`. */
export function callsOf(node: ServiceNode, complained: (what: string) => void): Call {
  const pending = new Set<(answer: Answer) => void>();
  node.onDeath(() => {
    for (const end of [...pending]) end(unknown);
  });
  return (wish) => {
    const running = node.running();
    if (running === undefined) return Promise.resolve(unknown);
    const { core, process } = running;
    return new Promise((resolve) => {
      const end = (answer: Answer): void => {
        pending.delete(end);
        resolve(answer);
      };
      pending.add(end);
      perform(core.routes, wish).then(
        (value) => process.dead || end({ kind: 'ok', value }),
        (error: unknown) => {
          if (process.dead) return;
          if (error instanceof Refusal) return end({ kind: 'refused', code: error.code, status: error.status });
          complained(`${wish.route}: ${error instanceof Error ? error.stack : String(error)}`);
          end(unknown);
        },
      );
    });
  };
}

type Routes = NonNullable<ReturnType<ServiceNode['running']>>['core']['routes'];

async function perform(routes: Routes, wish: Wish): Promise<unknown> {
  const route = routes.find(({ method, path }) => `${method} ${path}` === wish.route);
  if (route === undefined) throw new Error(`no route ${wish.route}`);
  const arrival = {
    params: route.params.parse(wish.params ?? {}),
    query: {},
    principal: wish.as ?? nobody,
    address: '203.0.113.1',
    headers: wish.headers ?? {},
  };
  const admitted = await route.admit?.(arrival);
  const body = route.body === undefined ? {} : route.body.parse(wish.body ?? {});
  return route.handle({ ...arrival, body, files: wish.files ?? [] }, admitted);
}
