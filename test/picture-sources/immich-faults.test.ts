/** Servers that call themselves Immich and answer as they should not: everything ends as a fault, soon and in clear words. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openImmich } from '../../api/picture-sources/immich/immich-source.ts';
import { fakeImmich } from './fake-immich.ts';
import { faultOfCall, type ImmichWorld, listAll, withImmich } from './immich-world.ts';
import { withSourceServer } from './source-world.ts';

const test = suite('faults of immich');

/** Lists an album of two pictures. */
function listAlbum({ fake, open }: Pick<ImmichWorld, 'fake' | 'open'>): Promise<string> {
  const album = [...fake.albums.keys()][0] ?? fake.addAlbum('Two');
  if (fake.pictures.size === 0) fake.add({ album }, 2);
  return faultOfCall(listAll(open({ by: 'albums', ids: [album] })));
}

test('a status is read as what it means', async () => {
  await withImmich('3.2.2', async (world) => {
    const { faults } = world.fake;
    for (const [status, kind] of [
      [401, 'denied'],
      [403, 'denied'],
      [404, 'gone'],
      [410, 'gone'],
      [429, 'away'],
      [500, 'away'],
      [502, 'away'],
      [503, 'away'],
      [418, 'unusable'],
      [304, 'unusable'],
    ] as const) {
      faults.status = status;
      assert.match(await listAlbum(world), `${kind}: `, String(status));
    }
    faults.headers = { location: 'https://elsewhere.example/login' };
    faults.status = 302;
    const words = await listAlbum(world);
    assert.match(words, /^(?:away|unusable): /);
    assert.not.match(words, /key-of-the-house/);
    assert.not.ok(
      world.received.some(({ headers }) => headers.host === 'elsewhere.example' && headers['x-api-key'] !== undefined),
    );
  });
});

test('the seconds that a busy server asks for are handed on', async () => {
  await withImmich('3.2.2', async ({ fake, open }) => {
    fake.faults.status = 429;
    fake.faults.headers = { 'retry-after': '120' };
    try {
      await listAll(open({ by: 'favourites' }));
      assert.unreachable();
    } catch (error) {
      assert.is((error as { waitSeconds?: number }).waitSeconds, 120);
    }
  });
});

test('bodies that are not what is asked for are refused', async () => {
  await withImmich('3.2.2', async (world) => {
    const { faults } = world.fake;
    for (const body of [
      '',
      '<!doctype html><title>Login</title>',
      'null',
      '[]',
      '{}',
      '{"assets":null}',
      '{"assets":{"items":7}}',
      '{"id":"../../etc","assetCount":1}',
      '\ufeff',
      '{"id":',
      '"'.repeat(1_000),
      '['.repeat(20_000),
    ]) {
      faults.body = () => body;
      assert.match(await listAlbum(world), 'unusable: the server answers, but not as expected', body.slice(0, 40));
    }
  });
});

test('a body of 100 MB ends where its limit is', async () => {
  await withImmich('3.2.2', async (world) => {
    const large = Buffer.alloc(100 * 1024 * 1024, 0x20);
    world.fake.faults.body = () => large;
    const before = process.memoryUsage().rss;
    assert.match(await listAlbum(world), /^unusable: .*the answer is too long/);
    const { fake, open } = world;
    const key = fake.add();
    fake.faults.body = (path) => (path.endsWith('/thumbnail') ? large : undefined);
    assert.match(await faultOfCall(open().fetchPicture(key, { longSide: 800 })), /^unusable: .*the answer is too long/);
    assert.ok(process.memoryUsage().rss - before < 300 * 1024 * 1024);
  });
});

