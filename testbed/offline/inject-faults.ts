/**
 * Injects faults at the moments at which a promise is easiest to break, which it finds by reading the service's rows.
 * Now and then the service dies right after the commit of the fault, before anybody has learned of it.
 */
import type { DeliveryRow } from '../../api/delivery-state/states.ts';
import type { Backend } from './backend.ts';
import { windowMs } from './judge-requests.ts';
import type { Change, EventRow } from './machine/commit-log.ts';
import type { World } from './world.ts';

type Draws = World['chance'];

/** The faults that are injected at a delivery. */
type Fault = 'unplug' | 'send image' | 'move' | 'end connection' | 'submit';

/** Returns whether the frame of a delivery has taken the picture and is drawing it. */
function isDrawn({ judge }: World, { state, upload_id: uploadId }: DeliveryRow): boolean {
  const upload = uploadId === null ? undefined : judge.rows.uploads.get(uploadId);
  return state === 'prepared' && upload?.shown_at === null && upload.fetched_at !== null;
}

/**
 * The kinds of deliveries that faults are aimed at, each with the fault that is most likely to break a promise there.
 */
const faultTargets: readonly { matches(world: World, delivery: DeliveryRow): boolean; readonly bestFault?: Fault }[] = [
  {
    // The delivery waits for its next attempt, which comes before anybody looks after its frame.
    matches: ({ time }, { state, attempts, due_at: dueAt }) =>
      state === 'pending' && attempts > 0 && Number(dueAt) < time.now() + 40_000,
    bestFault: 'move',
  },
  {
    // The last attempt of the delivery is under way.
    matches: (_world, { state, attempts }) => state === 'pending' && attempts === 4,
    bestFault: 'end connection',
  },
  // An image that is sent to the frame now arrives before the frame reports what it shows.
  { matches: isDrawn, bestFault: 'send image' },
  // The frame has to start over, while the service keeps everything that it knows of the first try.
  { matches: isDrawn, bestFault: 'unplug' },
  { matches: () => true },
];
const faults: readonly Fault[] = ['unplug', 'send image', 'move', 'move', 'move', 'end connection', 'submit'];
const targetWaitMs = 120_000;
const lookMs = 200;

/** Draws a target, waits for it, and injects a fault there. */
export function injectFault(world: World, draws: Draws): void {
  const backend = draws.pick(world.backends);
  const aim = draws.number();
  if (aim < 0.75) awaitTarget(world, draws);
  else if (aim < 0.85) faultAtMessage(world, draws, backend);
  else faultAtCallback(world, draws, backend);
}

/** Waits for a delivery of a drawn kind, and injects a fault there; gives up when none comes in time. */
function awaitTarget(world: World, draws: Draws): void {
  const { judge, backends, time, checker } = world;
  const { matches, bestFault } = draws.pick(faultTargets);
  const until = time.now() + targetWaitMs;
  const look = (): void => {
    if (time.now() > until || checker.broken() !== undefined) return;
    const open = [...judge.rows.deliveries.values()].filter(isOpen).filter((delivery) => matches(world, delivery));
    if (open.length === 0) return void time.after(lookMs, look);
    const fault = bestFault !== undefined && draws.hits(0.6) ? bestFault : draws.pick(faults);
    void injectAt(world, draws, draws.pick(open), fault);
  };
  if (![...judge.rows.deliveries.values()].some(isOpen)) void draws.pick(backends).submit();
  look();
}

