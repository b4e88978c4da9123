/** People who set deadlines in the time of faults, each on a paper: for the frames that show it, or for some. */
import type { Chance } from './machine/chance.ts';
import type { World } from './world.ts';

const minuteMs = 60_000;

/** Plans the deadlines of a seed within the time of faults, which begins now. */
export function setDeadlines(world: World, isOver: () => boolean): void {
  const { faultRates, time, chance } = world;
  if (faultRates.deadlines === 0) return;
  const draws = chance.fork('deadlines');
  for (let at = 0; at < faultRates.deadlines; at++) {
    const own = draws.fork(`deadline ${at}`);
    time.after(own.whole(1, Math.round(faultRates.safetyMs * 0.9)), () => {
      if (!isOver()) void setDeadline(world, own);
    });
  }
}

/** Sets one, and withdraws a few of them later. */
async function setDeadline({ call, home, operator, time, trace }: World, draws: Chance): Promise<void> {
  const by = time.now() + draws.whole(20_000, draws.hits(0.3) ? 60 * minuteMs : 8 * minuteMs);
  const named = draws.hits(0.4) ? [draws.pick(home.frames).deviceId] : undefined;
  const body = {
    organization: home.organizationId,
    paper: draws.pick(operator.papers),
    grade: draws.pick(['processed', 'processed', 'reported', 'named']),
    ...timeOf(by, draws),
    ...(named && { devices: named }),
  };
  const withdrawnAfterMs = draws.hits(0.1) ? draws.whole(1, 4 * minuteMs) : undefined;
  const answer = await call({ route: 'POST /deadlines/', body, as: home.owner });
  trace.note(`deadline by ${new Date(by).toISOString()} ${answer.kind}`);
  if (answer.kind !== 'ok' || withdrawnAfterMs === undefined) return;
  const { id } = answer.value as { id: string };
  time.after(withdrawnAfterMs, () => {
    void call({ route: 'DELETE /deadlines/:deadlineId', params: { deadlineId: id }, as: home.owner });
  });
}

/** One time, or that time of every day. */
function timeOf(by: number, draws: Chance): object {
  const iso = new Date(by).toISOString();
  if (draws.hits(0.8)) return { by: iso };
  return { rule: { weekdays: [1, 2, 3, 4, 5, 6, 7], time: iso.slice(11, 16) }, timeZone: 'UTC' };
}
