/** Routes of deadlines: which there are and how they stand, new ones, changes, and that somebody takes care of one. */
import { z } from 'zod';
import { reasonOf } from '../../../reasons/reason.ts';
import { type Refusal, refuse } from '../../../reasons/refusals.ts';
import type { CommonDeps } from '../../../runtime/database/common-deps.ts';
import { type Database, transact } from '../../../runtime/database/database.ts';
import { type Act, type Membership, type Principal, reachOf, requireMembership } from '../../access/principal.ts';
import { type DeadlineRow, lateProofMs, type OccurrenceRow, openBeforeMs } from '../../deadlines/deadline-rows.ts';
import { changeDeadline, makeDeadline, withdrawDeadline } from '../../deadlines/deadline-store.ts';
import { dueAroundNow } from '../../deadlines/due-on-device.ts';
import { acknowledgedMs } from '../../deadlines/steps.ts';
import type { DeadlineWatch } from '../../deadlines/watch-deadlines.ts';
import { requireDevice } from '../../devices/require-device.ts';
import { directoryStore } from '../../directory/store.ts';
import { objectId } from '../../http/field-shapes.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { requirePaper } from '../../papers/require-paper.ts';
import {
  changedDeadline,
  newDeadline,
  organizationOfNew,
  readChangedDeadline,
  readNewDeadline,
} from './deadline-fields.ts';
import { deadlineShown, dueShown, readDue, showDeadline } from './show-deadline.ts';

export interface DeadlineRouteDeps extends Pick<CommonDeps, 'db' | 'clock' | 'random'> {
  readonly deadlines: Pick<DeadlineWatch, 'look' | 'nudge'>;
}

const refuses = ['not-found', 'access-denied', 'conflict'] as const;
const maxListed = 500;
const withdrawn = (): Refusal =>
  refuse('conflict', { message: reasonOf('deadline-withdrawn'), hint: reasonOf('deadline-new') });
const settled = (): Refusal =>
  refuse('conflict', { message: reasonOf('deadline-settled'), hint: 'how it stands: GET /deadlines/ID' });

/** Returns the routes. */
export function deadlineRoutes(deps: DeadlineRouteDeps): AnyRoute[] {
  return [
    listRoute(deps),
    dueRoute(deps),
    oneRoute(deps),
    makeRoute(deps),
    ...changeRoutes(deps),
    acknowledgeRoute(deps),
  ];
}

/** Deadlines are for members who see the whole organization. @throws Refusal `not-found`, `access-denied` */
function requireMember(principal: Principal, organizationId: string, act: Act): Membership {
  const membership = requireMembership(principal, organizationId, act);
  if (reachOf(membership) !== 'organization') throw refuse('access-denied');
  return membership;
}

/** Returns the organization that is asked for, or all in which the caller may see deadlines. @throws Refusal as `requireMember` */
function organizationsAsked(principal: Principal, organization: string | undefined): readonly string[] {
  if (organization !== undefined) return [requireMember(principal, organization, 'read').organizationId];
  return principal.memberships
    .filter((membership) => reachOf(membership) === 'organization')
    .map(({ organizationId }) => organizationId);
}

async function requireDeadline(db: Database, principal: Principal, id: string, act: Act): Promise<DeadlineRow> {
  const row = await db<DeadlineRow>('deadlines').where({ id }).first();
  if (row === undefined) throw refuse('not-found');
  requireMember(principal, row.organization_id, act);
  return row;
}

/** The days of a deadline that an answer shows: those that are near, and those of the last day. */
const nearDays = (now: number) => ({ from: now - lateProofMs, until: now + openBeforeMs + 1 });

const shown = async ({ db, clock }: DeadlineRouteDeps, row: DeadlineRow) => {
  const now = clock.now();
  const search = { organizations: [row.organization_id], deadlineId: row.id, ...nearDays(now) };
  return showDeadline(row, await readDue(db, search), now);
};

const shownAnew = async (deps: DeadlineRouteDeps, id: string) => {
  const row = await deps.db<DeadlineRow>('deadlines').where({ id }).first();
  if (row === undefined) throw refuse('not-found');
  return shown(deps, row);
};

function listRoute(deps: DeadlineRouteDeps): AnyRoute {
  return route('GET /deadlines/', {
    noStore: true,
    summary:
      'Deadlines that were not withdrawn and that the caller may see, the oldest first, with their days that are near',
    query: z.object({ organization: objectId.optional(), paper: objectId.optional() }),
    output: z.object({ deadlines: z.array(deadlineShown) }),
    refuses,
    async handle({ query: { organization, paper }, principal }) {
      const organizations = organizationsAsked(principal, organization);
      if (paper !== undefined) await requirePaper(deps.db, principal, paper, 'read');
      const now = deps.clock.now();
      const rows = deps
        .db<DeadlineRow>('deadlines')
        .whereIn('organization_id', [...organizations])
        .whereNull('withdrawn_at')
        .orderBy(['created_at', 'id'])
        .limit(maxListed);
      if (paper !== undefined) rows.where({ paper_id: paper });
      const due = await readDue(deps.db, { organizations, paperId: paper, ...nearDays(now) });
      const deadlines = (await rows).map((row) =>
        showDeadline(
          row,
          due.filter(({ deadline }) => deadline === row.id),
          now,
        ),
      );
      return { deadlines };
    },
  });
}

