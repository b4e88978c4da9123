/** Routes of a member's links: the devices and papers that a role without access to everything shows. */
import { z } from 'zod';
import { changeLinks, linksOf, maxLinksAtOnce } from '../../directory/change-links.ts';
import type { DirectoryDeps } from '../../directory/directory-deps.ts';
import { objectId } from '../../http/field-shapes.ts';
import { type AnyRoute, route } from '../../http/route.ts';

const ids = z.array(objectId).max(maxLinksAtOnce);

/** The fields of a body that name the linked devices and papers. */
export const linkFields = {
  devices: ids.describe(`Up to ${maxLinksAtOnce} devices of the organization`).optional(),
  papers: ids.describe(`Up to ${maxLinksAtOnce} papers of the organization`).optional(),
};

interface LinksGiven {
  readonly devices?: readonly string[] | undefined;
  readonly papers?: readonly string[] | undefined;
}

/** The record of links in the log of who did what: how many frames and papers there were. */
export function countLinks({ devices = [], papers = [] }: LinksGiven): Record<string, number> {
  return {
    ...(devices.length > 0 && { frames: devices.length }),
    ...(papers.length > 0 && { papers: papers.length }),
  };
}

const linksShown = z
  .object({
    devices: z.array(z.string()).describe('those whose patient it is among them'),
    papers: z.array(z.string()).describe('besides the papers of the devices, which the role `patient` sees too'),
  })
  .meta({ id: 'Links' });

/** Returns the routes. */
export function linkRoutes(deps: DirectoryDeps): AnyRoute[] {
  return [
    route('GET /users/:userId/links', {
      noStore: true,
      summary: 'The devices and papers that are linked to a user: the roles `patient` and `onlyself` see no others',
      output: linksShown,
      handle: async ({ params, principal }) => shown(await linksOf(deps.db, principal, params.userId)),
    }),
    route('POST /users/:userId/links', {
      noStore: true,
      summary: 'Link devices and papers to a user, or end their links',
      audit: { action: 'user.linked', on: 'user', values: ['sees'] },
      body: z.object({
        ...linkFields,
        sees: z.boolean().describe('false ends the links, and being the patient of these devices').default(true),
      }),
      output: linksShown,
      refuses: ['not-found', 'access-denied', 'conflict'],
      async handle({ params, body, principal, note }) {
        note({ values: countLinks(body) });
        const { sees, devices = [], papers = [] } = body;
        return shown(await changeLinks(deps, principal, params.userId, { sees, devices, papers }));
      },
    }),
  ];
}

const shown = ({ devices, papers }: Awaited<ReturnType<typeof linksOf>>) => ({
  devices: [...devices],
  papers: [...papers],
});
