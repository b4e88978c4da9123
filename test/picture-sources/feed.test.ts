/** Lists of pictures at an address as a source. */
import type { ServerResponse } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { homeNetworks } from '../../api/outgoing/home-networks.ts';
import { openFeedSource } from '../../api/picture-sources/feed/feed-source.ts';
import { atomFeed, jsonFeed, plainList, rssFeed } from './fake-feed.ts';
import { faultFrom, listWhole, withPictureServer } from './file-world.ts';

const test = suite('pictures of feeds');

const address = new URL('https://pictures.example/list/feed');

function withFeed(body: string | Buffer, run: Parameters<typeof withPictureServer>[1]): Promise<void> {
  return withPictureServer(
    ({ path, headers }, response) => answer(path, String(headers['if-none-match']), body, response),
    run,
  );
}

function answer(path: string, known: string, body: string | Buffer, response: ServerResponse): void {
  if (path !== '/list/feed') return void response.writeHead(/gone/.test(path) ? 404 : 200).end(`picture ${path}`);
  if (known === '"7"') return void response.writeHead(304).end();
  response.writeHead(200, { etag: '"7"' }).end(body);
}

test('RSS, Atom, JSON Feed and a plain list are read, each picture once', async () => {
  const expected: [string | Buffer, string, string[]][] = [
    [rssFeed, 'Harbour & sea', ['one Ferry', 'two Crane 7', 'three Gull', 'four Film']],
    [
      Buffer.from(rssFeed.replace('UTF-8', 'ISO-8859-1').replace('Gull', 'Möwe'), 'latin1'),
      'Harbour & sea',
      ['one Ferry', 'two Crane 7', 'three Möwe', 'four Film'],
    ],
    [atomFeed, 'Garden', ['tag:garden,1 Rose', 'tag:garden,2 Oak']],
    [jsonFeed, 'Mountains', ['1 Peak', '2 lake.heic', '3 hut.jpg']],
    [
      plainList,
      'pictures.example',
      [
        'https://pictures.example/list/a.jpg a.jpg',
        'https://cdn.example/b.jpg b.jpg',
        'https://pictures.example/c.png C',
      ],
    ],
    ['{"images":["a.jpg"]}', 'pictures.example', ['https://pictures.example/list/a.jpg a.jpg']],
  ];
  for (const [body, title, keys] of expected) {
    await withFeed(body, async ({ deps }) => {
      const source = openFeedSource(deps, { address });
      const { pictures } = await listWhole(source);
      assert.equal(
        pictures.map(({ key, name }) => `${key} ${name}`),
        keys,
      );
      assert.is((await source.summarize()).title, title);
    });
  }
});

test('the largest picture of an entry is fetched, with its title and whom it names', () =>
  withFeed(rssFeed, async ({ deps, received }) => {
    const source = openFeedSource(deps, { address });
    const { pictures } = await listWhole(source);
    const [ferry] = pictures;
    assert.equal([ferry?.width, ferry?.height, ferry?.arrivedAt], [2_000, 1_000, Date.UTC(2025, 0, 4, 23, 16, 8)]);
    assert.equal(
      pictures.map(({ sort }) => sort),
      ['picture', 'picture', 'picture', 'video'],
    );
    const fetched = await source.fetchPicture('one', { longSide: 800 });
    assert.equal(
      [String(fetched?.content), fetched?.caption, fetched?.credit],
      ['picture /large.jpg?a=1&b=2', 'Ferry', 'Anna Berg'],
    );
    assert.is(received.at(-1)?.headers.host, 'cdn.example');
    assert.is(String((await source.fetchPicture('two', { longSide: 800 }))?.content), 'picture /list/crane.png');
    assert.is(
      String((await source.fetchPicture('three', { longSide: 800 }))?.content),
      'picture /list/gull.jpg?x=1&y=2',
    );
    assert.is(await source.fetchPicture('four', { longSide: 800 }), undefined);
    assert.is(await source.fetchPicture('no such entry', { longSide: 800 }), undefined);
  }));

test('a feed that did not change lists nothing, by its ETag or by its bytes', () =>
  withFeed(atomFeed, async ({ deps, received }) => {
    const source = openFeedSource(deps, { address });
    const { end } = await listWhole(source);
    const mark = end === 'unchanged' ? undefined : end.mark;
    assert.equal(await listWhole(source, mark), { pictures: [], pages: 0, end: 'unchanged' });
    assert.is(received.at(-1)?.headers['if-none-match'], '"7"');
    const withoutEtag = JSON.stringify({ digest: JSON.parse(mark ?? '').digest });
    assert.is((await listWhole(source, withoutEtag)).end, 'unchanged');
    assert.is((await listWhole(source, 'not a mark')).pictures.length, 2);
  }));

test('what is not a list of pictures is refused, and so are entities and endless answers', async () => {
  const bodies = [
    '',
    'hello',
    '<html><body>',
    '{"a":1}',
    '[',
    '<!DOCTYPE r [<!ENTITY a "b">]><rss><channel><title>&a;</title></channel></rss>',
  ];
  for (const body of bodies) {
    await withFeed(body, async ({ deps }) => {
      const fault = await faultFrom(openFeedSource(deps, { address }).summarize());
      assert.is(fault, 'unusable: there is no list of pictures at this address', body);
    });
  }
  await withFeed(Buffer.alloc(9_000_000, '['), async ({ deps }) => {
    assert.match(await faultFrom(openFeedSource(deps, { address }).summarize()), /^unusable: .*too long/);
  });
});

test('a feed from outside leads to no picture in the house, and one in the house to its own', () => {
  const home = homeNetworks({
    entries: [{ address: '192.168.1.0', prefix: 24 }],
    notFor: [],
    own: { addresses: () => [], listening: () => [], databases: [], hosts: () => [] },
  });
  const list = JSON.stringify(['http://192.168.1.5/secret.jpg', 'gone.jpg']);
  return withPictureServer(
    ({ path }, response) => answer(path, '', list, response),
    async ({ deps, network }) => {
      const outside = openFeedSource(deps, { address });
      assert.match(
        await faultFrom(outside.fetchPicture('http://192.168.1.5/secret.jpg', { longSide: 800 })),
        /^away: /,
      );
      assert.equal(
        network.dialled.map((target) => target.address),
        ['93.184.215.14'],
      );
      assert.is(await outside.fetchPicture('https://pictures.example/list/gone.jpg', { longSide: 800 }), undefined);
      const inside = openFeedSource(deps, { address: new URL('http://192.168.1.5/list/feed') });
      const fetched = await inside.fetchPicture('http://192.168.1.5/secret.jpg', { longSide: 800 });
      assert.is(String(fetched?.content), 'picture /secret.jpg');
    },
    { home },
  );
});

test.run();
