/**
 * How long a frame really sleeps: the time that it is awake is a sum, the drift of its clock a ratio. Both are fitted to its
 * last sleeps (WK-12).
 */

/** A sleep that a timer ended, in seconds: its told length, and its real one without the time that was reckoned awake. */
export type KnownSleep = readonly [told: number, real: number];

/** `real = offset + drift × told`, in seconds. */
export interface WakeModel {
  /** False while the last sleeps show no pattern: then the frame is taken at its word. */
  readonly isLearned: boolean;
  /** Added to the time that the frame is reckoned awake, seconds. */
  readonly offset: number;
  /** The real length of a told second. */
  readonly drift: number;
}

/** The model of a frame of which nothing is known. */
export const unknownModel: WakeModel = { isLearned: false, offset: 0, drift: 1 };

/** The number of sleeps that are remembered, and the fewest of them that show a pattern. */
const rememberedSleeps = 8;
const believed = 3;
/** No drift is larger than this, and no frame is awake longer than so many seconds. */
const maxDrift = 0.1;
const maxAwakeSeconds = 180;
/** Two sleeps say something about drift when they differ by a tenth, and by a minute at least. */
const different = { part: 0.1, seconds: 60 };
/** Errors of the middle half that lie further apart are chance: a part of the sleep, and seconds. */
const maxSpread = { part: 0.02, seconds: 10 };
/** A sleep outside these bounds says nothing about the frame's clock: the frame was woken, or a wake was missed. */
const plausible = { shortest: 0.8, longest: 1.25, lessSeconds: 30 };

/**
 * Returns the sleeps to remember after another one, the oldest first.
 * @param real seconds, without the time that was reckoned awake
 */
export function learnSleep(sleeps: readonly KnownSleep[], told: number, real: number): readonly KnownSleep[] {
  const isPlausible =
    told > 0 &&
    real >= told * plausible.shortest - plausible.lessSeconds &&
    real <= told * plausible.longest + maxAwakeSeconds;
  if (!isPlausible) return sleeps;
  return [...sleeps, [told, Math.round(real * 10) / 10] as const].slice(-rememberedSleeps);
}

/** Fits the model to the last sleeps: the medians of the slopes between pairs, and of what then remains (Theil and Sen). */
export function fitSleeps(all: readonly KnownSleep[]): WakeModel {
  const sleeps = all.slice(-rememberedSleeps);
  if (sleeps.length < believed) return unknownModel;
  const pairs = differentPairs(sleeps);
  // Where all lengths but one are equal, that one alone would decide.
  const isDecidedByOne = sleeps.some((_, index) => pairs.every(({ one, other }) => one === index || other === index));
  const model = isDecidedByOne ? ofEqualLengths(sleeps) : ofSlopes(sleeps, pairs);
  return isScattered(sleeps, model) ? unknownModel : { isLearned: true, ...model };
}

/** How much longer than the model each of some sleeps was, in seconds. */
export function errorsOf(sleeps: readonly KnownSleep[], { offset, drift }: WakeModel): readonly number[] {
  return sleeps.map(([told, real]) => real - offset - drift * told);
}

/**
 * The real length of a told sleep, in seconds from the moment at which it was sent.
 * @param awake seconds that the frame is reckoned awake after that
 */
export function reallySleeps({ offset, drift }: WakeModel, told: number, awake: number): number {
  return awakeOf(awake, offset) + drift * told;
}

/** The sleep to tell so that a frame wakes `wanted` seconds after it was sent; not rounded. */
export function sleepFor({ offset, drift }: WakeModel, wanted: number, awake: number): number {
  return (wanted - awakeOf(awake, offset)) / drift;
}

const awakeOf = (awake: number, offset: number): number => within(awake + offset, 0, maxAwakeSeconds);

interface Pair {
  readonly one: number;
  readonly other: number;
  readonly slope: number;
}

type Line = Pick<WakeModel, 'offset' | 'drift'>;

function differentPairs(sleeps: readonly KnownSleep[]): readonly Pair[] {
  return sleeps.flatMap(([told, real], one) =>
    sleeps.slice(one + 1).flatMap(([toldThen, realThen], after) => {
      const apart = Math.abs(toldThen - told);
      if (apart < Math.max(different.seconds, different.part * Math.max(told, toldThen))) return [];
      return [{ one, other: one + 1 + after, slope: (realThen - real) / (toldThen - told) }];
    }),
  );
}

function ofSlopes(sleeps: readonly KnownSleep[], pairs: readonly Pair[]): Line {
  const drift = drifts(pairs.map(({ slope }) => slope));
  const offset = medianOf(sleeps.map(([told, real]) => real - drift * told));
  if (Math.abs(offset) <= maxAwakeSeconds) return { offset, drift };
  const most = Math.sign(offset) * maxAwakeSeconds;
  return { offset: most, drift: drifts(sleeps.map(([told, real]) => (real - most) / told)) };
}

function ofEqualLengths(sleeps: readonly KnownSleep[]): Line {
  return { offset: 0, drift: drifts(sleeps.map(([told, real]) => real / told)) };
}

function isScattered(sleeps: readonly KnownSleep[], { offset, drift }: Line): boolean {
  const errors = sleeps
    .map(([told, real]) => (real - offset - drift * told) / (maxSpread.part * told + maxSpread.seconds))
    .sort((a, b) => a - b);
  const at = (part: number): number => errors[Math.floor((errors.length - 1) * part)] ?? 0;
  return at(0.75) - at(0.25) > 1;
}

const drifts = (found: readonly number[]): number => within(medianOf(found), 1 - maxDrift, 1 + maxDrift);

const within = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value));

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const [below, above] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.ceil((sorted.length - 1) / 2)]];
  return ((below ?? 0) + (above ?? 0)) / 2;
}
