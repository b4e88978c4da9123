/**
 * Blows at what is under way, by somebody who sees the service's rows: the moments at which a promise is easiest to
 * break. Now and then the service dies right after the commit of the blow, before anybody was told of it.
 */
import type { DeliveryRow } from '../delivery/states.ts';
import { windowMs } from './judge-requests.ts';
import type { World } from './world.ts';

type Draws = World['chance'];

/** What one lies in wait for: a delivery at which something is just being done. */
const preys: readonly ((world: World, delivery: DeliveryRow) => boolean)[] = [
  // It waits for its next attempt, which comes before anybody looks after its frame.
  ({ time }, { state, attempts, due_at: dueAt }) =>
    state === 'pending' && attempts > 0 && Number(dueAt) < time.now() + 40_000,
  // Its last attempt is under way.
  (_world, { state, attempts }) => state === 'pending' && attempts === 4,
  // Its frame took the picture and draws.
  ({ judge }, { state, upload_id: uploadId }) => {
    const upload = uploadId === null ? undefined : judge.rows.uploads.get(uploadId);
    return state === 'prepared' && upload?.shown_at === null && upload.fetched_at !== null;
  },
  () => true,
];
const lurkingMs = 700;
const mostLooks = 60;

/** Lies in wait for a delivery that can still change, and strikes at it. */
export function strike(world: World, draws: Draws): void {
  const { judge, backends, time, court } = world;
  const isPrey = draws.pick(preys);
  const look = (looks: number): void => {
    if (looks === mostLooks || court.broken() !== undefined) return;
    const open = [...judge.rows.deliveries.values()].filter(isOpen).filter((delivery) => isPrey(world, delivery));
    if (open.length > 0) void strikeAt(world, draws, draws.pick(open));
    else time.after(lurkingMs, () => look(looks + 1));
  };
  if (![...judge.rows.deliveries.values()].some(isOpen)) void draws.pick(backends).submit();
  look(0);
}

async function strikeAt(world: World, draws: Draws, delivery: DeliveryRow): Promise<void> {
  const { judge, backends, operator, node, climate, bodies } = world;
  const request = judge.rows.requests.get(delivery.request_id);
  const backend = backends.find((one) => one.credentials()?.connectionId === request?.connection_id);
  const blow = draws.number();
  if (blow < 0.15) {
    for (const body of bodies) if (body.serial === delivery.serial) body.unplug(draws.whole(1000, 30_000));
    return;
  }
  if (climate.crash > 0 && draws.hits(0.7)) node.doom('any', draws.whole(100, 3000));
  if (backend === undefined || blow < 0.65) await operator.assign(delivery.device_id);
  else if (blow < 0.8) await backend.disconnect();
  else if (blow < 0.87) await operator.leave(backend.member);
  else if (blow < 0.94) await operator.changeIntegration(delivery.paper_id);
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
