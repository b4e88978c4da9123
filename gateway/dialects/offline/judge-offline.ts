/**
 * The evidence for an error text on the glass. The firmware paints one at every failure, also when its Wi-Fi is away, and
 * goes on to name the tag of the picture under it (OF-7): such a tag proves the glass only where no wake failed or was
 * missed since the picture was fetched (OF-9).
 */
import type { OfflineRow } from './offline-rows.ts';

/** The reasons for which an error text may lie over a picture, as the events of a frame give them. */
export const offlineDoubts = [
  'it looked and did not ask',
  'the answer was not taken',
  'woke too late',
  'woke too early',
] as const;
export type OfflineDoubt = (typeof offlineDoubts)[number];

/** How far a wake may be off: Wi-Fi alone takes up to 40 s. A failure of state C costs more: 60 s of sleep, and the tries before it. */
const slack = { ms: 45_000, part: 1 / 400 };
/** A sleep that exceeds the one in the answer by more than this is its own and not the retry of a failure, in seconds. */
const retrySeconds = 600;
/** The number of sleeps of one length after which it counts as the frame's own, and how far they may differ. */
const alike = { count: 3, part: 0.01, seconds: 15 };

/** A wake as the service sees it begin. */
export interface SeenOfflineWake {
  readonly now: number;
  /** When it was expected, by the last answer and its last sleeps, epoch milliseconds; null where it was not. */
  readonly expectedAt: number | null;
  /** The sleep of its settings, where it read them in its last wake, in seconds. */
  readonly settingsSeconds: number | undefined;
  /** The time for which it drew in its last wake, in milliseconds: states A and B sleep from the end of it. */
  readonly drawingMs: number;
}

/** The columns of the last wake that are weighed. */
type LastWake = Pick<
  OfflineRow,
  'called_at' | 'calls' | 'told_seconds' | 'unchanged' | 'was_taken' | 'own_seconds' | 'own_lately'
>;

/** The verdict on the beginning of a wake. */
export interface WakeJudgement {
  readonly doubt: OfflineDoubt | undefined;
  /** True when the sleep was as long as was expected, so that it shows how the frame's clock goes. */
  readonly isRegular: boolean;
  readonly own: Pick<OfflineRow, 'own_seconds' | 'own_lately'>;
}

/** Weighs a wake that begins. */
export function judgeOffline(last: LastWake, seen: SeenOfflineWake): WakeJudgement {
  const { called_at, told_seconds, own_seconds, own_lately } = last;
  if (called_at === null || told_seconds === null) {
    return { doubt: undefined, isRegular: false, own: { own_seconds, own_lately } };
  }
  const after = (seconds: number): number => offBy(called_at + seconds * 1000, seconds, seen);
  // One that keeps a sleep of its own is expected by that.
  const fromTold = own_seconds === null ? offBy(seen.expectedAt, told_seconds, seen) : after(told_seconds);
  const fitsOwn = own_seconds !== null && after(own_seconds) === 0;
  const fitsSettings = seen.settingsSeconds !== undefined && after(seen.settingsSeconds) === 0;
  const isRegular = own_seconds === null ? fromTold === 0 : fitsOwn;
  const own = learnOwn(last, { slept: (seen.now - called_at) / 1000, isRegular, fitsTold: fromTold === 0 });
  const failed = doubtOfAnswer(last);
  // A frame that keeps a sleep of its own and comes by the one in the answer may have failed in between.
  const isOnTime = isRegular || fitsSettings || (own_seconds === null && own.own_seconds !== null);
  const doubt = failed ?? (isOnTime ? undefined : fromTold > 0 ? 'woke too late' : 'woke too early');
  return { doubt, isRegular, own };
}

/** The doubt that its last calls leave: a frame looks for a redirect first, asks then, and takes what it is answered (OF-1). */
function doubtOfAnswer({ calls, unchanged, was_taken }: LastWake): OfflineDoubt | undefined {
  if (calls === 1 && unchanged === 0) return 'it looked and did not ask';
  return unchanged === 1 && was_taken === 0 ? 'the answer was not taken' : undefined;
}

/** How far off a wake is in milliseconds, beyond what is usual: positive when it is late, 0 when it is on time. */
function offBy(expectedAt: number | null, seconds: number, { now, drawingMs }: SeenOfflineWake): number {
  if (expectedAt === null) return 0;
  const usual = slack.ms + seconds * 1000 * slack.part;
  const late = now - expectedAt;
  if (late > usual + drawingMs) return late;
  return late < -usual ? late : 0;
}

/** Learns the sleep of a frame that takes no notice of the one in the answer: states A and B of the firmware. */
function learnOwn(
  { told_seconds, own_seconds, own_lately }: LastWake,
  { slept, isRegular, fitsTold }: { readonly slept: number; readonly isRegular: boolean; readonly fitsTold: boolean },
): WakeJudgement['own'] {
  if (isRegular) return { own_seconds, own_lately: '[]' };
  const told = told_seconds ?? 0;
  // What comes a little late may be the retry of a failure, however often it does.
  if (!fitsTold && slept > told && slept < told + retrySeconds) return { own_seconds, own_lately: '[]' };
  const lately = [...(JSON.parse(own_lately) as number[]), Math.round(slept)].slice(-alike.count);
  const [least, most] = [Math.min(...lately), Math.max(...lately)];
  if (lately.length < alike.count || most - least > alike.seconds + most * alike.part) {
    return { own_seconds, own_lately: JSON.stringify(lately) };
  }
  return { own_seconds: fitsTold ? null : least, own_lately: '[]' };
}
