/** The host's half of the settings page's protocol without a browser: what it refuses to frame, its bounds, its end. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readFrameMessage } from '../../api/integration/settings-frame/read-frame-message.mjs';
import { hostSettingsFrame } from '../../api/integration/settings-frame/settings-host.mjs';

const test = suite('settings host');

const settingsUrl = 'https://notes.example/settings.html';

interface Posted {
  readonly message: {
    readonly type?: string;
    readonly cmd?: string;
    readonly payload?: Record<string, unknown>;
    readonly data?: unknown;
  };
  readonly target: string;
}

interface More {
  settingsUrl?: string;
  requestGrant?: () => Promise<string>;
  redirect?: { redirectUrl: string; tempToken: string };
}

/** A window, a frame in it, and what was posted into the frame. */
function played(more: More = {}) {
  const posted: Posted[] = [];
  const refusals: string[] = [];
  const inside = { postMessage: (message: Posted['message'], target: string) => posted.push({ message, target }) };
  const window = Object.assign(new EventTarget(), { location: { origin: 'https://papers.example' } });
  const attributes = { setAttribute: () => {}, removeAttribute: () => {}, style: {} };
  const frame = Object.assign(new EventTarget(), attributes, { contentWindow: inside, src: '' });
  const host = hostSettingsFrame({
    window: window as unknown as Window,
    frame: frame as unknown as HTMLIFrameElement,
    settingsUrl,
    sourcePrefix: 'service',
    payload: {},
    requestGrant: async () => 'a grant',
    saveSettings: () => {},
    refused: (why) => refusals.push(why),
    ...more,
  });
  return {
    host,
    posted,
    refusals,
    frame,
    hear(data: unknown, { origin = 'https://notes.example', source = inside as unknown } = {}) {
      window.dispatchEvent(Object.assign(new Event('message'), { data, origin, source }));
    },
    grants: () => posted.filter(({ message }) => message.type === 'CONNECTION_GRANT'),
  };
}

const ask = (requestId: string) => ({ source: 'service-plugin', type: 'REQUEST_CONNECTION', payload: { requestId } });
const turns = () => new Promise<void>((resolve) => setImmediate(resolve));

test('T-40: only another origin over HTTPS is framed; plain HTTP is for loopback', () => {
  for (const url of [
    'https://papers.example/settings.html',
    'http://notes.example/settings.html',
    'https://user@notes.example/',
    'https://user:word@notes.example/',
    'javascript:alert(1)',
    'data:text/html,x',
    'blob:https://notes.example/1',
    'about:blank',
    'notes.example',
  ]) {
    assert.throws(() => played({ settingsUrl: url }), undefined, url);
  }
  for (const url of ['http://127.0.0.1:8080/x', 'http://localhost:8080/x', 'http://[::1]:8080/x']) {
    assert.is(played({ settingsUrl: url }).frame.src, url);
  }
});

test('T-40: the window and the origin must both be right, and every word goes to that origin', async () => {
  const { hear, posted, grants, frame } = played();
  const ready = { source: 'service-plugin', type: 'READY' };
  for (const origin of ['https://evil.example', 'http://notes.example', 'https://notes.example:8443', 'null', '']) {
    hear(ready, { origin });
    hear(ask('x'), { origin });
  }
  for (const source of [null, {}]) hear(ask('x'), { source });
  await turns();
  assert.equal(posted, []);
  hear(ready);
  hear(ask('x'));
  frame.dispatchEvent(new Event('load'));
  await turns();
  assert.is(grants().length, 1);
  assert.is(posted.length, 7, 'INIT three times at READY and at the load, and a grant');
  assert.ok(posted.every(({ target }) => target === 'https://notes.example'));
});

test('PAGE-16, PAGE-30: a way back from a login elsewhere is sent before each INIT, which pages may take it for', async () => {
  const redirect = { redirectUrl: 'https://papers.example/console/papers/1/settings', tempToken: 'once' };
  const { posted, frame } = played({ redirect });
  frame.dispatchEvent(new Event('load'));
  assert.equal(
    posted.map(({ message }) => message.type ?? message.cmd),
    ['REDIRECT', 'REDIRECT', 'redirect', 'INIT', 'INIT', 'message'],
  );
  assert.equal(posted[0]?.message.payload, redirect);
  assert.equal(posted[2]?.message.data, redirect);
});

test('a page gets grants for 100 requests; the next one is refused to the person', async () => {
  let asked = 0;
  const { hear, grants, refusals } = played({ requestGrant: async () => `grant ${++asked}` });
  for (let each = 1; each <= 101; each++) hear(ask(`request ${each}`));
  await turns();
  assert.equal([asked, grants().length, refusals.length], [100, 100, 1]);
  assert.equal(grants()[6]?.message.payload, { requestId: 'request 7', grant: 'grant 7' });
});

test('grants are asked for one after the other, and a failed one does not stop the next', async () => {
  const order: string[] = [];
  let fail: (error: unknown) => void = () => {};
  const outcomes = [new Promise<string>((_, reject) => (fail = reject)), Promise.resolve('second grant')];
  const { hear, grants } = played({
    requestGrant: () => {
      order.push('asked');
      return outcomes.shift() ?? Promise.reject(new Error('unasked'));
    },
  });
  hear(ask('one'));
  hear(ask('two'));
  await turns();
  assert.is(order.length, 1);
  fail(new Error('Paper access denied'));
  await turns();
  assert.equal(
    grants().map(({ message }) => message.payload),
    [
      { requestId: 'one', error: 'Paper access denied' },
      { requestId: 'two', grant: 'second grant' },
    ],
  );
});

test('once it is stopped, a grant under way reaches nobody and nothing is heard', async () => {
  let give: (grant: string) => void = () => {};
  const { host, hear, posted, frame } = played({ requestGrant: () => new Promise((resolve) => (give = resolve)) });
  hear(ask('one'));
  await turns();
  host.stop();
  give('late');
  hear({ type: 'INIT_REQUEST' });
  frame.dispatchEvent(new Event('load'));
  await turns();
  assert.equal(posted, []);
});

test('whatever a page says is answered with a value', () => {
  const deep = (levels: number): unknown => (levels === 0 ? 1 : { a: deep(levels - 1) });
  const kind = (data: unknown) => readFrameMessage(data, 'service')?.kind;
  for (const data of [
    undefined,
    null,
    1,
    'READY',
    [],
    {},
    { type: 'READY' },
    { source: 'service-plugin' },
    new Map(),
  ]) {
    assert.is(kind(data), undefined);
  }
  const update = (payload: unknown) => kind({ source: 'service-plugin', type: 'UPDATE_SETTINGS', payload });
  assert.equal([update(deep(16)), update(deep(17)), update(deep(5_000))], ['settings', 'refused', 'refused']);
  assert.equal([update({ a: 1n }), update({ a: undefined, b: Number.NaN })], ['refused', 'settings']);
  const round: Record<string, unknown> = {};
  round.self = round;
  assert.is(update(round), 'refused');
  for (const heightPx of [Number.NaN, Number.POSITIVE_INFINITY, '400', null]) {
    assert.is(kind({ type: 'paperlesspaper:settings:height', height: heightPx }), 'refused');
  }
  assert.is(kind({ source: 'service-plugin', type: 'INFO', payload: {} }), undefined);
});

test.run();
