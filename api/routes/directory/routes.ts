/** All routes of the directory. */

import type { DirectoryDeps } from '../../directory/directory-deps.ts';
import type { AnyRoute } from '../../http/route.ts';
import { accountRoutes } from './account-routes.ts';
import { auditRoute } from './audit-route.ts';
import { linkRoutes } from './link-routes.ts';
import { organizationRoutes } from './organization-routes.ts';
import { sessionRoutes } from './session-routes.ts';
import { tokenRoutes } from './token-routes.ts';
import { userRoutes } from './user-routes.ts';

export function directoryRoutes(deps: DirectoryDeps): AnyRoute[] {
  return [
    ...organizationRoutes(deps),
    ...userRoutes(deps),
    ...linkRoutes(deps),
    ...accountRoutes(deps),
    ...tokenRoutes(deps),
    ...sessionRoutes(deps),
    auditRoute(deps),
  ];
}
