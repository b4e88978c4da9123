/** Shared links of Immich as a source, for which nobody needs an account (IM-13). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { faultOfCall, type ImmichWorld, listAll, withImmich } from './immich-world.ts';

const test = suite('shared links of immich');

const versions = ['2.0.0', '2.7.5', '3.0.1', '3.2.2'] as const;

/** An album of two months with what a link must not show. */
function furnished({ fake }: Pick<ImmichWorld, 'fake'>) {
  const album = fake.addAlbum('Wedding');
  const first = fake.add({ album, taken: '2024-05-31T23:30:00', offsetHours: 5.5, place: { city: 'Pune' } });
  const second = fake.add({ album, taken: '2024-06-01T10:00:00' });
  fake.add({ album, type: 'VIDEO' });
  fake.add({ album, isTrashed: true });
  fake.add({ album, visibility: 'archive' });
  return { album, first, second };
}

for (const version of versions) {
  test(`Immich ${version} lists an album by its link, from the columns of the timeline`, async () => {
    await withImmich(version, async (world) => {
      const { fake, open, received } = world;
      const { album, first, second } = furnished(world);
      const { key, slug } = fake.share({ album, slug: 'our day' });
      for (const login of [{ linkKey: key }, { linkSlug: slug ?? '' }]) {
        const source = open(undefined, { login });
        const { pictures, keys } = await listAll(source);
        assert.equal([...keys].sort(), [first, second].sort());
        const taken = Object.fromEntries(pictures.map((one) => [one.key, one.taken]));
        assert.equal(taken, { [first]: '2024-05-31T23:30:00', [second]: '2024-06-01T10:00:00' });
        const fetched = await source.fetchPicture(first, { longSide: 800 });
        assert.equal(fetched?.content, await fake.jpegOf(first, 'preview'));
        assert.is(fetched?.place, 'Pune');
        assert.is((await source.summarize()).title, 'Wedding');
        assert.is(source.choices, undefined);
      }
      assert.not.ok(received.some(({ headers }) => headers['x-api-key'] !== undefined));
    });
  });

  test(`Immich ${version} opens a link with a password, in the way that its version has`, async () => {
    await withImmich(version, async (world) => {
      const { fake, open, received } = world;
      const { album } = furnished(world);
      const { key } = fake.share({ album, password: 'p&ss=w\u00f6rd' });
      const withPassword = (password?: string) =>
        listAll(open(undefined, { login: { linkKey: key, ...(password !== undefined && { password }) } }));
      assert.is((await withPassword('p&ss=w\u00f6rd')).keys.length, 2);
      assert.is(
        received.some(({ path }) => path.includes('password=')),
        version === '2.0.0',
      );
      for (const wrong of [undefined, 'another']) {
        const words = await faultOfCall(withPassword(wrong));
        assert.match(words, /^denied: the shared link needs its password/);
        assert.not.match(words, /another|key-of/);
      }
    });
  });

  test(`Immich ${version} ends a source whose link has expired or was removed`, async () => {
    await withImmich(version, async (world) => {
      const { fake, open, clock } = world;
      const { album, first } = furnished(world);
      const link = fake.share({ album, expiresAt: clock.now() + 1_000 });
      const source = open(undefined, { login: { linkKey: link.key } });
      assert.is((await listAll(source)).keys.length, 2);
      // The server's clock may go after ours: its own word about the end counts, too.
      clock.passes(2_000);
      assert.match(await faultOfCall(listAll(source)), /^gone: the shared link has expired/);
      link.expiresAt = 0;
      assert.match(await faultOfCall(listAll(source)), /^gone: the shared link has expired/);
      assert.match(await faultOfCall(source.fetchPicture(first, { longSide: 800 })), /^gone: /);
      fake.links.length = 0;
      assert.match(await faultOfCall(listAll(source)), /^gone: the shared link has expired/);
    });
  });
}

test('a link whose owner hides what goes along has no date and no place', async () => {
  await withImmich('3.2.2', async (world) => {
    const { fake, open } = world;
    const { album, first } = furnished(world);
    for (const shared of [{ album }, { pictures: [first] }]) {
      const { key } = fake.share({ ...shared, showMetadata: false });
      const source = open(undefined, { login: { linkKey: key } });
      const { pictures } = await listAll(source);
      assert.ok(pictures.length > 0);
      for (const one of pictures) assert.is(one.taken, undefined);
      const fetched = await source.fetchPicture(first, { longSide: 800 });
      assert.equal([fetched?.place, fetched?.caption], [undefined, undefined]);
    }
  });
});

test('a link of single pictures lists those', async () => {
  await withImmich('2.7.5', async ({ fake, open }) => {
    const [one, two] = [fake.add(), fake.add()];
    fake.add();
    const { key } = fake.share({ pictures: [one, two, fake.add({ type: 'VIDEO' })] });
    assert.equal((await listAll(open(undefined, { login: { linkKey: key } }))).keys, [one, two]);
  });
});

test('an album that was replaced behind its link is looked up once more', async () => {
  await withImmich('3.2.2', async (world) => {
    const { fake, open, received } = world;
    const { album } = furnished(world);
    const link = fake.share({ album });
    const source = open(undefined, { login: { linkKey: link.key } });
    await listAll(source);
    const other = fake.addAlbum('Second');
    const key = fake.add({ album: other });
    received.length = 0;
    const listing = source.list(undefined);
    // The link is read, and then its album is replaced.
    fake.faults.body = (path) => {
      if (path !== '/api/shared-links/me') return undefined;
      delete fake.faults.body;
      link.album = other;
      return JSON.stringify({ album: { id: album, albumName: 'Wedding' }, showMetadata: true });
    };
    const next = await listing.next();
    assert.equal(next.done ? [] : next.value.map((one) => one.key), [key]);
    assert.is(received.filter(({ path }) => path.startsWith('/api/shared-links/me')).length, 2);
  });
});

test('a month that is cut, and an album that is empty against its own count, are faults', async () => {
  await withImmich('3.0.1', async (world) => {
    const { fake, open } = world;
    const { album } = furnished(world);
    const { key } = fake.share({ album });
    const listed = () => faultOfCall(listAll(open(undefined, { login: { linkKey: key } })));
    fake.faults.pagesEndEarly = true;
    assert.match(await listed(), /^unusable: the server lists \d of \d pictures/);
    fake.faults.pagesEndEarly = false;
    fake.faults.nothingListed = true;
    assert.match(await listed(), /^unusable: the server lists 0 of \d pictures/);
  });
});

test.run();
