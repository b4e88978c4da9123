/**
 * The surface under `/v1`: the same routes, presented as clients in the field read them (docs/decisions/0008). It is
 * one table of presentations over the plain routes, and no second implementation.
 */
import { z } from 'zod';
import { refuse } from '../../reasons/refusals.ts';
import { signedPrefix } from '../files/sign-address.ts';
import type { AnyRoute, Call } from '../http/route.ts';
import { wholeList } from '../http/stream-list.ts';
import { accountCalls } from './account-calls.ts';
import { devicePresentations } from './present-devices.ts';
import { directoryPresentations } from './present-directory.ts';
import { paperPresentations } from './present-papers.ts';
import type { Ask, Presentation, Shown } from './presentation.ts';

/** The prefix of the surface; the integration content API below it is the spec's own. */
export const fieldPrefix = '/v1';

/** Returns whether a request's path is answered in the shapes of the field, with or without a trailing slash (C-31). */
export function isFieldPath(path: string): boolean {
  return `${path}/`.startsWith(`${fieldPrefix}/`) && !/^\/v1\/integration-papers(\/|$)/.test(path);
}

const presentations: Readonly<Record<string, Presentation>> = {
  ...directoryPresentations,
  ...devicePresentations,
  ...paperPresentations,
};

/** Clients in the field change records with either method; the spec names one (section 6 of the clients' facts). */
const aliases: Readonly<Record<string, string>> = {
  'PATCH /devices/:deviceId': 'POST /devices/:deviceId',
  'PATCH /papers/:paperId': 'POST /papers/:paperId',
  'POST /accounts/:accountId': 'PATCH /accounts/:accountId',
};

/** Returns the routes of the surface, over all plain ones. */
export function fieldRoutes(plain: readonly AnyRoute[]): AnyRoute[] {
  const byName = new Map(plain.map((route) => [`${route.method} ${route.path}`, route]));
  const ask: Ask = async (name, call, more) => {
    const route = byName.get(name);
    if (route === undefined) throw new Error(`no plain route ${name}`);
    const asked = { ...call, query: {}, body: {}, files: [], ...more } as Call;
    return answerOf(route, await route.handle(asked, await route.admit?.(asked)));
  };
  // A signed address is used exactly as it was given, and only the console has sessions and guests and looks at the service
  // itself: their routes stand once.
  const once = [`${fieldPrefix}/`, signedPrefix, '/sessions/', '/guest/', '/service/'];
  const shared = plain.filter(({ path }) => !once.some((prefix) => path.startsWith(prefix)));
  const besides = Object.entries(aliases).flatMap(([alias, name]): AnyRoute[] => {
    const route = byName.get(name);
    const [method] = alias.split(' ');
    return route === undefined ? [] : [presented({ ...route, method: method as AnyRoute['method'] }, ask, name)];
  });
  return [
    ...accountCalls(fieldPrefix, ask),
    ...shared.map((route) => presented(route, ask, `${route.method} ${route.path}`)),
    ...besides,
  ];
}

/**
 * Returns what a plain route answered, as its contract names it.
 * @throws Refusal `not-found` where the plain route answers 204: there is nothing to present
 */
async function answerOf(route: AnyRoute, given: unknown): Promise<Shown> {
  if (given === undefined && route.status !== 204) throw refuse('not-found');
  return route.output.parse(await wholeList(given));
}

function presented(plain: AnyRoute, ask: Ask, name: string): AnyRoute {
  const presentation = presentations[name];
  // Fields that the plain surface refuses are ignored here (C-11).
  const route = plain.body instanceof z.ZodObject ? { ...plain, body: plain.body.strip() } : plain;
  const path = fieldPrefix + route.path;
  if (presentation === undefined) return { ...route, path };
  const { show, output, ...changed } = presentation;
  return {
    ...route,
    ...changed,
    path,
    output,
    handle: (call, admitted) =>
      show(call, async (more) => answerOf(route, await route.handle({ ...call, ...more }, admitted)), ask),
  };
}
