/** Clouds over WebDAV: public links, previews, and folders of which nothing changed. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readWebdavAddress, type WebdavLogin } from '../../api/picture-sources/webdav/webdav-address.ts';
import { openWebdavSource } from '../../api/picture-sources/webdav/webdav-source.ts';
import { type DavHabits, type FakeDav, fakeWebdav } from './fake-webdav.ts';
import { faultFrom, listWhole, type PictureServer, withPictureServer } from './file-world.ts';

const test = suite('clouds over WebDAV');

interface Cloud extends PictureServer {
  readonly dav: FakeDav;
  open(address: string, login?: WebdavLogin): ReturnType<typeof openWebdavSource>;
  /** The requests, as method and path. */
  seen(): string[];
}

function withCloud(paths: readonly string[], habits: Partial<DavHabits>, run: (cloud: Cloud) => Promise<void>) {
  const dav = fakeWebdav(paths, habits);
  return withPictureServer(dav.answer, (server) =>
    run({
      ...server,
      dav,
      seen: () => server.received.splice(0).map(({ method, path }) => `${method} ${path}`),
      open(text, login = {}) {
        const read = readWebdavAddress(text);
        if (!('sort' in read)) throw new Error(read.code);
        return openWebdavSource(server.deps, { ...read, folders: [], withSubfolders: true }, login);
      },
    }),
  );
}

const nextcloud = (version: string, base = '/'): DavHabits['cloud'] => ({ base, product: 'Nextcloud', version });

test('an address is read as people copy it', () => {
  const sorts: [string, string][] = [
    ['https://cloud.example/s/Ab3dEf6hIj9kLmN', 'share'],
    ['https://cloud.example/nextcloud/index.php/s/Ab3dEf6hIj9kLmN?dir=/Lisbon', 'share'],
    ['https://cloud.example/apps/files/files/12?dir=/Photos', 'cloud'],
    ['https://cloud.example/', 'cloud'],
    ['https://cloud.example/remote.php/dav/files/anna/Photos/', 'folder'],
    [' davs://nas.example:5006/photo ', 'folder'],
  ];
  for (const [text, sort] of sorts) {
    const read = readWebdavAddress(text);
    assert.is('sort' in read ? read.sort : read.code, sort, text);
  }
  assert.equal(readWebdavAddress('davs://nas.example:5006/photo'), {
    address: 'https://nas.example:5006/photo',
    sort: 'folder',
  });
  for (const text of ['', 'nas', 'ftp://nas.example/', 'https://anna:secret@nas.example/', 7, undefined]) {
    assert.ok('code' in readWebdavAddress(text), String(text));
  }
});

test('WD-3: a public link is opened as its cloud has it', async () => {
  const ways: [DavHabits['cloud'], string][] = [
    [nextcloud('31.0.2.1'), '/public.php/dav/files/Tok3n/'],
    [nextcloud('28.0.1.1'), '/public.php/webdav/'],
    [{ base: '/', product: 'ownCloud', version: '10.15.0' }, '/remote.php/dav/public-files/Tok3n/'],
    [undefined, '/public.php/webdav/'],
  ];
  for (const [cloud, root] of ways) {
    await withCloud([`${root}a.jpg`, `${root}Lisbon/b.jpg`], { cloud }, async ({ open }) => {
      assert.is((await listWhole(open('https://cloud.example/s/Tok3n'))).pictures.length, 2, root);
      const inner = open('https://cloud.example/index.php/s/Tok3n?path=%2FLisbon');
      assert.equal(
        (await listWhole(inner)).pictures.map(({ key }) => key),
        ['b.jpg'],
      );
    });
  }
});

