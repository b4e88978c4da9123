import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Network } from '../../api/outgoing/network.ts';
import { wordsOf } from '../../reasons/words.ts';
import { longTest } from '../some-times.ts';
import { dialHere, loadingMarker, type Page, sharer, wayHere, withPages, withRendering } from './render-world.ts';

const test = suite('page escape');

const publicAddress = '93.184.216.34';

/** A page that tries every way it has to a canary on loopback, one path a way, then calls itself loaded. */
function hostilePage(canaryPort: number, stunPort: number): string {
  return `<body>a page ${loadingMarker}<script>
    const at = (name, host = '127.0.0.1') => 'http://' + host + ':${canaryPort}/' + name;
    const inBlob = (code) => URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
    const hint = (rel, href) => document.head.append(Object.assign(document.createElement('link'), { rel, href }));
    const add = (tag, fields) => document.body.append(Object.assign(document.createElement(tag), fields));
    const ways = [
      () => fetch(at('fetch'), { mode: 'no-cors' }),
      () => fetch(at('zero', '0.0.0.0'), { mode: 'no-cors' }),
      () => fetch(at('localhost', 'localhost'), { mode: 'no-cors' }),
      () => fetch(at('decimal', '2130706433'), { mode: 'no-cors' }),
      () => fetch(at('short', '127.1'), { mode: 'no-cors' }),
      () => fetch(at('mapped', '[::ffff:127.0.0.1]'), { mode: 'no-cors' }),
      () => fetch(at('rebinding', 'rebinding.example'), { mode: 'no-cors' }).catch(() => {}).then(() => fetch(at('rebinding', 'rebinding.example'), { mode: 'no-cors' })),
      () => fetch('/redirect', { mode: 'no-cors' }),
      () => add('img', { src: at('img') }),
      () => add('iframe', { src: at('iframe') }),
      () => add('link', { rel: 'prefetch', href: at('prefetch') }),
      () => add('script', { src: at('script') }),
      () => navigator.sendBeacon(at('beacon')),
      () => new EventSource(at('events')),
      () => new WebSocket(at('websocket').replace('http', 'ws')),
      () => new Worker(inBlob('fetch("' + at('worker') + '", { mode: "no-cors" })')),
      () => new SharedWorker(inBlob('fetch("' + at('shared-worker') + '", { mode: "no-cors" })')),
      () => navigator.serviceWorker.register('/service-worker.js'),
      () => {
        add('iframe', {});
        const { register } = frames[frames.length - 1].ServiceWorkerContainer.prototype;
        return register.call(navigator.serviceWorker, '/service-worker.js');
      },
      () => window.open(at('popup')),
      () => new WebTransport('https://127.0.0.1:${stunPort}/').ready,
      async () => {
        const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${stunPort}' }] });
        peer.createDataChannel('x');
        await peer.setLocalDescription(await peer.createOffer());
      },
    ];
    addEventListener('message', async () => {
      for (const way of ways) { try { Promise.resolve(way()).catch(() => {}); } catch {} }
      await new Promise((resolve) => setTimeout(resolve, 2000));
      document.body.insertAdjacentHTML('beforeend', '<div id="website-has-loaded"></div>');
    });
  </script>`;
}

/** Lets the page try, and gives the ways that reached the canary, and how many datagrams did. */
async function escapes(mayDial: (address: string) => boolean): Promise<{ ways: string[]; datagrams: number }> {
  const datagramCanary = createSocket('udp4');
  let datagrams = 0;
  datagramCanary.on('message', () => datagrams++);
  datagramCanary.bind(0, '127.0.0.1');
  await once(datagramCanary, 'listening');
  let resolutions = 0;
  const network: Network = {
    resolve: async (name) => {
      if (name === 'localhost') return ['127.0.0.1'];
      return [resolutions++ === 0 ? publicAddress : '127.0.0.1'];
    },
    // The public address is nobody's here: no test dials out.
    dial: (target, signal) =>
      target.address === publicAddress ? Promise.reject(new Error('not dialled')) : dialHere(target, signal),
  };
  const canary: Record<string, Page> = {};
  try {
    return await withPages(canary, async (target) => {
      const port = Number(new URL(target.origin).port);
      const pages: Record<string, Page> = {
        '/': hostilePage(port, datagramCanary.address().port),
        '/redirect': (_, response) => {
          response.writeHead(302, { location: `${target.origin}/redirect` }).end();
        },
        '/service-worker.js': (_, response) => {
          response.writeHead(200, { 'content-type': 'text/javascript' });
          response.end(`fetch('${target.origin}/service-worker', { mode: 'no-cors' })`);
        },
      };
      return withPages(pages, (server) =>
        withRendering(
          async (rendering) => {
            const rendered = await rendering.renderPage({
              sharer,
              url: `${server.origin}/`,
              payload: {},
              width: 160,
              height: 96,
              allowedOrigin: server.origin,
            });
            assert.ok(rendered.ok, rendered.ok ? '' : wordsOf(rendered.reason));
            return { ways: [...new Set(target.asked)].sort(), datagrams };
          },
          { rule: { mayResolve: () => true, mayDial }, wayOut: wayHere(network) },
        ),
      );
    });
  } finally {
    datagramCanary.close();
  }
}

test('T-07: a page reaches nothing inside, whichever way it tries', async () => {
  assert.equal(await escapes((address) => address === publicAddress), { ways: [], datagrams: 0 });
});

longTest(test)('control: with the address rule taken away, the same ways do reach the canary', async () => {
  const { ways } = await escapes(() => true);
  for (const way of ['beacon', 'decimal', 'events', 'fetch', 'iframe', 'img', 'localhost', 'mapped', 'rebinding']) {
    assert.ok(ways.includes(`/${way}`), `${way} should have arrived, of ${ways.join(' ')}`);
  }
  for (const way of ['redirect', 'script', 'shared-worker', 'short', 'websocket', 'worker', 'zero']) {
    assert.ok(ways.includes(`/${way}`), `${way} should have arrived, of ${ways.join(' ')}`);
  }
  assert.not(ways.includes('/service-worker'), 'R-16: a page has none, whatever the address rule says');
});

test.run();
