/**
 * Judges what a source answered: whether pictures that it no longer lists are gone, or whether the answer is doubtful and
 * nothing is removed for now (FI-9), and when it is asked again. Pure.
 */
import type { FaultKind } from '../picture-sources/source.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Fewer pictures than these may vanish at once without a doubt. */
const plenty = 10;
/** Two listings that are this far apart and agree are believed. */
const agreeAfterMs = hourMs;
/** A login that was refused for so long is taken for withdrawn: what it gave goes within a day. */
const deniedForMs = 20 * hourMs;

/** A listing that nobody has believed yet. */
export interface ListingDoubt {
  /** When it began, epoch milliseconds. */
  readonly since: number;
  /** The number of pictures that the source listed then. */
  readonly found: number;
}

/** Whether the pictures that are missing from a listing are removed; if not, the doubt to remember. */
export type ListingVerdict =
  | { readonly isBelieved: true }
  | { readonly isBelieved: false; readonly doubt: ListingDoubt };

/**
 * Judges a complete listing.
 * @param known the number of pictures that the source had before
 * @param missing the number of those that it no longer lists
 */
export function judgeListing(
  { known, missing, found }: { readonly known: number; readonly missing: number; readonly found: number },
  doubt: ListingDoubt | undefined,
  now: number,
): ListingVerdict {
  if (missing < plenty || missing * 2 <= known) return { isBelieved: true };
  const agrees = doubt !== undefined && Math.abs(doubt.found - found) < Math.max(plenty, found / 10);
  if (agrees && now - doubt.since >= agreeAfterMs) return { isBelieved: true };
  return { isBelieved: false, doubt: agrees ? doubt : { since: now, found } };
}

/** A fault that a source goes on with. */
export interface StandingFault {
  readonly kind: FaultKind;
  /** When the source began to answer with a fault of this kind, epoch milliseconds. */
  readonly since: number;
  /** The number of times in a row. */
  readonly attempts: number;
}

/** Returns the fault that stands after another answer: of another kind, it begins with that answer. */
export function afterFault(before: StandingFault | undefined, kind: FaultKind, now: number): StandingFault {
  return before?.kind === kind ? { ...before, attempts: before.attempts + 1 } : { kind, since: now, attempts: 1 };
}

/** Whether all pictures of a source are removed: its album is gone, which two answers said an hour apart, or its login is. */
export function isWithdrawn({ kind, since }: StandingFault, now: number): boolean {
  if (kind === 'gone') return now - since >= agreeAfterMs;
  return kind === 'denied' && now - since >= deniedForMs;
}

const waitsMs: Readonly<Record<FaultKind, readonly number[]>> = {
  away: [minuteMs, 5 * minuteMs, 15 * minuteMs, hourMs],
  gone: [hourMs],
  // Wrong logins make some servers slow, and then lock the address of the whole house (WD-2).
  denied: [6 * hourMs],
  unusable: [15 * minuteMs, hourMs],
};

/** Returns when a source with a fault is asked again, epoch milliseconds. */
export function triedAgainAt(
  fault: StandingFault,
  { now, waitSeconds = 0 }: { readonly now: number; readonly waitSeconds?: number | undefined },
): number {
  const waits = waitsMs[fault.kind];
  const waitMs = waits[Math.min(fault.attempts, waits.length) - 1] ?? hourMs;
  const next = now + Math.max(waitMs, Math.min(waitSeconds * 1000, 12 * hourMs));
  const decides = fault.since + deniedForMs;
  return fault.kind === 'denied' && decides > now ? Math.min(next, decides) : next;
}

/** At most a request a minute on average, at least a listing in half a day, and none sooner than after a quarter of an hour (FI-15). */
export function listedAgainAt(pages: number, now: number): number {
  return now + Math.min(Math.max(pages * minuteMs, 15 * minuteMs), 12 * hourMs);
}
