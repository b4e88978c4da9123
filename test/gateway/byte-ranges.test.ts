/** The bytes that a request asks for, and those that several answers cover together: pure. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Asked, askedOf } from '../../gateway/pictures/byte-range.ts';
import {
  afterAnswer,
  type Coverage,
  coversWhole,
  type EndedAnswer,
  type Interval,
  nothingCovered,
  union,
} from '../../gateway/pictures/coverage.ts';

const test = suite('byte ranges');
const etag = '"abc"';

const ranges: readonly [range: string, asked: Asked][] = [
  ['bytes=0-99', { from: 0, end: 100 }],
  ['bytes=10-10', { from: 10, end: 11 }],
  ['bytes=10-', { from: 10, end: 100 }],
  ['bytes=90-4000', { from: 90, end: 100 }],
  ['bytes=-1', { from: 99, end: 100 }],
  ['bytes=-100', { from: 0, end: 100 }],
  ['bytes=-99999999999999999999999', { from: 0, end: 100 }],
  [' Bytes = 5 - 6 ', { from: 5, end: 7 }],
  ['bytes=100-', 'unsatisfiable'],
  ['bytes=99999999999999999999999-', 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=0-1,5-6', 'whole'],
  ['bytes=7-5', 'whole'],
  ['bytes=-', 'whole'],
  ['bytes=', 'whole'],
  ['bytes=a-b', 'whole'],
  ['bytes=1.5-9', 'whole'],
  ['bytes=--5', 'whole'],
  ['lines=0-5', 'whole'],
  ['', 'whole'],
];
for (const [range, asked] of ranges) {
  test(`"${range}" of 100 bytes asks for ${JSON.stringify(asked)}`, () => {
    assert.equal(askedOf({ range }, 100, etag), asked);
  });
}

test('T-59: a range that strangers make as long as a header may be costs nothing', () => {
  const spaces = ' '.repeat(8000);
  const began = performance.now();
  for (const range of [`bytes=${spaces}-${spaces}x`, `${spaces}bytes${spaces}`, `bytes=${'-'.repeat(16_000)}`]) {
    assert.is(askedOf({ range }, 100, etag), 'whole');
  }
  // Such a one took minutes once.
  assert.ok(performance.now() - began < 1000);
});

test('conditions: only the very tag keeps a range, and a known tag needs no file', () => {
  const range = 'bytes=5-';
  const part = { from: 5, end: 100 };
  assert.equal(askedOf({ range, 'if-range': etag }, 100, etag), part);
  for (const other of ['"other"', 'W/"abc"', 'abc', 'Sat, 21 Nov 2026 00:00:00 GMT', '']) {
    assert.is(askedOf({ range, 'if-range': other }, 100, etag), 'whole', other);
  }
  assert.is(askedOf({ 'if-range': etag }, 100, etag), 'whole');
  for (const known of [etag, 'W/"abc"', '*', '"x", "abc"']) {
    assert.is(askedOf({ range, 'if-none-match': known }, 100, etag), 'unchanged', known);
  }
  assert.equal(askedOf({ range, 'if-none-match': '"x"' }, 100, etag), part);
});

const bytes = 40;
const interval = fc.tuple(fc.nat(bytes), fc.nat(bytes)).map(([a, b]): Interval => [Math.min(a, b), Math.max(a, b)]);
const intervals = fc.array(interval, { maxLength: 12 });

function bitsOf(list: readonly Interval[]): boolean[] {
  return Array.from({ length: bytes }, (_, at) => list.some(([from, end]) => from <= at && at < end));
}

test('a union holds the same bytes, sorted and apart', () => {
  fc.assert(
    fc.property(intervals, (list) => {
      const merged = union(list);
      assert.equal(bitsOf(merged), bitsOf(list));
      merged.slice(1).forEach(([from], at) => {
        assert.ok(from > (merged[at]?.[1] ?? 0));
      });
    }),
  );
});

test('a union never grows beyond a few pieces, and claims nothing for those it drops', () => {
  const dust = Array.from({ length: 1000 }, (_, at): Interval => [at * 2, at * 2 + 1]);
  assert.equal(union(dust.toReversed()), dust.slice(0, 16));
});

/** An answer as the sender makes it: it hands over a part of what it was asked for, all of it when that was taken. */
const step = fc.tuple(interval, fc.nat(bytes), fc.boolean()).filter(([[from, end]]) => from < end);

test('bytes count only if they were taken, or handed over before a part behind them was asked for and taken', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      let coverage: Coverage = nothingCovered;
      const handed: boolean[] = Array(bytes).fill(false);
      const proven: boolean[] = Array(bytes).fill(false);
      for (const [[from, end], more, isTaken] of steps) {
        const handedEnd = isTaken ? end : Math.min(end, from + more);
        const answer: EndedAnswer = { from, end, handedEnd, isTaken, handedBefore: coverage.handed };
        coverage = afterAnswer(coverage, answer);
        for (let at = 0; at < bytes; at++) {
          if (isTaken && ((from <= at && at < end) || (at < from && handed[at]))) proven[at] = true;
        }
        for (let at = from; at < handedEnd; at++) handed[at] = true;
      }
      assert.equal(bitsOf(coverage.taken), proven);
      assert.is(coversWhole(coverage, bytes), !proven.includes(false));
    }),
  );
});

test.run();
