/** Answers of a source, what is removed for them, and when it is asked again. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  afterFault,
  isWithdrawn,
  judgeListing,
  type ListingDoubt,
  listedAgainAt,
  type StandingFault,
  triedAgainAt,
} from '../../api/filled-albums/judge-listing.ts';
import type { FaultKind } from '../../api/picture-sources/source.ts';

const test = suite('answers of sources');
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Plays listings an hour apart, and returns the pictures that the album has after each. */
function played(listings: readonly number[], everyMs = hourMs): readonly number[] {
  let [known, doubt, now]: [number, ListingDoubt | undefined, number] = [0, undefined, 1_000];
  return listings.map((found) => {
    const missing = Math.max(0, known - found);
    const verdict = judgeListing({ known, missing, found }, doubt, now);
    doubt = verdict.isBelieved ? undefined : verdict.doubt;
    if (verdict.isBelieved) known = found;
    now += everyMs;
    return known;
  });
}

test('FI-9: fewer pictures are believed at once, an empty list where there were ten only when two agree', () => {
  assert.equal(played([412, 411, 400, 300]), [412, 411, 400, 300]);
  assert.equal(played([9, 0]), [9, 0]);
  assert.equal(played([10, 0, 0]), [10, 10, 0]);
  assert.equal(played([412, 0, 412]), [412, 412, 412]);
  assert.equal(played([412, 100, 0, 0]), [412, 412, 412, 0], 'the second answer is another one');
  assert.equal(played([412, 100, 104]), [412, 412, 104], 'about the same number is agreement');
});

test('FI-9: two listings agree only when they are an hour apart', () => {
  assert.equal(played([412, 0, 0, 0, 0, 0], 15 * minuteMs), [412, 412, 412, 412, 412, 0]);
});

/** Plays faults of one kind, and returns after how many hours everything is removed. */
function removedAfter(kind: FaultKind): number | undefined {
  const begin = 1_000;
  let now = begin;
  let fault: StandingFault | undefined;
  while (now - begin < 10 * 24 * hourMs) {
    fault = afterFault(fault, kind, now);
    if (isWithdrawn(fault, now)) return (now - begin) / hourMs;
    now = triedAgainAt(fault, { now });
  }
  return undefined;
}

test('a link that was revoked and a login that is refused take their pictures along within a day, a server that is away none', () => {
  assert.is(removedAfter('gone'), 1);
  assert.is(removedAfter('denied'), 20);
  assert.is(removedAfter('away'), undefined);
  assert.is(removedAfter('unusable'), undefined);
});

test('a fault of another kind begins again: a server that is down confirms nothing', () => {
  const first = afterFault(undefined, 'gone', 1_000);
  const between = afterFault(first, 'away', 1_000 + hourMs);
  const last = afterFault(between, 'gone', 1_000 + 2 * hourMs);
  assert.not(isWithdrawn(last, 1_000 + 2 * hourMs));
});

test('a source that is away is asked again after 1, 5, 15 and 60 minutes, and later where it asks for more', () => {
  let now = 0;
  let fault: StandingFault | undefined;
  const waits = [1, 2, 3, 4, 5].map(() => {
    fault = afterFault(fault, 'away', now);
    const next = triedAgainAt(fault, { now });
    const wait = (next - now) / minuteMs;
    now = next;
    return wait;
  });
  assert.equal(waits, [1, 5, 15, 60, 60]);
  const busy = afterFault(undefined, 'away', 0);
  assert.is(triedAgainAt(busy, { now: 0, waitSeconds: 600 }), 10 * minuteMs);
  assert.is(triedAgainAt(busy, { now: 0, waitSeconds: 1e9 }), 12 * hourMs, 'not for as long as it likes');
});

test('WD-2: a login that was refused is tried four times in a day', () => {
  let now = 0;
  let tries = 0;
  let fault: StandingFault | undefined;
  while (now < 24 * hourMs) {
    fault = afterFault(fault, 'denied', now);
    tries += 1;
    now = triedAgainAt(fault, { now });
  }
  assert.ok(tries <= 5, String(tries));
});

test('FI-15: a listing costs a request a minute at most, and comes at least twice a day', () => {
  assert.is(listedAgainAt(1, 0), 15 * minuteMs);
  assert.is(listedAgainAt(100, 0), 100 * minuteMs);
  assert.is(listedAgainAt(10_000, 0), 12 * hourMs);
});

test.run();
