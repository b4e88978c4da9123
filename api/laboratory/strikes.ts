/**
 * Blows at what is under way, by somebody who sees the service's rows: the moments at which a promise is easiest to
 * break. Now and then the service dies right after the commit of the blow, before anybody was told of it.
 */
import type { DeliveryRow } from '../delivery/states.ts';
import { windowMs } from './judge-requests.ts';
import type { World } from './world.ts';

type Draws = World['chance'];

/** Strikes at a delivery that can still change, or makes one come. */
export async function strike(world: World, draws: Draws): Promise<void> {
  const { judge, backends, operator, node, climate, time } = world;
  const open = [...judge.rows.deliveries.values()].filter(isOpen);
  if (open.length === 0) return draws.pick(backends).submit();
  // One that waits for its next attempt is looked at again before anybody looks at its frame.
  const waiting = open.filter(({ state, due_at: dueAt }) => state === 'pending' && (dueAt ?? 0) < time.now() + 40_000);
  const delivery = draws.pick(waiting.length > 0 && draws.hits(0.6) ? waiting : open);
  const request = judge.rows.requests.get(delivery.request_id);
  const backend = backends.find((one) => one.credentials()?.connectionId === request?.connection_id);
  if (climate.crash > 0 && draws.hits(0.6)) node.doom('any', draws.whole(100, 5000));
  const blow = draws.number();
  if (backend === undefined || blow < 0.55) await operator.assign(delivery.device_id);
  else if (blow < 0.7) await backend.disconnect();
  else if (blow < 0.8) await operator.leave(backend.member);
  else if (blow < 0.9) await operator.changeIntegration(delivery.paper_id);
  else await backend.submit();
}

/**
 * What happens around the end of a window: a frame comes back to the paper, another proves what it shows at the last
 * moment, and the service dies of it and comes back when the window is over.
 * @returns the moment from which on nothing of it is to come
 */
export function strikeAtDeadline(world: World, draws: Draws, requestId: string): number {
  const { time, judge, operator, node, climate, home } = world;
  const request = judge.rows.requests.get(requestId);
  if (request === undefined) return time.now();
  const deadline = (request.accepted_at ?? 0) + windowMs;
  const at = (moment: number, act: () => unknown): void => void time.after(moment - time.now(), act);
  if (draws.hits(0.5)) {
    const { deviceId } = draws.pick(home.frames);
    void operator.assign(deviceId, null);
    at(deadline + draws.whole(-2000, 29_000), () => void operator.assign(deviceId, request.paper_id));
  }
  if (climate.crash > 0 && draws.hits(0.6)) {
    const backAt = deadline + draws.whole(1, 10_000);
    at(deadline - draws.whole(30_000, 60_000), () => node.doom('shown', backAt - time.now()));
    at(deadline, () => node.spare());
  }
  return deadline + 40_000;
}

function isOpen({ state, due_at: dueAt }: DeliveryRow): boolean {
  return dueAt !== null && (state === 'pending' || state === 'prepared');
}
