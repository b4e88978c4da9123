/** Websites of the home network: a page of the house may ask within it, a page from outside for nothing there. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { homeNetworks } from '../../api/outgoing/home-networks.ts';
import { publicHosts } from '../../api/outgoing/reach-host.ts';
import type { RenderedPage } from '../../api/rendering/render-page.ts';
import { wordsOf } from '../../reasons/words.ts';
import { longTest } from '../some-times.ts';
import { dialHere, type Page, wayHere, withPages, withRendering } from './render-world.ts';

const test = suite('pages of the home network');

const [inside, outside] = ['192.168.1.5', '93.184.216.34'];

/** A page that shows something, and asks for things when it is loaded. */
const page = (body: string): string => `<!doctype html><body style="background:#fff"><h1>Page</h1>${body}`;
const to =
  (location: string): Page =>
  (_, response) =>
    response.writeHead(302, { location }).end();

interface Seen {
  readonly rendered: RenderedPage;
  /** The paths that were asked for in the house, and outside. */
  readonly home: readonly string[];
  readonly public: readonly string[];
}

/** Renders a website whose names lead to the house or outside; both are played by servers on loopback. */
async function seen(
  url: string,
  pages: Readonly<Record<string, Page>>,
  organization = 'house',
  payload?: Readonly<Record<string, unknown>>,
): Promise<Seen> {
  const home = homeNetworks({
    entries: [{ address: '192.168.1.0', prefix: 24 }],
    notFor: ['guests'],
    own: { addresses: () => [], listening: () => [], databases: [], hosts: () => [] },
  });
  return withPages(pages, async (house) =>
    withPages(pages, async (world) => {
      let lookUps = 0;
      const wayOut = wayHere({
        resolve: async (name) => {
          if (name === 'rebinds.example') return [lookUps++ === 0 ? outside : inside];
          return [name.endsWith('.lan') ? inside : outside];
        },
        dial: (target, signal) => {
          const { origin } = target.address.startsWith('192.168.1.') ? house : world;
          return dialHere({ ...target, port: Number(new URL(origin).port) }, signal);
        },
      });
      return withRendering(
        async (rendering) => {
          const rendered = await rendering.renderPage({
            sharer: [organization, 'p'],
            url,
            ...(payload !== undefined && { payload }),
            width: 200,
            height: 100,
            waitFor: 600,
          });
          return { rendered, home: [...house.asked], public: [...world.asked] };
        },
        { rule: publicHosts, wayOut, home },
      );
    }),
  );
}

const reasonOf = ({ rendered }: Seen): string => (rendered.ok ? 'drawn' : wordsOf(rendered.reason));

longTest(test)(
  'T-92: a page of the house is drawn, with things of the house and from outside, but for excluded organizations',
  async () => {
    const pages = {
      '/': page(
        '<img src="http://192.168.1.6/own.png"><img src="http://public.example/font.png"><iframe src="http://cam.lan/cam"></iframe>' +
          '<script src="http://192.168.9.9/x"></script>',
      ),
      '/cam': page('camera'),
    };
    const one = await seen(`http://${inside}:8123/`, pages);
    assert.is(reasonOf(one), 'drawn');
    for (const path of ['/', '/own.png', '/cam']) assert.ok(one.home.includes(path), path);
    assert.ok(one.public.includes('/font.png'));
    assert.ok(!one.home.includes('/x') && !one.public.includes('/x'));
    const named = await seen('http://nas.lan/', pages);
    assert.is(reasonOf(named), 'drawn');
    const guests = await seen(`http://${inside}/`, pages, 'guests');
    assert.match(
      reasonOf(guests),
      /192\.168\.1\.5 is not a public address, and the operator’s setting PAPERGATE_HOME_NETWORKS/,
    );
    assert.equal([guests.home, guests.public], [[], []]);
  },
);

