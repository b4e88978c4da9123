/** The integration content API. */
import type { AnyRoute } from '../http/route.ts';
import { connectionRoutes } from './connection-routes.ts';
import type { IntegrationEdges } from './edges.ts';
import { paperRoutes } from './paper-routes.ts';

/** All routes of the integration content API. */
export function integrationRoutes(edges: IntegrationEdges): AnyRoute[] {
  return [...paperRoutes(edges), ...connectionRoutes(edges)];
}
