/** Calls routes from within the process, so that what Home Assistant asks for is judged, done and recorded like a call over HTTP. */
import type { Principal } from '../access/principal.ts';
import type { Caller } from '../http/caller.ts';
import type { AnyRoute } from '../http/route.ts';
import { wholeList } from '../http/stream-list.ts';

/** The input of a call. */
export interface RouteInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Calls a route by its method and path, for example `POST /devices/:deviceId`. */
export type CallRoute = <Answer>(name: string, input: RouteInput) => Promise<Answer>;

/**
 * Returns how a principal calls routes.
 * @param address stands in the log of who did what
 */
export function routeCaller(routes: readonly AnyRoute[], principal: Principal, address: string): CallRoute {
  const byName = new Map(routes.map((route) => [`${route.method} ${route.path}`, route]));
  return async (name, { params = {}, query = {}, body }) => {
    const route = byName.get(name);
    if (route === undefined) throw new Error(`there is no route ${name}`);
    const given = await route.handle(
      {
        params: route.params.parse(params),
        query: route.query?.parse(query) ?? {},
        body: route.body?.parse(body ?? {}),
        files: [],
        principal,
        address,
        headers: {},
        caller: callerInside(principal),
        note: () => undefined,
      },
      undefined,
    );
    return route.output.parse(await wholeList(given));
  };
}

/** A caller that never leaves, and has no address of its own. */
function callerInside(principal: Principal): Caller {
  return {
    signal: new AbortController().signal,
    authenticate: async () => principal,
    origin: () => {
      throw new Error('a call within the process has no origin');
    },
    setCookie: () => undefined,
  };
}
