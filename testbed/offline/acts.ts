/** The acts of people and backends: drawn now and then while faults happen, or those that a run is given. */

import { injectFault } from './inject-faults.ts';
import type { Chance } from './machine/chance.ts';
import type { SimulatedAct } from './machine/fault-rates.ts';
import type { EventLog, RunEvent } from './machine/run-events.ts';
import type { World } from './world.ts';

/** The acts of a run. */
interface Acts {
  end(): void;
  isOver(): boolean;
  /** Lets nobody act until then. */
  rest(until: number): void;
}

/** The act of people who rest. */
const pause = 'nothing yet';

/** Lets people act now and then while faults happen, or as the events of the run say. */
export function actsOf(world: World, events: EventLog | undefined): Acts {
  const { time, chance, faultRates, node, checker } = world;
  const draws = chance.fork('acts');
  let isOver = false;
  let restsUntil = 0;
  const perform = performOf(world, draws);
  const names = Object.keys(perform) as SimulatedAct[];
  const sum = names.reduce((total, name) => total + faultRates.acts[name], 0);
  const isAct = ({ what }: RunEvent): boolean => what === pause || what in perform;
  const noted = events?.acts('acts')?.filter(isAct);
  let begun = 0;
  /** Waits for the next act: for a drawn time, or until the act is due. */
  const wait = (drawnMs: number): void => {
    const act = noted?.[begun++];
    const delayMs = act === undefined ? drawnMs : Math.max(0, act.at - time.played());
    const at = time.played() + delayMs;
    time.after(delayMs, () => next(at, act));
  };
  const next = (at: number, act: RunEvent | undefined): void => {
    if (isOver || checker.broken() !== undefined || (noted !== undefined && act === undefined)) return;
    const rests = act === undefined ? time.now() < restsUntil : act.what === pause;
    if (rests) {
      draws.begin(pause, at, act);
      wait(Math.max(0, restsUntil - time.now()));
      return;
    }
    const name =
      act === undefined ? weighted(names, faultRates.acts, draws.number() * sum) : (act.what as SimulatedAct);
    draws.begin(name, at, act);
    void perform[name]();
    // A crash soon after an act is the likeliest to leave it half done.
    if (draws.happens(faultRates.crash * 5, 'service dies after an act')) {
      time.after(draws.whole(0, 300), () => node.crash());
    }
    const stops = (faultRates.stopPerMinute * faultRates.actEveryMs) / 60_000;
    if (draws.happens(stops, 'service is stopped')) void node.restart();
    wait(draws.whole(1, faultRates.actEveryMs * 2));
  };
  wait(draws.whole(1, faultRates.actEveryMs));
  return {
    isOver: () => isOver,
    end: () => {
      isOver = true;
    },
    rest(until) {
      restsUntil = until;
    },
  };
}

/** Returns each act as a function. */
function performOf(world: World, draws: Chance): Readonly<Record<SimulatedAct, () => unknown>> {
  const { backends, operator, bodies, judge, home } = world;
  return {
    submit: () => draws.pick(backends).submit(),
    burst: () => Promise.all(backends.map((backend) => backend.submit())),
    repeat: () => draws.pick(backends).repeat(),
    conflict: () => draws.pick(backends).contradict(),
    assign: () => operator.assign(),
    'inject fault': () => injectFault(world, draws),
    leave: () => operator.leave(draws.pick(home.members)),
    disconnect: () => draws.pick(backends).disconnect(),
    reconnect: () =>
      backends.filter((backend) => backend.credentials() === undefined).map((backend) => backend.connect()),
    'change integration': () => operator.changeIntegration(),
    upload: () => operator.upload(),
    'send image': () => operator.sendImage(),
    'press button': () => draws.pick(bodies).press(),
    look: () => judge.look(world.upSince()),
  };
}

/** Returns the act at a place between 0 and the sum of all weights. */
function weighted(
  names: readonly SimulatedAct[],
  weights: Readonly<Record<SimulatedAct, number>>,
  place: number,
): SimulatedAct {
  let left = place;
  for (const name of names) {
    left -= weights[name];
    if (left < 0) return name;
  }
  return 'look';
}
