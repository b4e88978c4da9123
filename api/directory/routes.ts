/** Every route of the directory. */
import type { AnyRoute } from '../http/route.ts';
import { accountRoutes } from './account-routes.ts';
import type { DirectoryEdges } from './directory-edges.ts';
import { organizationRoutes } from './organization-routes.ts';
import { tokenRoutes } from './token-routes.ts';
import { userRoutes } from './user-routes.ts';

export function directoryRoutes(edges: DirectoryEdges): AnyRoute[] {
  return [...organizationRoutes(edges), ...userRoutes(edges), ...accountRoutes(edges), ...tokenRoutes(edges)];
}