test('pictures that cannot be read keep none of the others away, and huge numbers are left out', async () => {
  await withImmich('3.2.2', async ({ fake, open }) => {
    const good = fake.add({ isFavourite: true, name: 'a'.repeat(3_000) });
    const text = '\u202e\ud800 \u0000 \u00e9\u0301';
    const odd = {
      type: 'IMAGE',
      visibility: 'timeline',
      width: 1e308,
      height: -4,
      localDateTime: text,
      exifInfo: 'none',
    };
    const id = good.replace(/^./, good.startsWith('f') ? '0' : 'f');
    const items = [
      null,
      7,
      { id: 'x' },
      { ...odd, id, originalFileName: text, duration: [] },
      { id: good, type: 'IMAGE' },
    ];
    fake.faults.body = (path) => {
      if (path === '/api/search/metadata')
        return JSON.stringify({ assets: { items, nextPage: null, nextCursor: null } });
      return path === '/api/search/statistics' ? '{"total":2}' : undefined;
    };
    const { keys, pictures } = await listAll(open({ by: 'favourites' }));
    assert.equal(keys, [id, good]);
    assert.is(pictures[0]?.height, undefined);
    assert.is(pictures[0]?.taken, undefined);
    assert.is(pictures[0]?.name, '\u00e9\u0301');
  });
});

test('pages without an end are a fault, and so are counts beyond every library', async () => {
  await withImmich('3.2.2', async (world) => {
    let asked = 0;
    world.fake.faults.body = (path) => {
      if (path !== '/api/search/metadata') return undefined;
      asked += 1;
      return JSON.stringify({ assets: { items: [], nextPage: null, nextCursor: `c${asked}` } });
    };
    assert.match(await listAlbum(world), /^unusable: the server lists the same page/);
    assert.ok(asked <= 3);
    world.fake.faults.body = (path) => (path === '/api/search/statistics' ? '{"total":9007199254740991}' : undefined);
    assert.match(await listAlbum(world), /^unusable: the server lists 2 of 9007199254740991 pictures/);
  });
});

test('a server that is not Immich says so, and one that answers a byte and no more is away after a minute', async () => {
  await withImmich('3.2.2', async (world) => {
    const { fake, open, clock, arrived, received } = world;
    const key = fake.add();
    fake.faults.isSlow = true;
    const fetched = faultOfCall(open().fetchPicture(key, { longSide: 800 }));
    await arrived(2);
    for (let step = 0; step < 50 && received.length < 3; step++) {
      await new Promise((resolve) => setImmediate(resolve));
      clock.passes(10_000);
    }
    assert.match(await fetched, /^away: /);
  });
  await withImmich('0.0.0', async ({ fake, open }) => {
    fake.version = 'none';
    assert.match(await faultOfCall(open().summarize()), 'unusable: no Immich server answers at this address');
  });
});

test('a server that is away is asked again by the same source, and one that moved is followed with its key', async () => {
  await withImmich('3.2.2', async ({ fake, open }) => {
    const key = fake.add();
    const source = open();
    fake.faults.status = 502;
    assert.match(await faultOfCall(source.fetchPicture(key, { longSide: 800 })), /^away: /);
    delete fake.faults.status;
    assert.ok(await source.fetchPicture(key, { longSide: 800 }));
  });
  const fake = fakeImmich();
  await withSourceServer(
    (request, response) => {
      if (!request.path.startsWith('/old/')) return fake.answer(request, response);
      response.writeHead(301, { location: request.path.slice('/old'.length) }).end();
    },
    async ({ deps, received }) => {
      fake.favourite(fake.add());
      const settings = { server: 'https://photos.example/old/', choice: { by: 'favourites' as const } };
      const source = openImmich(deps, { settings, login: { apiKey: fake.apiKey } });
      assert.is((await listAll(source)).keys.length, 1);
      assert.is(received.filter(({ path }) => path.startsWith('/old/')).length, 1);
    },
  );
});

test('what is stopped ends at once', async () => {
  await withImmich('3.2.2', async ({ fake, open, over, arrived }) => {
    fake.faults.isSlow = true;
    const listed = faultOfCall(listAll(open({ by: 'favourites' })));
    await arrived(2);
    over.abort();
    assert.match(await listed, /^away: /);
  });
});

test.run();
