import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type DeadlineFacts,
  type DeadlineState,
  isForeseeable,
  judgeDeadline,
  neededWakes,
} from '../../api/deadlines/deadline-state.ts';
import { canStillBeProven, gridMs, liveBefore } from './frame-life.ts';

const test = suite('deadlines/deadline-state');
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const seeds = 2_000;

const usual: DeadlineFacts = {
  by: 10 * hourMs,
  asked: 'reported',
  proofAt: null,
  fetchedAt: null,
  picture: 'ready',
  wantedSince: 0,
  from: null,
  settlesAt: 0,
  frame: {
    wakesAt: 9 * hourMs,
    lastContactAt: 8 * hourMs,
    takesUntil: null,
    latenessMs: 0,
    drawMs: 30_000,
    provesLater: false,
    shortestSleepMs: minuteMs,
    bestGrade: 'reported',
    trouble: null,
  },
};

/** Facts with another frame, or another way of its. */
const withFrame = (frame: Partial<NonNullable<DeadlineFacts['frame']>>, facts: Partial<DeadlineFacts> = {}) => ({
  ...usual,
  ...facts,
  frame: { ...usual.frame, ...frame } as NonNullable<DeadlineFacts['frame']>,
});

const now = 8 * hourMs;
const seen = (facts: DeadlineFacts, at = now) => {
  const { state, cause } = judgeDeadline(facts, at);
  return cause === null ? state : `${state}: ${cause}`;
};

test('a frame that wakes an hour before is planned, and one that sleeps beyond it cannot keep it (DL-10, DL-12)', () => {
  assert.is(seen(usual), 'planned');
  assert.is(seen(withFrame({ wakesAt: usual.by + 1 })), 'unavoidable: asleep');
  assert.is(seen(withFrame({ wakesAt: usual.by - 30_000 })), 'at-risk: tight');
  assert.is(seen(withFrame({ wakesAt: usual.by - 29_999 })), 'unavoidable: asleep');
  assert.is(seen(withFrame({ wakesAt: usual.by + 1 }, { wantedSince: now + 1 })), 'unavoidable: came-late');
});

test('a frame whose next wake proves a picture needs two of them (DL-22)', () => {
  const frame = { provesLater: true };
  assert.is(seen(withFrame({ ...frame, wakesAt: usual.by - 90_000 })), 'at-risk: tight');
  assert.is(seen(withFrame({ ...frame, wakesAt: usual.by - 89_999 })), 'unavoidable: asleep');
  assert.is(seen(withFrame({ ...frame, wakesAt: usual.by - minuteMs }, { fetchedAt: now - minuteMs })), 'planned');
  assert.equal(neededWakes(withFrame(frame), now), [usual.by - 150_000, usual.by - minuteMs]);
  assert.equal(neededWakes(withFrame(frame, { fetchedAt: now }), now), [usual.by - minuteMs]);
  assert.equal(neededWakes(usual, now), [usual.by - 90_000]);
  assert.equal(neededWakes({ ...usual, proofAt: now }, now), []);
});

test('what speaks against a deadline is said beforehand (DL-11)', () => {
  assert.is(seen({ ...usual, picture: 'making' }), 'at-risk: making');
  assert.is(seen({ ...usual, picture: 'making', wantedSince: now - minuteMs }), 'planned', 'it takes a moment');
  assert.is(seen({ ...usual, picture: 'not-made' }), 'at-risk: not-made');
  assert.is(seen({ ...usual, picture: 'other-paper' }), 'at-risk: other-paper');
  assert.is(seen(withFrame({ trouble: 'battery' })), 'at-risk: battery');
  assert.is(seen(withFrame({ wakesAt: now - 2 * minuteMs, lastContactAt: 0 })), 'at-risk: late');
  assert.is(seen(withFrame({ latenessMs: hourMs })), 'at-risk: tight');
});

test('some frames never keep it: without a board, with a flat battery, or without proofs of that grade', () => {
  assert.is(seen({ ...usual, frame: null }), 'unavoidable: no-frame');
  assert.is(seen(withFrame({ trouble: 'flat' })), 'unavoidable: flat');
  assert.is(seen(withFrame({ bestGrade: 'processed' })), 'unavoidable: grade-never');
});

test('a proof counts up to its time, and later as late (DL-13 to DL-15)', () => {
  const after = usual.by + 1;
  assert.is(seen({ ...usual, proofAt: usual.by }, after), 'met');
  assert.is(seen({ ...usual, proofAt: after }, after), 'met-late');
  assert.is(seen({ ...usual, fetchedAt: usual.by }, after), 'shown-unproven');
  assert.is(seen({ ...usual, fetchedAt: after }, after), 'missed');
  assert.is(seen(usual, after), 'missed');
  const yesterday = { ...usual, proofAt: 1, settlesAt: now + 1 };
  assert.is(seen(yesterday), 'planned', 'a day that has not begun is not over');
  assert.is(seen(yesterday, now + 1), 'met');
});

