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

type Blow = 'unplug' | 'send image' | 'move' | 'end connection' | 'submit';

/** A frame took the picture and draws. */
function isDrawn({ judge }: World, { state, upload_id: uploadId }: DeliveryRow): boolean {
  const upload = uploadId === null ? undefined : judge.rows.uploads.get(uploadId);
  return state === 'prepared' && upload?.shown_at === null && upload.fetched_at !== null;
}

/** What one lies in wait for, a delivery at which something is just being done, and the blow that suits it best. */
const preys: readonly { sees(world: World, delivery: DeliveryRow): boolean; readonly suits?: Blow }[] = [
  {
    // It waits for its next attempt, which comes before anybody looks after its frame.
    sees: ({ time }, { state, attempts, due_at: dueAt }) =>
      state === 'pending' && attempts > 0 && Number(dueAt) < time.now() + 40_000,
    suits: 'move',
  },
  {
    // Its last attempt is under way.
    sees: (_world, { state, attempts }) => state === 'pending' && attempts === 4,
    suits: 'end connection',
  },
  // What else its frame is sent is there before it says what it shows.
  { sees: isDrawn, suits: 'send image' },
  // Its frame has to begin anew, with all that is known of its first try.
  { sees: isDrawn, suits: 'unplug' },
  { sees: () => true },
];
const blows: readonly Blow[] = ['unplug', 'send image', 'move', 'move', 'move', 'end connection', 'submit'];
const lurkingMs = 120_000;
const lookMs = 200;

/** Lies in wait for something that can still change, and strikes at it. */
export function strike(world: World, draws: Draws): void {
  const backend = draws.pick(world.backends);
  const aim = draws.number();
  if (aim < 0.75) lurk(world, draws);
  else if (aim < 0.85) strikeAtMessage(world, draws, backend);
  else strikeAtCallback(world, draws, backend);
}

function lurk(world: World, draws: Draws): void {
  const { judge, backends, time, court } = world;
  const { sees, suits } = draws.pick(preys);
  const until = time.now() + lurkingMs;
  const look = (): void => {
    if (time.now() > until || court.broken() !== undefined) return;
    const open = [...judge.rows.deliveries.values()].filter(isOpen).filter((delivery) => sees(world, delivery));
    if (open.length === 0) return void time.after(lookMs, look);
    const blow = suits !== undefined && draws.hits(0.6) ? suits : draws.pick(blows);
    void strikeAt(world, draws, draws.pick(open), blow);
  };
  if (![...judge.rows.deliveries.values()].some(isOpen)) void draws.pick(backends).submit();
  look();
}

async function strikeAt(world: World, draws: Draws, delivery: DeliveryRow, blow: Blow): Promise<void> {
  const { judge, backends, operator, node, climate, bodies, time } = world;
  const request = judge.rows.requests.get(delivery.request_id);
  const backend = backends.find((one) => one.credentials()?.connectionId === request?.connection_id);
  if (blow === 'unplug') {
    for (const body of bodies) if (body.serial === delivery.serial) body.unplug(draws.whole(1000, 30_000));
    return;
  }
  if (blow === 'send image') return operator.sendImage(delivery.device_id);
  // What ends with its connection has to go on for a while to be seen.
  const dies = blow === 'end connection' ? 0.3 : 0.7;
  if (climate.crash > 0 && draws.hits(dies)) node.doom('any', time.now() + draws.whole(100, 3000));
  if (backend === undefined || blow === 'move') await operator.assign(delivery.device_id);
  else if (blow === 'end connection') await endConnection(world, draws, backend);
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
  const { judge, time } = world;
  const until = time.now() + lurkingMs;
  const connectionId = backend.credentials()?.connectionId;
  judge.watch(({ now, events }) => {
    if (now > until) return true;
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
  if (way < 0.7) await backend.disconnect();
  else if (way < 0.85) await operator.leave(backend.member);
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
