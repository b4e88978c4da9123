/** Who waits how long for the browser, by a clock of the test's own (T-60). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { visitPlaces } from '../../api/browser/visit-places.ts';
import type { Clock } from '../../runtime/clock.ts';

const test = suite('places for visits');

const secondMs = 1_000;

/** A clock that stands still until the test moves it; between two moments everything has settled. */
function standingClock(): Clock & { pass(ms: number): Promise<void> } {
  let now = 0;
  const timers = new Set<{ readonly at: number; readonly happen: () => void }>();
  return {
    now: () => now,
    after(delayMs, happen) {
      const timer = { at: now + delayMs, happen };
      timers.add(timer);
      return { cancel: () => void timers.delete(timer) };
    },
    async pass(ms) {
      const end = now + ms;
      for (;;) {
        await new Promise((resolve) => setImmediate(resolve));
        const [next] = [...timers].filter(({ at }) => at <= end).sort((one, other) => one.at - other.at);
        if (next === undefined) break;
        timers.delete(next);
        now = next.at;
        next.happen();
      }
      now = end;
    },
  };
}

/** The seconds that a page waits for a place when it comes this long after the crowds. */
async function waited(organizations: readonly string[], comesAfterMs: number): Promise<number> {
  const clock = standingClock();
  const { after } = clock;
  const places = visitPlaces(clock, 2, 4);
  const lasts = (ms: number) => () => new Promise<void>((resolve) => void after(ms, resolve));
  for (let at = 0; at < 40; at++) {
    for (const organization of organizations) void places.take({ sharer: [organization, `${at}`] }, lasts(45_000));
  }
  await clock.pass(comesAfterMs);
  const came = clock.now();
  let began = Number.POSITIVE_INFINITY;
  void places.take({ sharer: ['somebody', 'paper'] }, async () => {
    began = clock.now();
  });
  await clock.pass(600_000);
  return (began - came) / secondMs;
}

test('T-60: forty pages that drip hold up nobody else for longer than one of them may keep its place', async () => {
  for (const crowds of [['one'], ['one', 'other'], ['one', 'other', 'third']]) {
    for (const comesAfterMs of [0, 1, 4_999, 5_000, 5_001, 9_000, 10_001, 30_000, 45_001, 70_000, 200_000]) {
      const seconds = await waited(crowds, comesAfterMs);
      assert.ok(seconds <= 5.1, `beside ${crowds.length} crowds, after ${comesAfterMs} ms: ${seconds} s`);
    }
  }
});

test('of one organization the other papers go on alongside the one whose pages never end', async () => {
  const clock = standingClock();
  const places = visitPlaces(clock, 1, 4);
  const never = () => new Promise<void>(() => {});
  for (let at = 0; at < 2; at++) void places.take({ sharer: ['house', 'stuck'] }, never);
  let isDone = false;
  void places.take({ sharer: ['house', 'other'] }, async () => {
    isDone = true;
  });
  await clock.pass(6 * secondMs);
  assert.ok(isDone);
});

test('a page that is taken back while it waits is never opened, and the next one is', async () => {
  const clock = standingClock();
  const places = visitPlaces(clock, 1, 4);
  let end = (): void => {};
  const first = places.take({ sharer: ['a'] }, () => new Promise((resolve) => (end = resolve)));
  const caller = new AbortController();
  let opened = 0;
  const left = places.take({ sharer: ['b'], signal: caller.signal }, async () => void opened++);
  const stays = places.take({ sharer: ['c'] }, async () => void opened++);
  assert.is(places.waiting(), 2);
  caller.abort(new Error('the caller left'));
  await left.then(
    () => assert.unreachable(),
    (error: Error) => assert.is(error.message, 'the caller left'),
  );
  end();
  await Promise.all([first, stays]);
  assert.is(opened, 1);
});

test('T-62: after a page was ended for what it did, the next pages of its organization wait, and of nobody else', async () => {
  const clock = standingClock();
  const places = visitPlaces(clock, 2, 4);
  const began: string[] = [];
  const visit = (organization: string, paper: string, more: { isOwn?: boolean; signal?: AbortSignal } = {}) =>
    places
      .take({ sharer: [organization, paper], ...more }, async () => void began.push(`${organization} ${paper}`))
      .catch((error: Error) => void began.push(error.message));
  places.calm(['loud', 'one']);
  const caller = new AbortController();
  void visit('loud', 'two');
  void visit('loud', 'left', { signal: caller.signal });
  void visit('loud', 'document', { isOwn: true });
  void visit('quiet', 'one');
  await clock.pass(3_000);
  assert.equal(began, ['loud document', 'quiet one']);
  assert.is(places.waiting(), 2);
  places.calm(['loud', 'three']);
  caller.abort(new Error('its caller left'));
  await clock.pass(2_100);
  assert.equal(began.slice(2), ['its caller left', 'loud two']);
  void visit('loud', 'four');
  await clock.pass(2_000);
  assert.is(began.length, 4, 'another one was ended meanwhile');
  const idle = places.idle();
  await clock.pass(1);
  await idle;
  assert.is(began[4], 'loud four', 'a service that stops lets nobody wait');
  assert.is(places.waiting(), 0);
});

test.run();
