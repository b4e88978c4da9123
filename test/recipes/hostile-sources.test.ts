/** Sources that lie, and what stands beside them: the last data stay, each failure is a sentence, and nobody else waits. */
import type { ServerResponse } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fakeNetwork, type Received, withReceiver } from '../callbacks/receiver.ts';
import { withLivePapers } from './live-world.ts';
import { dataOf, problemsOf, withPolls } from './poll-world.ts';
import { pageJob, pageOrWords, withRecipeThreads } from './work-world.ts';

const test = suite('hostile sources');

const json = { 'content-type': 'application/json' };
const mega = 2 ** 20;

/** Sends so many megabytes, or until nobody takes them any longer, and says how many were taken. */
function pours(response: ServerResponse, most: number, taken: (megabytes: number) => void): void {
  let sent = 0;
  response.on('close', () => taken(sent));
  const more = (): void => {
    while (sent < most && !response.destroyed) {
      sent++;
      if (!response.write(Buffer.alloc(mega, 0x20))) return void response.once('drain', more);
    }
    response.end();
  };
  more();
}

/** The lies, by the path that is asked, each with the sentence about it. */
const lies: readonly (readonly [path: string, why: RegExp, lie: (response: ServerResponse) => void])[] = [
  ['/forty', /answer.*(?:longer|too long|MB)/i, (response) => pours(response.writeHead(200, json), 40, () => {})],
  ['/deep', /nested too deeply/, (response) => response.writeHead(200, json).end('{"a":'.repeat(10_000))],
  [
    '/entities',
    /cannot be read as XML/,
    (response) =>
      response
        .writeHead(200, { 'content-type': 'application/xml' })
        .end(`<!DOCTYPE x [<!ENTITY a "${'ha'.repeat(50)}"><!ENTITY b "&a;&a;&a;&a;">]><x>&b;</x>`),
  ],
  [
    '/page',
    /web page where it answered data/,
    (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><form>Sign in'),
  ],
  ['/home', /redirect|not public/, (response) => response.writeHead(302, { location: 'https://192.168.1.1/' }).end()],
  [
    '/cut',
    /\w{5}/,
    (response) => {
      response.writeHead(200, { ...json, 'content-length': '1000' }).write('{"a":');
      setImmediate(() => response.destroy());
    },
  ],
];

test('each lie is a sentence, and the last data stay with their time', () => {
  let isLying = false;
  return withPolls(
    ({ path }: Received, response) => {
      const lie = lies.find(([of]) => of === path)?.[2];
      if (isLying && lie !== undefined) lie(response);
      else response.writeHead(200, json).end('{"good":true}');
    },
    async ({ poll, clock }) => {
      for (const [path, why] of lies) {
        isLying = false;
        const good = await poll(`https://a.example${path}`);
        isLying = true;
        clock.passes(60_000);
        const kept = await poll(`https://a.example${path}`, { kept: good });
        assert.match(problemsOf(kept)[0] ?? '', why, path);
        assert.equal([dataOf(kept), kept.answers[0]?.answeredAt], [{ good: true }, good.answers[0]?.answeredAt], path);
      }
    },
  );
});

test('of forty megabytes no more is taken than the limit and what is under way', async () => {
  let taken = 0;
  await withPolls(
    (_, response) => pours(response.writeHead(200, json), 40, (megabytes) => (taken = megabytes)),
    async ({ poll }) => {
      const kept = await poll('https://a.example/forty');
      assert.match(problemsOf(kept)[0] ?? '', /MB|long/);
    },
  );
  assert.ok(taken > 3 && taken < 20, `${taken} MB`);
});

test('a feed in latin-1 has its letters, whether its header or its declaration says so', () =>
  withPolls(
    ({ path }, response) => {
      const feed = Buffer.from(
        '<?xml version="1.0" encoding="ISO-8859-1"?><rss><channel><title>Käse à la carte</title></channel></rss>',
        'latin1',
      );
      const type = path === '/header' ? 'application/rss+xml; charset=iso-8859-1' : 'application/rss+xml';
      response.writeHead(200, { 'content-type': type }).end(feed);
    },
    async ({ poll }) => {
      for (const path of ['/header', '/declared']) {
        const data = dataOf(await poll(`https://a.example${path}`)) as { rss: { channel: { title: string } } };
        assert.is(data.rss.channel.title, 'Käse à la carte', path);
      }
    },
  ));

test('markup that does not end keeps no other organization waiting', async () => {
  await withRecipeThreads(async (threads) => {
    const quiet = async (): Promise<string> => pageOrWords(await threads.work(['quiet'], pageJob('{{ 1 | plus: 1 }}')));
    assert.is(await quiet(), '2');
    const items = Array.from({ length: 60_000 }, (_, at) => `item ${(at * 7919) % 60_013}`);
    const hostile = pageJob(`{{ items${' | sort_natural'.repeat(500)} | size }}`, { items });
    const ended: string[] = [];
    // They wait for the one thread that their organization has.
    const many = Promise.all(
      Array.from({ length: 10 }, async () => ended.push(pageOrWords(await threads.work(['loud'], hostile)))),
    );
    assert.is(await quiet(), '2');
    assert.ok(ended.length < 10, 'the page was made before theirs were over');
    await many;
    for (const words of ended) assert.match(words, /takes too long|cannot be made/);
  });
});

test('fifty addresses ask nobody, and the picture before stays', () =>
  withLivePapers(
    (_, response) => response.writeHead(200, json).end('{"a":1}'),
    async ({ addPaper, call, admin, received, db }) => {
      const addresses = Array.from({ length: 50 }, (_, at) => `https://a${at}.example/`).join('\n');
      const { id } = (await addPaper('recipe', { template: { addresses, markup: 'x' } })).json;
      const deviceId = (await db('papers').where({ id }).first()).device_id;
      const draft = { deviceId, kind: 'recipe', meta: { template: { addresses, markup: 'x' } } };
      const drawn = await call('POST', '/previews/paper', { as: admin, json: draft });
      assert.match(drawn.json.problem, /names more than 10 addresses/);
      assert.is(received.length, 0);
    },
  ));

test('an address of the house is asked for nobody who was not admitted, by no name and no redirect', () =>
  withReceiver(
    (_, response) => response.writeHead(200, json).end('{"a":1}'),
    async ({ port, received }) => {
      const { openWayOut } = await import('../../api/outgoing/way-out.ts');
      const { systemClock } = await import('../../runtime/clock.ts');
      const { askSource } = await import('../../api/recipes/data/ask-source.ts');
      const { noHomeNetworks } = await import('../../api/outgoing/home-networks.ts');
      const network = fakeNetwork(port, (name) => [name === 'nas.example' ? '192.168.1.7' : '93.184.215.14']);
      const follow = { wayOut: openWayOut({ network, clock: systemClock }), home: noHomeNetworks };
      for (const url of [
        'http://192.168.1.7/',
        'http://nas.example/',
        'http://localhost/',
        'http://[::1]/',
        'http://nas.local/',
      ]) {
        const request = { url, method: 'GET', headers: {} } as const;
        const asked = await askSource(follow, { sharer: ['house'], request, logins: [], validators: undefined });
        assert.is(asked.kind, 'problem', url);
      }
      assert.is(received.length, 0);
      assert.equal(network.dialled, []);
    },
  ));

test.run();
