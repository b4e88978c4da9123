/**
 * People who end a connection just when something is under way for it: a message was accepted and is not answered yet, a callback is
 * claimed and not sent yet, or the last attempt of a delivery has begun. The machine is busy then, and in some
 * seeds the pages are out of order for a while, so that deliveries come to their last attempt. They have draws of their own, so
 * that a seed without them plays what it played before there were any.
 */
import { attemptsBeforeFailure } from '../../api/delivery-state/states.ts';
import { endConnection, isClaim } from './inject-faults.ts';
import type { Commit } from './machine/commit-log.ts';
import type { World } from './world.ts';

/** The work under way for a connection, with the share of such moments at which somebody ends it. */
interface BusyMoment {
  readonly connectionId: string;
  readonly share: number;
}

const shares = { accepted: 0.3, claimed: 0.2, lastAttempt: 0.8 } as const;
/** How long the pages are out of order, enough for all attempts of a delivery. */
const brokenMs = { share: 0.6, least: 60_000, most: 120_000 } as const;
/** How long the machine is busy around the end of a connection; people leave it alone afterwards. */
const busyMs = 3000;
const restMs = { least: 5000, most: 20_000 } as const;

/** Lets people end connections hastily while faults happen, in a seed that has such people. */
export function endHastily(world: World, isOver: () => boolean): void {
  const { faultRates, judge, time, chance, busy, backends } = world;
  if (!faultRates.endsHastily) return;
  const draws = chance.fork('hasty ends');
  if (draws.happens(brokenMs.share, 'pages break for a while')) {
    const ms = draws.whole(brokenMs.least, brokenMs.most);
    time.after(draws.whole(0, faultRates.safetyMs - brokenMs.least), () => isOver() || busy.breakPages(ms));
  }
  let restsUntil = 0;
  judge.watch((commit) => {
    if (isOver()) return true;
    if (time.now() < restsUntil) return false;
    for (const { connectionId, share } of momentsOf(world, commit)) {
      // While no page is drawn, people wait for the picture until the last attempt.
      if (busy.arePagesBroken() && share !== shares.lastAttempt) continue;
      const backend = backends.find((one) => one.credentials()?.connectionId === connectionId);
      if (backend === undefined || !draws.happens(share, 'connection ends hastily')) continue;
      restsUntil = time.now() + draws.whole(restMs.least, restMs.most);
      busy.busyFor(busyMs);
      void endConnection(world, draws, backend);
      break;
    }
    return false;
  });
}

/** Returns what this commit begins for a connection. */
function momentsOf({ judge }: World, { requests, events, deliveries }: Commit): BusyMoment[] {
  const moments: BusyMoment[] = [];
  for (const { after, moves } of requests) {
    if (after === undefined || !moves.some(({ to }) => to === 'accepted')) continue;
    moments.push({ connectionId: after.connection_id, share: shares.accepted });
  }
  for (const change of events) {
    if (!isClaim(change) || change.after === undefined) continue;
    moments.push({ connectionId: change.after.connection_id, share: shares.claimed });
  }
  for (const { before, after } of deliveries) {
    const isLast = after?.state === 'pending' && after.attempts === attemptsBeforeFailure;
    if (!isLast || before?.attempts === after.attempts) continue;
    const request = judge.rows.requests.get(after.request_id);
    if (request !== undefined) moments.push({ connectionId: request.connection_id, share: shares.lastAttempt });
  }
  return moments;
}
