/** FACT-09, T-07: the browser's own network, seen from a page that no guard keeps in. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { launchBrowser } from '../../api/browser/browser-process.ts';
import { findBrowser } from '../../api/browser/find-browser.ts';
import { type OwnNetwork, openOwnNetwork } from '../../api/browser/own-network.ts';
import { systemClock } from '../../runtime/clock.ts';
import { longTest, unlessUnable } from '../some-times.ts';
import { sharer, withPages, withRendering } from './render-world.ts';

const test = suite('own network');

/** A network of the browser's own; fails where there is none. */
async function opened(): Promise<OwnNetwork> {
  const network = await openOwnNetwork(systemClock);
  if (network === undefined) throw new Error('no network was opened, and one could be before');
  return network;
}

const probed = await openOwnNetwork(systemClock);
probed?.close();
await probed?.ended;
const testOwn = unlessUnable(
  test,
  probed === undefined ? 'this machine gives the browser no network of its own (docs/decisions/0014)' : undefined,
);

/** Returns what of a page without a proxy arrives at canaries on this machine's loopback: requests by path, and datagrams. */
async function arrivals(network: OwnNetwork | undefined): Promise<{ asked: string[]; datagrams: number }> {
  const udp = createSocket('udp4');
  let datagrams = 0;
  udp.on('message', () => datagrams++);
  udp.bind(0, '127.0.0.1');
  await once(udp, 'listening');
  const browser = await launchBrowser(await findBrowser({}), systemClock, network);
  try {
    return await withPages({}, async ({ origin, asked }) => {
      const context = await browser.browser.createBrowserContext({ proxyServer: 'direct://' });
      const page = await context.newPage();
      const ways = `(async () => {
        await fetch('${origin}/fetch', { mode: 'no-cors' }).catch(() => {});
        new WebSocket('${origin.replace('http', 'ws')}/websocket');
        navigator.sendBeacon('${origin}/beacon');
        const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${udp.address().port}' }] });
        peer.createDataChannel('x');
        await peer.setLocalDescription(await peer.createOffer());
        await new Promise((resolve) => setTimeout(resolve, 1500));
      })()`;
      await page.evaluate(ways);
      return { asked: [...new Set(asked)].sort(), datagrams };
    });
  } finally {
    await browser.close();
    udp.close();
  }
}

testOwn('FACT-09: without any guard nothing of a page leaves its network', async () => {
  const network = await opened();
  assert.equal(await arrivals(network), { asked: [], datagrams: 0 });
  await network.ended;
});

longTest(test)('control: in the network of the service the same page arrives', async () => {
  const { asked } = await arrivals(undefined);
  for (const way of ['/beacon', '/fetch', '/websocket']) assert.ok(asked.includes(way), asked.join(' '));
});

testOwn('a browser whose network has lost its helper is ended, and the render gets another', () =>
  withPages({ '/plain': '<body>hello' }, async ({ origin }) => {
    const networks: OwnNetwork[] = [];
    const openNetwork = async () => {
      const network = await opened();
      networks.push(network);
      return network;
    };
    await withRendering(
      async (rendering) => {
        const options = { sharer, url: `${origin}/plain`, width: 100, height: 60, allowedOrigin: origin };
        assert.is((await rendering.renderPage(options)).ok, true);
        assert.is(rendering.probe().network, 'own');
        networks[0]?.close();
        await networks[0]?.ended;
        // One visit is open ahead.
        assert.is((await rendering.renderPage(options)).ok, true);
        assert.is((await rendering.renderPage(options)).ok, true);
        assert.is(networks.length, 2);
      },
      { openNetwork },
    );
    for (const network of networks) await network.ended; // No helper outlives its browser.
  }),
);

longTest(test)('where there is no such network the browser shares that of the service, and says so', () =>
  withPages({ '/plain': '<body>hello' }, ({ origin }) =>
    withRendering(
      async (rendering) => {
        const options = { sharer, url: `${origin}/plain`, width: 100, height: 60, allowedOrigin: origin };
        assert.is((await rendering.renderPage(options)).ok, true);
        assert.is(rendering.probe().network, 'shared');
        await rendering.stop();
        assert.is(rendering.probe().network, 'none');
      },
      { openNetwork: async () => undefined },
    ),
  ),
);

test.run();
