/**
 * PAGE-13, T-07: a page gets its pushed picture at the address that it was given, and nothing else from the host in it.
 */

import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type PagePicture, pictureFiles } from '../../api/rendering/answer-files.ts';
import type { RenderedPage } from '../../api/rendering/render-page.ts';
import type { Rendering } from '../../api/rendering/rendering.ts';
import { wordsOf } from '../../reasons/words.ts';
import { longTest } from '../some-times.ts';
import {
  colourAt,
  dialHere,
  loadingMarker,
  type PageServer,
  wayHere,
  withPages,
  withRendering,
} from './render-world.ts';

const test = suite('page picture');

const red = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#ff0000' } })
  .png()
  .toBuffer();

/** A page that paints itself green when the code gives true of the picture's address. */
const page = (code: string): string => `<body>word ${loadingMarker}<script>
  addEventListener('message', async ({ data }) => {
    if (data.type !== 'INIT') return;
    const url = data.data.integrationContent.imageUrl;
    const of = (path) => new URL(path, url).href;
    const gives = (asking) => asking.then(({ ok }) => ok, () => false);
    const good = await (async () => { ${code} })().catch(() => false);
    if (good === true) document.body.style.background = '#00ff00';
    document.body.insertAdjacentHTML('beforeend', '<div id="website-has-loaded"></div>');
  });
</script>`;

const drawn = `
  const image = new Image();
  image.crossOrigin = 'anonymous';
  image.src = url;
  await image.decode();
  const context = document.createElement('canvas').getContext('2d');
  context.drawImage(image, 0, 0);
  return context.getImageData(1, 1, 1, 1).data.slice(0, 3).join() === '255,0,0';`;

const pages: Readonly<Record<string, string>> = {
  '/drawn': page(drawn),
  '/fetched': page(`return (await (await fetch(url)).blob()).type === 'image/png';`),
  '/by-worker': page(`
    const code = 'fetch("' + url + '").then((a) => postMessage(a.ok), () => postMessage(false))';
    const worker = new Worker(URL.createObjectURL(new Blob([code], { type: 'text/javascript' })));
    return new Promise((resolve) => { worker.onmessage = ({ data }) => resolve(data); });`),
  '/nothing-else': page(`
    const others = ['/', '/v1/papers', '/metrics', url + '0', url.replace('?', '/?'), url.replace(/s=.*/, 's=')];
    const given = await Promise.all(others.map((path) => gives(fetch(of(path), { mode: 'no-cors' }))));
    const posted = await gives(fetch(url, { method: 'POST', mode: 'no-cors' }));
    return given.every((each) => each === false) && posted === false;`),
  '/greedy': page(`
    for (let asked = 0; asked < 40; asked++) await fetch(url, { cache: 'no-store' }).then((a) => a.arrayBuffer());
    return true;`),
};

const render = (
  rendering: Rendering,
  { origin }: PageServer,
  path: string,
  picture: PagePicture,
): Promise<RenderedPage> =>
  rendering.renderPage({
    sharer: ['house', 'paper'],
    url: origin + path,
    payload: { integrationContent: { imageUrl: picture.url } },
    width: 80,
    height: 48,
    allowedOrigin: origin,
    files: pictureFiles(picture),
  });

const addresses = [
  'https://192.168.7.9/signed/0af3.png/abc/1790000000000?s=q-_9',
  'https://papers.lan:8443/signed/0af3.png/abc/1790000000000?s=q-_9',
  'http://192.168.7.9:3000/signed/0af3.png/abc/1790000000000?s=q-_9',
];

longTest(test)('the picture is there at its own address, wherever that is, and no packet goes to its host', () =>
  withPages(pages, async (server) => {
    const asked: string[] = [];
    const wayOut = wayHere({
      resolve: async (name) => {
        asked.push(name);
        return ['192.168.7.9'];
      },
      dial: async ({ address, port }, signal) => {
        if (`http://${address}:${port}` !== server.origin) asked.push(address);
        return dialHere({ address, port, secure: false }, signal);
      },
    });
    await withRendering(
      async (rendering) => {
        for (const url of addresses) {
          for (const path of ['/drawn', '/fetched', '/by-worker', '/nothing-else']) {
            const shot = await render(rendering, server, path, { url, read: async () => red });
            assert.ok(shot.ok, shot.ok ? '' : wordsOf(shot.reason));
            assert.is(await colourAt(shot.png, 70, 40), '00ff00', `${path} ${url}`);
          }
        }
      },
      { wayOut },
    );
    assert.equal(asked, []);
  }),
);

longTest(test)(
  'a picture that is gone did not load, and one that is asked for without end counts to what a page may move',
  () =>
    withPages(pages, (server) =>
      withRendering(async (rendering) => {
        const [url = ''] = addresses;
        for (const read of [async () => undefined, () => Promise.reject(new Error('the disk is broken'))]) {
          const shot = await render(rendering, server, '/drawn', { url, read });
          assert.ok(shot.ok && shot.warnings.includes('Something from https://192.168.7.9 did not load.'));
        }
        let reads = 0;
        const large = async (): Promise<Uint8Array> => {
          reads++;
          return Buffer.alloc(4 * 1024 * 1024);
        };
        const greedy = await render(rendering, server, '/greedy', { url, read: large });
        assert.is(greedy.ok ? '' : wordsOf(greedy.reason), 'The page transferred more than 64 MB.');
        assert.is(reads, 1, 'the file is read once');
      }),
    ),
);

test.run();
