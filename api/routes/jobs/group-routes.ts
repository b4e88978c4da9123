/** Routes of groups: frames of a place, with a tag, or of other groups, which frames join later and then get what they give. */
import { z } from 'zod';
import { reasonOf } from '../../../reasons/reason.ts';
import { refuse } from '../../../reasons/refusals.ts';
import { isoTime } from '../../../runtime/clock.ts';
import { requireMembership } from '../../access/principal.ts';
import { requireSettings } from '../../devices/frame-settings.ts';
import { tagName } from '../../devices/place.ts';
import { objectId, openObject } from '../../http/field-shapes.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { namedPlace } from '../../jobs/addressees.ts';
import { changeGroup, makeGroup, removeGroup, requireGroup } from '../../jobs/change-group.ts';
import type { GroupMatch } from '../../jobs/group-rules.ts';
import { type GroupRow, groupStore, matchOf, settingsOfGroup } from '../../jobs/group-store.ts';
import { deviceChange } from '../devices/change-device.ts';
import { readRules, ruleFields } from './job-fields.ts';
import type { JobRouteDeps } from './routes.ts';

const base = '/organizations/:organizationId/groups/';

/** Fields that decide which groups a frame is in, or belong to one frame alone: no group gives them. */
const notGiven: readonly string[] = ['place', 'tags', 'name'];

const matchFields = {
  place: namedPlace.describe('the frames that hang there, also those of its floors and rooms').nullish(),
  tag: tagName.describe('the frames with this tag').nullish(),
  groups: z.array(objectId).min(1).max(50).describe('the frames of these groups').nullish(),
};

const giftFields = {
  paper: objectId
    .nullable()
    .describe('its frames show this paper, also those that join later; null gives none')
    .optional(),
  settings: deviceChange.shape.meta
    .unwrap()
    .nullable()
    .describe(
      'fields of meta that its frames get, also those that join later; their other fields stay, null gives none',
    )
    .optional(),
};

const name = z.string().trim().min(1).max(80);
const made = z.object({ name, ...matchFields, ...giftFields, ...ruleFields });
const changed = z.object({ name: name.optional(), ...matchFields, ...giftFields, ...ruleFields });

const groupShown = z
  .object({
    id: z.string(),
    name: z.string(),
    place: z.object({ building: z.string(), floor: z.string(), room: z.string() }).partial().nullable(),
    tag: z.string().nullable(),
    groups: z.array(z.string()).nullable(),
    paper: z.string().nullable().describe('the paper that it gives; null for none'),
    settings: openObject.nullable().describe('the fields of meta that it gives; null for none'),
    frames: z.number().describe('how many frames have joined it'),
    author: z.string(),
    jobs: z.array(z.string()).describe('the jobs that give its frames what this call changed').optional(),
    createdAt: z.string(),
    changedAt: z.string(),
  })
  .meta({ id: 'Group' });

/** Returns the routes. */
export function groupRoutes(deps: JobRouteDeps): AnyRoute[] {
  return [listRoute(deps), framesRoute(deps), makeRoute(deps), changeRoute(deps), removeRoute(deps)];
}

/** Reads who is in a group; undefined where nothing is named. Null names nothing: a client may send back what it read. */
function readMatch({ place, tag, groups }: z.output<typeof changed>): GroupMatch | undefined {
  const named = [place, tag, groups].filter((way) => (way ?? null) !== null);
  if (named.length > 1) {
    throw refuse('invalid-request', { message: reasonOf('group-of-one'), hint: 'name one of place, tag and groups' });
  }
  if (place) return { place };
  if (tag) return { tag };
  return groups ? { groups } : undefined;
}

function requireGivable(settings: z.output<typeof changed>['settings']): void {
  const field = Object.keys(settings ?? {}).find((one) => notGiven.includes(one));
  if (field !== undefined) throw refuse('invalid-request', { message: reasonOf('job-field-not-many', { field }) });
  requireSettings(settings ?? {}, 'settings');
}

