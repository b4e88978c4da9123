/** Polling: what is asked, what stays when an address fails, and where secrets go. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dataOf, type PollMore, problemsOf, withPolls } from './poll-world.ts';

const test = suite('polling of recipes');

const address = 'https://a.example/data';
const json = { 'content-type': 'application/json' };
const minute = 60_000;

test('an answer is kept with its time and its host', async () => {
  await withPolls(
    (_, response) => response.writeHead(200, json).end('{"a":7.0}'),
    async ({ poll, clock, received }) => {
      const kept = await poll(address);
      assert.is(kept.data, '{"a":7.0}');
      assert.equal([kept.polledAt, kept.changedAt], [clock.now(), clock.now()]);
      assert.equal(kept.hosts, ['a.example']);
      assert.is(kept.failed, undefined);
      const [answer] = kept.answers;
      assert.equal(
        [answer?.host, answer?.format, answer?.read, answer?.answeredAt],
        ['a.example', 'json', '{"a":7.0}', clock.now()],
      );
      assert.is(received[0]?.headers['if-none-match'], undefined);
      assert.match(received[0]?.headers.accept ?? '', /application\/json/);
    },
  );
});

test('RC-81: an address is asked for what has changed, and 304 leaves the data and their change as they are', async () => {
  let version = 1;
  await withPolls(
    ({ headers }, response) => {
      const etag = `"v${version}"`;
      if (headers['if-none-match'] === etag) return response.writeHead(304).end();
      const validators = { etag, 'last-modified': 'Sat, 10 Jan 2026 08:00:00 GMT' };
      return response.writeHead(200, { ...json, ...validators }).end(`{"version":${version}}`);
    },
    async ({ poll, clock, received }) => {
      const first = await poll(address);
      clock.passes(minute);
      const second = await poll(address, { kept: first });
      assert.is(received[1]?.headers['if-none-match'], '"v1"');
      assert.is(received[1]?.headers['if-modified-since'], 'Sat, 10 Jan 2026 08:00:00 GMT');
      assert.equal(dataOf(second), { version: 1 });
      assert.is(second.changedAt, first.changedAt);
      assert.is(second.answers[0]?.answeredAt, clock.now());
      version = 2;
      clock.passes(minute);
      const third = await poll(address, { kept: second });
      assert.equal([dataOf(third), third.changedAt], [{ version: 2 }, clock.now()]);
      // Another request has no answer yet, so it is asked for everything.
      await poll(`${address}?other`, { kept: third });
      assert.is(received.at(-1)?.headers['if-none-match'], undefined);
    },
  );
});

test('304 to somebody who asked for everything is a failure', async () => {
  await withPolls(
    (_, response) => response.writeHead(304).end(),
    async ({ poll }) => {
      const kept = await poll(address);
      assert.is(kept.data, undefined);
      assert.match(problemsOf(kept)[0] ?? '', /304/);
    },
  );
});

test('the same bytes change nothing', async () => {
  let text = '{"a":1}';
  await withPolls(
    (_, response) => response.writeHead(200, json).end(text),
    async ({ poll, clock }) => {
      const first = await poll(address);
      clock.passes(minute);
      const second = await poll(address, { kept: first });
      assert.is(second.changedAt, first.changedAt);
      text = '{"a":2}';
      clock.passes(minute);
      assert.is((await poll(address, { kept: second })).changedAt, clock.now());
    },
  );
});

test('RC-18, RC-82: whatever fails, the last data stay with the time since when it fails', async () => {
  const failures: readonly (readonly [status: number, headers: Record<string, string>, body: string, words: RegExp])[] =
    [
      [500, {}, 'oops', /500/],
      [404, json, '{"a":"not found"}', /404/],
      [401, {}, '', /log|sign|401/i],
      [200, json, '{"a":', /^its answer cannot be read as JSON$/],
      [
        200,
        { 'content-type': 'text/html' },
        '<!doctype html><p>Sign in to the network',
        /^it answers a web page where it answered data before$/,
      ],
      [200, json, `${'['.repeat(10_000)}${']'.repeat(10_000)}`, /^its answer is nested too deeply$/],
      [200, json, `{"a":"${'x'.repeat(2_000_000)}"}`, /^its data are longer than 1 MB$/],
      [200, json, `{"a":"${'x'.repeat(6_000_000)}"}`, /too long|larger|longer|MB/],
      [
        200,
        { 'content-type': 'text/xml' },
        '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
        /^its answer cannot be read as XML$/,
      ],
      [302, { location: 'http://127.0.0.1/' }, '', /redirect/],
    ];
  let at = -1;
  await withPolls(
    (_, response) => {
      const [status, headers, body] = failures[at] ?? [200, json, '{"good":true}'];
      response.writeHead(status, headers).end(body);
    },
    async ({ poll, clock }) => {
      let kept = await poll(address);
      const { changedAt } = kept;
      const answeredAt = clock.now();
      clock.passes(minute);
      const failingSince = clock.now();
      for (at = 0; at < failures.length; at++) {
        kept = await poll(address, { kept });
        assert.match(problemsOf(kept)[0] ?? '', failures[at]?.[3] ?? /never/, `failure ${at}`);
        assert.equal(dataOf(kept), { good: true }, `failure ${at}`);
        assert.equal(
          [kept.answers[0]?.answeredAt, kept.answers[0]?.failingSince, kept.changedAt, kept.polledAt],
          [answeredAt, failingSince, changedAt, clock.now()],
        );
        clock.passes(minute);
      }
      kept = await poll(address, { kept });
      assert.equal([problemsOf(kept)[0], kept.answers[0]?.failingSince], ['', undefined]);
      assert.is(kept.answers[0]?.answeredAt, clock.now());
    },
  );
});

test('an address that never answered has no data, and says why', async () => {
  await withPolls(
    (_, response) => response.writeHead(503).end(),
    async ({ poll, clock }) => {
      const first = await poll(address);
      assert.is(first.data, undefined);
      assert.match(problemsOf(first)[0] ?? '', /503/);
      clock.passes(minute);
      const second = await poll(address, { kept: first });
      assert.is(second.answers[0]?.failingSince, first.polledAt);
    },
  );
});

test('a recipe that is made for a web page gets one', async () => {
  await withPolls(
    (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>7'),
    async ({ poll }) => {
      const first = await poll(address);
      assert.equal(dataOf(first), { data: '<p>7' });
      assert.equal(problemsOf(await poll(address, { kept: first })), ['']);
    },
  );
});

test('RC-13: of several addresses each has its place, and one that fails its own last data', async () => {
  let isBroken = false;
  await withPolls(
    ({ path }, response) => {
      if (isBroken && path === '/b') response.writeHead(500).end();
      else response.writeHead(200, json).end(path === '/a' ? '{"a":1}' : '[2]');
    },
    async ({ poll }) => {
      const two = 'https://a.example/a\nhttps://b.example/b';
      const first = await poll(two);
      assert.equal(dataOf(first), { IDX_0: { a: 1 }, IDX_1: { data: [2] } });
      assert.equal(first.hosts, ['a.example', 'b.example']);
      isBroken = true;
      const second = await poll(two, { kept: first });
      assert.equal(dataOf(second), { IDX_0: { a: 1 }, IDX_1: { data: [2] } });
      assert.equal(
        problemsOf(second).map((words) => words !== ''),
        [false, true],
      );
      assert.equal(dataOf(await poll(two)), { IDX_0: { a: 1 }, IDX_1: {} });
      // An answer belongs to its address, not to its place.
      assert.equal(dataOf(await poll('https://b.example/b\nhttps://c.example/a', { kept: first })), {
        IDX_0: { data: [2] },
        IDX_1: { a: 1 },
      });
    },
  );
});

test('an address that names the day keeps the data of yesterday when it fails', async () => {
  let isBroken = false;
  await withPolls(
    ({ path }, response) => {
      if (isBroken) response.writeHead(500).end();
      else response.writeHead(200, { ...json, etag: '"1"' }).end(JSON.stringify({ path }));
    },
    async ({ poll, clock, received }) => {
      const daily = 'https://a.example/{{ "now" | date: "%F" }}';
      const first = await poll(daily);
      isBroken = true;
      clock.passes(24 * 60 * minute);
      const second = await poll(daily, { kept: first });
      assert.equal(dataOf(second), { path: '/2026-01-10' });
      assert.is(second.answers[0]?.failingSince, clock.now());
      assert.equal([received[1]?.path, received[1]?.headers['if-none-match']], ['/2026-01-11', undefined]);
      isBroken = false;
      assert.equal(dataOf(await poll(daily, { kept: second })), { path: '/2026-01-11' });
      // Other settings have other data.
      isBroken = true;
      assert.is((await poll(`${daily}?x`, { kept: first })).data, undefined);
    },
  );
});

test('a body is sent, and what the program makes of the answer is the data', async () => {
  await withPolls(
    ({ method, body }, response) => response.writeHead(200, json).end(JSON.stringify({ method, body })),
    async ({ poll, received }) => {
      const settings = { isPost: true, body: '{"q":"{{ q }}"}' };
      const more: PollMore = { settings, values: { q: 'x' }, seen: { trmnl: { user: { locale: 'de' } } } };
      assert.equal(dataOf(await poll(address, more)), { method: 'POST', body: '{"q":"x"}' });
      assert.is(received[0]?.headers['content-type'], 'application/json');
      const run = 'function run({ body, trmnl }) { return { made: JSON.parse(body).q + trmnl.user.locale }; }';
      const kept = await poll(address, { ...more, transform: run });
      assert.equal(dataOf(kept), { made: 'xde' });
      const failed = await poll(address, { ...more, kept, transform: 'function run() { throw new Error("no"); }' });
      assert.equal([dataOf(failed), failed.failed], [{ method: 'POST', body: '{"q":"x"}' }, 'Error: no']);
    },
  );
});

test.run();
