/** iCloud shared albums as a source, on both of Apple's wires. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { iCloudLogin, openICloud } from '../../api/picture-sources/icloud/icloud-source.ts';
import type { PictureSource } from '../../api/picture-sources/source.ts';
import type { Receiver } from '../callbacks/receiver.ts';
import { type FakeICloud, fakeICloud } from './fake-icloud.ts';
import { faultOfCall, listAll } from './immich-world.ts';
import { type SourceWorld, withSourceServer } from './source-world.ts';

const test = suite('icloud');

type Wire = 'stream' | 'cloudkit';
const wires: readonly Wire[] = ['stream', 'cloudkit'];

interface CloudWorld extends SourceWorld, Receiver {
  readonly fake: FakeICloud;
  readonly source: PictureSource;
}

function withICloud(wire: Wire, run: (world: CloudWorld) => Promise<void>): Promise<void> {
  const fake = fakeICloud();
  const link =
    wire === 'stream'
      ? `https://www.icloud.com/sharedalbum/#${fake.streamToken}`
      : `https://photos.icloud.com/shared/album/${fake.albumToken}`;
  return withSourceServer(
    (request, response) => fake.answer(request, response),
    (world) => run({ ...world, fake, source: openICloud(world.deps, { link }) }),
  );
}

for (const wire of wires) {
  test(`the wire ${wire} lists pictures and marks videos (IC-3, IC-5)`, async () => {
    await withICloud(wire, async ({ fake, source }) => {
      const key = fake.add({ caption: 'Gro\u00dfmutter \ud83c\udf82', takenAt: Date.UTC(2024, 5, 1, 22, 30) });
      const video = fake.add({ isVideo: true });
      const { pictures } = await listAll(source);
      const [picture, film] = pictures;
      assert.equal(picture, {
        key,
        name: wire === 'stream' ? 'Gro\u00dfmutter \ud83c\udf82' : `${key}.HEIC`,
        mark: `${key} 0 Large`,
        taken: wire === 'stream' ? '2024-06-01T22:30:00' : '2024-06-01T23:30:00',
        arrivedAt: fake.pictures.get(key)?.addedAt,
        width: 64,
        height: 48,
        bytes: 1_000,
      });
      assert.is(film?.key, video);
      assert.is(film?.sort, 'video');
      assert.equal(await source.summarize(), {
        title: 'Grandchildren',
        count: 1,
        newestAt: fake.pictures.get(video)?.addedAt,
        server: 'iCloud',
      });
    });
  });

  test(`the wire ${wire} fetches the smallest size that fills the panel, and resolves its address then (IC-4)`, async () => {
    await withICloud(wire, async ({ fake, source }) => {
      const key = fake.add({ caption: 'First steps' });
      const video = fake.add({ isVideo: true });
      await listAll(source);
      for (const [longSide, size] of [
        [10, 'Thumb'],
        [20, 'Med'],
        [64, 'Large'],
        [2_000, 'Large'],
      ] as const) {
        const fetched = await source.fetchPicture(key, { longSide });
        assert.equal(fetched?.content, await fake.jpegOf(key, size));
        assert.is(fetched?.caption, 'First steps');
      }
      for (const missing of [video, 'nothing', '../..']) {
        assert.is(await source.fetchPicture(missing, { longSide: 64 }), undefined);
      }
    });
  });

  test(`the wire ${wire} resolves an address that has ended once more, and not for ever (IC-4)`, async () => {
    await withICloud(wire, async ({ fake, source }) => {
      const key = fake.add();
      fake.faults.endedAddresses = 1;
      assert.equal((await source.fetchPicture(key, { longSide: 64 }))?.content, await fake.jpegOf(key, 'Large'));
      fake.faults.endedAddresses = 100;
      assert.match(await faultOfCall(source.fetchPicture(fake.add(), { longSide: 64 })), /^away: /);
    });
  });

  test(`the wire ${wire} gives a picture that was taken back no longer than ten minutes after it was listed`, async () => {
    await withICloud(wire, async ({ fake, source, clock }) => {
      const key = fake.add();
      await listAll(source);
      fake.remove(key);
      clock.passes(11 * 60_000);
      assert.is(await source.fetchPicture(key, { longSide: 64 }), undefined);
      assert.equal((await listAll(source)).keys, []);
    });
  });

  test(`the wire ${wire} says that the album is gone, and asks no host but iCloud’s (IC-6)`, async () => {
    await withICloud(wire, async ({ fake, source, received }) => {
      const key = fake.add();
      fake.faults.isRemoved = true;
      assert.match(await faultOfCall(listAll(source)), /^gone: /);
      fake.faults.isRemoved = false;
      for (const host of [
        'icloud.com.evil.example',
        '10.0.0.1',
        'evil.example/x',
        'anna:pw@icloud.com',
        'p1.icloud.com:8443',
      ]) {
        fake.faults.movesTo = host;
        assert.match(await faultOfCall(listAll(source)), /^unusable: the answer leads to a host/, host);
        delete fake.faults.movesTo;
        fake.faults.contentHost = host;
        assert.match(
          await faultOfCall(source.fetchPicture(key, { longSide: 64 })),
          /^unusable: the answer leads to a host/,
        );
        delete fake.faults.contentHost;
      }
      assert.ok(received.every(({ headers }) => /(?:^|\.)icloud(?:-content)?\.com$/.test(String(headers.host))));
    });
  });

  test(`the wire ${wire} refuses what is not an answer, in bounds`, async () => {
    await withICloud(wire, async ({ fake, source }) => {
      for (const body of ['', '<html>', 'null', '[]', '{}', '{"photos":7}', '{"results":[]}', '{"records":"x"}']) {
        fake.faults.body = body;
        const words = await faultOfCall(listAll(source));
        assert.is(words, 'unusable: the server answers, but not as expected', body);
      }
      fake.faults.body = Buffer.alloc(100 * 1024 * 1024, 0x20);
      const words = await faultOfCall(listAll(source));
      assert.match(words, /^unusable: .*the answer is too long/);
      assert.not.match(words, new RegExp(`${fake.streamToken}|${fake.albumToken}`));
    });
  });
}

test('the partition of an album is found by the answer 330, in its body or its header (IC-2)', async () => {
  await withICloud('stream', async ({ fake, source, received }) => {
    const key = fake.add();
    assert.equal((await listAll(source)).keys, [key]);
    assert.equal(
      received.map(({ headers }) => headers.host),
      ['p01-sharedstreams.icloud.com', 'p23-sharedstreams.icloud.com'],
    );
    fake.faults.movesByHeader = true;
    assert.equal((await listAll(source)).keys, [key]);
    fake.faults.movesForever = true;
    received.length = 0;
    assert.match(await faultOfCall(listAll(source)), /^unusable: /);
    assert.ok(received.length <= 4);
  });
});

test('an older album that did not change is not given again, and one that lists too little is a fault', async () => {
  await withICloud('stream', async ({ fake, source }) => {
    fake.add({}, 1_200);
    const { end, keys, pages } = await listAll(source);
    assert.is(keys.length, 1_200);
    assert.is(pages, 3);
    const mark = typeof end === 'object' ? end.mark : undefined;
    const again = await listAll(source, mark);
    assert.equal([again.end, again.keys.length], ['unchanged', 0]);
    fake.add();
    assert.is((await listAll(source, mark)).keys.length, 1_201);
    fake.faults.listsLess = true;
    assert.match(await faultOfCall(listAll(source)), /^unusable: the server lists 1201 of 1204 pictures/);
  });
});

test('the newer wire goes on by markers, puts torn pairs together, and ends where markers repeat (IC-5)', async () => {
  await withICloud('cloudkit', async ({ fake, source, received }) => {
    fake.add({}, 350);
    assert.is(new Set((await listAll(source)).keys).size, 350);
    const queries = received.filter(({ path }) => path.includes('/records/query'));
    assert.is(queries.length, 4);
    for (const { body } of queries) assert.ok(JSON.parse(body).query);
    fake.faults.splitsPairs = true;
    assert.is(new Set((await listAll(source)).keys).size, 350);
    fake.faults.markersRepeat = true;
    assert.match(await faultOfCall(listAll(source)), /^unusable: the server lists the same page/);
  });
});

test('an album that its owner does not publish is denied, and a link of another sort is refused before anything is asked', async () => {
  await withICloud('cloudkit', async ({ fake, source, deps, received }) => {
    fake.faults.isPrivate = true;
    assert.match(await faultOfCall(listAll(source)), /^denied: the album is not public/);
    received.length = 0;
    const other = openICloud(deps, { link: 'https://photos.example/shared/album/abcdefghij' });
    for (const call of [
      () => other.summarize(),
      () => listAll(other),
      () => other.fetchPicture('a', { longSide: 64 }),
    ]) {
      assert.match(await faultOfCall(call()), /^unusable: this is not the public link/);
    }
    assert.is(received.length, 0);
    assert.not.ok(iCloudLogin.safeParse({ link: '' }).success);
  });
});

test.run();
