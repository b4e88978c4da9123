/** Works of open museums as pictures: those that belong to everybody, with whom they are by. */
import { setImmediate as immediate } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openMuseumSource } from '../../api/picture-sources/museums/museum-source.ts';
import { answerChicago, answerMet } from './fake-museum.ts';
import { faultFrom, listWhole, type PictureServer, withPictureServer } from './file-world.ts';

const test = suite('museums');

/** The longest pause; the limit of a request is longer, and is not to pass while one is under way. */
const longestPauseMs = 2_000;

/** Waits for work that pauses between its requests. */
async function whilePausing<Result>({ clock }: PictureServer, work: Promise<Result>): Promise<Result> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  done.catch(() => {});
  while (!isDone) {
    const ms = clock.nextIn();
    if (ms !== undefined && ms <= longestPauseMs) clock.passes(ms);
    await immediate();
  }
  return done;
}

test('Chicago lists what belongs to everybody, has a picture, and is found by every word', () =>
  withPictureServer(answerChicago(5), async ({ deps, received }) => {
    const all = await listWhole(openMuseumSource(deps, { museum: 'chicago', search: '' }));
    assert.equal(
      all.pictures.map(({ key }) => key),
      ['1', '3', '5'],
    );
    assert.equal([all.pictures[0]?.width, all.pictures[0]?.height], [8_808, 8_460]);
    const found = await listWhole(openMuseumSource(deps, { museum: 'chicago', search: 'Winter monet' }));
    assert.equal(
      found.pictures.map(({ key }) => key),
      ['3'],
    );
    assert.ok(received.every(({ path }) => path.includes('query%5Bterm%5D%5Bis_public_domain%5D=true')));
  }));

test('a work is fetched with its artist, title and museum, and in the size that there is', () =>
  withPictureServer(answerChicago(5), async ({ deps }) => {
    const source = openMuseumSource(deps, { museum: 'chicago', search: '' });
    const work = await source.fetchPicture('3', { longSide: 1_600 });
    assert.match(String(work?.content), /^\/iiif\/2\/3c27b499-[\w-]+\/full\/1686,\/0\/default\.jpg$/);
    assert.is(work?.credit, 'Claude Monet, Harbour in Winter, Art Institute of Chicago');
    assert.match(String((await source.fetchPicture('5', { longSide: 1_600 }))?.content), /full\/843,/);
    for (const key of ['2', '4', '66', '404', '../1', '', '1?x']) {
      assert.is(await source.fetchPicture(key, { longSide: 1_600 }), undefined, key);
    }
  }));

test('a search with very many works ends at a thousand, one page a second', () =>
  withPictureServer(answerChicago(50_000), async (server) => {
    const source = openMuseumSource(server.deps, { museum: 'chicago', search: '' });
    const begun = server.clock.now();
    const { pictures } = await whilePausing(server, listWhole(source));
    assert.is(pictures.length, 998);
    assert.is(server.received.length, 10);
    assert.ok(server.clock.now() - begun >= 9_000);
  }));

test('the Met lists numbers, a thousand at most, and says with each work whether it may hang', () =>
  withPictureServer(answerMet, async ({ deps, received }) => {
    const source = openMuseumSource(deps, { museum: 'met', search: 'wheat' });
    const { pictures } = await listWhole(source);
    assert.is(pictures.length, 1_000);
    assert.is(received.length, 1);
    const work = await source.fetchPicture('1', { longSide: 800 });
    assert.equal(work, {
      content: Buffer.from('picture /1.jpg'),
      caption: 'Wheat Field, 1889',
      credit: 'Vincent van Gogh, Wheat Field, The Metropolitan Museum of Art',
    });
    for (const key of ['2', '3', '4', '404', 'x'])
      assert.is(await source.fetchPicture(key, { longSide: 800 }), undefined, key);
    assert.is((await listWhole(openMuseumSource(deps, { museum: 'met', search: 'nothing' }))).pictures.length, 0);
  }));

test('a museum that answers something else, or too many requests, is a fault', async () => {
  for (const [status, body, fault] of [
    [200, '<html>', /^unusable: the server answers, but not as expected/],
    [200, '{"data":7}', /^unusable: /],
    [429, '', /^away: the server asks to wait/],
    [502, '', /^away: /],
  ] as const) {
    await withPictureServer(
      (_, response) => response.writeHead(status).end(body),
      async ({ deps }) => {
        for (const museum of ['chicago', 'met'] as const) {
          assert.match(await faultFrom(openMuseumSource(deps, { museum, search: 'x' }).summarize()), fault);
        }
      },
    );
  }
});

test.run();
