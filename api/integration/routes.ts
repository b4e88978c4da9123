/** The integration content API. */
import type { AnyRoute } from '../http/route.ts';
import { connectionRoutes } from './connection-routes.ts';
import type { IntegrationEdges } from './edges.ts';
import { paperRoutes } from './paper-routes.ts';
import { settingsPageRoute } from './settings-frame/settings-page-route.ts';

/** All routes of the integration content API. */
export function integrationRoutes(edges: IntegrationEdges): AnyRoute[] {
  return [...paperRoutes(edges), settingsPageRoute(edges), ...connectionRoutes(edges)];
}
