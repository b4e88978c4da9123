/** Routes of pictures that are shown at a time, or until a time: which there are, and how they are cancelled. */

import { z } from 'zod';
import { reasonOf } from '../../../reasons/reason.ts';
import { Refusal, refuse } from '../../../reasons/refusals.ts';
import { type Database, transact } from '../../../runtime/database/database.ts';
import { membershipIn, type Principal } from '../../access/principal.ts';
import { type TimedRow, timedPictures } from '../../delivery-state/timed-rows.ts';
import { requireDevice } from '../../devices/require-device.ts';
import { objectId } from '../../http/field-shapes.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { requirePaper } from '../../papers/require-paper.ts';
import { type PresentDeps, showTimed, timedShown } from '../../timed-pictures/present-timed.ts';
import { outcomeOfTimed } from '../../timed-pictures/schedule-picture.ts';

export interface TimedRouteDeps extends PresentDeps {
  nudge(): void;
}

type TimedPictureShown = z.input<typeof timedShown>;

const maxEnded = 50;

/** Returns the routes. */
export function timedRoutes(deps: TimedRouteDeps): AnyRoute[] {
  return [listRoute(deps), cancelRoute(deps)];
}

function listRoute(deps: TimedRouteDeps): AnyRoute {
  return route('GET /timed-pictures/', {
    summary: 'Pictures that are shown at a time or until a time, by their beginning, and those that ended lately',
    noStore: true,
    query: z.object({ organization: objectId, paper: objectId.optional(), device: objectId.optional() }),
    output: z.object({ pictures: z.array(timedShown) }),
    async handle({ query: { organization, paper, device }, principal }) {
      if (membershipIn(principal, organization) === undefined) throw refuse('not-found');
      if (paper !== undefined) await requirePaper(deps.db, principal, paper, 'read');
      if (device !== undefined) await requireDevice(deps.db, principal, device, 'read');
      const of = () => {
        const rows = deps.db<TimedRow>('timed_pictures').where({ organization_id: organization });
        if (paper !== undefined) rows.where({ paper_id: paper });
        return device === undefined ? rows : rows.where({ device_id: device });
      };
      const open: TimedRow[] = await of().whereNotNull('due_at').orderBy(['show_from', 'created_at', 'id']);
      const ended: TimedRow[] = await of().whereNull('due_at').orderBy('updated_at', 'desc').limit(maxEnded);
      const pictures: TimedPictureShown[] = [];
      for (const row of [...open, ...ended]) {
        if (await mayTouch(deps.db, principal, row, 'read')) pictures.push(await showTimed(deps, row));
      }
      return { pictures };
    },
  });
}

/** Asks whether the caller sees, or may write, the place of a picture. */
async function mayTouch(db: Database, principal: Principal, row: TimedRow, act: 'read' | 'write'): Promise<boolean> {
  try {
    await requirePlace(db, principal, row, act);
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

async function requirePlace(db: Database, principal: Principal, row: TimedRow, act: 'read' | 'write'): Promise<void> {
  const { organization_id: organizationId } =
    row.paper_id === null
      ? await requireDevice(db, principal, row.device_id ?? '', act)
      : await requirePaper(db, principal, row.paper_id, act);
  if (organizationId !== row.organization_id) throw refuse('not-found');
}

function cancelRoute(deps: TimedRouteDeps): AnyRoute {
  return route('DELETE /timed-pictures/:timedId', {
    summary: 'Cancel a picture that waits for its time; one that is shown ends now, and what was there comes back',
    audit: { action: 'picture.cancelled', on: 'picture' },
    noStore: true,
    output: timedShown,
    refuses: ['not-found', 'access-denied', 'conflict'],
    async handle({ params: { timedId }, principal }) {
      const now = deps.clock.now();
      const changed = await transact(deps.db, async (trx) => {
        const timed = timedPictures(trx);
        const row = await timed.find(timedId);
        if (row === undefined) throw refuse('not-found');
        await requirePlace(trx, principal, row, 'write');
        const count =
          row.state === 'waiting'
            ? await timed.end(timedId, 'cancelled', now)
            : await timed.change(timedId, { show_until: now, due_at: now }, now);
        if (count === 0)
          throw refuse('conflict', { message: reasonOf('timed-over', { because: outcomeOfTimed(row) }) });
        return (await timed.find(timedId)) ?? row;
      });
      deps.nudge();
      return showTimed(deps, changed);
    },
  });
}
