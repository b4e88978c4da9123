/** A folder over WebDAV as a source of pictures: what is listed, whatever the habits of its server. */
import { setImmediate as immediate } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { PictureSource } from '../../api/picture-sources/source.ts';
import { readWebdavAddress } from '../../api/picture-sources/webdav/webdav-address.ts';
import { openWebdavSource, type WebdavSettings } from '../../api/picture-sources/webdav/webdav-source.ts';
import { type DavHabits, type FakeDav, fakeWebdav } from './fake-webdav.ts';
import { faultFrom, listWhole, type PictureServer, withPictureServer } from './file-world.ts';

const test = suite('pictures over WebDAV');

interface World extends PictureServer {
  readonly dav: FakeDav;
  open(settings?: Partial<WebdavSettings>, login?: { user?: string; password?: string }): PictureSource;
}

const album = [
  '/dav/a.jpg',
  '/dav/b.HEIC',
  '/dav/film.mp4',
  '/dav/raw.NEF',
  '/dav/notes.txt',
  '/dav/.hidden.jpg',
  '/dav/Thumbs.db',
  '/dav/coming.jpg.part',
  '/dav/@eaDir/a.jpg/SYNOPHOTO_THUMB_M.jpg',
  '/dav/%23recycle/old.jpg',
  '/dav/2024/c.png',
  '/dav/2024/Lisbon/d.webp',
];

function withDav(paths: readonly string[], run: (world: World) => Promise<void>, habits: Partial<DavHabits> = {}) {
  const dav = fakeWebdav(paths, habits);
  return withPictureServer(dav.answer, (server) =>
    run({
      ...server,
      dav,
      open(settings = {}, login = {}) {
        const read = readWebdavAddress(settings.address ?? 'http://nas.example/dav');
        if (!('sort' in read)) throw new Error(read.code);
        return openWebdavSource(
          server.deps,
          { ...read, folders: [], withSubfolders: true, ...settings, ...read },
          login,
        );
      },
    }),
  );
}

const keysOf = async (source: PictureSource): Promise<string[]> =>
  (await listWhole(source)).pictures.map(({ key }) => key).sort();

test('a folder lists its pictures, counts what is not one, and leaves out what nobody means', () =>
  withDav(album, async ({ open }) => {
    const { pictures, end } = await listWhole(open());
    assert.equal(pictures.map(({ key, sort }) => `${key} ${sort}`).sort(), [
      '2024/Lisbon/d.webp picture',
      '2024/c.png picture',
      'a.jpg picture',
      'b.HEIC picture',
      'film.mp4 video',
      'raw.NEF document',
    ]);
    const [first] = pictures;
    assert.is(first?.arrivedAt, Date.UTC(2025, 0, 4, 23, 16, 8));
    assert.is(first?.bytes, 'picture /dav/a.jpg'.length);
    assert.match(first?.mark ?? '', /^"\d+-\d+"$/);
    assert.equal(end, { mark: undefined });
    assert.equal(await keysOf(open({ withSubfolders: false })), ['a.jpg', 'b.HEIC', 'film.mp4', 'raw.NEF']);
    assert.equal(await keysOf(open({ folders: ['2024/Lisbon'] })), ['2024/Lisbon/d.webp']);
  }));

test('prefixes, whole addresses, missing ETags and folders that list their parent make no difference', async () => {
  const habits: Partial<DavHabits>[] = [
    { prefix: '' },
    { prefix: 'D' },
    { prefix: 'lp1.x' },
    { hrefs: 'whole' },
    { hrefs: 'bare' },
    { etags: false },
    { listsParent: true },
  ];
  for (const habit of habits) {
    await withDav(
      album,
      async ({ open, received }) => {
        const { pictures } = await listWhole(open());
        assert.is(pictures.length, 6, JSON.stringify(habit));
        assert.ok(pictures.every(({ mark }) => mark.length > 3));
        assert.is(received.filter(({ method }) => method === 'PROPFIND').length, 4);
      },
      habit,
    );
  }
});