function dueRoute({ db, clock }: DeadlineRouteDeps): AnyRoute {
  return route('GET /deadlines/due', {
    noStore: true,
    summary: 'What is due on frames from 12 hours ago until 24 hours from now, by its time',
    query: z.object({
      organization: objectId.optional(),
      device: objectId.optional(),
      paper: objectId.optional(),
    }),
    output: z.object({ due: z.array(dueShown) }),
    refuses,
    async handle({ query: { organization, device, paper }, principal }) {
      const organizations = organizationsAsked(principal, organization);
      if (paper !== undefined) await requirePaper(db, principal, paper, 'read');
      if (device !== undefined) await requireDevice(db, principal, device, 'read');
      const around = dueAroundNow(clock.now());
      return { due: await readDue(db, { organizations, deviceId: device, paperId: paper, ...around }) };
    },
  });
}

function oneRoute(deps: DeadlineRouteDeps): AnyRoute {
  return route('GET /deadlines/:deadlineId', {
    noStore: true,
    summary: 'One deadline, with its days that are near and how each stands',
    output: deadlineShown,
    refuses,
    async handle({ params: { deadlineId }, principal }) {
      return shown(deps, await requireDeadline(deps.db, principal, deadlineId, 'read'));
    },
  });
}

function makeRoute(deps: DeadlineRouteDeps): AnyRoute {
  const { db, clock, random, deadlines } = deps;
  return route('POST /deadlines/', {
    noStore: true,
    summary: 'Have a picture proven on frames by a time; the answer says at once how it stands',
    audit: { action: 'deadline.made', on: 'deadline', values: ['name', 'by'] },
    status: 201,
    body: newDeadline,
    output: deadlineShown,
    refuses,
    async handle({ body, principal }) {
      const organization = await organizationOfNew(db, principal, body);
      const { name: author } = requireMember(principal, organization, 'write');
      const row = await transact(db, async (trx) => {
        await directoryStore(trx).lockOrganization(organization);
        const choice = await readNewDeadline(trx, principal, body, organization);
        return makeDeadline(trx, { organizationId: organization, author, choice }, { now: clock.now(), random });
      });
      await deadlines.look(row.id);
      return shownAnew(deps, row.id);
    },
  });
}

function changeRoutes(deps: DeadlineRouteDeps): AnyRoute[] {
  const { db, clock, random, deadlines } = deps;
  return [
    route('PATCH /deadlines/:deadlineId', {
      noStore: true,
      summary: 'Change a deadline; what is left out stays. Its days that are still to come begin again',
      audit: { action: 'deadline.changed', on: 'deadline', values: ['name', 'by'] },
      body: changedDeadline,
      output: deadlineShown,
      refuses,
      async handle({ params: { deadlineId }, body, principal }) {
        const { organization_id } = await requireDeadline(db, principal, deadlineId, 'write');
        const frames = await transact(db, async (trx) => {
          await directoryStore(trx).lockOrganization(organization_id);
          const before = await requireDeadline(trx, principal, deadlineId, 'write');
          if (before.withdrawn_at !== null) throw withdrawn();
          const choice = await readChangedDeadline(trx, principal, before, body);
          return changeDeadline(trx, before, choice, { now: clock.now(), random });
        });
        await deadlines.look(deadlineId, frames);
        return shownAnew(deps, deadlineId);
      },
    }),
    route('DELETE /deadlines/:deadlineId', {
      noStore: true,
      summary: 'Withdraw a deadline: nothing of it is due any longer, and its steps end',
      audit: { action: 'deadline.withdrawn', on: 'deadline' },
      refuses,
      async handle({ params: { deadlineId }, principal }) {
        const frames = await transact(db, async (trx) => {
          await requireDeadline(trx, principal, deadlineId, 'write');
          return withdrawDeadline(trx, deadlineId, clock.now());
        });
        await deadlines.look(deadlineId, frames);
      },
    }),
  ];
}

function acknowledgeRoute(deps: DeadlineRouteDeps): AnyRoute {
  const { db, clock } = deps;
  return route('POST /deadlines/:deadlineId/acknowledge', {
    noStore: true,
    summary: 'Say that you take care of it: its steps rest for 15 minutes, and go on where it is not met by then',
    audit: { action: 'deadline.acknowledged', on: 'deadline' },
    body: z.object({ device: objectId.describe('left out, on every frame').optional() }),
    output: deadlineShown,
    refuses,
    async handle({ params: { deadlineId }, body: { device }, principal }) {
      const row = await requireDeadline(db, principal, deadlineId, 'write');
      const { name } = requireMember(principal, row.organization_id, 'write');
      const now = clock.now();
      const open = db<OccurrenceRow>('deadline_occurrences')
        .where({ deadline_id: deadlineId })
        .whereNotNull('due_at')
        .whereNotIn('state', ['met', 'met-late'])
        .where('by_at', '<', now + openBeforeMs / 2);
      if (device !== undefined) open.where({ device_id: device });
      const until = { acknowledged_at: now, acknowledged_by: name, acknowledged_until: now + acknowledgedMs };
      const count = await open.update({ ...until, due_at: now });
      if (count === 0) throw settled();
      await deps.deadlines.look(deadlineId);
      return shownAnew(deps, deadlineId);
    },
  });
}
