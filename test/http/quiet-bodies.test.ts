/** Memory of large bodies is given back when no more come, and nobody is held up for it before (T-61). */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type BodyRoom, openBodyRoom } from '../../api/http/body-room.ts';
import type { Clock } from '../../runtime/clock.ts';
import { collectGarbage } from '../../runtime/collect-garbage.ts';

const test = suite('quiet bodies');
const mebibyte = 1024 * 1024;

/** A room, the collections that it asked for, and time that passes when the test moves it. */
async function withRoom(
  run: (world: { room: BodyRoom; collections: () => number; passes: (ms: number) => void }) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'papergate-bodies-'));
  const waiting = new Set<{ at: number; work: () => void }>();
  let now = 0;
  const clock: Clock = {
    now: () => now,
    after(delayMs, work) {
      const timer = { at: now + delayMs, work };
      waiting.add(timer);
      return { cancel: () => void waiting.delete(timer) };
    },
  };
  const passes = (ms: number): void => {
    now += ms;
    for (const timer of [...waiting].filter(({ at }) => at <= now)) {
      waiting.delete(timer);
      timer.work();
    }
  };
  let collected = 0;
  const collect = (): void => void collected++;
  try {
    const room = await openBodyRoom({ folder, clock, freeBytes: async () => Number.POSITIVE_INFINITY, collect });
    await run({ room, collections: () => collected, passes });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test('T-61: when many bytes of large bodies came, and few for five seconds, there is one collection', () =>
  withRoom(async ({ room, collections, passes }) => {
    const receive = async (megabytes: number): Promise<void> => {
      const call = room.enter(['organization']);
      await call.takeDisk(megabytes * mebibyte);
      await call.leave();
    };
    await receive(60);
    passes(60_000);
    assert.is(collections(), 0, 'few bytes are left to collections that come anyway');
    await receive(30);
    passes(4_000);
    await receive(30);
    passes(1_000);
    assert.is(collections(), 0, 'more came');
    passes(4_000);
    await receive(2);
    passes(1_000);
    assert.is(collections(), 1, 'what others upload on an ordinary day does not put it off');
    await receive(30);
    passes(60_000);
    assert.is(collections(), 1, 'it counts anew');
  }));

test('a collection frees what nobody holds, and nobody else gets the function for it', async () => {
  const unheld = new WeakRef(Buffer.alloc(mebibyte));
  await new Promise((resolve) => setImmediate(resolve)); // What was made in a turn is held until its end.
  assert.is(unheld.deref()?.length, mebibyte);
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  assert.is(unheld.deref(), undefined);
  assert.is(Reflect.has(globalThis, 'gc'), false);
});

test.run();
