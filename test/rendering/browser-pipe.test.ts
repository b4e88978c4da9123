/** The pipe of a browser: what is read past, what is handed on, and when a page sends too many messages (T-62). */
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openBrowserPipe } from '../../api/browser/browser-pipe.ts';
import { type BrowserMessage, cutMessages } from '../../api/browser/cut-messages.ts';
import type { Clock } from '../../runtime/clock.ts';

const test = suite('browser pipe');

const said = (event: string, params: object, sessionId?: string): string =>
  `${JSON.stringify({ method: event, params, sessionId })}\0`;

test('messages are the same however their bytes come, and nothing of the unwanted ones is kept', () => {
  const message = fc.record({
    event: fc.constantFrom('Page.loadEventFired', 'Runtime.consoleAPICalled', 'A.b', undefined),
    text: fc.string({ maxLength: 400, unit: 'binary' }),
    sessionId: fc.option(fc.stringMatching(/^[0-9A-F]{32}$/), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(message), fc.array(fc.nat({ max: 200 })), (messages, cuts) => {
      const bytes = Buffer.concat(
        messages.map(({ event, text, sessionId }, id) =>
          Buffer.from(
            event === undefined
              ? `${JSON.stringify({ id, result: { text }, sessionId })}\0`
              : said(event, { text, inner: { sessionId: text } }, sessionId),
          ),
        ),
      );
      const heard: BrowserMessage[] = [];
      const maxBytesOf = (event: string | undefined): number => (event === 'Runtime.consoleAPICalled' ? 0 : 1_000_000);
      const cut = cutMessages({ maxBytesOf }, (one) => heard.push(one));
      let at = 0;
      for (let next = 0; at < bytes.length; next++) {
        const size = 1 + (cuts[next % Math.max(1, cuts.length)] ?? 50);
        cut(bytes.subarray(at, at + size));
        at += size;
      }
      assert.equal(
        heard.map(({ event, sessionId }) => [event, sessionId]),
        messages.map(({ event, sessionId }) => [event, sessionId]),
      );
      heard.forEach(({ event, text }, index) => {
        assert.is(text === undefined, event === 'Runtime.consoleAPICalled');
        if (text === undefined) return;
        const { params, result } = JSON.parse(text);
        assert.is((params ?? result).text, messages[index]?.text);
      });
      assert.is(
        heard.reduce((sum, one) => sum + one.bytes + 1, 0),
        bytes.length,
      );
    }),
    { numRuns: 300 },
  );
});

test('a message that is longer than any may be is counted and not kept', () => {
  const heard: BrowserMessage[] = [];
  const cut = cutMessages({ maxBytesOf: () => 1_000 }, (one) => heard.push(one));
  const long = Buffer.from(said('Page.loadEventFired', { text: 'x'.repeat(5_000) }, 'AB'));
  for (let at = 0; at < long.length; at += 100) cut(long.subarray(at, at + 100));
  cut(Buffer.from(said('Page.loadEventFired', {}, 'AB')));
  assert.equal(
    heard.map(({ text, sessionId, bytes }) => [text === undefined, sessionId, bytes > 5_000]),
    [
      [true, 'AB', true],
      [false, 'AB', false],
    ],
  );
});

interface Played {
  readonly handedOn: string[];
  /** Contexts that were made to send too much. */
  readonly told: string[];
  passes(ms: number): void;
  /** Sends an event of the browser. */
  says(event: string, params: object, sessionId?: string): Promise<void>;
  /** Sends a message as puppeteer does, and returns the part of it that the browser gets. */
  sends(message: object): Promise<string>;
}

/** A pipe with pages in contexts `C1` and `C2`, in sessions `S1` and `S2`. */
async function withPipe(run: (played: Played) => Promise<void>): Promise<void> {
  let now = 0;
  const clock: Clock = { now: () => now, after: () => ({ cancel: () => {} }) };
  const [commands, events] = [new PassThrough(), new PassThrough()];
  const pipe = openBrowserPipe(commands, events, clock);
  const handedOn: string[] = [];
  const told: string[] = [];
  pipe.onmessage = (text) => handedOn.push(text);
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  const says: Played['says'] = async (event, params, sessionId) => {
    events.write(said(event, params, sessionId));
    await settle();
  };
  for (const at of [1, 2]) {
    pipe.watch(`C${at}`, () => told.push(`C${at}`));
    const targetInfo = { type: 'page', browserContextId: `C${at}` };
    await says('Target.attachedToTarget', { sessionId: `S${at}`, targetInfo });
  }
  handedOn.length = 0;
  await run({
    handedOn,
    told,
    says,
    passes: (ms) => {
      now += ms;
    },
    async sends(message) {
      pipe.send(JSON.stringify(message));
      await settle();
      let sent = '';
      for (let part: unknown = commands.read(); part !== null; part = commands.read()) sent += String(part);
      return sent;
    },
  });
  events.end();
  await once(events, 'close');
}

test('what pages write to their consoles is dropped; what renders are made by is handed on', () =>
  withPipe(async ({ handedOn, says, sends, told }) => {
    for (const event of [
      'Runtime.consoleAPICalled',
      'Runtime.exceptionThrown',
      'Log.entryAdded',
      'Network.dataReceived',
    ]) {
      await says(event, { text: 'x' }, 'S1');
    }
    assert.equal(handedOn, []);
    await says('Page.lifecycleEvent', { name: 'load' }, 'S1');
    await says('Inspector.targetCrashed', {}, 'S1');
    assert.is(handedOn.length, 2);
    assert.match(await sends({ method: 'Page.enable', id: 7, sessionId: 'S1' }), /Page\.enable/);
    // Nobody listens to it, so that it is not even asked for.
    assert.is(await sends({ method: 'Log.enable', id: 8, sessionId: 'S1' }), '');
    assert.equal(JSON.parse(handedOn[2] ?? ''), { id: 8, result: {}, sessionId: 'S1' });
    assert.equal(told, []);
  }));

test('T-62: a page that talks too fast is reported once, with its workers and frames; its neighbours may talk on', () =>
  withPipe(async ({ handedOn, says, told, passes }) => {
    const targetInfo = { type: 'worker', browserContextId: 'C1' };
    await says('Target.attachedToTarget', { sessionId: 'W1', targetInfo }, 'S1');
    for (let second = 0; second < 3; second++) {
      for (let at = 0; at < 900; at++) void says('Runtime.consoleAPICalled', { at }, at % 2 === 0 ? 'S1' : 'W1');
      for (let at = 0; at < 1_500; at++) void says('Runtime.exceptionThrown', { at }, 'S2');
      await says('Page.loadEventFired', {}, 'S1');
      passes(1_001);
    }
    assert.equal(told, []);
    for (let at = 0; at < 2_500; at++) void says('Runtime.consoleAPICalled', { at }, 'W1');
    await says('Page.loadEventFired', {}, 'S2');
    assert.equal(told, ['C1']);
    handedOn.length = 0;
    await says('Page.loadEventFired', {}, 'S1');
    await says('Page.loadEventFired', {}, 'S2');
    await says('Target.detachedFromTarget', { sessionId: 'W1' }, 'S1');
    assert.equal(
      handedOn.map((text) => JSON.parse(text).method + JSON.parse(text).sessionId),
      ['Page.loadEventFiredS2', 'Target.detachedFromTargetS1'],
      'of the loud one only its end is heard',
    );
    assert.equal(told, ['C1']);
  }));

test('T-62: few words that are too long are too much, and so are too many that are heard', () =>
  withPipe(async ({ says, told, passes }) => {
    for (let at = 0; at < 5; at++) await says('Runtime.consoleAPICalled', { text: 'x'.repeat(1_000_000) }, 'S1');
    assert.equal(told, ['C1']);
    // The browser itself speaks of a page's new address or title, and names its context at the end.
    for (let at = 0; at < 70; at++) {
      const url = `https://x.example/?"browserContextId":"C1"&${'x'.repeat(1_000_000)}`;
      await says('Target.targetInfoChanged', { targetInfo: { url, browserContextId: 'C2' } });
      passes(10_000);
    }
    assert.equal(told, ['C1', 'C2']);
  }));

test('T-62: a page may attach three hundred frames in all, also those that it takes away again', () =>
  withPipe(async ({ says, told }) => {
    for (let at = 0; at < 300; at++) {
      void says('Page.frameAttached', { frameId: `${at}` }, 'S1');
      void says('Page.frameDetached', { frameId: `${at}` }, 'S1');
    }
    await says('Page.loadEventFired', {}, 'S1');
    assert.equal(told, []);
    await says('Page.frameAttached', { frameId: '300' }, 'S1');
    assert.equal(told, ['C1']);
  }));

test('T-62: a long address of a page to itself is counted and not kept, and requests that are reported in all have a bound', () =>
  withPipe(async ({ handedOn, says, told }) => {
    const request = (length: number, session: string): Promise<void> =>
      says('Network.requestWillBeSent', { request: { url: `data:,${'x'.repeat(length)}` } }, session);
    await request(1_000_000, 'S1');
    await request(1_000, 'S1');
    assert.equal([handedOn.length, told], [1, []], 'a large picture in the page itself does no harm');
    for (let at = 0; at < 400; at++) await request(50_000, 'S2');
    assert.equal(told, ['C2']);
    assert.ok(handedOn.length < 350, `${handedOn.length} messages of 50 kB`);
  }));

test('a browser that says what nobody can read is given up, and ends nothing else (T-75)', async () => {
  const clock: Clock = { now: () => 0, after: () => ({ cancel: () => {} }) };
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', note);
  try {
    for (const hostile of ['{"method":"Target.attachedToTarget"garbage\0', '\0', '{"id":1,}\0', 'null\0']) {
      const [commands, events] = [new PassThrough(), new PassThrough()];
      let broken = 0;
      const pipe = openBrowserPipe(commands, events, clock, () => broken++);
      // As puppeteer takes messages: in an asynchronous function.
      pipe.onmessage = async (text) => void JSON.parse(text).id.toString();
      events.write(hostile);
      for (let turn = 0; turn < 6; turn++) await new Promise((resolve) => setImmediate(resolve));
      assert.ok(broken > 0, hostile);
    }
    assert.equal(unhandled, []);
  } finally {
    process.off('unhandledRejection', note);
  }
});

test.run();