function showGroup(
  group: GroupRow,
  frames: number,
  jobs?: readonly { readonly id: string }[],
): z.input<typeof groupShown> {
  const match = matchOf(group);
  return {
    id: group.id,
    name: group.name,
    place: 'place' in match ? match.place : null,
    tag: 'tag' in match ? match.tag : null,
    groups: 'groups' in match ? [...match.groups] : null,
    paper: group.paper_id,
    settings: group.settings === null ? null : settingsOfGroup(group),
    frames,
    author: group.author,
    ...(jobs !== undefined && { jobs: jobs.map(({ id }) => id) }),
    createdAt: isoTime(group.created_at),
    changedAt: isoTime(group.changed_at),
  };
}

const framesIn = async ({ db }: JobRouteDeps, { id, organization_id }: GroupRow): Promise<number> =>
  (await groupStore(db).members(organization_id)).get(id)?.size ?? 0;

function listRoute({ db }: JobRouteDeps): AnyRoute {
  return route(`GET ${base}`, {
    noStore: true,
    summary: 'The groups of an organization, by name',
    output: z.array(groupShown),
    async handle({ params: { organizationId }, principal }) {
      requireMembership(principal, organizationId, 'write');
      const members = await groupStore(db).members(organizationId);
      return (await groupStore(db).list(organizationId)).map((group) =>
        showGroup(group, members.get(group.id)?.size ?? 0),
      );
    },
  });
}

function framesRoute({ db }: JobRouteDeps): AnyRoute {
  return route(`GET ${base}:groupId/frames`, {
    noStore: true,
    summary: 'The frames that have joined a group',
    output: z.array(z.object({ deviceId: z.string(), name: z.string(), joinedAt: z.string() })),
    async handle({ params, principal }) {
      const group = await requireGroup(db, principal, params);
      const rows = await db('frame_group_members as m')
        .join('devices as d', 'd.id', 'm.device_id')
        .where({ 'm.group_id': group.id })
        .orderBy(['d.name_order', 'd.id'])
        .select('d.id', 'd.name', 'm.joined_at');
      return rows.map(({ id, name: of, joined_at }) => ({ deviceId: id, name: of, joinedAt: isoTime(joined_at) }));
    },
  });
}

const values = ['name', 'paper'] as const;

function makeRoute(deps: JobRouteDeps): AnyRoute {
  return route(`POST ${base}`, {
    noStore: true,
    summary: 'Make a group; its frames, and those that join it later, get what it gives',
    status: 201,
    audit: { action: 'group.made', on: 'group', values },
    body: made,
    output: groupShown,
    refuses: ['not-found', 'access-denied', 'conflict'],
    async handle({ params: { organizationId }, body, principal }) {
      const match = readMatch(body);
      if (match === undefined) {
        throw refuse('invalid-request', {
          message: reasonOf('group-of-one'),
          hint: 'name one of place, tag and groups',
        });
      }
      requireGivable(body.settings);
      const wanted = { name: body.name, match, paper: body.paper, settings: body.settings, rules: readRules(body) };
      const { group, jobs } = await makeGroup(deps, principal, organizationId, wanted);
      deps.nudgeJobs();
      return showGroup(group, await framesIn(deps, group), jobs);
    },
  });
}

function changeRoute(deps: JobRouteDeps): AnyRoute {
  return route(`PATCH ${base}:groupId`, {
    noStore: true,
    summary: 'Change a group: a paper or settings that are named go to all its frames, by a job',
    audit: { action: 'group.changed', on: 'group', values },
    body: changed,
    output: groupShown,
    refuses: ['not-found', 'access-denied', 'conflict'],
    async handle({ params, body, principal }) {
      requireGivable(body.settings);
      const { name: named, paper, settings } = body;
      const wanted = { name: named, match: readMatch(body), paper, settings, rules: readRules(body) };
      const { group, jobs } = await changeGroup(deps, principal, params, wanted);
      deps.nudgeJobs();
      return showGroup(group, await framesIn(deps, group), jobs);
    },
  });
}

function removeRoute(deps: JobRouteDeps): AnyRoute {
  return route(`DELETE ${base}:groupId`, {
    noStore: true,
    summary: 'Remove a group; its frames keep what they have',
    audit: { action: 'group.removed', on: 'group' },
    output: groupShown,
    async handle({ params, principal }) {
      const frames = await framesIn(deps, await requireGroup(deps.db, principal, params));
      return showGroup(await removeGroup(deps, principal, params), frames);
    },
  });
}
