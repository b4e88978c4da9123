import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { evidenceLevel, missingProof } from '../../api/delivery-state/weigh-evidence.ts';
import type { Evidence } from '../../gateway/pictures/evidence.ts';

const test = suite('weigh evidence');

const hourMs = 3_600_000;
const start = Date.UTC(2026, 0, 10, 8);
const now = start + 2 * hourMs;

/** A frame that proved everything. */
const complete: Evidence = {
  uploadId: 'u',
  revision: 'r',
  fileVersion: 200,
  previousVersion: 100,
  reportedVersion: 200,
  pictureSynced: true,
  offeredAt: start,
  announcedAt: start + 1000,
  fetchedAt: start + 2000,
  shownAt: start + 3000,
  confirmedAt: null,
  grade: 'reported',
  failedAt: null,
  reasons: [],
  replaced: false,
  lastContactAt: start + 3000,
  expectedWakeAt: null,
  digestMatches: undefined,
  conflictSince: undefined,
};

/** Spec rule 1, one way to break each of its five conditions. */
const broken: readonly Partial<Evidence>[] = [
  { pictureSynced: false },
  { reportedVersion: 100 },
  { announcedAt: start + 2500 },
  { lastContactAt: start - hourMs },
  { replaced: true },
];

test('INV-38: over all 32 combinations of the five conditions only the complete one is synced', () => {
  let proven = 0;
  for (let mask = 0; mask < 32; mask++) {
    const faults = broken.filter((_, bit) => (mask & (1 << bit)) !== 0);
    const evidence = Object.assign({}, complete, ...faults) as Evidence;
    const missing = missingProof(evidence, 'r', now);
    assert.is(missing.length === 0, mask === 0, `mask ${mask}: ${missing.join('; ')}`);
    assert.ok(missing.length >= faults.length, `mask ${mask} names every missing condition`);
    if (missing.length === 0) proven++;
  }
  assert.is(proven, 1);
});

test('T-49: without the download record, no report of a frame is enough', () => {
  const claimed = { ...complete, fetchedAt: null, confirmedAt: start + 4000 };
  assert.ok(missingProof(claimed, 'r', now).includes('not-fetched'));
});

test('a report before the fetch proves nothing until the frame reports again', () => {
  const early = { ...complete, shownAt: start + 1500 };
  assert.equal(missingProof(early, 'r', now), ['order-unproven']);
  assert.equal(missingProof({ ...early, confirmedAt: start + 5000, lastContactAt: start + 5000 }, 'r', now), []);
});

test('T-49: a native frame must show the very bytes, a classic one knows no digests', () => {
  assert.equal(missingProof({ ...complete, digestMatches: false }, 'r', now), ['other-digest']);
  assert.equal(missingProof({ ...complete, digestMatches: true }, 'r', now), []);
});

test('INV-39: another revision, an equal version and a version that is not newer prove nothing', () => {
  assert.is(missingProof(complete, 'other', now).length, 1);
  assert.is(missingProof({ ...complete, previousVersion: 200 }, 'r', now).length, 1);
  assert.is(missingProof({ ...complete, reportedVersion: 201 }, 'r', now).length, 1);
});

test('contact from before the longest possible sleep is stale', () => {
  assert.equal(missingProof(complete, 'r', start + 26 * hourMs), []);
  assert.equal(missingProof(complete, 'r', start + 28 * hourMs), ['contact-too-old']);
});

test('the level says how far a picture came, and a claim without a fetch counts for nothing', () => {
  const levels: readonly (readonly [Partial<Evidence>, string])[] = [
    [{ announcedAt: null, fetchedAt: null, shownAt: null }, 'offered'],
    [{ fetchedAt: null, shownAt: null }, 'announced'],
    [{ fetchedAt: null, confirmedAt: now }, 'announced'],
    [{ shownAt: null }, 'fetched'],
    [{}, 'reported shown'],
    [{ confirmedAt: now }, 'confirmed'],
  ];
  for (const [change, level] of levels) assert.is(evidenceLevel({ ...complete, ...change }), level);
});

test.run();
