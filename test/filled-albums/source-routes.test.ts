/** Routes of sources: a folder of this machine is tried, added, changed and removed, and no login is given out. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { changedSource } from '../../api/filled-albums/keep-source.ts';
import { openEntered } from '../../api/filled-albums/sources.ts';
import { type HttpWorld, withHttp, worldKeys } from '../http/world.ts';
import { framedPaper } from '../papers/images-world.ts';
import { colouredPicture } from './played-source.ts';

const test = suite('routes of sources');

/** Opens a world with a folder of the operator's: two pictures, and one in a folder below. */
async function withFolderOf(run: (world: HttpWorld & { readonly album: string }) => Promise<void>): Promise<void> {
  const path = await mkdtemp(join(tmpdir(), 'papergate-photos-'));
  try {
    await mkdir(join(path, 'Lisbon'));
    for (const name of ['beach.jpg', 'hill.jpg', 'Lisbon/tram.jpg']) {
      await writeFile(join(path, name), await colouredPicture(name));
    }
    const foldersFor = (): { name: string; path: string }[] => [{ name: 'Photos', path }];
    await withHttp(
      async (world) => {
        const { id: album } = await framedPaper(world, { kind: 'album' });
        await run({ ...world, album });
      },
      { foldersFor },
    );
  } finally {
    await rm(path, { recursive: true });
  }
}

test('a source is tried before it is kept, and a problem is an answer', () =>
  withFolderOf(async ({ call, admin, album }) => {
    const base = `/papers/${album}/sources`;
    assert.equal((await call('GET', `${base}/offered`, { as: admin })).json, { folders: ['Photos'] });
    const trying = async (source: object) => (await call('POST', `${base}/try`, { as: admin, json: { source } })).json;
    const found = await trying({ kind: 'folder', root: 'Photos' });
    assert.is(found.problem, undefined);
    assert.ok(
      found.choices.some(({ name }: { name: string }) => name === 'Lisbon'),
      JSON.stringify(found),
    );
    const none = await trying({ kind: 'folder', root: 'Elsewhere' });
    assert.is(none.problem, 'the operator no longer admits the folder Elsewhere');
    assert.is(none.problems[0].code, 'album-source-folder-unknown');
    const keyless = await trying({ kind: 'immich', address: 'https://photos.example' });
    assert.match(keyless.problem, 'API key');
    const wrong = await call('POST', `${base}/try`, { as: admin, json: { source: { kind: 'flickr' } } });
    assert.is(wrong.status, 400);
  }));

test('a source is added to an album, which is shuffled from then on, listed, named and removed with all that came from it', () =>
  withFolderOf(async ({ call, admin, album, db }) => {
    const base = `/papers/${album}/sources/`;
    const json = { source: { kind: 'folder', root: 'Photos' } };
    const added = await call('POST', base, { as: admin, json });
    assert.is(added.status, 201, added.text);
    const { id, kind, place, title, state, addedBy } = added.json;
    assert.equal(
      { kind, place, title, state, addedBy },
      { kind: 'folder', place: 'Photos', title: 'Photos', state: 'new', addedBy: 'Ada' },
    );
    assert.is((await call('GET', `/papers/${album}`, { as: admin })).json.meta.order, 'random');
    const renamed = await call('POST', `${base}${id}`, { as: admin, json: { title: 'Family' } });
    assert.equal([renamed.status, renamed.json.title], [200, 'Family'], renamed.text);
    assert.is((await call('POST', `${base}${id}/listing`, { as: admin })).status, 204);
    const [listed, ...others] = (await call('GET', base, { as: admin })).json;
    assert.equal([listed.title, others.length], ['Family', 0]);
    assert.is((await call('DELETE', `${base}${id}`, { as: admin })).status, 204);
    assert.equal(await db('album_sources'), []);
  }));

test('an address or a login that cannot be right is refused, and nothing is kept', () =>
  withFolderOf(async ({ call, admin, album, db }) => {
    const base = `/papers/${album}/sources/`;
    const add = async (source: object) => call('POST', base, { as: admin, json: { source } });
    const unknown = await add({ kind: 'folder', root: '../etc' });
    assert.equal([unknown.status, unknown.json.message], [400, 'the operator no longer admits the folder ../etc']);
    assert.is((await add({ kind: 'icloud', address: 'https://example.com/album' })).status, 400);
    assert.is((await add({ kind: 'folder', root: 'Photos', folders: ['../..'] })).status, 400);
    assert.equal(await db('album_sources'), []);
  }));

test('an album has at most twenty sources', () =>
  withFolderOf(async ({ call, admin, album, db }) => {
    const json = { source: { kind: 'folder', root: 'Photos' } };
    assert.is((await call('POST', `/papers/${album}/sources/`, { as: admin, json })).status, 201);
    const row = await db('album_sources').first();
    for (let more = 1; more < 20; more++) await db('album_sources').insert({ ...row, id: `${more}`, number: more });
    assert.is((await call('POST', `/papers/${album}/sources/`, { as: admin, json })).status, 409);
  }));

test('what was entered is sealed as a whole, for its source and its organization alone', () =>
  withFolderOf(async ({ call, admin, album, db }) => {
    const json = { source: { kind: 'folder', root: 'Photos' } };
    await call('POST', `/papers/${album}/sources/`, { as: admin, json });
    const row = await db('album_sources').first();
    assert.not.match(JSON.stringify(row.sealed), 'root');
    assert.equal(openEntered(row, worldKeys.seal), { kind: 'folder', root: 'Photos' });
    assert.throws(() => openEntered({ ...row, organization_id: 'another' }, worldKeys.seal));
    assert.throws(() => openEntered({ ...row, id: 'another' }, worldKeys.seal));
  }));

test('a login stays with the place that it was entered for', () => {
  const before = { kind: 'webdav', address: 'https://cloud.example/dav/', user: 'anna', password: 'secret' } as const;
  assert.equal(changedSource(before, { folders: ['2019'] }), { ...before, folders: ['2019'] });
  assert.equal(changedSource(before, { address: 'https://evil.example/dav/' }), {
    kind: 'webdav',
    address: 'https://evil.example/dav/',
  });
  const moved = changedSource(before, { address: 'https://other.example/', user: 'bo', password: 'new' });
  assert.equal(moved, { kind: 'webdav', address: 'https://other.example/', user: 'bo', password: 'new' });
  assert.throws(() => changedSource(before, { apiKey: 'x' }));
});

test.run();
