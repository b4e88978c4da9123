/**
 * Checks of the promises about frames that poll (INV-88, INV-89): no picture counts as processed whose answer ended in an error
 * that the firmware knows of, and an error screen does not stay over a picture when all is well again.
 */
import { afreshPerDay, healingEveryMs } from '../../gateway/dialects/trmnl/tell-picture.ts';
import type { UploadRow } from '../../gateway/pictures/upload-row.ts';
import type { TrmnlState } from '../../simulator/dialects/trmnl/trmnl-state.ts';
import type { FrameBody } from './bodies/device.ts';
import { bySerial } from './ground-truth.ts';
import type { JudgeDeps } from './judge-requests.ts';
import type { Change, Commit } from './machine/commit-log.ts';

/** The number of wakes in which all is well after which a frame shows a picture again. */
const repairedWithin = 2;
const dayMs = 86_400_000;

/** The judge of frames that poll. */
export interface PolledJudge {
  /** Checks what a commit did to their pictures. */
  committed(commit: Commit): void;
  /** Is called when such a frame falls asleep after a wake in which all was well, or not. */
  slept(body: FrameBody, wasWell: boolean): void;
  /** Begins again: a restored service has forgotten what it announced, and announces every picture under another name. */
  restored(): void;
}

/** The memory of a frame. Times are epoch milliseconds. */
interface Watched {
  wellWakes: number;
  /** The end of the last wake in which something went wrong. */
  lastTroubleAt: number;
  /** When a proven picture was announced under another name, and when one in doubt was. */
  readonly healed: number[];
  readonly doubted: number[];
}

/** Opens the judge over devices that are still to come. */
export function polledJudge(
  { checker, truth, clockErrorMs }: JudgeDeps,
  bodies: readonly FrameBody[],
  now: () => number,
): PolledJudge {
  const of = bySerial(bodies);
  const watched = new Map<string, Watched>();
  const watch = (serial: string): Watched => {
    const known = watched.get(serial) ?? { wellWakes: 0, lastTroubleAt: 0, healed: [], doubted: [] };
    watched.set(serial, known);
    return known;
  };

  function judgeConfirmed({ before, after }: Change<UploadRow>): void {
    const isNew = after !== undefined && after.confirmed_at !== null && before?.confirmed_at !== after.confirmed_at;
    if (!isNew || after.showing_of !== null || truth.isBlind(after.serial)) return;
    const state = polledState(of(after.serial));
    if (state === undefined) return;
    const problem = whyNotProcessed(state, nameOf(after));
    checker.holds(
      problem === undefined,
      'INV-88',
      () => `version ${after.file_version} counts as processed by ${after.serial}: ${problem}`,
    );
  }

  function judgeRenamed({ before, after }: Change<UploadRow>): void {
    if (before === undefined || after === undefined || before.file_version === after.file_version) return;
    if (polledState(of(after.serial)) === undefined) return;
    const { healed, doubted } = watch(after.serial);
    const at = now();
    if (before.confirmed_at !== null) {
      const last = healed.at(-1) ?? Number.NEGATIVE_INFINITY;
      healed.push(at);
      const isRare = at - last >= healingEveryMs - clockErrorMs;
      checker.holds(isRare, 'INV-89', () => `${after.serial} was sent a proven picture to draw again too soon`);
      return;
    }
    doubted.push(at);
    // A day of the service begins with the first of its announcements, so two such days may touch.
    const lately = doubted.filter((one) => one > at - dayMs).length;
    checker.holds(lately <= 2 * afreshPerDay, 'INV-89', () => `${after.serial} was sent ${lately} names in a day`);
  }

  return {
    committed(commit) {
      for (const change of commit.uploads) {
        judgeConfirmed(change);
        judgeRenamed(change);
      }
    },
    restored: () => watched.clear(),
    slept(body, wasWell) {
      if (polledState([body]) === undefined) return;
      const known = watch(body.serial);
      known.wellWakes = wasWell ? known.wellWakes + 1 : 0;
      if (!wasWell) known.lastTroubleAt = now();
      if (known.wellWakes < repairedWithin || body.isBlind()) return;
      const glass = body.believes();
      const shown = glass.shows === 'screen' ? glass.screen : glass.shows;
      checker.holds(
        glass.shows === 'picture' || isSpent(known, now()),
        'INV-89',
        () => `after ${known.wellWakes} wakes in which all was well ${body.serial} shows ${shown}`,
      );
    },
  };
}

/** True when the redraws of the day were used up before the last trouble began. */
function isSpent({ healed, doubted, lastTroubleAt }: Watched, now: number): boolean {
  const isHealed = healed.some((at) => at > now - healingEveryMs && at < lastTroubleAt);
  return isHealed || doubted.filter((at) => at > now - dayMs).length >= afreshPerDay;
}

/** The name under which a picture is announced, in this file's own words. */
function nameOf({ picture_sha256: digest, file_version: version }: UploadRow): string {
  return `pgate-${digest.slice(0, 6)}-${String(version).padStart(10, '0')}`;
}

/** The state of the only device among those of a serial, if it polls. */
function polledState(bodies: readonly FrameBody[]): TrmnlState | undefined {
  const states = bodies.map((body) => body.state());
  const [state] = states;
  return states.length === 1 && state?.dialect === 'trmnl' ? state : undefined;
}

/** Returns why the firmware itself does not count a picture as processed; undefined when it does. */
function whyNotProcessed({ outcomes, wokeAt, asleep }: TrmnlState, name: string): string | undefined {
  const own = outcomes.filter((outcome) => outcome.name === name);
  const last = own.at(-1);
  if (last === undefined) return `the frame never read an answer that told ${name}`;
  if (last.ended === 'error') return 'its download failed, and the firmware knows';
  const since = outcomes.find(({ ended, at }) => ended === 'error' && at > last.at && at < wokeAt);
  return !asleep && since !== undefined ? 'the firmware has noticed an error since' : undefined;
}
