/** Threads: who gets one, how long it is kept, and what becomes of one that hangs, ends or lies. */
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../runtime/clock.ts';
import { openThreads, ThreadFailure, type Threads, type ThreadsOptions } from '../../runtime/threads.ts';
import { until } from '../gateway/world.ts';
import { type HandClock, handClock } from '../integration/integration-world.ts';

const test = suite('threads');

/** Does what its work says, and answers how many pieces it has begun. */
const program = `
  const { parentPort, threadId } = require('node:worker_threads');
  let begun = 0;
  const held = [];
  parentPort.on('message', ({ number, job }) => {
    const answer = { thread: threadId, begun: ++begun };
    const say = () => parentPort.postMessage({ number, answer });
    const does = {
      say,
      wait: () => setTimeout(say, job.ms),
      hang: () => { for (;;); },
      end: () => process.exit(),
      throw: () => { throw new Error('no'); },
      reject: () => { Promise.reject(new Error('no')); },
      grow: () => { for (;;) held.push(new Array(10000).fill(held.length)); },
      other: () => parentPort.postMessage({ number: number + 1, answer }),
      nothing: () => parentPort.postMessage('hello'),
      twice: () => { say(); say(); },
    };
    does[job.do]();
  });
  parentPort.postMessage('loaded');
`;

interface Said {
  readonly thread: number;
  readonly begun: number;
}

interface World {
  readonly threads: Threads;
  readonly clock: HandClock;
  /** The threads that run. */
  readonly alive: Set<Worker>;
  /** How many were started. */
  started(): number;
  say(organization?: string): Promise<Said>;
}

async function withThreads(options: Partial<ThreadsOptions>, run: (world: World) => Promise<void>): Promise<void> {
  const clock = handClock();
  const alive = new Set<Worker>();
  let started = 0;
  const threads = openThreads(clock, {
    program: new URL('file:///unused'),
    most: 1,
    limitMs: 5_000,
    idleMs: 30_000,
    start() {
      const { resourceLimits } = options;
      const worker = new Worker(program, { eval: true, stderr: true, ...(resourceLimits && { resourceLimits }) });
      started += 1;
      alive.add(worker);
      worker.once('exit', () => alive.delete(worker));
      return worker;
    },
    ...options,
  });
  try {
    const say = async (organization = 'house'): Promise<Said> =>
      (await threads.work([organization], { do: 'say' })) as Said;
    await run({ threads, clock, alive, started: () => started, say });
  } finally {
    await threads.stop();
  }
  assert.is(alive.size, 0);
}

async function failure(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'answered';
  } catch (error) {
    if (error instanceof ThreadFailure) return error.why;
    throw error;
  }
}

test('a thread is started with the first work, and kept for the next', async () => {
  await withThreads({}, async ({ say, started }) => {
    assert.is(started(), 0);
    const first = await say();
    assert.equal(await say('other'), { thread: first.thread, begun: 2 });
    assert.is(started(), 1);
  });
});

test('a thread that waits is ended after a while, counted from its last work', async () => {
  await withThreads({}, async ({ say, clock, alive }) => {
    const first = await say();
    clock.passes(20_000);
    await say();
    clock.passes(20_000);
    assert.is(alive.size, 1);
    clock.passes(10_000);
    await until(() => alive.size === 0, 'the thread has ended');
    const next = await say();
    assert.is.not(next.thread, first.thread);
    assert.is(next.begun, 1);
  });
});

test('a thread whose work takes too long is ended, and the next work has another one', async () => {
  await withThreads({}, async ({ threads, clock, alive, say }) => {
    const first = await say();
    const late = failure(threads.work(['house'], { do: 'hang' }));
    const waiting = say();
    await pause(1);
    clock.passes(4_999);
    assert.is(alive.size, 1);
    clock.passes(1);
    assert.is(await late, 'late');
    assert.is.not((await waiting).thread, first.thread);
    assert.is(alive.size, 1);
  });
});

test('the time in which a thread is loaded is not that of its work, and has an end', async () => {
  const start = (): Worker => new Worker('setInterval(() => {}, 1000)', { eval: true });
  await withThreads({ start }, async ({ threads, clock }) => {
    const late = failure(threads.work(['house'], { do: 'say' }));
    await pause(1);
    clock.passes(20_000);
    assert.is(await Promise.race([late, pause(50)]), undefined);
    clock.passes(10_000);
    assert.is(await late, 'late');
  });
});

