/** The login of a website goes with requests of its own origin's pages, and to nobody else. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { publicHosts } from '../../api/outgoing/reach-host.ts';
import { longTest } from '../some-times.ts';
import { dialHere, type Page, sharer, wayHere, withPages, withRendering } from './render-world.ts';

const test = suite('the login of a website');

longTest(test)(
  'T-93: own documents, parts and fetches carry it; redirects, frames and parts of other origins do not',
  async () => {
    const seen = new Set<string>();
    const noting =
      (body: string | { readonly to: string }): Page =>
      (request, response) => {
        seen.add(`${request.headers.host}${request.url}${request.headers['x-key'] === 'secret' ? ' sent' : ''}`);
        if (typeof body !== 'string') response.writeHead(302, { location: body.to }).end();
        else response.writeHead(200, { 'content-type': 'text/html', 'access-control-allow-origin': '*' }).end(body);
      };
    const pages = {
      '/': noting(`<h1>Home</h1><img src="/own.png"><img src="http://other.example/part.png"><img src="/leaves">
      <iframe src="http://other.example/frame"></iframe><script>fetch('/data')</script>`),
      '/own.png': noting(''),
      '/part.png': noting(''),
      '/data': noting(''),
      '/leaves': noting({ to: 'http://other.example/left' }),
      '/left': noting(''),
      '/frame': noting(
        '<img src="http://nas.example/asked-by-other"><script>fetch("http://nas.example/fetched-by-other")</script>',
      ),
      '/asked-by-other': noting(''),
      '/fetched-by-other': noting(''),
      '/away': noting({ to: 'http://other.example/arrived' }),
      '/arrived': noting('<h1>Other</h1><img src="http://nas.example/asked-by-other">'),
    };
    await withPages(pages, async ({ origin }) => {
      const wayOut = wayHere({
        resolve: async () => ['93.184.216.34'],
        dial: (target, signal) => dialHere({ ...target, port: Number(new URL(origin).port) }, signal),
      });
      await withRendering(
        async (rendering) => {
          const logins = [{ origin: 'http://nas.example', header: 'x-key', value: 'secret' }];
          const size = { width: 200, height: 100, waitFor: 500 };
          const drawn = await rendering.renderPage({ sharer, url: 'http://nas.example/', logins, ...size });
          assert.ok(drawn.ok, JSON.stringify(drawn));
          for (const own of ['/', '/own.png', '/data', '/leaves']) assert.ok(seen.has(`nas.example${own} sent`), own);
          for (const other of ['part.png', 'left', 'frame']) assert.ok(seen.has(`other.example/${other}`), other);
          for (const asked of ['asked-by-other', 'fetched-by-other'])
            assert.ok(seen.has(`nas.example/${asked}`), asked);
          seen.clear();
          await rendering.renderPage({ sharer, url: 'http://nas.example/away', logins, ...size });
          assert.equal([...seen].sort(), [
            'nas.example/asked-by-other',
            'nas.example/away sent',
            'other.example/arrived',
          ]);
        },
        { rule: publicHosts, wayOut },
      );
    });
  },
);

test.run();
