/** A stage under virtual time: the real service and the fleet of a scenario in this process, every promise checked. */

import { duration } from '../../runtime/spans.ts';
import type { Climate } from '../../simulator/air/climates.ts';
import { climates } from '../../simulator/air/climates.ts';
import { type ChangingFrame, changingFrame, switchOnMs } from '../scenario/changing-frame.ts';
import type { Group, Scenario } from '../scenario/scenario.ts';
import type { ScenarioStage, StagedFrame, StageListener } from '../scenario/stage.ts';
import type { Backend } from './backend.ts';
import type { PlannedFrame } from './home.ts';
import { faultsIn } from './machine/climate-faults.ts';
import type { Commit } from './machine/commit-log.ts';
import { createDisk } from './machine/disk.ts';
import { type FaultRates, noFaults } from './machine/fault-rates.ts';
import { buildWorld, type World } from './world.ts';

export interface OfflineStageOptions {
  /** Receives each line of the trace. */
  readonly print?: ((line: string) => void) | undefined;
}

/** A frame of the plan: what the service knows of it, and what changes it. */
interface Hung {
  readonly planned: PlannedFrame;
  readonly group: Group;
  readonly changing: ChangingFrame;
  /** The number of the paper that it shows. */
  readonly paper: number;
  faults: FaultRates;
}

/** The frames are switched on within this time, or within one sleep where that is shorter. */
const maxSwitchOnMs = 300_000;
const lookMs = 3_600_000;

/** Opens it; every frame is switched on. */
export async function openOfflineStage(
  scenario: Scenario,
  listener: StageListener,
  { print }: OfflineStageOptions = {},
): Promise<ScenarioStage> {
  let now = (): number => scenario.startsAt;
  const hung = hangAll(scenario, () => now());
  const bySerial = new Map(hung.map((one) => [one.planned.serial, one]));
  const world = await buildWorld(scenario.seed, await createDisk(), {
    print,
    fleet: {
      startsAt: scenario.startsAt,
      home: { members: 1, frames: hung.map(({ planned }) => planned) },
      papers: new Set(hung.map(({ paper }) => paper)).size,
      paperOf: (place) => hung[place]?.paper ?? 0,
      faultsOf: (serial) => bySerial.get(serial)?.faults ?? noFaults,
      woke: listener.wokeUp,
    },
  });
  now = world.time.now;
  const pushes = followPushes(world, listener);
  const isBroken = (): boolean => world.checker.broken() !== undefined;
  const draws = world.chance.fork('switching on');
  for (const [at, body] of world.bodies.entries()) {
    const { group, planned } = hung[at] as Hung;
    if (group.batteryMv !== undefined) body.charge(group.batteryMv);
    const drawnMs = draws.whole(1, Math.min(maxSwitchOnMs, planned.sleepSeconds * 1000));
    body.unplug(switchOnMs(group, now()) ?? drawnMs);
  }
  const look = (): void => {
    world.judge.look(world.upSince());
    world.time.after(lookMs, look);
  };
  world.time.after(lookMs, look);
  return {
    frames: world.bodies.map((_, at) => stagedFrame(world, hung[at] as Hung, at)),
    now: world.time.now,
    at: (moment, run) => void world.time.after(moment - world.time.now(), run),
    until: (moment) => world.time.until(moment, isBroken),
    push: (number, text, frames) => {
      const papers = new Set(frames.map(({ serial }) => bySerial.get(serial)?.paper ?? 0));
      const backends = [...papers].flatMap((paper) => world.backends[paper] ?? []);
      return pushes.begin(number, text, backends);
    },
    restart(how, forMs) {
      listener.noted(`the service was ${how === 'kill' ? 'killed' : 'stopped'}, for ${duration(forMs)}`);
      if (how === 'kill') world.node.crash(forMs);
      else world.node.restart(forMs).catch(({ message }: Error) => listener.noted(`no restart: ${message}`));
    },
    brokenPromise: world.checker.broken,
    hash: world.trace.hash,
    close: async () => world.node.abandon(),
  };
}

