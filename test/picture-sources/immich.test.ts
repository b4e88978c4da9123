/** Immich as a source, over every version that answers. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { immichLogin, immichSettings } from '../../api/picture-sources/immich/immich-settings.ts';
import { fakeImmich, immichId, immichVersions } from './fake-immich.ts';
import { hasVersion } from './immich-wire.ts';
import { faultOfCall, listAll, withImmich } from './immich-world.ts';

const test = suite('immich');

for (const version of immichVersions) {
  test(`Immich ${version} lists an album: no videos, no trash, no archive, nothing hidden (IM-3, IM-4, IM-6, IM-10)`, async () => {
    await withImmich(version, async ({ fake, open }) => {
      const [album, other] = [fake.addAlbum('Summer'), fake.addAlbum('Winter')];
      const shown = [fake.add({ album }), fake.add({ album })];
      fake.add({ album, type: 'VIDEO' });
      fake.add({ album, isTrashed: true });
      for (const visibility of ['archive', 'hidden', 'locked'] as const) fake.add({ album, visibility });
      fake.add({ album: other });
      fake.add();
      const { keys } = await listAll(open({ by: 'albums', ids: [album] }));
      assert.equal([...keys].sort(), [...shown].sort());
    });
  });

  test(`Immich ${version} lists favourites and people, any of them, each picture once (IM-8)`, async () => {
    await withImmich(version, async ({ fake, open }) => {
      const [anna, ben] = [fake.addPerson('Anna'), fake.addPerson('Ben')];
      const both = fake.add({ people: new Set([anna, ben]) });
      const [one, two] = [fake.add({ person: anna }), fake.add({ person: ben })];
      fake.favourite(fake.add({ isTrashed: true }));
      fake.favourite(two);
      const people = await listAll(open({ by: 'people', ids: [anna, ben] }));
      assert.equal([...people.keys].sort(), [both, one, two].sort());
      const favourites = await listAll(open({ by: 'favourites' }));
      assert.equal(favourites.keys, [two]);
      assert.is(favourites.pictures[0]?.isFavourite, true);
    });
  });

  test(`Immich ${version} lists the memories of the day that is handed in (IM-7)`, async () => {
    await withImmich(version, async ({ fake, open, received }) => {
      const then = fake.add({ taken: '2019-07-04T23:59:00' });
      fake.add({ taken: '2019-07-04T10:00:00', type: 'VIDEO' });
      fake.add({ taken: '2019-07-05T00:01:00' });
      const { keys, pictures } = await listAll(open({ by: 'memories' }, { day: '2026-07-04' }));
      assert.equal(keys, [then]);
      assert.is(pictures[0]?.taken, '2019-07-04T23:59:00');
      assert.equal((await listAll(open({ by: 'memories' }))).keys, []);
      const path = received.find((one) => /memor/.test(one.path))?.path ?? '';
      assert.ok(
        path.includes(hasVersion(fake, '3.0.3') ? 'for=2026-07-04' : hasVersion(fake, '1.133.0') ? 'T12' : 'day=4'),
      );
    });
  });

  test(`Immich ${version} describes and fetches a picture upright, with its place and its camera (IM-9, IM-12)`, async () => {
    await withImmich(version, async ({ fake, open, received }) => {
      const album = fake.addAlbum('Trip');
      const key = fake.add({
        album,
        name: 'tr\u00edp \ud83c\udf0a "1".jpg',
        taken: '2025-01-05T00:16:08',
        orientation: 6,
        make: 'Apple',
        place: { city: 'Lisbon', country: 'Portugal' },
        caption: ' The bridge ',
      });
      const source = open({ by: 'albums', ids: [album] });
      const { pictures } = await listAll(source);
      const { mark, arrivedAt, ...picture } = pictures[0] ?? { mark: '', key: '', name: '' };
      assert.equal(picture, {
        key,
        name: 'tr\u00edp \ud83c\udf0a "1".jpg',
        taken: '2025-01-05T00:16:08',
        width: 30,
        height: 40,
        bytes: 1_000,
        camera: 'Apple',
        isFavourite: false,
      });
      assert.is(arrivedAt, fake.pictures.get(key)?.arrivedAt);
      const fetched = await source.fetchPicture(key, { longSide: 1_200 });
      assert.equal(fetched?.content, await fake.jpegOf(key, 'preview'));
      assert.is(fetched?.place, 'Lisbon, Portugal');
      assert.is(fetched?.caption, 'The bridge');
      const large = await source.fetchPicture(key, { longSide: 1_600 });
      assert.equal(large?.content, await fake.jpegOf(key, 'fullsize'));
      fake.faults.hasNoFullsize = true;
      assert.equal((await source.fetchPicture(key, { longSide: 1_600 }))?.content, await fake.jpegOf(key, 'preview'));
      assert.not.ok(received.some(({ path }) => path.includes('/original')));
      fake.change(key, { edits: 1 });
      assert.is.not((await listAll(source)).pictures[0]?.mark, mark);
    });
  });

  test(`Immich ${version} gives no picture that was taken back since it was listed`, async () => {
    await withImmich(version, async ({ fake, open }) => {
      const source = open({ by: 'favourites' });
      const [removed, trashed, archived] = [fake.add(), fake.add(), fake.add()];
      fake.remove(removed);
      fake.change(trashed, { isTrashed: true });
      fake.change(archived, { visibility: 'archive' });
      for (const key of [removed, trashed, archived, 'not an id', immichId('nothing')]) {
        assert.is(await source.fetchPicture(key, { longSide: 800 }), undefined);
      }
    });
  });
}

test('pages follow one another, asked for by integers or by a cursor, and hold one page of memory (IM-3, IM-4)', async () => {
  for (const version of ['2.7.5', '3.0.3', '3.2.2']) {
    await withImmich(version, async ({ fake, open, received }) => {
      const album = fake.addAlbum('Many');
      fake.add({ album }, 1_250);
      const { keys, pages } = await listAll(open({ by: 'albums', ids: [album] }));
      assert.is(new Set(keys).size, 1_250);
      assert.is(keys.length, 1_250);
      assert.is(pages, 3);
      const bodies = received.filter(({ path }) => path === '/api/search/metadata').map(({ body }) => JSON.parse(body));
      assert.is(bodies.length, 3);
      for (const body of bodies) assert.ok(Number.isInteger(body.size));
      if (version !== '3.2.2')
        assert.equal(
          bodies.map(({ page }) => page),
          [1, 2, 3],
        );
      else
        assert.equal(
          bodies.map(({ cursor }) => cursor),
          [undefined, 'after-1', 'after-2'],
        );
    });
  }
});

test('a picture that arrives between two pages repeats none and leaves none out (IM-15)', async () => {
  await withImmich('2.7.5', async ({ fake, open }) => {
    const album = fake.addAlbum('Busy');
    fake.add({ album }, 700);
    fake.faults.arrivesBetweenPages = true;
    const { keys } = await listAll(open({ by: 'albums', ids: [album] }));
    assert.is(new Set(keys).size, keys.length);
    assert.equal([...keys].sort(), [...fake.pictures.keys()].sort());
  });
});

test('a listing that repeats, ends early, is empty or is of the whole library is a fault (IM-5, IM-15)', async () => {
  for (const version of ['2.0.0', '3.0.1', '3.2.2']) {
    await withImmich(version, async ({ fake, open }) => {
      const album = fake.addAlbum('Odd');
      fake.add({ album }, 1_100);
      fake.add();
      const listed = () => faultOfCall(listAll(open({ by: 'albums', ids: [album] })));
      assert.is(await listed(), 'none');
      fake.faults.pagesRepeat = true;
      assert.match(await listed(), /^unusable: the server lists the same page/);
      fake.faults.pagesRepeat = false;
      fake.faults.pagesEndEarly = true;
      assert.is(await listed(), 'unusable: the server lists 500 of 1100 pictures: the listing ended early');
      fake.faults.pagesEndEarly = false;
      fake.faults.nothingListed = true;
      assert.match(await listed(), /^unusable: the server lists 0 of 1100 pictures/);
      fake.rights.delete('asset.statistics');
      assert.match(await listed(), /^unusable: the server lists 0 of 1100 pictures/);
      fake.faults.nothingListed = false;
      fake.faults.everythingListed = true;
      assert.is(await listed(), 'unusable: the server lists 1101 pictures where it states 1100');
    });
  }
});

test('an album that has videos alone lists nothing, which is right (IM-5)', async () => {
  for (const hasStatistics of [true, false]) {
    await withImmich('3.2.2', async ({ fake, open }) => {
      const album = fake.addAlbum('Videos');
      fake.add({ album, type: 'VIDEO' });
      if (!hasStatistics) fake.rights.delete('asset.statistics');
      assert.equal((await listAll(open({ by: 'albums', ids: [album] }))).keys, []);
    });
  }
});

test('a server that is updated overnight, or between two pages, is asked as its new version reads (IM-2)', async () => {
  for (const [before, after] of [
    ['2.7.5', '3.2.2'],
    ['3.0.3', '3.2.2'],
    ['3.2.2', '3.0.3'],
    ['3.0.1', '3.0.3'],
  ] as const) {
    await withImmich(before, async ({ fake, open }) => {
      const album = fake.addAlbum('Kept');
      fake.add({ album }, 1_200);
      fake.add({ album, taken: '2019-07-04T10:00:00' });
      const [source, memories] = [
        open({ by: 'albums', ids: [album] }),
        open({ by: 'memories' }, { day: '2026-07-04' }),
      ];
      assert.is((await listAll(memories)).keys.length, 1);
      fake.faults.versionBetweenPages = after;
      assert.is(new Set((await listAll(source)).keys).size, 1_201);
      assert.is(fake.version, after);
      assert.is((await listAll(memories)).keys.length, 1);
      assert.is((await listAll(source)).keys.length, 1_201);
    });
  }
});

test('albums that did not change are not listed again, until the next day', async () => {
  await withImmich('3.2.2', async ({ fake, open, clock }) => {
    const album = fake.addAlbum('Still');
    const key = fake.add({ album }, 2);
    const source = open({ by: 'albums', ids: [album] });
    const { end } = await listAll(source);
    const mark = typeof end === 'object' ? end.mark : undefined;
    assert.ok(mark);
    assert.is((await listAll(source, mark)).end, 'unchanged');
    clock.passes(86_400_000);
    assert.is.not((await listAll(source, mark)).end, 'unchanged');
    fake.remove(key);
    assert.is((await listAll(source, mark)).keys.length, 1);
  });
});

test('an album that was removed is gone, and takes none of the others along', async () => {
  for (const version of ['2.7.5', '3.2.2']) {
    await withImmich(version, async ({ fake, open }) => {
      const [kept, removed] = [fake.addAlbum('Kept'), fake.addAlbum('Removed')];
      const key = fake.add({ album: kept });
      fake.add({ album: removed });
      fake.albums.delete(removed);
      assert.equal((await listAll(open({ by: 'albums', ids: [removed, kept] }))).keys, [key]);
      assert.match(await faultOfCall(listAll(open({ by: 'albums', ids: [removed] }))), /^gone: /);
    });
  }
});

test('a missing right is named, and a refused key is denied (IM-1)', async () => {
  await withImmich('3.2.2', async ({ fake, open }) => {
    const album = fake.addAlbum('A');
    const key = fake.add({ album });
    const source = open({ by: 'albums', ids: [album] });
    for (const [right, call] of [
      ['asset.read', () => listAll(source)],
      ['album.read', () => listAll(source)],
      ['asset.view', () => source.fetchPicture(key, { longSide: 800 })],
      ['memory.read', () => listAll(open({ by: 'memories' }))],
    ] as const) {
      fake.rights.delete(right);
      assert.match(await faultOfCall(call()), `denied: the API key lacks the right ${right}`);
      fake.rights.add(right);
    }
    fake.rights.delete('person.read');
    assert.equal(
      (await source.choices?.())?.map(({ sort }) => sort),
      ['album'],
    );
    fake.rights.delete('album.read');
    assert.match(await faultOfCall(source.choices?.() ?? Promise.resolve()), /lacks the right album\.read/);
    const refused = open({ by: 'favourites' }, { login: { apiKey: 'wrong key' } });
    const words = await faultOfCall(listAll(refused));
    assert.match(words, /^denied: the server refuses the login/);
    assert.not.match(words, /wrong key/);
  });
});

test('choices are albums, owned and shared, with covers and counts, and people with a name', async () => {
  for (const version of immichVersions) {
    await withImmich(version, async ({ fake, open }) => {
      const [own, shared] = [fake.addAlbum('Own'), fake.addAlbum('Of Ben', true)];
      const [anna] = [fake.addPerson('Anna'), fake.addPerson(''), fake.addPerson('Hidden', true)];
      const cover = fake.add({ album: own });
      const source = open();
      assert.equal(await source.choices?.(), [
        { id: own, sort: 'album', name: 'Own', count: 1, cover: `asset/${cover}` },
        { id: shared, sort: 'album', name: 'Of Ben', count: 0, cover: undefined },
        { id: anna, sort: 'person', name: 'Anna', cover: `person/${anna}` },
      ]);
      assert.equal(await source.cover?.(`asset/${cover}`), await fake.jpegOf(cover, 'thumbnail'));
      assert.ok(await source.cover?.(`person/${anna}`));
      for (const wrong of ['', '../..', `asset/${immichId('none')}`]) assert.is(await source.cover?.(wrong), undefined);
    });
  }
});

test('the summary says how many pictures there are, and when the newest came', async () => {
  await withImmich('3.2.2', async ({ fake, open }) => {
    const album = fake.addAlbum('Summer');
    const last = fake.add({ album }, 3);
    fake.add({ album, type: 'VIDEO' });
    assert.equal(await open({ by: 'albums', ids: [album] }).summarize(), {
      title: 'Summer',
      server: 'Immich 3.2.2',
      count: 3,
      newestAt: fake.pictures.get(last)?.arrivedAt,
    });
    assert.equal(await open().summarize(), { title: 'photos.example', server: 'Immich 3.2.2' });
    assert.equal((await listAll(open())).keys, []);
  });
});

test('a text finds the best matches of smart search, and says where it is switched off', async () => {
  for (const version of ['2.0.0', '3.0.3', '3.2.2']) {
    await withImmich(version, async ({ fake, open }) => {
      fake.add({}, 300);
      const best = fake.add({ name: 'beach.jpg' });
      fake.add({ name: 'beach.mp4', type: 'VIDEO' });
      const { keys } = await listAll(open({ by: 'search', text: 'Beach' }));
      assert.is(keys.length, 250);
      assert.is(keys[0], best);
      fake.faults.hasNoSmartSearch = true;
      assert.match(
        await faultOfCall(listAll(open({ by: 'search', text: 'x' }))),
        /^unusable: smart search is switched off/,
      );
    });
  }
});

test('settings and logins are checked', () => {
  assert.ok(immichSettings.safeParse({ server: 'https://a.example' }).success);
  assert.ok(immichSettings.safeParse({ server: 'x', choice: { by: 'albums', ids: [immichId('a')] } }).success);
  for (const choice of [
    { by: 'albums', ids: [] },
    { by: 'albums', ids: ['../x'] },
    { by: 'all' },
    { by: 'search', text: ' ' },
  ]) {
    assert.not.ok(immichSettings.safeParse({ server: 'x', choice }).success);
  }
  assert.ok(immichLogin.safeParse({ apiKey: 'k' }).success);
  assert.ok(immichLogin.safeParse({ linkKey: 'abcdefghijklmnopqrst', password: 'p' }).success);
  for (const login of [{}, { apiKey: '' }, { linkKey: 'a b' }, { apiKey: 'a', linkSlug: 'b' }]) {
    assert.not.ok(immichLogin.safeParse(login).success);
  }
  assert.is(fakeImmich().version, '3.2.2');
});

test.run();
