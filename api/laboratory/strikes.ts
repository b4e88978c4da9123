/**
 * Blows at what is under way, by somebody who sees the service's rows: the moments at which a promise is easiest to
 * break. Now and then the service dies right after the commit of the blow, before anybody was told of it.
 */
import type { DeliveryRow } from '../delivery/states.ts';
import type { Backend } from './backend.ts';
import type { Change, EventRow } from './commit-log.ts';
import { windowMs } from './judge-requests.ts';
import type { World } from './world.ts';

type Draws = World['chance'];

/** The frame of a delivery took the picture and draws. */
function isDrawn({ judge }: World, { state, upload_id: uploadId }: DeliveryRow): boolean {
  const upload = uploadId === null ? undefined : judge.rows.uploads.get(uploadId);
  return state === 'prepared' && upload?.shown_at === null && upload.fetched_at !== null;
}

/** What one lies in wait for: a delivery at which something is just being done. */
const preys: readonly ((world: World, delivery: DeliveryRow) => boolean)[] = [
  // It waits for its next attempt, which comes before anybody looks after its frame.
  ({ time }, { state, attempts, due_at: dueAt }) =>
    state === 'pending' && attempts > 0 && Number(dueAt) < time.now() + 40_000,
  // Its last attempt is under way.
  (_world, { state, attempts }) => state === 'pending' && attempts === 4,
  isDrawn,
  () => true,
];
const lurkingMs = 700;
const mostLooks = 60;

/** Lies in wait for something that can still change, and strikes at it. */
export function strike(world: World, draws: Draws): void {
  const backend = draws.pick(world.backends);
  const aim = draws.number();
  if (aim < 0.7) lurk(world, draws);
  else if (aim < 0.85) strikeAtMessage(world, draws, backend);
  else strikeAtCallback(world, draws, backend);
}

function lurk(world: World, draws: Draws): void {
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
  const { judge, backends, operator, node, climate, bodies, time } = world;
  const request = judge.rows.requests.get(delivery.request_id);
  const backend = backends.find((one) => one.credentials()?.connectionId === request?.connection_id);
  const blow = draws.number();
  if (blow < 0.1) {
    for (const body of bodies) if (body.serial === delivery.serial) body.unplug(draws.whole(1000, 30_000));
    return;
  }
  // What else it is sent is there before it says what it shows.
  if (blow < (isDrawn(world, delivery) ? 0.5 : 0.15)) return operator.sendImage(delivery.device_id);
  if (climate.crash > 0 && draws.hits(0.5)) node.doom('any', time.now() + draws.whole(100, 3000));
  if (backend === undefined || blow < 0.6) await operator.assign(delivery.device_id);
  else if (blow < 0.95) await endConnection(world, draws, backend);
  else await backend.submit();
}

/** A connection ends while a message of it is being accepted. */
function strikeAtMessage(world: World, draws: Draws, backend: Backend): void {
  void backend.submit();
  const afterMs = draws.hits(0.7) ? draws.whole(0, 3) : draws.whole(0, world.climate.slowDiskMs);
  world.time.after(afterMs, () => void endConnection(world, draws, backend));
}

/** A connection ends while a callback of it is claimed and not sent yet. */
function strikeAtCallback(world: World, draws: Draws, backend: Backend): void {
  const { judge, time, court } = world;
  const until = time.now() + lurkingMs * mostLooks;
  const connectionId = backend.credentials()?.connectionId;
  judge.watch(({ now, events }) => {
    if (now > until || court.broken() !== undefined) return true;
    if (!events.some((change) => isClaim(change) && change.after?.connection_id === connectionId)) return false;
    void endConnection(world, draws, backend);
    return true;
  });
}

/** It is given up by its backend, or its person leaves, or what it was made for is changed. Later it comes back. */
async function endConnection({ operator, time }: World, draws: Draws, backend: Backend): Promise<void> {
  const way = draws.number();
  time.after(draws.whole(1000, 30_000), async () => {
    await operator.comeBack(backend.member);
    if (backend.credentials() === undefined) await backend.connect();
  });
  if (way < 0.6) await backend.disconnect();
  else if (way < 0.8) await operator.leave(backend.member);
  else await operator.changeIntegration(backend.paperId);
}

/**
 * What happens around the end of a window: a frame comes back to the paper, another proves what it shows at the last
 * moment, and the service dies of it and comes back when the window is over.
 * @returns the moment from which on nothing of it is to come
 */
export function strikeAtDeadline(world: World, draws: Draws, requestId: string): number {
  const { time, judge, operator, node, climate, home, bodies } = world;
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
    // Woken late enough, a frame has its word to say between a look at its delivery and the deadline.
    for (const body of bodies) body.unplug(Math.max(1, deadline - time.now() - draws.whole(38_000, 70_000)));
    at(deadline - draws.whole(0, 40_000), () => node.doom('shown', backAt));
    at(deadline, () => node.spare());
  }
  return deadline + 40_000;
}

function isOpen({ state, due_at: dueAt }: DeliveryRow): boolean {
  return dueAt !== null && (state === 'pending' || state === 'prepared');
}

/** Whether a callback was taken to be sent: its next look is put off, and nothing was written about an attempt. */
function isClaim({ before, after }: Change<EventRow>): boolean {
  const isPutOff = (after?.due_at ?? 0) > (before?.due_at ?? Number.POSITIVE_INFINITY);
  return isPutOff && before?.attempts === after?.attempts;
}