/** The states through which a deadline goes for somebody who looks at each news, and when he was told to look again. */
function follow(seed: number) {
  const { by, known, provenAt, endsAt } = liveBefore(seed);
  const told: { readonly at: number; readonly state: DeadlineState; readonly foreseeable: boolean | null }[] = [];
  for (const [index, { at: from, facts }] of known.entries()) {
    const next = known[index + 1]?.at ?? endsAt;
    for (let at = from; at < next; ) {
      const { state, cause, until } = judgeDeadline(facts, at);
      if (told.at(-1)?.state !== state) told.push({ at, state, foreseeable: cause && isForeseeable(cause) });
      at = until;
    }
  }
  return { by, known, provenAt, endsAt, told };
}

test(`of ${seeds} frames each deadline is met exactly when it was proven, and none is missed that was not foretold (DL-24)`, () => {
  const counts: Record<string, number> = {};
  for (let seed = 0; seed < seeds; seed++) {
    const { by, provenAt, told } = follow(seed);
    const last = told.at(-1)?.state ?? '';
    counts[last] = (counts[last] ?? 0) + 1;
    const wasMet = told.some(({ state }) => state === 'met');
    assert.is(wasMet, provenAt !== null && provenAt <= by, `seed ${seed}`);
    const met = told.find(({ state }) => state === 'met');
    if (met !== undefined) assert.is(met.at, provenAt, `seed ${seed}: said with the proof`);
    const missed = told.findIndex(({ state }) => state === 'missed');
    if (missed === -1) continue;
    const before = told[missed - 1];
    assert.is(before?.state, 'unavoidable', `seed ${seed}: foretold`);
    assert.ok((before?.at ?? Infinity) <= by, `seed ${seed}: before its time`);
  }
  // The lives are of every kind, or nothing was proven by them.
  for (const state of ['met', 'missed', 'met-late', 'shown-unproven']) assert.ok((counts[state] ?? 0) > 20, state);
});

test(`of ${seeds} frames a miss is called unavoidable in the very moment in which nothing can avoid it (DL-12)`, () => {
  let [unavoidable, possible] = [0, 0];
  for (let seed = 0; seed < seeds; seed++) {
    const { by, known, endsAt } = liveBefore(seed);
    for (const [index, { at: from, facts }] of known.entries()) {
      const next = Math.min(known[index + 1]?.at ?? endsAt, by + gridMs);
      if (facts.proofAt !== null) continue;
      for (let at = from; at < next; at += gridMs) {
        const isUnavoidable = judgeDeadline(facts, at).state === 'unavoidable';
        assert.is(isUnavoidable, !canStillBeProven(facts, at), `seed ${seed} at ${at / gridMs} of ${by / gridMs}`);
        if (isUnavoidable) unavoidable += 1;
        else possible += 1;
      }
    }
  }
  assert.ok(unavoidable > 10_000 && possible > 10_000, `${unavoidable} and ${possible}`);
});

test('a state stays as it is until the moment that was named', () => {
  for (let seed = 0; seed < seeds; seed += 4) {
    const { known, endsAt } = liveBefore(seed);
    for (const [index, { at: from, facts }] of known.entries()) {
      const next = known[index + 1]?.at ?? endsAt;
      let judged = judgeDeadline(facts, from);
      for (let at = from; at < next; at += gridMs / 2) {
        if (at >= judged.until) judged = judgeDeadline(facts, at);
        assert.is(judgeDeadline(facts, at).state, judged.state, `seed ${seed} at ${at}`);
      }
    }
  }
});

test('a miss counts as foreseeable exactly when the frame was told to sleep beyond it (DL-24)', () => {
  let [foreseen, surprising] = [0, 0];
  for (let seed = 0; seed < seeds; seed++) {
    const { known, told } = follow(seed);
    for (const { at, state, foreseeable } of told) {
      if (state !== 'unavoidable') continue;
      const { frame, wantedSince, fetchedAt } = known.findLast((one) => one.at <= at)?.facts ?? usual;
      const isAsleep = (frame?.wakesAt ?? 0) > at;
      const cameAfter = fetchedAt === null && wantedSince > (frame?.lastContactAt ?? 0);
      const isHopeless = frame?.trouble === 'flat' || frame?.bestGrade === 'processed';
      assert.is(foreseeable, isHopeless || (isAsleep && !cameAfter), `seed ${seed} at ${at}`);
      if (foreseeable) foreseen += 1;
      else surprising += 1;
    }
  }
  assert.ok(foreseen > 50 && surprising > 50, `${foreseen} and ${surprising}`);
});

test.run();
