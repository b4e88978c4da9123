/**
 * Checks of the promises about frames with the vendor's offline firmware: the tag that such a frame names proves its picture only
 * where the glass shows it (OF-7, OF-9), an error text does not stay when all is well again, and a frame that took a picture once
 * is answered with one (OF-8).
 */
import { afreshOfflinePerDay } from '../../gateway/dialects/offline/choose-offline.ts';
import type { UploadRow } from '../../gateway/pictures/upload-row.ts';
import type { OfflineState } from '../../simulator/dialects/offline/offline-state.ts';
import type { FrameBody } from './bodies/device.ts';
import { bySerial } from './ground-truth.ts';
import type { JudgeDeps } from './judge-requests.ts';
import type { Commit } from './machine/commit-log.ts';

/** The number of wakes in which all is well after which a frame shows a picture again. */
const repairedWithin = 3;
const dayMs = 86_400_000;

/** The judge of frames with the offline firmware. */
export interface OfflineFirmwareJudge {
  /** Checks what a commit did to their pictures. */
  committed(commit: Commit): void;
  /** Is called when such a frame falls asleep. */
  slept(body: FrameBody): void;
  /** Is called when the service answers a request. */
  answered(path: string, status: number): void;
}

/** The statuses of an answer after which no error text is painted: a picture, a way to one, and a picture that stays. */
const goodStatuses: readonly number[] = [200, 301, 304];

/** Opens the judge over devices that are still to come. */
export function offlineFirmwareJudge(
  { checker, truth }: JudgeDeps,
  {
    bodies,
    uploads,
    now,
  }: {
    readonly bodies: readonly FrameBody[];
    readonly uploads: ReadonlyMap<string, UploadRow>;
    readonly now: () => number;
  },
): OfflineFirmwareJudge {
  const of = bySerial(bodies);
  const wellWakes = new Map<string, number>();
  const renamed = new Map<string, number[]>();

  return {
    committed({ uploads }) {
      for (const { before, after } of uploads) {
        if (after === undefined || after.showing_of !== null) continue;
        const state = offlineState(of(after.serial));
        if (state === undefined) continue;
        const isNamed = after.confirmed_at !== null && !truth.isBlind(after.serial);
        if (isNamed && before?.confirmed_at !== after.confirmed_at) judgeNamed(state, after);
        if (before === undefined || before.file_version === after.file_version) continue;
        const times = [...(renamed.get(after.serial) ?? []), now()].filter((at) => at > now() - dayMs);
        renamed.set(after.serial, times);
        // A day of the service begins with the first fresh tag, so that two of them may touch.
        checker.holds(
          times.length <= 2 * (afreshOfflinePerDay + 1),
          'INV-89',
          () => `${after.serial} was sent ${times.length} tags in a day`,
        );
      }
    },
    answered(path, status) {
      const [, serial] = /^\/offline\/([^/]+)$/.exec(path) ?? [];
      if (serial === undefined || goodStatuses.includes(status)) return;
      const taken = [...uploads.values()].some((upload) => upload.serial === serial && upload.fetched_at !== null);
      checker.holds(!taken, 'OF-8', () => `${serial}, which took a picture before, is answered with ${status}`);
    },
    slept(body) {
      const state = offlineState([body]);
      if (state === undefined) return;
      const last = state.outcomes.at(-1);
      const isWell = last !== undefined && last.ended !== 'error' && state.wake === 'timer';
      const wakes = isWell ? (wellWakes.get(body.serial) ?? 0) + 1 : 0;
      wellWakes.set(body.serial, wakes);
      const isSpent = (renamed.get(body.serial) ?? []).length >= afreshOfflinePerDay;
      if (wakes < repairedWithin || isSpent || !body.isHonest || body.isBlind()) return;
      const { glass } = state;
      checker.holds(
        glass.shows === 'picture',
        'INV-89',
        () => `after ${wakes} wakes in which all was well ${body.serial} shows ${glass.shows}`,
      );
    },
  };

  function judgeNamed({ glass, does }: OfflineState, upload: UploadRow): void {
    const shown = glass.shows === 'picture' ? glass.sha256 : glass.shows;
    checker.holds(
      shown === upload.picture_sha256 && does !== 'A',
      'INV-88',
      () => `version ${upload.file_version} counts as shown by ${upload.serial} of state ${does}, which shows ${shown}`,
    );
  }
}

function offlineState(bodies: readonly FrameBody[]): OfflineState | undefined {
  const [state, other] = bodies.map((body) => body.state());
  return other === undefined && state?.dialect === 'offline' ? state : undefined;
}
