/** Markup that asks for the home network, in the real browser behind its guard: nothing in the house hears of it. */
import { createServer } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { publicHosts } from '../../api/outgoing/reach-host.ts';
import { screenFile, screenPatterns } from '../../api/recipes/screen/screen-files.ts';
import { screenAddress, screenPage } from '../../api/recipes/screen/screen-page.ts';
import { panelOfKind, viewSize } from '../../firmware-protocol/panels.ts';
import { wordsOf } from '../../reasons/words.ts';
import { dialHere, sharer, wayHere, withRendering } from '../rendering/render-world.ts';

const test = suite('markup that asks for the house');

/** Ways in which a page reaches out, for one address. */
const reaching = (origin: string): string => `<img src="${origin}/img"><iframe src="${origin}/frame"></iframe>
<link rel="stylesheet" href="${origin}/css"><style>@import url(${origin}/import); body { background: url(${origin}/bg) }</style>
<script src="${origin}/script"></script><object data="${origin}/object"></object><form id="f" action="${origin}/form"></form>
<script>
const quietly = (act) => { try { act(); } catch {} };
quietly(() => fetch('${origin}/fetch', { mode: 'no-cors' }).catch(() => {}));
quietly(() => navigator.sendBeacon('${origin}/beacon', 'x'));
quietly(() => new WebSocket('${origin.replace('http', 'ws')}/socket'));
quietly(() => new EventSource('${origin}/events'));
quietly(() => new Worker('${origin}/worker'));
quietly(() => window.open('${origin}/window'));
</script>`;

test('names and addresses of the house are reached by none of the ways that a page has', async () => {
  const heard: string[] = [];
  const server = createServer((socket) => {
    heard.push('a connection');
    socket.on('error', () => {}).destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const dialled: string[] = [];
  const wayOut = wayHere({
    resolve: async (name) =>
      name === 'nas.example' ? ['192.168.1.7'] : name === 'pub.example' ? ['93.184.215.14'] : [],
    dial: (target, signal) => {
      dialled.push(target.address);
      return dialHere(target, signal);
    },
  });
  const hosts = [
    '192.168.1.7',
    '127.0.0.1',
    'localhost',
    'nas.example',
    'nas.local',
    '[::1]',
    '2130706433',
    '169.254.169.254',
  ];
  const origins = hosts.flatMap((host) => [`https://${host}:${port}`, `http://${host}:${port}`]);
  const panel = panelOfKind('epd7');
  if (panel === undefined) throw new Error('no panel');
  const view = viewSize(panel, 'landscape');
  try {
    await withRendering(
      async (rendering) => {
        const drawn = async (markup: string) => {
          const body = screenPage({
            markup,
            layout: 'full',
            ...view,
            colours: panel.colours,
            language: 'en',
            isDark: false,
            isWithoutPadding: false,
          });
          const read = async (url: string) =>
            url === screenAddress ? { contentType: 'text/html; charset=utf-8', body } : screenFile(url);
          const files = { addresses: screenPatterns, read };
          return rendering.renderPage({ sharer, url: screenAddress, payload: {}, ...view, files });
        };
        const shown = await drawn(`<h1>Hello</h1>${origins.map(reaching).join('')}`);
        assert.ok(shown.ok, shown.ok ? '' : wordsOf(shown.reason));
        assert.equal([heard, dialled], [[], []]);
        await drawn(reaching(`https://pub.example:${port}`));
        assert.ok(dialled.length > 0, 'the public web is reached, so that the page did ask');
        assert.equal([...new Set(dialled)], ['93.184.215.14']);
      },
      { rule: publicHosts, wayOut },
    );
  } finally {
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
});

test.run();
