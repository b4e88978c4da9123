/**
 * Behaviours of what surrounds a frame: its Wi-Fi, its clock, the people and the wall. None of them is random: what
 * happens follows from the number of the wake.
 */
import { type AnyFrame, type Behaviour, withEffects } from '../dialects/any-frame.ts';
import { breakDraw, losePower } from '../dialects/lose-power.ts';
import { type FrameEffect, noWifiSeconds, only, trace } from '../frame/frame.ts';

/** How long a frame that polls looks for its Wi-Fi. */
const noWifiPolledSeconds = 10;

/** How long a frame with the offline firmware does: twice twenty seconds. */
const noWifiOfflineSeconds = 40;
const noWifiSecondsOf = (dialect: AnyFrame['dialect']): number =>
  dialect === 'trmnl' ? noWifiPolledSeconds : dialect === 'offline' ? noWifiOfflineSeconds : noWifiSeconds;

const needsWifi = new Set<FrameEffect['do']>(['join', 'connect', 'download']);

/**
 * Finds no Wi-Fi in these wakes. The firmware decides how often it then tries, how long it sleeps, and what it draws.
 */
export const withoutWifi =
  (isAway: (boots: number) => boolean): Behaviour =>
  (below) =>
  (state, event) => {
    const step = below(state, event);
    const { boots, dialect } = step.state;
    const kept = step.effects.filter((effect) => !needsWifi.has(effect.do));
    if (!isAway(boots) || kept.length === step.effects.length) return step;
    const inVainSeconds = noWifiSecondsOf(dialect);
    return only(step.state, ...kept, { do: 'join', inVainSeconds });
  };

/** Finds its Wi-Fi at every second wake only. */
export const weakWifi = withoutWifi((boots) => boots % 2 === 0);
const wakesInARow = 12;
/** Finds none for so many wakes in a row that its firmware runs out of attempts. */
export const lostWifi = withoutWifi((boots) => Math.floor((boots - 1) / wakesInARow) % 2 === 1);

/**
 * Sleeps longer or shorter than it was sent and than it reports. The clocks of such boards are off by a few percent.
 */
const drifting =
  (factor: number): Behaviour =>
  (below) =>
  (state, event) =>
    withEffects(below(state, event), (effect) =>
      effect.do === 'sleep' && typeof effect.seconds === 'number'
        ? [{ ...effect, seconds: effect.seconds * factor }]
        : [effect],
    );
export const fastClock = drifting(0.95);
export const slowClock = drifting(1.05);

/** Checks certificates by its own, wrong clock in these wakes. Without TLS this has no effect. */
const withClock =
  (clockMs: number, isWrong: (state: AnyFrame) => boolean): Behaviour =>
  (below) =>
  (state, event) =>
    withEffects(below(state, event), (effect, step) =>
      (effect.do === 'connect' || effect.do === 'download') && isWrong(step.state)
        ? [{ ...effect, clockMs }]
        : [effect],
    );
/** Starts in 1970 after every reset, and has fetched the time by the end of the sleep that follows. */
export const clockOf1970 = withClock(0, ({ wake, boots }) => wake === 'reset' || boots === 1);
/** Was sent a wrong time once, and keeps it. */
export const clockOf2099 = withClock(Date.UTC(2099, 0), () => true);

/** Wakes in the middle of some sleeps that its timer would have ended. */
const wokenEarly =
  (reason: 'button' | 'motion' | 'reset', every: number): Behaviour =>
  (below) =>
  (state, event) =>
    withEffects(below(state, event), (effect, step) => {
      const isTimed = effect.do === 'sleep' && effect.wake === 'timer' && typeof effect.seconds === 'number';
      if (!isTimed || step.state.boots % every !== every - 1) return [effect];
      return [{ ...effect, seconds: Number(effect.seconds) / 2, wake: reason }];
    });
export const pressed = wokenEarly('button', 3);
export const moved = wokenEarly('motion', 4);
export const resets = wokenEarly('reset', 5);

/** Is hung the other way while it draws; it notices, and draws again (W-30). */
export const turned: Behaviour = (below) => (state, event) => {
  if (event.kind !== 'drawn' || state.boots % 2 === 0 || !isFirstDraw(state)) return below(state, event);
  const orientation = state.orientation === 'landscape' ? 'portrait' : 'landscape';
  return below({ ...state, orientation }, { ...event, turned: true });
};

function isFirstDraw(state: AnyFrame): boolean {
  if (state.dialect === 'trmnl' || state.dialect === 'offline') return false;
  if (state.dialect === 'native') return state.work?.doing === 'drawing' && state.work.draws === 1;
  return state.phase.name === 'drawing' && state.phase.draws === 1;
}

/** After this time somebody finds a frame that polls hanging, and resets it. */
const foundAfterSeconds = 3_600;

/** Begins a refresh that never ends: the panel stops somewhere, and only the failsafe ends the wake, or a person where there is none. */
export const stuckRefresh: Behaviour = (below) => (state, event) => {
  const step = below(state, event);
  const kept = step.effects.filter((effect) => effect.do !== 'draw');
  if (step.state.boots % 3 !== 2 || kept.length === step.effects.length) return step;
  const hangs = trace('hangs in a refresh');
  if (step.state.dialect !== 'trmnl') return only(breakDraw(step.state), ...kept, hangs);
  return only(losePower(step.state), ...kept, hangs, { do: 'lose power', seconds: foundAfterSeconds });
};
