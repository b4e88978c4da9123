/** Every answer that a test gets is one that the contract names: a route that refuses otherwise is written down wrongly. */
import * as assert from 'uvu/assert';
import { describeRefusals } from '../../api/http/description/describe-refusals.ts';
import type { AnyRoute } from '../../api/http/route.ts';
import { routeTable } from '../../api/http/route-table.ts';

/** Judges the statuses that these routes answer with. */
export function describedAnswers(routes: readonly AnyRoute[]) {
  const table = routeTable(routes);
  return (method: string, path: string, status: number): void => {
    const route = table.find(method, new URL(path, 'http://any').pathname)?.route;
    if (route === undefined) return;
    const success = route.output.safeParse(undefined).success ? [route.status, 204] : [route.status];
    const described = [...success, ...Object.keys(describeRefusals(route, {})).map(Number)];
    assert.ok(
      described.includes(status),
      `${route.method} ${route.path} answered ${status}; ${described} are described`,
    );
  };
}
