/** The facts about a delivery beyond its state, as backends read them. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { DeliveryRow, DeliveryState } from '../../api/delivery-state/states.ts';
import { describeDelivery } from '../../api/submissions/describe-delivery.ts';
import type { Evidence } from '../../gateway/pictures/evidence.ts';
import { reasonOf, storedReasons } from '../../reasons/reason.ts';
import { isoTime } from '../../runtime/clock.ts';

const test = suite('description of a delivery');

const now = Date.UTC(2026, 0, 12, 8);
const minuteMs = 60_000;

function delivery(state: DeliveryState, reason: string | null = null): DeliveryRow {
  return {
    id: 'd',
    request_id: 'r',
    paper_id: 'p',
    device_id: 'f',
    serial: 'epd7-1',
    assignment: 1,
    frame_name: 'Hall',
    state,
    reason,
    upload_id: null,
    claimed_by: null,
    attempts: 0,
    due_at: null,
    created_at: now,
    updated_at: now - minuteMs,
  };
}

const fetched: Evidence = {
  uploadId: 'u',
  revision: 'r',
  fileVersion: 5,
  previousVersion: 4,
  reportedVersion: 4,
  pictureSynced: true,
  offeredAt: now - 9 * minuteMs,
  announcedAt: now - 8 * minuteMs,
  fetchedAt: now - 7 * minuteMs,
  shownAt: null,
  confirmedAt: null,
  grade: 'reported',
  failedAt: null,
  reasons: [],
  replaced: false,
  lastContactAt: now - 7 * minuteMs,
  expectedWakeAt: now + minuteMs,
  digestMatches: undefined,
  conflictSince: undefined,
};

const since = isoTime(now - minuteMs);

test('what is pending says that nothing was offered yet, and when its frame is expected', () => {
  const wakes = { expectedWakeAt: now + minuteMs, lastContactAt: now - minuteMs };
  assert.equal(describeDelivery(delivery('pending'), undefined, wakes, now), {
    since,
    evidence: { level: 'not offered' },
    expectedAt: isoTime(now + minuteMs),
  });
  const never = { expectedWakeAt: null, lastContactAt: null };
  for (const unknown of [undefined, never]) {
    const described = describeDelivery(delivery('pending'), undefined, unknown, now);
    assert.equal(described, { since, evidence: { level: 'not offered' } });
  }
});

test('a frame that is late stays expected at the time it was to come, and is overdue after its grace', () => {
  const hourMs = 60 * minuteMs;
  // Ten hours of sleep, so one hour of grace.
  const late = (byMs: number) => ({ ...fetched, expectedWakeAt: now - byMs, lastContactAt: now - byMs - 10 * hourMs });
  const described = (byMs: number) => describeDelivery(delivery('prepared'), late(byMs), late(byMs), now);
  assert.is(described(hourMs).expectedAt, isoTime(now - hourMs));
  assert.is(described(hourMs).overdue, undefined);
  assert.is(described(hourMs + 1).overdue, true);
  assert.is(described(50 * hourMs).expectedAt, isoTime(now - 50 * hourMs));
});

test('what is prepared or was never confirmed says what is missing; of the latter as it was when its window ended', () => {
  const missing = (state: DeliveryState, at: number, evidence: Evidence | undefined = fetched) =>
    describeDelivery(delivery(state), evidence, evidence, at).evidence?.missing;
  const unseen = ['the frame reports this newer version', 'announced, fetched and reported in that order'];
  assert.equal(missing('prepared', now), unseen);
  assert.equal(missing('unconfirmed', now), unseen);
  const muchLater = now + 20 * 24 * 60 * minuteMs;
  assert.equal(missing('unconfirmed', muchLater), unseen);
  const nothing = describeDelivery(delivery('unconfirmed'), undefined, undefined, now).evidence;
  assert.equal(nothing, { level: 'not offered', missing: ['the picture was offered to the frame'] });
  assert.is(describeDelivery(delivery('unconfirmed'), fetched, fetched, now).expectedAt, undefined);
});

test('what is synced misses nothing, until its offer begins again, as after a restore: then it says what is awaited', () => {
  const missing = (evidence: Evidence) =>
    describeDelivery(delivery('synced'), evidence, evidence, now).evidence?.missing;
  const reported = { ...fetched, reportedVersion: fetched.fileVersion, shownAt: now, pictureSynced: true };
  assert.is(missing(reported), undefined);
  const forgotten = { ...reported, announcedAt: null, fetchedAt: null, shownAt: null, pictureSynced: null };
  assert.ok(missing(forgotten)?.includes('announced, fetched and reported in that order'));
  assert.ok(missing(forgotten)?.includes('the frame says its picture is in step'));
  assert.is(missing({ ...forgotten, replaced: true }), undefined, 'what came later has its own delivery');
});

test('what failed says why', () => {
  const notLoaded = reasonOf('page-not-loaded', { seconds: 30 });
  const reason = 'The page did not load within 30 s.';
  const described = describeDelivery(delivery('failed', storedReasons(notLoaded)), undefined, undefined, now);
  assert.equal(described, {
    since,
    reason,
    reasons: [{ code: 'page-not-loaded', parameters: { seconds: 30 }, sentence: reason }],
  });
});

test.run();