test('a thread that ends, throws, lies or runs out of memory fails its own work alone', async () => {
  const resourceLimits = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 4 };
  await withThreads({ resourceLimits }, async ({ threads, say, alive }) => {
    const whys: Record<string, string> = {
      end: 'ended',
      throw: 'ended',
      reject: 'ended',
      grow: 'ended',
      other: 'confused',
      nothing: 'confused',
    };
    for (const [work, why] of Object.entries(whys)) {
      assert.is(await failure(threads.work(['house'], { do: work })), why, work);
      assert.is((await say()).begun, 1, work);
      assert.is(alive.size, 1, work);
    }
  });
});

test('an answer that comes twice is not taken for the next', async () => {
  await withThreads({}, async ({ threads, say }) => {
    await threads.work(['house'], { do: 'twice' });
    const next = await failure(say());
    assert.ok(next === 'answered' || next === 'confused');
    assert.is(await failure(say()), 'answered');
  });
});

test('work that cannot be handed over fails, and leaves nothing behind', async () => {
  await withThreads({}, async ({ threads, say, alive }) => {
    assert.is(await failure(threads.work(['house'], { do: () => 'a function' })), 'ended');
    assert.is((await say()).begun, 1);
    assert.is(alive.size, 1);
  });
});

test('one organization has no more threads at once than it may, and others go before its work', async () => {
  await withThreads({ most: 2, ofOne: 1 }, async ({ say, alive, threads }) => {
    const hung = failure(threads.work(['house', 'paper'], { do: 'hang' }));
    const next = failure(threads.work(['house', 'other'], { do: 'say' }));
    assert.is((await say('others')).begun, 1);
    assert.is((await say('more')).begun, 2);
    assert.is(alive.size, 2);
    await threads.stop();
    assert.equal(await Promise.all([hung, next]), ['stopped', 'stopped']);
  });
});

test('there are never more threads than allowed, also where others wait', async () => {
  await withThreads({ most: 2 }, async ({ say, alive, started }) => {
    await Promise.all(['a', 'b', 'c', 'd', 'e'].map(say));
    assert.is(alive.size, 2);
    assert.is(started(), 2);
  });
});

test('a household with much work does not keep the others waiting', async () => {
  await withThreads({ most: 1 }, async ({ threads }) => {
    const order: string[] = [];
    const work = async (organization: string): Promise<void> => {
      await threads.work([organization], { do: 'wait', ms: 5 });
      order.push(organization);
    };
    const all = [...Array.from({ length: 20 }, () => work('many')), work('one'), work('another')];
    await Promise.all(all);
    assert.ok(order.indexOf('one') <= 2, order.join(' '));
    assert.ok(order.indexOf('another') <= 3, order.join(' '));
  });
});

test('bytes may be handed over without a copy', async () => {
  await withThreads({}, async ({ threads }) => {
    const bytes = new Uint8Array(1_000);
    await threads.work(['house'], { do: 'say', bytes }, [bytes.buffer]);
    assert.is(bytes.byteLength, 0);
  });
});

test('threads that are stopped end their work, and begin no other', async () => {
  await withThreads({}, async ({ threads, alive, say }) => {
    const running = failure(threads.work(['house'], { do: 'hang' }));
    const waiting = failure(say());
    await until(() => alive.size === 1, 'a thread has started');
    await threads.stop();
    assert.is(await running, 'stopped');
    assert.is(await waiting, 'stopped');
    assert.is(await failure(say()), 'stopped');
    assert.is(alive.size, 0);
  });
});

test('a thread runs the module that it is given, without the variables of the process', async () => {
  const source = `
    import { parentPort } from 'node:worker_threads';
    parentPort.on('message', ({ number }) => parentPort.postMessage({ number, answer: Object.keys(process.env) }));
    parentPort.postMessage('loaded');
  `;
  const threads = openThreads(systemClock, {
    program: new URL(`data:text/javascript,${encodeURIComponent(source)}`),
    most: 1,
    limitMs: 20_000,
    idleMs: 1_000,
  });
  try {
    assert.equal(await threads.work(['house'], null), []);
  } finally {
    await threads.stop();
  }
});

test.run();