async function injectAt(world: World, draws: Draws, delivery: DeliveryRow, fault: Fault): Promise<void> {
  const { judge, backends, operator, node, faultRates, bodies, time } = world;
  const request = judge.rows.requests.get(delivery.request_id);
  const backend = backends.find((one) => one.credentials()?.connectionId === request?.connection_id);
  if (fault === 'unplug') {
    for (const body of bodies) if (body.serial === delivery.serial) body.unplug(draws.whole(1000, 30_000));
    return;
  }
  if (fault === 'send image') return operator.sendImage(delivery.device_id);
  // After the end of a connection the process has to run on for a while to show what it does wrong, so it dies less
  // often.
  const dies = fault === 'end connection' ? 0.3 : 0.7;
  if (faultRates.crash > 0 && draws.happens(dies, 'service dies at a fault'))
    node.scheduleCrash('any', time.now() + draws.whole(100, 3000));
  if (backend === undefined || fault === 'move') await operator.assign(delivery.device_id);
  else if (fault === 'end connection') await endConnection(world, draws, backend);
  else await backend.submit();
}

/** Ends a connection while a message of it is being accepted. */
function faultAtMessage(world: World, draws: Draws, backend: Backend): void {
  void backend.submit();
  const afterMs = draws.hits(0.7) ? draws.whole(0, 3) : draws.whole(0, world.faultRates.slowDiskMs);
  world.time.after(afterMs, () => void endConnection(world, draws, backend));
}

/** Ends a connection while a callback of it is claimed and not sent yet. */
function faultAtCallback(world: World, draws: Draws, backend: Backend): void {
  const { judge, time } = world;
  const until = time.now() + targetWaitMs;
  const connectionId = backend.credentials()?.connectionId;
  judge.watch(({ now, events }) => {
    if (now > until) return true;
    if (!events.some((change) => isClaim(change) && change.after?.connection_id === connectionId)) return false;
    void endConnection(world, draws, backend);
    return true;
  });
}

/**
 * Ends a connection in one of three ways: revocation, loss of the member's right, or a changed integration. Later it
 * comes back.
 */
export async function endConnection({ operator, time }: World, draws: Draws, backend: Backend): Promise<void> {
  const way = draws.number();
  time.after(draws.whole(1000, 30_000), async () => {
    await operator.comeBack(backend.member);
    if (backend.credentials() === undefined) await backend.connect();
  });
  if (way < 0.7) await backend.disconnect();
  else if (way < 0.85) await operator.leave(backend.member);
  else await operator.changeIntegration(backend.paperId);
}

/**
 * Injects faults around the end of a window: a frame comes back to the paper, another one proves at the last moment
 * what it shows, and the service dies at that proof and comes back when the window is over.
 * @returns the moment by which all of this has happened
 */
export function faultAtDeadline(world: World, draws: Draws, requestId: string): number {
  const { time, judge, operator, node, faultRates, home, bodies } = world;
  const request = judge.rows.requests.get(requestId);
  if (request === undefined) return time.now();
  const deadline = (request.accepted_at ?? 0) + windowMs;
  const at = (moment: number, act: () => unknown): void => void time.after(moment - time.now(), act);
  if (draws.happens(0.5, 'frame moves around a deadline')) {
    const { deviceId } = draws.pick(home.frames);
    void operator.assign(deviceId, null);
    at(deadline + draws.whole(-2000, 29_000), () => void operator.assign(deviceId, request.paper_id));
  }
  if (faultRates.crash > 0 && draws.happens(0.6, 'service dies around a deadline')) {
    const backAt = deadline + draws.whole(1, 10_000);
    // A frame that is woken this late sends its report between the last look at its delivery and the deadline.
    for (const body of bodies) body.unplug(Math.max(1, deadline - time.now() - draws.whole(38_000, 70_000)));
    at(deadline - draws.whole(0, 40_000), () => node.scheduleCrash('shown', backAt));
    at(deadline, () => node.cancelCrash());
  }
  return deadline + 40_000;
}

function isOpen({ state, due_at: dueAt }: DeliveryRow): boolean {
  return dueAt !== null && (state === 'pending' || state === 'prepared');
}

/** Returns whether a change claims a callback for an attempt: it is due later, and no attempt was recorded. */
export function isClaim({ before, after }: Change<EventRow>): boolean {
  const isPutOff = (after?.due_at ?? 0) > (before?.due_at ?? Number.POSITIVE_INFINITY);
  return isPutOff && before?.attempts === after?.attempts;
}
