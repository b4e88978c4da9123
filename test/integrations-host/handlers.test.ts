/** Handlers of a checkout: what they get, what they may ask, and that none of them holds up another. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fakeNetwork, hereNetwork, withReceiver } from '../callbacks/receiver.ts';
import { type HostWorld, withHost } from './made-checkout.ts';

const test = suite('handlers of integrations');

const asked = (at: string, more: object = {}) => `/tides/api/ask?${new URLSearchParams({ at, ...more })}`;
const json = async ({ get }: HostWorld, path: string, init?: RequestInit) => JSON.parse((await get(path, init)).text);
const post = (body: string) => ({ method: 'POST', body, headers: { 'content-type': 'application/json' } });

test('a handler is loaded once, gets query and body, and finds packages of the checkout', () =>
  withHost({ network: hereNetwork }, async (world) => {
    const { host, ...first } = await json(world, '/tides/api/data?at=a&at=b&c=1');
    assert.equal(first, { query: { at: ['a', 'b'], c: '1' }, low: 3, word: 'shared', loaded: 1, calls: 1 });
    assert.match(host, /^127\.0\.0\.1:\d+$/);
    const second = await json(world, '/tides/api/data?c=1&d=2', post('{"c":{"deep":true}}'));
    assert.equal([second.query, second.loaded, second.calls], [{ c: { deep: true }, d: '2' }, 1, 2]);
    assert.is((await world.get('/tides/api/data')).headers.get('cache-control'), 'no-store');
  }));

test('a handler sees the variables that were named, and no others', () =>
  withHost(
    { network: hereNetwork, options: { env: ['TIDE_KEY'] }, environment: { TIDE_KEY: 'k', OTHER: 'o' } },
    async (world) => {
      assert.equal(await json(world, '/tides/api/env'), { seen: ['TIDE_KEY'], key: 'k' });
    },
  ));

test('bodies that do not fit are refused with a sentence', () =>
  withHost({ network: hereNetwork }, async ({ get }) => {
    const answers = [
      [await get('/tides/api/data', post('{')), 400, /not JSON/],
      [await get('/tides/api/data', post('[1]')), 400, /not an object/],
      [await get('/tides/api/data', post(JSON.stringify({ a: 'x'.repeat(70_000) }))), 413, /64 KiB/],
      [await get('/tides/api/none'), 404, /no handler/],
      [await get('/tides/api/nothing'), 502, /exports no handler/],
      [await get('/tides/api/throws'), 500, /no tide today/],
      [await get('/wild/api/long'), 502, /answered too much/],
    ] as const;
    for (const [{ status, text }, wanted, words] of answers) {
      assert.equal([status, words.test(JSON.parse(text).error)], [wanted, true], text);
    }
  }));

test('a handler asks by the host, which dials the address that it checked', () =>
  withReceiver(
    ({ path, headers }, response) => {
      if (path === '/leads') response.writeHead(302, { location: 'http://other.example/end' }).end();
      else if (path === '/home') response.writeHead(302, { location: 'http://192.168.1.9/inside' }).end();
      else if (path === '/self') response.writeHead(302, { location: 'http://127.0.0.1/' }).end();
      else response.writeHead(200, { 'content-type': 'text/plain' }).end(headers.authorization ?? 'no login');
    },
    async ({ port, received }) => {
      const network = fakeNetwork(port, (name) => (name === 'turned.example' ? ['192.168.1.9'] : ['203.0.113.9']));
      const publicNetwork = {
        ...network,
        resolve: async (name: string) => (name === 'turned.example' ? ['192.168.1.9'] : ['93.184.215.14']),
      };
      await withHost({ network: publicNetwork }, async (world) => {
        const fine = await json(world, asked('http://tide.example/now', { redirect: 'follow' }));
        assert.equal(fine, { status: 200, url: 'http://tide.example/now', type: 'text/plain', text: 'Bearer t' });
        const led = await json(world, asked('http://tide.example/leads', { redirect: 'follow' }));
        assert.equal([led.url, led.text], ['http://other.example/end', 'no login']);
        const manual = await json(world, asked('http://tide.example/leads', { redirect: 'manual' }));
        assert.is(manual.status, 302);
        const older = await json(world, '/tides/api/older?name=dav.example');
        assert.equal(older, { status: 200, text: 'no login', found: 1 });
        assert.equal([received.at(-1)?.method, received.at(-1)?.body], ['REPORT', '<asks/>']);
        const before = received.length;
        const refused = [
          ...[
            'http://127.0.0.1/',
            'http://localhost/',
            'http://[::1]/',
            'http://192.168.1.9/',
            'http://169.254.169.254/',
          ],
          ...['http://turned.example/', 'file:///etc/hostname'],
        ];
        for (const at of refused) assert.is((await world.get(asked(at))).status, 500, at);
        assert.is(received.length, before, 'nobody was asked');
        for (const at of ['http://tide.example/home', 'http://tide.example/self'])
          assert.is((await world.get(asked(at))).status, 500, at);
        assert.is(received.length, before + 2, 'the redirects were not followed');
      });
    },
  ));

test('the house is asked where the operator allows it, and from outside no redirect leads there', () =>
  withReceiver(
    ({ path }, response) => {
      if (path === '/home') response.writeHead(302, { location: 'http://192.168.1.9/inside' }).end();
      else response.writeHead(200).end('at home');
    },
    async ({ port }) => {
      const network = { ...fakeNetwork(port, () => []), resolve: async () => ['93.184.215.14'] };
      await withHost({ network, options: { home: ['192.168.1.0/24'] } }, async (world) => {
        assert.is((await json(world, asked('http://192.168.1.9/state'))).text, 'at home');
        assert.is((await world.get(asked('http://tide.example/home'))).status, 500);
        assert.is((await world.get(asked('http://127.0.0.1/'))).status, 500);
      });
    },
  ));

test('a handler reads nothing but the checkout, writes nothing, and starts nothing', () =>
  withHost({ network: hereNetwork }, async ({ get }) => {
    for (const name of ['reads', 'writes', 'starts']) assert.is((await get(`/wild/api/${name}`)).status, 500, name);
    assert.equal(JSON.parse((await get('/wild/api/fine')).text), { fine: true });
  }));

test('handlers that never return, that end their process or that take all memory are ended, and nobody else waits', () =>
  withHost({ network: hereNetwork, limits: { callMs: 4_000, heapMib: 64, memoryMib: 220 } }, async ({ get }) => {
    for (const [name, status] of [
      ['loop', 504],
      ['waits', 504],
      ['crash', 502],
      ['fills', 502],
      ['buffers', 502],
    ] as const) {
      const wild = get(`/wild/api/${name}`);
      const other = await get('/tides/api/data');
      assert.is(other.status, 200, `beside ${name}`);
      const { status: answered, text } = await wild;
      assert.is(answered, status, `${name}: ${text}`);
      assert.match(JSON.parse(text).error, /try again/);
    }
    assert.equal(JSON.parse((await get('/wild/api/fine')).text), { fine: true }, 'another process takes its place');
  }));

test.run();
