/** All routes of the integration content API. */
import type { AnyRoute } from '../../http/route.ts';
import { callbackRoutes } from './callback-routes.ts';
import { catalogueRoute } from './catalogue-route.ts';
import { connectionListRoute } from './connection-list-route.ts';
import { connectionRoutes } from './connection-routes.ts';
import { eventsRoute } from './events-route.ts';
import type { IntegrationDeps } from './integration-deps.ts';
import { manifestRoute } from './manifest-route.ts';
import { grantRoutes } from './paper-routes.ts';
import { redirectRoutes } from './redirect-routes.ts';
import { settingsPageRoute } from './settings-page-route.ts';

export function integrationRoutes(deps: IntegrationDeps): AnyRoute[] {
  return [
    ...grantRoutes(deps),
    settingsPageRoute(deps),
    catalogueRoute(deps),
    manifestRoute(deps),
    connectionListRoute(deps),
    ...callbackRoutes(deps),
    ...redirectRoutes(deps),
    ...connectionRoutes(deps),
    eventsRoute(deps),
  ];
}
