/** A host of a checkout: its addresses, its catalogue, what is never handed out, and the command. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request as plainRequest } from 'node:http';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readCatalogueDocument } from '../../api/integration/catalogue-document.ts';
import { noWayOut } from '../../api/outgoing/way-out.ts';
import { WrongUsage } from '../../cli/ground/usage.ts';
import { defaultHandlerLimits } from '../../cli/integrations/handler-pool.ts';
import { startHost } from '../../cli/integrations/serve-folder.ts';
import { systemClock } from '../../runtime/clock.ts';
import { hereNetwork } from '../callbacks/receiver.ts';
import { papergateCommand } from '../runner/built.ts';
import { withCheckout, withHost } from './made-checkout.ts';

const test = suite('host of integrations');

test('the files of a checkout are at the addresses of the vendor’s own server', () =>
  withHost({ network: hereNetwork }, async ({ get }) => {
    const found: Record<string, string> = {
      '/health': '{"ok":true}',
      '/clock/': '<title>Clock</title>',
      '/clock/render.html': '<title>Clock</title>',
      '/clock/config.json': '"name":"Clock"',
      '/clock/languages/de.json': 'Stunde',
      '/clock/data/faces.json': 'round',
      '/tides/settings.html': '<title>Settings</title>',
      '/assets/shared.css': 'margin: 0',
      '/clock/run': '<iframe src="./render.html"',
      '/': '<a href="/tides/config.json">',
    };
    for (const [path, text] of Object.entries(found)) {
      const answer = await get(path);
      assert.equal([answer.status, answer.headers.get('access-control-allow-origin')], [200, '*'], path);
      assert.ok(answer.text.includes(text), `${path}: ${answer.text}`);
    }
    const icon = await get('/clock/assets/icon.png');
    assert.equal([icon.status, icon.headers.get('content-type')], [200, 'image/png']);
    const tag = icon.headers.get('etag') ?? '';
    assert.is((await get('/clock/assets/icon.png', { headers: { 'if-none-match': tag } })).status, 304);
    assert.equal([(await get('/clock')).status, (await get('/clock', { method: 'OPTIONS' })).status], [308, 204]);
    assert.is((await get('/clock/', { method: 'POST' })).status, 405);
  }));

test('nothing else is handed out: other files, folders above, and links out of the checkout', () =>
  withHost({ network: hereNetwork }, async ({ get, host }) => {
    const refused = [
      ...['/clock/notes.md', '/clock/api/', '/package.json', '/_shared/words.js', '/none/', '/none/config.json'],
      ...['/clock/data/linked.json', '/clock/assets/', '/assets/', '/assets/none.css', '/clock/data/%00.json'],
      ...['/clock/data/%2e%2e%2fconfig.json', '/clock/data/..%2f..%2f..%2f..%2fsecret.json', '/tides/api/data.js'],
    ];
    for (const path of refused) assert.is((await get(path)).status, 404, path);
    assert.is((await get('/clock/%zz')).status, 400);
    // A path that no client shortens.
    const raw = plainRequest({ port: host.port, host: '127.0.0.1', path: '/clock/data/../../../../secret.json' }).end();
    const [answer] = await once(raw, 'response');
    assert.is(answer.statusCode, 404);
    answer.resume();
  }));

test('the catalogue lists all integrations, with icons that were made small and the same bytes each time', () =>
  withHost({ network: hereNetwork, options: { url: 'https://tides.example', name: 'Vendor' } }, async (world) => {
    const { get, host, folder } = world;
    const { text } = await get('/catalogue.json');
    const { name, integrations, leftOut } = readCatalogueDocument(text);
    assert.equal([name, leftOut, host.integrations], ['Vendor', [], 3]);
    assert.equal(
      integrations.map(({ name, configUrl, languages, description }) => [name, configUrl, languages, description]),
      [
        ['Clock', 'https://tides.example/clock/config.json', ['en', 'de'], 'Clock on paper'],
        ['Tides', 'https://tides.example/tides/config.json', undefined, 'Tides on paper'],
        ['Wild', 'https://tides.example/wild/config.json', undefined, 'Wild on paper'],
      ],
    );
    const [{ picture = '' } = {}] = integrations;
    assert.ok(Number((await get('/clock/assets/icon.png')).headers.get('content-length')) > 65_536);
    assert.ok(picture.length > 1_000 && picture.length < 90_000, String(picture.length));
    assert.equal(host.leftOut, ['wild: its icon is not there']);
    const again = await startHost(
      folder,
      { port: '0', host: '127.0.0.1', url: 'https://tides.example', name: 'Vendor' },
      { environment: {}, wayOut: noWayOut(systemClock), limits: defaultHandlerLimits },
    );
    try {
      assert.is(await (await fetch(`http://127.0.0.1:${again.port}/catalogue.json`)).text(), text);
    } finally {
      await again.stop();
    }
  }));

test('wrong options are said before anything listens', () =>
  withCheckout(async (folder) => {
    const wrong = [
      [join(folder, 'none'), {}, /cannot be read/],
      [join(folder, 'public'), {}, /has no integrations/],
      [folder, { port: 'x' }, /--port/],
      [folder, { url: 'https://tides.example/path' }, /--url/],
      [folder, { env: ['NOT_SET'] }, /--env NOT_SET/],
      [folder, { env: ['NODE_OPTIONS'] }, /--env NODE_OPTIONS/],
      [folder, { home: ['127.0.0.1'] }, /--home/],
      [folder, { host: '203.0.113.7' }, /cannot be listened at/],
    ] as const;
    for (const [place, options, words] of wrong) {
      const surroundings = {
        environment: { NODE_OPTIONS: '--x' },
        wayOut: noWayOut(systemClock),
        limits: defaultHandlerLimits,
      };
      await startHost(place, { port: '0', host: '127.0.0.1', ...options }, surroundings).then(
        () => assert.unreachable(String(words)),
        (error) => assert.ok(error instanceof WrongUsage && words.test(error.message), error),
      );
    }
  }));

test('the command says where its integrations are, and ends with SIGTERM', () =>
  withCheckout(async (folder) => {
    const args = [papergateCommand, 'integrations', 'serve', folder, '--port', '0', '--json'];
    const child = spawn(process.execPath, args, { env: { PATH: process.env.PATH }, stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = once(child, 'exit');
    const [line] = await once(child.stdout, 'data');
    const said = JSON.parse(String(line));
    assert.equal([said.integrations, said.leftOut], [3, ['wild: its icon is not there']]);
    assert.is((await fetch(`${said.address}/health`)).status, 200);
    child.kill('SIGTERM');
    assert.equal(await ended, [0, null]);
  }));

test.run();