test('a name may hold any sign and any bytes, and is asked for as it was listed', () => {
  const names = ['50%25.jpg', 'a%2Fb.jpg', 'what%3F%23.jpg', 'a%20%26%20b%3Cc.jpg', 'u%CC%88ber.jpg', 'M%FCller.jpg'];
  return withDav([...names.map((name) => `/dav/${name}`), '/dav/100%25/%E2%82%AC.jpg'], async ({ open, dav }) => {
    const source = open();
    const { pictures } = await listWhole(source);
    assert.equal(
      pictures.map(({ name }) => name).sort(),
      [
        '50%.jpg',
        'Müller.jpg',
        'a & b<c.jpg',
        'a/b.jpg',
        'ü'.normalize('NFD').concat('ber.jpg'),
        'what?#.jpg',
        '€.jpg',
      ].sort(),
    );
    for (const { key } of pictures) {
      const fetched = await source.fetchPicture(key, { longSide: 800 });
      assert.match(String(fetched?.content), /^picture \/dav\//, key);
    }
    dav.files.clear();
    assert.is(await source.fetchPicture('50%25.jpg', { longSide: 800 }), undefined);
  });
});

test('keys that lead out of the folder are never asked for', () =>
  withDav(album, async ({ open, received }) => {
    for (const key of [
      '../secret.jpg',
      '..',
      'a/../../b.jpg',
      '/etc/passwd',
      '',
      '%2e%2e/b.jpg',
      'a//b.jpg',
      '%41.jpg',
    ]) {
      assert.is(await open().fetchPicture(key, { longSide: 800 }), undefined, key);
      assert.is(await open().fetchHead?.(key), undefined, key);
    }
    assert.is(received.length, 0);
  }));

test('WD-2: after the first refusal nothing more is asked, whatever a 401 lacks', () =>
  withDav(
    album,
    async ({ open, received }) => {
      const source = open({}, { user: 'anna', password: 'wrong' });
      const denied = 'denied: the server refuses the login (status 401): enter it again';
      assert.is(await faultFrom(source.summarize()), denied);
      assert.is(await faultFrom(listWhole(source)), denied);
      assert.is(await faultFrom(source.fetchPicture('a.jpg', { longSide: 800 })), denied);
      assert.is(received.length, 1);
      received.length = 0;
      const right = open({}, { user: 'anna', password: 'pä:ss' });
      assert.is((await listWhole(right)).pictures.length, 6);
      assert.ok(received.every(({ headers }) => headers.authorization?.startsWith('Basic ')));
    },
    { login: { user: 'anna', password: 'pä:ss' } },
  ));

test('a busy server, one that is ill, and one without WebDAV have faults of their own', () =>
  withDav(album, async ({ open, dav }) => {
    const answers: [number, Record<string, string>, string][] = [
      [429, { 'retry-after': '40' }, 'away: the server asks to wait (40 s)'],
      [503, {}, 'away: the server answered with status 503'],
      [404, {}, 'gone: the album or its link was removed (status 404)'],
      [405, {}, 'unusable: there is no WebDAV folder at this address'],
      [200, {}, 'unusable: there is no WebDAV folder at this address'],
      [403, {}, 'denied: the server refuses the login (status 403): enter it again'],
    ];
    for (const [status, headers, words] of answers) {
      dav.habits.always = { status, headers };
      assert.is(await faultFrom(open().summarize()), words);
    }
  }));

test('a list that ends early, that never ends, or that is of another host is a fault', () =>
  withDav(album, async ({ open, dav, clock, arrived }) => {
    dav.habits.end = 'cut';
    assert.is(await faultFrom(listWhole(open())), 'away: the answer of the server ended early');
    dav.habits.end = 'whole';
    dav.habits.hrefs = 'other-host';
    assert.match(await faultFrom(listWhole(open())), /^unusable: the server lists files of another host/);
    Object.assign(dav.habits, { end: 'silent', hrefs: 'path' });
    const waiting = faultFrom(listWhole(open()));
    await arrived(3);
    let words: string | undefined;
    waiting.then((said) => {
      words = said;
    });
    while (words === undefined) {
      clock.passes(1_000);
      await immediate();
    }
    assert.match(words, /^away: .*no answer within (?:60|120) s/);
  }));

test('the beginning of a file is read, also from a server without ranges', () =>
  withDav(album, async ({ open, dav }) => {
    dav.files.set('/dav/a.jpg', Buffer.alloc(3_000_000, 7));
    for (const ranges of [true, false]) {
      dav.habits.ranges = ranges;
      assert.is((await open().fetchHead?.('a.jpg'))?.length, 256 * 1024);
      assert.is(String(await open().fetchHead?.('2024/c.png')), 'picture /dav/2024/c.png');
      assert.is(await open().fetchHead?.('gone.jpg'), undefined);
    }
    dav.files.set('/dav/a.jpg', Buffer.alloc(64 * 1024 * 1024 + 1));
    assert.is(
      await faultFrom(open().fetchPicture('a.jpg', { longSide: 800 })),
      'unusable: the file has more than 64 MB',
    );
  }));

test('a person sees what there is, and chooses a folder by its count', () =>
  withDav(album, async ({ open }) => {
    const newestAt = Date.UTC(2025, 0, 4, 23, 16, 8);
    assert.equal(await open({ withSubfolders: false }).summarize(), {
      title: 'dav',
      count: 2,
      newestAt,
      server: 'Fake/1',
    });
    assert.equal(await open().summarize(), { title: 'dav', count: undefined, newestAt, server: 'Fake/1' });
    assert.is((await open({ folders: ['2024/Lisbon'] }).summarize()).title, 'Lisbon');
    assert.equal(await open().choices?.(), [{ id: '2024', sort: 'folder', name: '2024', count: 1 }]);
  }));

test.run();
