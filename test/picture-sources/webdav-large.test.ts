/** Lists of folders over WebDAV that are very long, without end, or of another type. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openWebdavSource } from '../../api/picture-sources/webdav/webdav-source.ts';
import { faultFrom, listWhole, withPictureServer } from './file-world.ts';

const test = suite('long lists over WebDAV');

test('20,000 files in one folder are listed in pages, and one that is without end is refused', () => {
  const many = Array.from({ length: 20_000 }, (_, at) => `/dav/IMG_${at}.jpg`);
  const element = (path: string): string =>
    `<D:response><D:href>${path}</D:href><D:propstat><D:prop><D:resourcetype>${
      path.endsWith('/') ? '<D:collection/>' : ''
    }</D:resourcetype><D:getetag>"1-${path.length}"</D:getetag>${' '.repeat(800)}</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>`;
  let isEndless = false;
  return withPictureServer(
    ({ headers }, response) => {
      response.writeHead(207).write('<?xml version="1.0"?><D:multistatus xmlns:D="DAV:">');
      response.write(element('/dav/'));
      if (headers.depth === '1' && !isEndless) response.write(many.map(element).join(''));
      for (let at = 0; headers.depth === '1' && isEndless && at < 65; at++) response.write(' '.repeat(1024 * 1024));
      response.end('</D:multistatus>');
    },
    async ({ deps }) => {
      const address = { address: 'http://nas.example/dav/', sort: 'folder' } as const;
      const source = openWebdavSource(deps, { ...address, folders: [], withSubfolders: false }, {});
      const { pictures, pages } = await listWhole(source);
      assert.equal([pictures.length, pages], [20_000, 20]);
      isEndless = true;
      assert.match(await faultFrom(listWhole(source)), /^unusable: .*the answer is too long/);
    },
  );
});

test('a document type is refused, and an element without end', async () => {
  for (const text of [
    '<!DOCTYPE x [<!ENTITY a "b">]><d:multistatus>',
    `<d:multistatus><d:response>${'x'.repeat(100_000)}`,
  ]) {
    await withPictureServer(
      (_, response) => response.writeHead(207).end(text),
      async ({ deps }) => {
        const address = { address: 'http://nas.example/dav/', sort: 'folder' } as const;
        const source = openWebdavSource(deps, { ...address, folders: [], withSubfolders: false }, {});
        assert.is(await faultFrom(source.summarize()), 'unusable: the server answers, but not as expected');
      },
    );
  }
});

test.run();
