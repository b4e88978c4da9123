/** The console below `/console`: its headers, its sizes, its paths behind a proxy. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent, request } from 'undici';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bundleApp } from '../../api/console/bundle-app.ts';
import { consolePage } from '../../api/console/page.ts';
import { requestOrigin } from '../../api/http/request-origin.ts';
import { ownRecipe } from '../../api/recipes/own-recipes.ts';
import { languages } from '../../console/ground/words.ts';

const test = suite('console surface');

interface Got {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly bytes: number;
}

type Get = (path: string, headers?: Record<string, string>) => Promise<Got>;

/** The pages alone, behind a proxy on loopback that is trusted. */
async function withPages(run: (get: Get) => Promise<void>): Promise<void> {
  const originOf = requestOrigin([{ address: '127.0.0.1', prefix: 32, family: 'ipv4' }], undefined);
  const show = consolePage({ prefixOf: (asked) => originOf(asked).prefix, allowLoopback: false });
  const server = createServer((asked, response) => {
    if (!show(asked, response)) response.writeHead(404).end('nobody answers');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const agent = new Agent();
  try {
    await run(async (path, headers = {}) => {
      const { port } = server.address() as AddressInfo;
      const answer = await request(`http://127.0.0.1:${port}${path}`, { dispatcher: agent, headers });
      const bytes = Buffer.from(await answer.body.arrayBuffer());
      return { status: answer.statusCode, headers: answer.headers, text: bytes.toString(), bytes: bytes.length };
    });
  } finally {
    await agent.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

const filesOf = ({ text }: Got): string[] =>
  [...text.matchAll(/(?:src|href)="([^"]+\.(?:js|css))"/g)].map(([, path = '']) => path);

test('every place is the same page, which runs nothing but its own files', () =>
  withPages(async (get) => {
    const page = await get('/console');
    for (const path of [
      '/console/',
      '/console/frames',
      '/console/frames/6b039f2214435f547ffaed76',
      '/console/no/such',
    ]) {
      const { status, text } = await get(path);
      assert.equal([status, text], [200, page.text], path);
    }
    const policy = String(page.headers['content-security-policy']);
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';/);
    assert.match(policy, /frame-ancestors 'none'; base-uri 'none'; form-action 'none'/);
    assert.not.match(policy, /unsafe|https?:/);
    assert.is(page.headers['cache-control'], 'no-cache');
    assert.not.match(page.text, /<script(?! type="module" src=)|<style| style=| on\w+=|https?:/);
    for (const path of ['/console/nothing.js', '/console/app/nothing.js', '/console/app/../page.ts']) {
      assert.is((await get(path)).status, 404, path);
    }
  }));

test('the first load is at most 44 kB compressed, and files are kept for good under names that change', () =>
  withPages(async (get) => {
    const page = await get('/console/');
    const files = filesOf(page);
    assert.ok(files.length >= 3, files.join());
    let [brotli, gzip] = [page.bytes, page.bytes];
    for (const path of files) {
      const plain = await get(path);
      assert.match(String(plain.headers['cache-control']), /immutable/);
      assert.not.match(plain.text, /https?:\/\/(?!www\.w3\.org)/, `${path} names another host`);
      const packed = await get(path, { 'accept-encoding': 'gzip, br' });
      assert.is(packed.headers['content-encoding'], 'br');
      assert.is(packed.headers.vary, 'accept-encoding');
      brotli += packed.bytes;
      gzip += (await get(path, { 'accept-encoding': 'gzip' })).bytes;
    }
    assert.ok(brotli <= 44_000 && gzip <= 44_000, `${brotli} and ${gzip} bytes`);
    const { files: all, worker } = await bundleApp();
    const [, common = '[]', translated = '[]'] =
      /(\[[^\]]*\])[^[]*(\[[^\]]*\])/.exec(Buffer.from(worker).toString()) ?? [];
    const sizesOf = (names: string): number[] =>
      (JSON.parse(names) as string[]).map((name) => all.get(name)?.br.length ?? 0);
    // One language is loaded, if any. English lies with its screens.
    assert.is(sizesOf(translated).length, Object.keys(languages).length - 1);
    for (const size of sizesOf(translated)) assert.ok(size > 10_000 && size <= 60_000, `${size} bytes of a language`);
    const screens = sizesOf(common).reduce((sum, size) => sum + size, 0);
    assert.ok(screens > 100_000 && screens <= 300_000, `${screens} bytes with every screen`);
    assert.is(sizesOf(common).length + sizesOf(translated).length, all.size);
  }));

test('pictures of recipes are kept for good under the address that their list names, and no other is answered', () =>
  withPages(async (get) => {
    const digest = (await ownRecipe('own-weather'))?.picture ?? '';
    const picture = await get(`/console/recipes/own-weather-${digest}.png`);
    assert.equal([picture.status, picture.headers['content-type']], [200, 'image/png']);
    assert.match(String(picture.headers['cache-control']), /immutable/);
    for (const path of ['own-nothing-0123456789ab.png', 'own-weather.png', '../weather/settings.yml', 'weather.png']) {
      assert.is((await get(`/console/recipes/${path}`)).status, 404, path);
    }
  }));

test('behind a proxy with a path prefix every address has the prefix', () =>
  withPages(async (get) => {
    const headers = { 'x-forwarded-prefix': '/paper' };
    const page = await get('/console/frames', headers);
    assert.match(page.text, /<html lang="en" data-base="\/paper\/console\/" data-command=".\/papergate">/);
    for (const path of filesOf(page)) assert.match(path, /^\/paper\/console\/app\//);
    const api = await get('/console/api', headers);
    assert.is(api.text, page.text);
    const root = await get('/', { ...headers, accept: 'text/html,*/*' });
    assert.equal([root.status, root.headers.location], [302, '/paper/console/']);
    const odd = await get('/console/', { 'x-forwarded-prefix': '/"><script>' });
    assert.match(odd.text, /data-base="\/console\/"/);
  }));

test('`/` leads browsers to the console, and tells programs that there is no such route', () =>
  withPages(async (get) => {
    assert.is((await get('/', { accept: 'text/html' })).headers.location, '/console/');
    assert.is((await get('/', { accept: 'application/json' })).status, 404);
    assert.is((await get('/')).status, 404);
  }));

test.run();
