/** Behaviours of a frame's power and battery. */
import type { Behaviour } from '../dialects/any-frame.ts';
import { losePower } from '../dialects/lose-power.ts';
import { batteryTables } from '../frame/battery.ts';
import { type FrameEffect, only, trace } from '../frame/frame.ts';

/**
 * Every third wake loses its power, each one event later than the wake before; after this many it is the first event
 * again.
 */
const everyWake = 3;
const eventsOfAWake = 20;
const awaySeconds = 30;
/** A battery that gave in recovers at once. */
const brownOutSeconds = 0.2;
const drainedPerWakeMv = 50;

const isTrace = (effect: FrameEffect): boolean => effect.do === 'trace';

/** Loses its power at another event each time: before that step sends, requests or draws anything. */
export const powerLoss: Behaviour = (below) => (state, event) => {
  const step = below(state, event);
  const { boots, events, asleep } = step.state;
  const isNow = boots % everyWake === 0 && events === (boots / everyWake - 1) % eventsOfAWake;
  if (asleep || !isNow) return step;
  const lost: FrameEffect = { do: 'lose power', seconds: awaySeconds };
  return only(losePower(step.state), ...step.effects.filter(isTrace), trace('power lost', { events }), lost);
};

/** Has a weak battery, and restarts when a refresh takes more than the battery can give. */
export const weakBattery: Behaviour = (below) => (before, event) => {
  const { weak } = batteryTables[before.dialect];
  const isFirst = event.kind === 'woken' && before.boots === 0;
  const state = isFirst ? { ...before, batteryMv: Math.min(before.batteryMv, weak) } : before;
  const step = below(state, event);
  const kept = step.effects.filter((effect) => effect.do !== 'draw');
  if (step.state.boots % 4 !== 3 || kept.length === step.effects.length) return step;
  const lost: FrameEffect = { do: 'lose power', seconds: brownOutSeconds };
  return only(losePower(step.state), ...kept, trace('battery gives in'), lost);
};

/** Runs empty after some dozens of wakes, and stays asleep until somebody charges it and presses its button. */
export const drained: Behaviour = (below) => (before, event) => {
  if (event.kind !== 'woken') return below(before, event);
  const state = { ...before, batteryMv: Math.max(0, before.batteryMv - drainedPerWakeMv) };
  if (state.batteryMv >= batteryTables[state.dialect].empty) return below(state, event);
  return only(state, trace('battery empty'), { do: 'sleep', seconds: 'for ever', wake: 'timer' });
};