test('a public link sends its password at once, and a link that was removed is gone', () =>
  withCloud(
    ['/oc/public.php/dav/files/Tok3n/a.jpg'],
    { cloud: nextcloud('30.0.1', '/oc/'), login: { user: 'anonymous', password: 'pw' } },
    async ({ open, dav }) => {
      const source = open('https://cloud.example/oc/s/Tok3n', { password: 'pw' });
      assert.equal(await source.summarize(), {
        title: 'cloud.example',
        count: 1,
        newestAt: Date.UTC(2025, 0, 4, 23, 16, 8),
        server: 'Nextcloud 30.0.1',
      });
      assert.match(await faultFrom(open('https://cloud.example/oc/s/Tok3n').summarize()), /^denied: /);
      dav.files.clear();
      const gone = open('https://cloud.example/oc/s/Tok3n', { password: 'pw' });
      assert.match(await faultFrom(gone.summarize()), /^gone: .*status 404/);
    },
  ));

test('the address of a cloud alone, or of the page of a folder, leads to the files of the login', () =>
  withCloud(
    ['/remote.php/webdav/a.jpg', '/remote.php/webdav/Photos/b.jpg'],
    { cloud: nextcloud('31.0.0') },
    async ({ open }) => {
      const login = { user: 'anna', password: 'app' };
      assert.is((await listWhole(open('https://cloud.example/', login))).pictures.length, 2);
      assert.is((await listWhole(open('https://cloud.example/index.php/login', login))).pictures.length, 2);
      const page = open('https://cloud.example/index.php/apps/files/files/12?dir=/Photos', login);
      assert.equal(
        (await listWhole(page)).pictures.map(({ key }) => key),
        ['b.jpg'],
      );
    },
  ));

test('WD-8: where nothing changed below a folder of a cloud, one request says so', () =>
  withCloud(
    ['/remote.php/dav/files/anna/a.jpg', '/remote.php/dav/files/anna/in/b.jpg'],
    { cloud: nextcloud('31.0.0') },
    async ({ open, dav, seen }) => {
      const address = 'https://cloud.example/remote.php/dav/files/anna/';
      const { end } = await listWhole(open(address));
      const mark = end === 'unchanged' ? undefined : end.mark;
      assert.type(mark, 'string');
      seen();
      assert.is((await listWhole(open(address), mark)).end, 'unchanged');
      assert.equal(seen(), ['GET /status.php', 'PROPFIND /remote.php/dav/files/anna/']);
      dav.files.set('/remote.php/dav/files/anna/in/c.jpg', Buffer.from('new'));
      assert.is((await listWhole(open(address), mark)).pictures.length, 3);
    },
  ));

test('WD-10: a cloud makes small pictures, and where it makes none the file is fetched', () =>
  withCloud(
    ['/remote.php/dav/files/anna/a.jpg'],
    { cloud: nextcloud('31.0.0'), previews: true },
    async ({ open, dav, seen }) => {
      const address = 'https://cloud.example/remote.php/dav/files/anna/';
      const small = await open(address).fetchPicture('a.jpg', { longSide: 1_600 });
      assert.match(String(small?.content), /^small \?fileId=\d+&a=1&forceIcon=0&x=1600&y=1600$/);
      assert.match(String(await open(address).cover?.('a.jpg')), /x=320/);
      dav.habits.previews = false;
      seen();
      const whole = await open(address).fetchPicture('a.jpg', { longSide: 1_600 });
      assert.is(String(whole?.content), 'picture /remote.php/dav/files/anna/a.jpg');
      assert.is(await open(address).cover?.('a.jpg'), undefined);
      assert.is(await open(address).fetchPicture('b.jpg', { longSide: 1_600 }), undefined);
    },
  ));

test('a public link has previews of its own', () =>
  withCloud(
    ['/public.php/dav/files/Tok3n/L%C3%B6/a%20b.jpg'],
    { cloud: nextcloud('31.0.0'), previews: true },
    async ({ open, seen }) => {
      const source = open('https://cloud.example/s/Tok3n?dir=/L%C3%B6');
      await source.fetchPicture('a b.jpg', { longSide: 800 });
      assert.is(
        seen().pop(),
        'GET /index.php/apps/files_sharing/publicpreview/Tok3n?file=%2FL%C3%B6%2Fa+b.jpg&a=true&x=800&y=800',
      );
    },
  ));

test.run();
