/**
 * The ways in which a frame can misbehave, by name. Each behaviour overrides the step of the frame below it, in the
 * order listed; without any behaviour a frame is honest and healthy.
 */
import { behaviourSentences } from './behaviour-sentences.ts';
import { stepClassic } from './classic-frame.ts';
import type { ClassicState } from './classic-state.ts';
import { connectTo } from './classic-state.ts';
import { after, type FrameEffect, only, type Publish, type SimulatedEvent, type Step } from './frame.ts';
import { stepNative } from './native-frame.ts';
import { report, shown } from './native-picture.ts';
import type { NativeState } from './native-state.ts';
import { stepTrmnl } from './trmnl-frame.ts';
import type { TrmnlState } from './trmnl-state.ts';

/** A frame of any dialect. */
export type AnyFrame = NativeState | ClassicState | TrmnlState;

/** Makes the step of a frame after an event. */
export type StepFrame = (state: AnyFrame, event: SimulatedEvent) => Step<AnyFrame>;

/** The name of a behaviour. */
export type BehaviourName = keyof typeof behaviourSentences;
/** The names of all behaviours. */
export const behaviourNames = Object.keys(behaviourSentences) as BehaviourName[];

/** Those of frames that log in to the broker: none of them says that it joins its Wi-Fi. */
export const brokerBehaviours: readonly BehaviourName[] = behaviourNames.filter((name) => name !== 'weak-wifi');

/** Those that a frame that polls can have: it reports nothing, so that it cannot lie, and takes no firmware. */
export const polledBehaviours: readonly BehaviourName[] = [
  'half-download',
  'torn-download',
  'silent',
  'stuck',
  'weak-wifi',
];

/** A behaviour of somebody's own: makes the step of a frame of the step below it, as those with a name do. */
export type Behaviour = (below: StepFrame) => StepFrame;

/**
 * Returns the step of a frame of any dialect with these behaviours on top of each other, the first one at the bottom.
 * @throws Error on a name that is no behaviour
 */
export function frameThat(behaviours: readonly (string | Behaviour)[]): StepFrame {
  return behaviours.reduce((below: StepFrame, name) => {
    if (typeof name !== 'string') return name(below);
    const known = behaviourNames.find((candidate) => candidate === name);
    if (known === undefined) throw new Error(`no behaviour ${name}; there are ${behaviourNames.join(', ')}`);
    return overrides[known](below);
  }, honest);
}

const honest: StepFrame = (state, event) => {
  if (state.dialect === 'trmnl') return stepTrmnl(state, event);
  return state.dialect === 'native' ? stepNative(state, event) : stepClassic(state, event);
};

const overrides: Readonly<Record<BehaviourName, Behaviour>> = {
  /** Reports the picture as shown, but downloads nothing and shows nothing. */
  liar: (below) => (state, event) => {
    const step = below(state, event);
    if (!fetchesPicture(step.state) || !step.effects.some((effect) => effect.do === 'download')) return step;
    const kept = step.effects.filter((effect) => effect.do !== 'download');
    return after(only(step.state, ...kept), lie(step.state));
  },

  /** Breaks every download off in the middle of the body. */
  'half-download': (below) => (state, event) =>
    withEffects(below(state, event), (effect, step) =>
      isOfPicture(effect, step.state) ? [{ ...effect, part: 'half' }] : [effect],
    ),

  /** Loses the link in the middle of every first download; a second request is answered. */
  'torn-download': (below) => (state, event) =>
    withEffects(below(state, event), (effect, step) =>
      isOfPicture(effect, step.state) && effect.from === undefined ? [{ ...effect, part: 'half' }] : [effect],
    ),

  /** Sends its reports of earlier wakes again after each greeting. */
  replayer: (below) => (state, event) => {
    const step = below(state, event);
    const said = step.effects.filter((effect): effect is Publish => effect.do === 'publish');
    const reports = said.filter((effect) => /\/(report|updatestate)$/.test(effect.topic));
    const greets = said.some((effect) => /\/(hello|activateepaper)$/.test(effect.topic));
    const again = greets ? state.earlierReports : [];
    const earlierReports = [...state.earlierReports, ...reports].slice(-maxReplayed);
    return only({ ...step.state, earlierReports }, ...step.effects, ...again);
  },

  /**
   * Disappears after its first work without bye or DISCONNECT, and never wakes again, like a frame without its battery.
   */
  silent: (below) => (state, event) =>
    withEffects(below(state, event), (effect, step) => {
      if (effect.do === 'sleep') return [{ ...effect, seconds: 'for ever' }];
      if (effect.do === 'disconnect') return step.state.asleep ? [] : [effect];
      return effect.do === 'publish' && effect.topic.endsWith('/bye') ? [] : [effect];
    }),

  /** Accepts a new firmware, and never starts again with it. */
  bricked: (below) => (state, event) => {
    const step = below(state, event);
    if (step.state.firmware === state.firmware) return step;
    return withEffects(step, (effect) => (effect.do === 'sleep' ? [{ ...effect, seconds: 'for ever' }] : [effect]));
  },

  /** Has a panel that shows for ever what it shows, which the firmware cannot know. */
  stuck: (below) => (state, event) => {
    const step = below(state, event);
    return { ...step, state: { ...step.state, glass: state.glass } };
  },

  /** Finds its Wi-Fi at every second wake only. Frames with MQTT never say that they join it: theirs is always there. */
  'weak-wifi': (below) => (state, event) =>
    below(state, event.kind === 'joined' ? { ...event, isIn: state.boots % 2 === 1 } : event),
};

const maxReplayed = 4;

function withEffects(
  step: Step<AnyFrame>,
  change: (effect: FrameEffect, step: Step<AnyFrame>) => readonly FrameEffect[],
): Step<AnyFrame> {
  return only(step.state, ...step.effects.flatMap((effect) => change(effect, step)));
}

/** Tells whether an effect downloads a whole file, and no answer to a call of a frame that polls. */
function isOfPicture(
  effect: FrameEffect,
  state: AnyFrame,
): effect is Extract<FrameEffect, { do: 'download' }> & { part: 'whole' } {
  const isFile = effect.do === 'download' && effect.part === 'whole';
  return isFile && (state.dialect !== 'trmnl' || state.phase.name === 'fetching');
}

/** Tells whether the download that begins is that of a picture; no behaviour lies about firmware. */
function fetchesPicture(state: AnyFrame): boolean {
  if (state.dialect === 'trmnl') return state.phase.name === 'fetching';
  return state.dialect === 'native' ? state.work?.doing === 'downloading' : state.phase.name === 'probing';
}

function lie(state: AnyFrame): Step<AnyFrame> {
  if (state.dialect === 'classic') {
    const claimed = { ...state, fileVersion: state.cycle.t ?? state.fileVersion };
    return connectTo(claimed, { name: 'saying', says: 'update_ok' });
  }
  if (state.dialect === 'trmnl' || state.work === undefined) return only(state);
  const { picture } = state.work;
  const fetched = report(state, picture, 'fetched');
  return after(fetched, shown(fetched.state, picture, { file: new Uint8Array(0), sha256: picture.sha256 }));
}