/** Plans every frame. Frames of a group whose content is shared show one paper, the others one each. */
function hangAll({ groups }: Scenario, now: () => number): Hung[] {
  const hung: Hung[] = [];
  let papers = 0;
  for (const group of groups) {
    for (let place = 0; place < group.frames; place++) {
      const { dialect, kind, sleepSeconds } = group;
      const changing = changingFrame(group, now);
      const prefix = dialect === 'trmnl' ? 'trmnl' : kind;
      const planned: PlannedFrame = {
        serial: `${prefix}-${String(hung.length + 1).padStart(12, '0')}`,
        dialect,
        kind,
        sleepSeconds,
        ...(dialect === 'trmnl' && { version: kind === 'trmnl2' ? '1.5.2' : '1.8.15' }),
        behaviours: [changing.behaviour],
        isStuck: false,
        hasClone: false,
        isHealthy: changing.isHealthy,
        isHonest: changing.isHealthy(),
      };
      const paper = group.content === 'shared' && place > 0 ? papers - 1 : papers++;
      hung.push({ planned, group, changing, paper, faults: faultsOf(group.climate) });
    }
  }
  return hung;
}

const known = new Map<Climate, FaultRates>();

function faultsOf(climate: Climate): FaultRates {
  if (climate === climates.calm) return noFaults;
  const faults = known.get(climate) ?? { ...noFaults, ...faultsIn(climate) };
  known.set(climate, faults);
  return faults;
}

function stagedFrame(world: World, hung: Hung, at: number): StagedFrame {
  const { changing, group, planned } = hung;
  const { home, call, time } = world;
  const body = world.bodies[at] as World['bodies'][number];
  return {
    serial: planned.serial,
    group: group.name,
    state: body.state,
    press: body.press,
    rotate: () => body.hang(body.state().orientation === 'landscape' ? 'portrait' : 'landscape'),
    charge: body.charge,
    cutPower: body.unplug,
    loseWifi(forMs) {
      changing.loseWifi(time.now() + forMs);
      body.cutLink();
    },
    cutLink: body.cutLink,
    behave: changing.behave,
    enter(climate) {
      hung.faults = faultsOf(climate);
    },
    async remove() {
      body.unplug(undefined);
      const params = { deviceId: home.frames[at]?.deviceId ?? '' };
      await call({ route: 'DELETE /devices/:deviceId', params, as: home.owner });
    },
  };
}

/** Follows pushes from their senders to the glass, by what is committed. */
function followPushes({ judge }: World, listener: StageListener) {
  const byMessage = new Map<string, number>();
  const byRequest = new Map<string, number>();
  const waiting = new Map<number, { left: number; readonly accept: (isAccepted: boolean) => void }>();

  const accepted = (number: number): void => {
    const push = waiting.get(number);
    if (push === undefined) return;
    push.left--;
    if (push.left > 0) return;
    waiting.delete(number);
    push.accept(true);
  };
  judge.watch(({ requests, deliveries }: Commit) => {
    for (const { before, after } of requests) {
      const number = after === undefined ? undefined : byMessage.get(after.message_id);
      if (after === undefined || number === undefined) continue;
      byRequest.set(after.id, number);
      if ((before?.accepted_at ?? null) === null && after.accepted_at !== null) accepted(number);
    }
    for (const { before, after } of deliveries) {
      const number =
        after?.state === 'synced' && before?.state !== 'synced' ? byRequest.get(after.request_id) : undefined;
      if (after !== undefined && number !== undefined) listener.synced(after.serial, number);
    }
    return false;
  });

  return {
    begin(number: number, text: string, backends: readonly Backend[]): Promise<boolean> {
      return new Promise((accept, reject) => {
        waiting.set(number, { left: backends.length, accept });
        for (const backend of backends) {
          const had = backend.submissions.length;
          backend.submit(text).catch(reject);
          const sent = backend.submissions[had];
          if (sent === undefined) reject(new Error('its connection has ended'));
          else byMessage.set(sent.messageId, number);
        }
      });
    },
  };
}
