/** Which moments an archive holds, and what makes the database of one of them. */
import { refuse } from '../../reasons/refusals.ts';
import { isoTime } from '../clock.ts';
import {
  chainOf,
  chainsPrefix,
  type NamedBase,
  type NamedSegment,
  readBaseName,
  readSegmentName,
} from './archive-names.ts';
import type { ArchivePlace } from './archive-place.ts';

/** A span of time of which every archived moment can be had. */
export interface ArchivedSpan {
  readonly from: number;
  readonly until: number;
  /** Copies of the database, oldest first. */
  readonly bases: readonly NamedBase[];
  /** The segments after the first base, without a gap. */
  readonly segments: readonly NamedSegment[];
}

/** A base and the segments after it that lead to one moment. */
export interface WayTo {
  /** The moment of the rows, epoch milliseconds. */
  readonly at: number;
  readonly base: NamedBase;
  readonly segments: readonly NamedSegment[];
}

/** Finds the spans of an archive, in the order in which they were written. */
export async function readSpans(place: ArchivePlace): Promise<readonly ArchivedSpan[]> {
  const names = Map.groupBy(await place.list(chainsPrefix), chainOf);
  const chains = [...names].sort(([a], [b]) => (a < b ? -1 : 1));
  return chains.flatMap(([, ofChain]) => spansOf(ofChain));
}

function spansOf(names: readonly string[]): readonly ArchivedSpan[] {
  const bases = names.map(readBaseName).filter((base) => base !== undefined);
  const segments = names.map(readSegmentName).filter((segment) => segment !== undefined);
  const spans: ArchivedSpan[] = [];
  for (const base of bases.sort((a, b) => a.number - b.number)) {
    const last = spans.at(-1);
    const lastNumber = last?.segments.at(-1)?.number ?? last?.bases[0]?.number ?? -1;
    if (last !== undefined && base.number <= lastNumber) {
      spans[spans.length - 1] = { ...last, bases: [...last.bases, base] };
      continue;
    }
    const following = unbroken(segments, base.number);
    spans.push({ from: base.at, until: following.at(-1)?.until ?? base.at, bases: [base], segments: following });
  }
  return spans;
}

/** The segments after a number, up to the first that is missing. */
function unbroken(segments: readonly NamedSegment[], after: number): NamedSegment[] {
  const found: NamedSegment[] = [];
  for (const segment of [...segments].sort((a, b) => a.number - b.number)) {
    const next = (found.at(-1)?.number ?? after) + 1;
    if (segment.number === next) found.push(segment);
  }
  return found;
}

/**
 * Chooses what makes the rows as they were at a moment. Where the clock was set back, so that two spans have the moment,
 * the later span counts.
 * @param at epoch milliseconds; the newest moment when absent
 * @throws Refusal `bad-configuration` for a moment that the archive does not hold, with the nearest that it does
 */
export function wayTo(spans: readonly ArchivedSpan[], at: number | undefined): WayTo {
  const span = at === undefined ? spans.at(-1) : spans.findLast(({ from, until }) => from <= at && at <= until);
  if (span === undefined) throw refuseMoment(spans, at);
  const moment = at ?? span.until;
  const base = span.bases.findLast((one) => one.at <= moment) ?? span.bases[0];
  if (base === undefined) throw refuseMoment(spans, at);
  const segments = span.segments.filter(({ number, until }) => number > base.number && until <= moment);
  return { at: segments.at(-1)?.until ?? base.at, base, segments };
}

function refuseMoment(spans: readonly ArchivedSpan[], at: number | undefined) {
  if (spans.length === 0 || at === undefined) {
    return refuse('bad-configuration', {
      message: 'the archive holds no moment yet: no copy of the database in it is whole',
      hint: 'restore from a backup, or wait until the service has archived a copy',
    });
  }
  const before = spans.map(({ until }) => until).filter((until) => until < at);
  const after = spans.map(({ from }) => from).filter((from) => from > at);
  const near = [
    before.length > 0 && `${isoTime(Math.max(...before))} before it`,
    after.length > 0 && `${isoTime(Math.min(...after))} after it`,
  ].filter((one) => one !== false);
  return refuse('bad-configuration', {
    message: `--at: the archive does not hold ${isoTime(at)}; the nearest ${near.length > 1 ? 'moments are' : 'moment is'} ${near.join(' and ')}`,
    hint: 'name one of them, or leave --at out for the newest; papergate backup list shows all that can be had',
  });
}
