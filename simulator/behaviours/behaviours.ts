/**
 * The ways in which a frame can misbehave, by name. Each behaviour overrides the step of the frame below it, in the
 * order listed; without any behaviour a frame is honest and healthy.
 */
import { type AnyFrame, type Behaviour, honest, type StepFrame } from '../dialects/any-frame.ts';
import { type BehaviourName, behaviourSentences, onlyFor } from './behaviour-sentences.ts';
import { bricked, failedUpdate, oldFirmware, updated } from './firmware-behaviours.ts';
import { halfDownload, liar, replayer, silent, stuck, tornDownload } from './lying-behaviours.ts';
import { bluetoothPicture, factoryReset, pressedTwice } from './offline-behaviours.ts';
import { drained, powerLoss, weakBattery } from './power-behaviours.ts';
import {
  clockOf1970,
  clockOf2099,
  fastClock,
  lostWifi,
  moved,
  pressed,
  resets,
  slowClock,
  stuckRefresh,
  turned,
  weakWifi,
} from './surrounding-behaviours.ts';

export const behaviourNames = Object.keys(behaviourSentences) as BehaviourName[];

/** The behaviours that frames of all these dialects can have. */
export function behavioursFor(dialects: readonly AnyFrame['dialect'][]): readonly BehaviourName[] {
  return behaviourNames.filter((name) => dialects.every((dialect) => onlyFor[name]?.includes(dialect) !== false));
}

/**
 * Returns the step of a frame with these behaviours on top of each other, the first one at the bottom.
 * @param dialect that of the frame; without it, names that some dialects lack are accepted as well
 * @throws Error for a name that is not a behaviour, or not one of this dialect
 */
export function frameThat(behaviours: readonly (string | Behaviour)[], dialect?: AnyFrame['dialect']): StepFrame {
  const known = dialect === undefined ? behaviourNames : behavioursFor([dialect]);
  return behaviours.reduce((below: StepFrame, wanted) => {
    if (typeof wanted !== 'string') return wanted(below);
    const name = known.find((candidate) => candidate === wanted);
    if (name !== undefined) return overrides[name](below);
    const isOthers = behaviourNames.some((candidate) => candidate === wanted);
    const problem = isOthers ? `${wanted} is nothing that a ${dialect} frame does` : `no behaviour ${wanted}`;
    throw new Error(`${problem}; there are ${known.join(', ')}`);
  }, honest);
}

/** Whether a frame with these behaviours is two devices. The player starts both; each of them behaves correctly. */
export const isCloned = (behaviours: readonly (string | Behaviour)[]): boolean =>
  behaviours.includes('cloned' satisfies BehaviourName);

const overrides: Readonly<Record<BehaviourName, Behaviour>> = {
  liar,
  'half-download': halfDownload,
  'torn-download': tornDownload,
  replayer,
  silent,
  bricked,
  stuck,
  'stuck-refresh': stuckRefresh,
  turned,
  'weak-wifi': weakWifi,
  'lost-wifi': lostWifi,
  'fast-clock': fastClock,
  'slow-clock': slowClock,
  'clock-1970': clockOf1970,
  'clock-2099': clockOf2099,
  pressed,
  moved,
  resets,
  'power-loss': powerLoss,
  'weak-battery': weakBattery,
  drained,
  'failed-update': failedUpdate,
  updated,
  'old-firmware': oldFirmware,
  cloned: (below) => below,
  'pressed-twice': pressedTwice,
  'bluetooth-picture': bluetoothPicture,
  'factory-reset': factoryReset,
};