longTest(test)(
  'T-92: a page from outside reaches nothing in the house: no part, frame, fetch, socket, redirect, move or second look-up',
  async () => {
    const attack = page(`
    <img src="http://${inside}/img"><iframe src="http://${inside}/frame"></iframe><script src="http://nas.lan/script"></script>
    <link rel="stylesheet" href="http://nas.lan/style"><img src="/redirect">
    <iframe srcdoc="<img src='http://${inside}/srcdoc'>"></iframe>
    <script>
      for (const path of ['fetch', 'beacon']) fetch('http://${inside}/' + path, { mode: 'no-cors', method: 'POST' }).catch(() => {});
      navigator.sendBeacon('http://${inside}/beacon');
      new WebSocket('ws://${inside}/socket');
      new Worker(URL.createObjectURL(new Blob(["fetch('http://${inside}/worker',{mode:'no-cors'})"])));
      open('http://${inside}/popup');
    </script>`);
    const attacked = await seen('http://public.example/', {
      '/': attack,
      '/redirect': to(`http://${inside}/redirected`),
    });
    assert.is(reasonOf(attacked), 'drawn');
    assert.equal(attacked.home, []);
    const moved = await seen('http://public.example/', { '/': to(`http://${inside}/moved`) });
    assert.match(reasonOf(moved), /192\.168\.1\.5 is not a public address/);
    assert.equal(moved.home, []);
    const script = await seen('http://public.example/', {
      '/': page(`<script>location = 'http://${inside}/gone'</script>`),
    });
    assert.equal(script.home, []);
    const again = page('<script>setTimeout(() => fetch("/second"), 50)</script><img src="/second">');
    const rebound = await seen('http://rebinds.example/', { '/': again });
    assert.equal([rebound.home, rebound.public.includes('/')], [[], true]);
  },
);

longTest(test)(
  'T-92: a page of the house opens no page from outside, whose requests would come from within',
  async () => {
    const attack = page(
      `<img src="http://${inside}/stolen"><script>fetch('http://${inside}/stolen', { mode: 'no-cors' })</script>`,
    );
    const framed = await seen(`http://${inside}/`, {
      '/': page('<iframe src="http://public.example/attack"></iframe><iframe src="/redirect"></iframe>'),
      '/redirect': to('http://public.example/attack'),
      '/attack': attack,
    });
    assert.is(reasonOf(framed), 'drawn');
    assert.ok(!framed.home.includes('/stolen'));
    assert.ok(!framed.public.includes('/attack'));
    // Not one either that was asked for a picture before.
    const known = await seen(`http://${inside}/`, {
      '/': page(`<img src="http://public.example/a.png"><script>
      setTimeout(() => { document.body.insertAdjacentHTML('beforeend', '<iframe src="http://public.example/attack"></iframe>') }, 100)</script>`),
      '/attack': attack,
    });
    assert.ok(known.public.includes('/a.png'));
    assert.ok(!known.public.includes('/attack') && !known.home.includes('/stolen'));
    const left = await seen(`http://${inside}/`, { '/': to('http://public.example/attack'), '/attack': attack });
    assert.match(reasonOf(left), /A page of the home network leads to public\.example outside it/);
    assert.equal([left.home.includes('/stolen'), left.public], [false, []]);
    const popup = await seen(`http://${inside}/`, {
      '/': page('<script>open("http://public.example/attack")</script>'),
      '/attack': attack,
    });
    assert.ok(!popup.home.includes('/stolen'));
  },
);

longTest(test)('T-91: a render page of an integration is never of the house, nor reaches anything there', async () => {
  const pages = { '/': page(`<img src="http://${inside}/own.png"><img src="http://nas.lan/own.png">`) };
  const atHome = await seen('http://nas.lan/', pages, 'house', {});
  assert.match(reasonOf(atHome), /nas\.lan is not a public address/);
  assert.equal([atHome.home, atHome.public], [[], []]);
  const fromOutside = await seen('http://public.example/', pages, 'house', {});
  assert.equal([fromOutside.home, fromOutside.public.includes('/')], [[], true]);
});

test.run();
