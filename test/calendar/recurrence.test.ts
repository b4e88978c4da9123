/** Rules of calendars by themselves, against times that another library names. */
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readRule } from '../../runtime/recurrence/read-rule.ts';
import { Budget, BudgetSpent, occurrences } from '../../runtime/recurrence/recurrence.ts';

const test = suite('rules of calendars');

const naive = (text: string): number => Date.parse(text.replace(/^(....)(..)(..)T(..)(..)$/, '$1-$2-$3T$4:$5Z'));
const written = (at: number): string => new Date(at).toISOString().replace(/[-:]|:00\.000Z|00\.000Z/g, '');
const plenty = (): Budget => new Budget(1_000_000);
const endless = naive('20610101T0000');

/** Rules and their first eight times up to 2060, as python-dateutil 2.9 names them; the first is the rule's start. */
const vectors: [rule: string, times: string][] = JSON.parse(
  readFileSync(new URL('./recurrence-vectors.json', import.meta.url), 'utf8'),
);

test('A-26: rules name the times that RFC 5545 says, from their beginning and from any moment on', () => {
  assert.ok(vectors.length >= 160);
  for (const [text, listed] of vectors) {
    const expected = listed.split(' ');
    const rule = readRule(text);
    const [start = 0, last = 0] = [expected[0], expected.at(-1)].map((time) => naive(time ?? ''));
    const to = expected.length < 8 ? endless : last + 1;
    const named = [...occurrences(rule, start, { from: start, to }, plenty())].map(written);
    assert.equal(named, expected, text);
    for (const at of [1, expected.length - 1]) {
      const from = naive(expected[at] ?? '');
      assert.equal([...occurrences(rule, start, { from, to }, plenty())].map(written), expected.slice(at), text);
    }
  }
});

test('weeks are numbered as ISO 8601 says, the last ones of a year too', () => {
  const named = (text: string): string[] => {
    const range = { from: naive('20260101T0900'), to: naive('20331231T0000') };
    return [...occurrences(readRule(text), naive('20251201T0900'), range, plenty())].map((at) =>
      written(at).slice(0, 8),
    );
  };
  const longYears = ['20261228', '20270102', '20321227', '20330101'];
  assert.equal(named('FREQ=YEARLY;BYWEEKNO=53;BYDAY=MO,SA'), longYears);
  assert.equal(named('FREQ=YEARLY;BYWEEKNO=-1;BYDAY=SU').slice(0, 3), ['20270103', '20280102', '20281231']);
});

test('a start that its rule does not name is a time, the first of COUNT', () => {
  const times = (text: string, until?: number): string[] => {
    const start = naive('20260325T0900');
    const range = { from: start, to: endless, ...(until !== undefined && { until }) };
    return [...occurrences(readRule(text), start, range, plenty())].map((time) => written(time).slice(4, 8));
  };
  assert.equal(times('FREQ=WEEKLY;BYDAY=MO;COUNT=3'), ['0325', '0330', '0406']);
  assert.equal(times('freq=daily;count=3'), ['0325', '0326', '0327']);
  assert.equal(times('FREQ=DAILY;X-OWN=1;RSCALE=GREGORIAN;SKIP=OMIT', naive('20260327T0900')), [
    '0325',
    '0326',
    '0327',
  ]);
});

test('what cannot be followed is refused', () => {
  for (const text of [
    '',
    'FREQ=NONSENSE',
    'FREQ=SECONDLY',
    'FREQ=WEEKLY;BYDAY=XX',
    'FREQ=DAILY;INTERVAL=0',
    'FREQ=DAILY;COUNT=x',
    'RSCALE=HEBREW;FREQ=YEARLY',
    'FREQ=MONTHLY;SKIP=FORWARD',
    'FREQ=YEARLY;BYMONTH=13',
    'FREQ=DAILY;WKST=1',
    'FREQ=MONTHLY;BYMONTHDAY=0',
    'FREQ=MONTHLY;BYMONTHDAY=',
    'FREQ=DAILY;BYHOUR=1e1',
    'FREQ=DAILY\r\nBEGIN:VEVENT',
  ]) {
    assert.throws(
      () => readRule(text),
      (error: unknown) => error instanceof Error,
      text,
    );
  }
});

test('T-53: a rule that began long ago is followed at once, and one that never comes ends', () => {
  const from = naive('20260301T0000');
  const within = (text: string, start: string, work: number): number =>
    [...occurrences(readRule(text), naive(start), { from, to: from + 9 * 86_400_000 }, new Budget(work))].length;
  assert.is(within('FREQ=HOURLY', '19000101T0000', 1_000), 216);
  assert.is(within('FREQ=DAILY', '00010101T0000', 100), 9);
  assert.is(within('FREQ=YEARLY', '16040303T0000', 100), 1);
  assert.is(within('FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', '20000101T0000', 100), 0);
  assert.is(within('FREQ=MONTHLY;COUNT=1000;BYDAY=1MO;BYMONTHDAY=15', '20000101T0000', 20_000), 0);
  assert.throws(
    () => within('FREQ=HOURLY;COUNT=1000000', '19000101T0000', 100_000),
    (error: unknown) => error instanceof BudgetSpent,
  );
});

test.run();
